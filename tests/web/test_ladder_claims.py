"""Strengths, places and familywise claims on the site: those of the kept fit, which no page computes."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, expect

from arena.web.app import create_app
from arena.web.html.links import LiveLinks
from arena.web.html.rendering import render
from arena.web.live.site import Site
from arena.web.pages.bots import league_bot
from arena.web.pages.rankings import ladder, strength_in_words
from arena.web.public.export import export
from results.records import EntrySpec, LeagueRecord, MatchRecord, Traits
from results.reports import fits
from results.reports.fits import cached_fit, fit_by_of, new_fit
from results.reports.rankings import rankings
from results.store import Store
from tests.support.ledgers import RULES, new_store, plan, played
from tests.support.web.chromium import chromium, served, window

LABELS = ("bread-and-butter-pudding", "counter", "greedy", "reader", "author55/bot-152", "sieve")
LEAGUES = ("by-places", "by-scores", "on-a-ladder")


def league_of(store: Store, name: str, rounds: int = 6) -> LeagueRecord:
    """Make a league in which each bot is ahead of the next by four points on average, and now and then behind."""
    found = store.leagues.create(
        name,
        config={
            "game": "bread-basket",
            "ranking": {"by": "scores" if name == "by-scores" else "places"},
            "schedule": {"kind": "ladder" if name == "on-a-ladder" else "round-robin"},
        },
        traits=Traits(chooses=name == "on-a-ladder"),
        ruleset=RULES,
        entries=[EntrySpec(label, None) for label in LABELS],
        secret=bytes(32),
    )
    pairs = [(one, other) for one in range(len(LABELS)) for other in range(one + 1, len(LABELS))]
    matches = plan(store, found, *pairs * rounds)
    store.append(
        [
            played(
                match,
                0,
                [
                    30 - 4 * entry + match.match_no * (5 + seat) % 13
                    for seat, entry in enumerate(match.entries)
                ],
            )
            for match in matches
        ]
    )
    return found


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("a page has computed a fit")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    made = new_store(tmp_path_factory.mktemp("claims"))
    for name in LEAGUES:
        league = league_of(made, name)
        new_fit(made, league.uuid, fit_by_of(league))
    league_of(made, "unfitted")
    yield made
    made.close()


@pytest.mark.parametrize("name", LEAGUES)
def test_the_ladder_has_what_the_kept_fit_says(
    store: Store, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fits, "_fitted", refuse)
    league = store.leagues.get(name)
    found = rankings(store, league, cached_fit(store, league.uuid, fit_by_of(league)))
    text = render(ladder(store, name), LiveLinks())
    fit = found.fit
    assert fit is not None
    for row in found.rows:
        strength = strength_in_words(row)
        assert strength is not None
        assert f'<td data-of="strength">{strength.value} <small>{strength.error}</small>' in text
        assert row.claims is not None
        best, worst = row.claims.place_best, row.claims.place_worst
        places = f"{best}" if best == worst else f"{best}–{worst}"
        assert f'<td data-of="places">{places}<td' in text
        above, familywise = row.claims.above, row.claims.above_familywise
        assert f">{len(above)}/{len(familywise)}" in text
    pairwise, familywise_of = fit.pairs_apart, fit.pairs_apart_familywise
    assert 0 < familywise_of < 15
    assert (
        f"{pairwise} of 15 pairs differ significantly, {familywise_of} even when all pairs are tested together"
        in text
    )
    assert ("shrunk towards the mean" in text) is (name == "on-a-ladder")
    assert ("points per game" in text) is (name == "by-scores")


def test_the_page_of_a_bot_names_whom_it_is_told_apart_from(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fits, "_fitted", refuse)
    league = store.leagues.get("by-scores")
    rows = {
        row.label: row
        for row in rankings(store, league, cached_fit(store, league.uuid, fit_by_of(league))).rows
    }
    above = {label: row.claims.above for label, row in rows.items() if row.claims}
    surely = {label: row.claims.above_familywise for label, row in rows.items() if row.claims}
    bot = league_bot(store, "by-scores", "reader").values["bot"]
    assert tuple(bot.below.all_together) == surely["reader"]
    assert tuple(bot.above.all_together) == tuple(
        label for label, others in surely.items() if "reader" in others
    )
    assert {*bot.below.pair_by_pair} == {*above["reader"]} - {*surely["reader"]}
    text = render(league_bot(store, "by-scores", "reader"), LiveLinks())
    assert "Possible places" in text
    assert "Significantly stronger or weaker than" in text


def test_without_a_fit_there_is_nothing_of_it(store: Store) -> None:
    text = render(ladder(store, "unfitted"), LiveLinks())
    assert not any(f">{title}</th>" in text for title in ("Strength", "Places", "Above"))
    assert "differ significantly" not in text
    text = render(league_bot(store, "unfitted", "reader"), LiveLinks())
    assert "Significantly" not in text
    assert "Possible places" not in text


def test_strengths_that_lag_behind_say_so(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        league = league_of(store, "spring", rounds=2)
        fitted = new_fit(store, league.uuid)
        matches = [MatchRecord(league.uuid, 30, 0, (0, 1), 1)]
        store.matches.plan(league.uuid, matches)
        store.append([played(matches[0], 0, (5, 1))])
        text = render(ladder(store, "spring"), LiveLinks())
    assert fitted.through == 30
    assert "The strengths are from the first 30 of 31 matches." in text


def test_a_server_shows_a_fit_that_was_made_after_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.web.http.page_cache.FRESH_S", 0.0)
    with new_store(tmp_path) as store, closing(Site.of(store.path)) as site:
        league = league_of(store, "spring", rounds=2)
        client = TestClient(create_app(site))

        def asked() -> tuple[bool, bool]:
            page = client.get("/leagues/spring").text
            (row, *_) = client.get("/api/v1/leagues/spring/rankings").json()["rows"]
            return ">Places</th>" in page, row["strength"] is not None

        assert asked() == asked() == (False, False)
        new_fit(store, league.uuid)
        assert asked() == (True, True), "the store itself hasn't changed"


def test_an_exported_site_has_it_too(store: Store, tmp_path: Path) -> None:
    export(store, tmp_path / "site", most_matches=1)
    text = (tmp_path / "site" / "leagues" / "by-scores.html").read_text(encoding="utf-8")
    assert "of 15 pairs differ significantly" in text
    assert ">Places</th>" in text


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 800, 1000, 1440])
def test_the_ladder_fits_every_screen(store: Store, browser: Browser, width: int, dark: bool) -> None:
    """With every column, in a frame that scrolls where there is no room for them."""
    context = window(browser, width, dark=dark)
    page = context.new_page()
    with served(store.path) as address:
        for name in (*LEAGUES, "unfitted"):
            page.goto(f"{address}/leagues/{name}")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            assert page.get_by_role("columnheader", name="Places").is_visible() is (name != "unfitted")
            serious = [
                one["id"]
                for one in Axe().run(page).response["violations"]
                if one["impact"] in ("serious", "critical")
            ]
            assert not serious, name
    context.close()


@pytest.mark.slow
def test_a_page_that_is_open_gets_the_columns_of_a_new_fit(tmp_path: Path, browser: Browser) -> None:
    with new_store(tmp_path) as store:
        league = league_of(store, "spring", rounds=2)
        with served(store.path) as address, closing(browser.new_page()) as page:
            page.goto(f"{address}/leagues/spring")
            expect(page.get_by_role("columnheader", name="Rating")).to_be_visible()
            expect(page.get_by_role("columnheader", name="Places")).to_have_count(0)
            new_fit(store, league.uuid)
            expect(page.get_by_role("columnheader", name="Places")).to_be_visible()

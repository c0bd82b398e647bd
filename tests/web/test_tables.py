"""Ladder, history, head to head, seats, faults and the home page, as a browser without scripts gets them."""

import csv
import io
import json
import re
from codecs import BOM_UTF8
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from arena.web.html.links import LiveLinks
from arena.web.html.page_model import NoPage
from arena.web.html.rendering import render
from arena.web.pages.rankings import TooLarge, recounted
from arena.web.public.url_map import PAGES, exported_paths, find
from results.records import EntrySpec
from results.reports.charts import apart, axis, line_path
from results.reports.faults import latest_faults_of_league
from results.reports.rankings import rankings
from results.reports.recounted_matches import Selection
from results.store import Store, open_store
from tests.support.empty_stores import open_copied
from tests.support.ledgers import RULES, add_version, new_store, played
from tests.support.web.copied_site import MARKED, STOPPED
from tests.support.web.large_store import add_large_league, failed_attempt, made_up_game

pytestmark = pytest.mark.xdist_group("site")

NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8)


def test_the_home_page_puts_what_is_played_first_and_names_leaders(site: TestClient) -> None:
    text = site.get("/").text
    names = re.findall(r'<h3><a href="/leagues/([^"]*)"', text)
    assert set(names) == {"bread", "chocolate", "sandwich", "unplayed", quote(STOPPED)}
    assert names[-1] == "unplayed"
    ended = re.findall(r'last played <time[^>]*datetime="([^"]*)"', text)
    assert len(ended) == 3
    assert ended == sorted(ended, reverse=True), "the one that was played last comes first"
    assert 'class="leaders"' in text
    assert "Nothing has been played yet." in text


def test_a_ladder_has_every_bot_with_its_rating_and_interval(site: TestClient, demo_store: Path) -> None:
    text = site.get("/leagues/bread").text
    with open_store(demo_store, create=False, readonly=True) as store:
        rows = rankings(store, store.leagues.get("bread")).rows
    shown = re.findall(r'<th scope="row"><div><a href="([^"]*)" title', text)
    assert shown == [LiveLinks().page((), ("leagues", "bread", "bots", row.label)) for row in rows]
    assert text.count('<use href="#ladder-grid"/>') == len(rows)
    assert "μ ± 2σ" in text
    assert "<b>'two'" not in text
    wins = re.findall(r'<td data-of="wins">([\d.]+)<td>[\d.]+\u202f%', text)
    assert wins == [f"{row.wins:.1f}" for row in rows]


def test_names_at_the_ends_of_lines_stand_apart_as_near_to_their_lines_as_they_can() -> None:
    assert apart([50, 60, 10]) == [50, 60, 10], "there is room"
    assert apart([50, 51]) == [48.2, 52.8], "both give way alike"
    assert apart([50, 51, 10, 52, 55]) == [45.2, 49.8, 10, 54.2, 58.8]
    assert apart([99, 100, 0]) == [95.5, 100, 0], "none leaves the chart"
    assert apart([50] * 30)[22:] == [None] * 8, "the last have no room"


@given(st.lists(st.floats(0, 100), max_size=22))
def test_names_at_the_ends_of_lines_keep_the_order_of_the_lines(places: list[float]) -> None:
    found = [at for at in apart(places) if at is not None]
    order = sorted(range(len(places)), key=places.__getitem__)
    assert all(found[lower] - found[upper] >= 4.39 for upper, lower in pairwise(order))
    assert all(0 <= at <= 100 for at in found)


def test_conditions_are_chips_that_can_be_removed_one_by_one(site: TestClient) -> None:
    text = site.get("/leagues/bread?seats=3&active=1&moved=2020-01-01&nonsense=1").text
    chips = re.findall(r'class="chip" href="([^"]*)">([^<]*)<', text)
    assert chips == [
        ("/leagues/bread?moved=2020-01-01&amp;active=1", "tables of 3 "),
        ("/leagues/bread?seats=3&amp;active=1", "movement since 2020-01-01 "),
        ("/leagues/bread?seats=3&amp;moved=2020-01-01", "active bots only "),
    ]
    assert "matches counted here" in text


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("seats=17", "A table has 1 to 16 seats, not 17."),
        ("ruleset=none", "No match of this league has the ruleset none."),
        ("against=nobody", "No bot of this league is called nobody."),
        ("since=yesterday", "yesterday is not a day."),
        ("since=2026-02-02&until=2026-02-01", "The first day is after the last one."),
        ("until=9999-12-31", "9999-12-31 is not a day."),
        ("seats=%3Cb%3E", "not &lt;b&gt;"),
    ],
)
def test_a_condition_that_means_nothing_is_said_so(site: TestClient, asked: str, why: str) -> None:
    answer = site.get(f"/leagues/bread?{asked}")
    assert answer.status_code == 400
    assert why in answer.text
    assert '<details class="filters" open>' in answer.text


def test_a_recount_that_takes_too_long_is_given_up(demo_store: Path) -> None:
    with open_store(demo_store, create=False, readonly=True) as store:
        league = store.leagues.get("bread")
        with pytest.raises(TooLarge):
            recounted(store, league, None, Selection(seats=3), None, limit_s=-1)
        assert recounted(store, league, None, Selection(seats=3), None).recount is not None


def test_tables_to_download_have_the_rows_of_the_reports(site: TestClient, demo_store: Path) -> None:
    answer = site.get("/leagues/bread/rankings.csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="bread-rankings.csv"'
    with open_store(demo_store, create=False, readonly=True) as store:
        rows = rankings(store, store.leagues.get("bread")).rows
    assert [row["label"] for row in csv.DictReader(io.StringIO(answer.text))] == [row.label for row in rows]
    other = json.loads(site.get("/leagues/bread/rankings.json?seats=2").text)
    assert {row["matches"] for row in other} == {0}
    assert site.get("/leagues/bread/rankings.csv?seats=99").status_code == 400
    marked = site.get("/leagues/bread/rankings.csv?bom=1").content
    assert marked == BOM_UTF8 + answer.content, "for spreadsheets"
    assert site.get("/leagues/bread/rankings.json?bom=1").content[:1] == b"["
    assert site.get("/leagues/none/rankings.csv").status_code == 404
    assert site.get("/leagues/bread/nothing.csv").status_code == 404


def test_ratings_before_a_match_are_those_after_the_one_before(demo_store: Path) -> None:
    with open_store(demo_store, create=False, readonly=True) as store:
        uuid = store.leagues.get("bread").uuid
        for match_no in range(store.leagues.progress(uuid).matches_counted):
            before, matches = (
                store.ratings.before(uuid, match_no),
                store.ratings.matches_before(uuid, match_no),
            )
            assert {entry: played for entry, (_, played) in before.items()} == matches
            ratings = store.ratings.after(uuid, match_no - 1)
            assert all(ratings[entry] == rating for entry, (rating, _) in before.items())


def test_head_to_head_counts_matches_or_games_and_links_to_them(site: TestClient) -> None:
    text = site.get("/leagues/bread/head-to-head?by=games&first=20").text
    assert 'value="games" selected' in text
    assert len(re.findall(r'<td class="heat[1-5]"', text)) == 6
    links = set(re.findall(r'href="(/leagues/bread/matches\?bot=[^"]*)"', text))
    assert len(links) == 6
    assert all(site.get(link.replace("&amp;", "&")).status_code == 200 for link in links)


def test_a_single_bot_is_drawn_with_its_uncertainty(site: TestClient) -> None:
    all_bots = site.get("/leagues/bread/history").text
    assert len(re.findall(r'class="course-line line\d+ dash\d" d="M0 ', all_bots)) >= 3
    assert "course-band" not in all_bots
    one = site.get("/leagues/bread/history", params={"bot": [MARKED, "nobody"]}).text
    assert one.count("course-band") == 1
    assert "is called nobody" in one
    data = re.search(r'class="course-data">(.*?)</script>', one, re.DOTALL)
    assert data is not None
    assert "<" not in data[1]
    assert [line["label"] for line in json.loads(data[1])["lines"]] == [MARKED]


@pytest.mark.parametrize("league", ["unplayed", STOPPED])
@pytest.mark.parametrize("page", ["", "/history", "/head-to-head", "/seats", "/faults"])
def test_leagues_without_results_say_what_comes(site: TestClient, league: str, page: str) -> None:
    answer = site.get(f"/leagues/{quote(league)}{page}")
    assert answer.status_code == 200
    assert 'id="league-line"' in answer.text


def test_single_games_have_shares_and_no_ratings(tmp_path: Path) -> None:
    with open_copied(tmp_path / "arena.sqlite", create=True) as store:
        casual = store.leagues.casual()
        made = [text_of(store, page) for page in ("", "history", "head-to-head", "seats", "faults")]
        assert "No single game has been played yet." in made[0]
        add_large_league(store, "other", 4, 1, 1)
        rules = store.leagues.get("other").ruleset
        assert rules is not None
        for number in range(4):
            store.entries.casual(EntrySpec(f"bot {number}", None))
        match = store.matches.plan_next(casual.uuid, [0, 1, 2, 3], 1, ruleset=rules)
        store.append([made_up_game(match, 0)])
        text = text_of(store, "")
        assert text.count('<th scope="row">') == 4
        assert ">Rating<" not in text
        assert "Wins" in text


def text_of(store: Store, page: str) -> str:
    """Return a page of `casual` as HTML."""
    path = ("leagues", "casual", *filter(None, page.split("/")))
    return render(find(path, {}).make(store), LiveLinks("0"))


def test_the_latest_faults_lead_to_their_games_and_platform_errors_stand_apart(tmp_path: Path) -> None:
    with open_copied(tmp_path / "arena.sqlite", create=True) as store:
        uuid = add_large_league(store, "faulty", 4, 300, 1)
        store.append([], [failed_attempt(uuid)])
        league = store.leagues.get("faulty")
        all_faults = store.games.faults(uuid)
        verdicts = store.games.faults_by_verdict(uuid)
        latest = latest_faults_of_league(store, league, 5)
        text = render(find(("leagues", "faulty", "faults"), {}).make(store), LiveLinks("0"))
    assert len(all_faults) > 50
    assert sum(verdicts.values()) == len(all_faults)
    assert [row.match_no for row in latest] == sorted((one.match_no for one in all_faults), reverse=True)[:5]
    assert f"1 to 50 of {len(all_faults)}" in text
    assert 'rel="next" href="/leagues/faulty/faults?latest-page=2#latest"' in text
    assert text.count('href="/leagues/faulty/games/') == 50
    assert "They count against no bot" in text
    assert "overload" in text
    assert "late by 2.1 s" not in text, "details of the machine aren't for strangers"


@given(NUMBERS, st.integers(2, 10))
def test_an_axis_holds_all_values_with_few_round_ticks(values: list[float], most: int) -> None:
    scale = axis(values, 100.0, most)
    assert scale.low <= min(values) <= max(values) <= scale.high
    ticks = scale.ticks()
    assert 0 <= len(ticks) <= most + 1
    assert all(0 <= tick.at <= 100 for tick in ticks)
    assert len({tick.text for tick in ticks}) == len(ticks)


def test_a_line_is_interrupted_where_there_is_no_value() -> None:
    assert line_path([(0, 1), (1, 2.25), None, (3, 4)]) == "M0 1L1 2.2M3 4"


@pytest.mark.slow
@pytest.mark.parametrize("asked", [{}, {"moved": ("2026-01-08",)}])
def test_a_ladder_of_500_bots_is_no_large_page(tmp_path: Path, asked: dict[str, tuple[str, ...]]) -> None:
    with open_copied(tmp_path / "arena.sqlite", create=True) as store:
        add_large_league(store, "large", 500, 2500, 1)
        page = find(("leagues", "large"), asked).make(store)
        text = render(page, LiveLinks("0"))
    assert text.count('<th scope="row">') == 50
    assert len(text.encode()) < 200_000


@pytest.mark.parametrize(
    ("asked", "status", "words"),
    [
        (
            "/head-to-head?first=9999999999999",
            400,
            "first can&#39;t be 9999999999999. It may be 20, 40 or 60.",
        ),
        ("/head-to-head?by=x", 400, "It may be matches or games."),
        ("/matches?state=zzz", 400, "It may be planned, done or void."),
        ("/matches?latest=x", 400, "latest can&#39;t be x"),
        ("/seats?times-page=9", 404, "This list has only one page."),
        ("/matches?bot=nobody", 404, "no bot called nobody"),
        ("/history?bot=nobody", 404, "is called nobody"),
        ("?sort=zz", 400, "It may be rank, bot, rating,"),
        ("/seats?times-sort=zz", 400, "times-sort can&#39;t be zz"),
        ("?active=zz", 400, "active can&#39;t be zz"),
        ("?seats=00031", 400, "A table has 1 to 16 seats"),
        ("?moved=zz", 400, "It may also be 1d, 7d, 30d."),
        ("/pairs.csv?by=x", 400, "It may be matches or games."),
        ("?sort=-rating&find=x", 200, "<table"),
        ("?movement=zzz&utm_source=x", 200, "<table"),
    ],
)
def test_an_address_is_understood_or_refused(site: TestClient, asked: str, status: int, words: str) -> None:
    path, _, query = asked.partition("?")
    answer = site.get(f"/leagues/bread{path}?{query}")
    assert (answer.status_code, words in answer.text) == (status, True)


def test_every_column_that_sorts_is_known(site: TestClient) -> None:
    found: set[str] = set()
    for page in PAGES:
        text = site.get("/" + page.pattern.replace("{name}", "bread")).text if page.sorts else ""
        shown = set(re.findall(r'data-key="(\w+)"', text))
        assert shown <= set(page.sorts), page.pattern
        found |= shown
    assert {"rank", "share", "wall_ms"} <= found


def test_players_of_casual_with_the_same_name_have_pages_and_matches_of_their_own(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        casual = store.leagues.casual()
        old, new = (add_version(store, "ann", "x", name * 32, {"name": "x"}, {}) for name in ("ab", "cd"))
        specs = [EntrySpec("x", old.id), EntrySpec("x", new.id), EntrySpec("y", old.id, ("--fast",))]
        first, newest, other = (store.entries.casual(spec).entry_no for spec in specs)
        for seats in ([first, other], [newest, other], [first, newest]):
            match = store.matches.plan_next(casual.uuid, seats, 1, ruleset=RULES)
            store.append([played(match, 0)])
        page = text_of(store, "bots/x")
        assert "ann/x@2" in page
        assert f'href="/leagues/casual/bots/x/{first}">ann/x@1</a>' in page
        assert "/leagues/casual/games/0.0" in text_of(store, f"bots/x/{first}")
        assert "Others have the same name" not in text_of(store, "bots/y")
        with pytest.raises(NoPage):
            text_of(store, "bots/x/77")
        for bots, numbers in ((("x", "y"), [1, 0]), (("x",), [2, 1, 0])):
            shown = find(("leagues", "casual", "matches"), {"bot": bots}).make(store).values["matches"]
            assert [row.match_no for row in shown] == numbers
        paths = set(exported_paths(store, 0))
        assert {("leagues", "casual", "bots", "x", str(number)) for number in (first, newest)} <= paths
        assert ("leagues", "casual", "bots", "y", str(other)) not in paths

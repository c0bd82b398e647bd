"""Pages of bots, matches and what is played: what they show, what they keep to themselves, what they say to do next."""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from starlette.testclient import TestClient

from arena.schedules.base import Field
from arena.schedules.ladder import Ladder, LadderSettings
from arena.web.app import create_app
from arena.web.live.site import Site
from arena.web.public.export import export
from protocol.verdicts import Verdict
from results.base.runner_notes import GameInPlay, LeagueInPlay, RunnerNotes
from results.records import EntrySpec, GameRecord, LogRecord, MatchRecord, Traits, VersionSpec
from results.reports.faults import HIDDEN
from results.reports.matches import match_page
from results.store import Store, files_beside, holding, open_store
from results.store.beside_store import write_notes
from tests.support.ledgers import RULES, SECRET, add_version, new_store, played
from tests.support.web.pages import check_folder, page_read

AT = "2026-01-31T12:00:00.000Z"
CARDS = "queen-of-secret-hearts"
"""What a bot wrote that would show its hand."""
LABELS = ("a/b", "..", "50% <b>?#&", "d")
ADDRESSES = ("a%2Fb", "~..", "50%25%20%3Cb%3E%3F%23%26", "d")


def quoting(match: MatchRecord) -> GameRecord:
    """Return a game in which a bot made an illegal move that shows a card, and logged it."""
    game = played(match, 0, faults={0: Verdict.ILLEGAL}, logs=(LogRecord(1, CARDS.encode(), b"", 0),))
    seats = tuple(
        msgspec.structs.replace(seat, detail=f"no card {CARDS}") if seat.verdict else seat
        for seat in game.seats
    )
    return msgspec.structs.replace(game, seats=seats)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Make a league of four bots: matches 0 to 59 are finished, of match 60 one game, of match 61 none."""
    store = new_store(tmp_path_factory.mktemp("bots"))
    build = {"source": "cd" * 32, "machine": "x86_64", "seconds": 1.0, "words": CARDS}
    old = add_version(store, "ann", "x", "ab" * 32, {"name": "x", "kit": True}, {"bread-basket": {}})
    manifest = {"name": "x", "kit": False, "build": ["make"]}
    store.versions.add_all([VersionSpec("ann", "x", "ef" * 32, manifest, {}, parent=old, build=build)])
    entries = [EntrySpec(label, old.id if number == 0 else None) for number, label in enumerate(LABELS)]
    league = store.leagues.create(
        "open",
        config={"schedule": {"kind": "swiss"}},
        traits=Traits(chooses=True, places="Swiss", in_rounds=True),
        ruleset=RULES,
        entries=entries,
        secret=SECRET,
    )
    matches = [
        MatchRecord(
            league.uuid, number, number // 2, (0, 1) if number % 2 == 0 else (2, 3), 2, f"reason {number} <i>"
        )
        for number in range(62)
    ]
    store.matches.plan(league.uuid, matches)
    store.append([played(match, rotation) for match in matches[:59] for rotation in range(2)])
    store.append([quoting(matches[59]), played(matches[59], 1), quoting(matches[60])])
    store.leagues.create("new", config={}, ruleset=RULES, entries=entries, secret=SECRET)
    yield store
    store.close()


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    site = Site.of(store.path)
    with TestClient(create_app(site), base_url="http://localhost") as client:
        yield client
    site.close()


def test_an_unfinished_match_shows_no_cards_and_no_way_to_watch_it(client: TestClient) -> None:
    addresses = [
        "/leagues/open/matches/60",
        "/leagues/open/matches",
        "/leagues/open/live",
        "/bots/ann/x/1",
        "/bots/ann/x",
    ]
    pages = [client.get(address).text for address in addresses]
    assert HIDDEN in pages[0]
    for page in pages:
        assert CARDS not in page
        assert "/games/60." not in page
    bot = client.get(f"/leagues/open/bots/{ADDRESSES[0]}").text
    assert HIDDEN in bot
    assert CARDS not in bot
    assert "/games/60." not in bot


def test_a_finished_match_shows_what_a_bot_wrote_and_leads_to_its_games(client: TestClient) -> None:
    page = client.get("/leagues/open/matches/59").text
    assert f"no card {CARDS}" in page
    assert 'href="/leagues/open/games/59.0"' in page
    assert "<q>reason 59 &lt;i&gt;</q>" in page


def test_the_standings_before_a_match_leave_it_out(client: TestClient) -> None:
    first, second = (client.get(f"/leagues/open/matches/{number}").text for number in (0, 2))
    assert first.count('data-of="matches">0</td></tr>') == 2, "nobody had played"
    assert second.count('data-of="match">1</td></tr>') >= 2
    assert "appear here once" in client.get("/leagues/open/matches/61").text


@pytest.mark.parametrize("number", ["62", "-1", "007", "1.0", "x", "9" * 40, "²"])
def test_a_match_that_is_none_is_not_found(client: TestClient, number: str) -> None:
    assert client.get(f"/leagues/open/matches/{number}").status_code == 404


def test_matches_are_filtered_and_paged(client: TestClient) -> None:
    def numbers(query: str) -> list[int]:
        text = client.get(f"/leagues/open/matches{query}").text
        rows = text.split('<th scope="row" class="n"><a href="/leagues/open/matches/')[1:]
        return [int(row.split('"')[0]) for row in rows]

    assert numbers("") == list(range(61, 11, -1))
    assert numbers("/page-2") == list(range(11, -1, -1))
    assert numbers("?bot=50%25+%3Cb%3E%3F%23%26&bot=d")[:3] == [61, 59, 57]
    assert numbers("?bot=50%25&bot=D")[:3] == [61, 59, 57], "a part of the name is enough"
    assert numbers("?latest=3") == [61, 60, 59]
    assert numbers("?bot=a%2Fb&bot=d") == []
    assert numbers("?state=planned") == [61, 60]
    assert 'rel="next" href="/leagues/open/matches/page-2"' in client.get("/leagues/open/matches").text
    done = client.get("/leagues/open/matches?state=done").text
    assert 'rel="next" href="/leagues/open/matches/page-2?state=done"' in done
    assert "51 to 60 of 60" in client.get("/leagues/open/matches/page-2?state=done").text
    for query, status in (("/page-9", 404), ("?bot=nobody", 404), ("?state=odd", 400), ("?latest=-1", 400)):
        assert client.get(f"/leagues/open/matches{query}").status_code == status


@pytest.mark.parametrize(("label", "address"), list(zip(LABELS, ADDRESSES, strict=True)))
def test_a_bot_with_any_name_has_a_page_that_others_lead_to(
    client: TestClient, label: str, address: str
) -> None:
    page = client.get(f"/leagues/open/bots/{address}")
    assert page.status_code == 200
    assert "<b>?#&" not in page.text
    assert f'href="/leagues/open/bots/{address}"' in client.get("/leagues/open/live").text, label


@pytest.mark.slow
def test_an_exported_folder_leads_only_to_its_own_files(store: Store, tmp_path: Path) -> None:
    written = export(store, tmp_path / "public", most_matches=3)
    assert written == check_folder(tmp_path / "public")
    folder = tmp_path / "public" / "leagues" / "open"
    assert sorted(page.stem for page in (folder / "matches").glob("*.html")) == ["59", "60", "61", "page-2"]
    assert sorted(page.stem for page in (folder / "games").glob("*.html")) == ["59.0", "59.1"]
    pages = [folder / "matches.html", folder / "matches" / "page-2.html"]
    rows = [page.read_text(encoding="utf-8").count("<tr>") - 1 for page in pages]
    assert rows == [50, 12], "the tables have all matches, with and without a page"
    assert CARDS not in (folder / "matches" / "60.html").read_text(encoding="utf-8")


def test_a_bot_leads_to_its_latest_game(client: TestClient) -> None:
    page = client.get("/bots/ann/x").text
    latest = "/leagues/open/games/58.0"
    assert f'<a class="button primary" href="{latest}">' in page, "its match 60 is not over"
    assert client.get(latest).status_code == 200


def test_a_version_shows_what_changed_and_no_output_of_its_build(client: TestClient) -> None:
    page = client.get("/bots/ann/x/2").text
    assert "cd" * 32 in page
    assert CARDS not in page
    assert "<code>kit</code>" in page
    assert "<code>true</code></td><td><code>false</code>" in page
    assert "<code>name</code>" not in page, "it hasn't changed"
    assert client.get("/bots/ann/x/3").status_code == 404


def test_a_page_opened_before_the_first_game_has_every_part_that_fills_later(client: TestClient) -> None:
    for page in ("live", "matches"):
        early, late = (page_read(client.get(f"/leagues/{league}/{page}").text) for league in ("new", "open"))
        assert early.live == late.live != [], page
    early, late = (
        page_read(client.get(f"/leagues/{league}/bots/{ADDRESSES[0]}").text) for league in ("new", "open")
    )
    assert "bot" in early.live, "it holds all that comes with the first game"
    assert "bot" in late.ids


def test_a_league_that_was_never_run_says_how_to_start_it(client: TestClient) -> None:
    page = client.get("/leagues/new/live").text
    assert "Nothing has been played yet" in page
    assert "it begins once the organiser starts it" in page
    assert "<code>" not in page


def state_of(client: TestClient) -> str:
    return str(client.get("/leagues/open/live").text.split('id="state"')[1].split("</p>")[0])


def noted(**more: object) -> RunnerNotes:
    return RunnerNotes(pid=os.getpid(), does="serves leagues", since=AT, written_at=AT, **more)  # type: ignore[arg-type]


def test_what_is_played_now_shows_tables_rate_and_queue_then_that_the_runner_was_killed(
    store: Store,
) -> None:
    files = files_beside(store.path)
    files.mkdir(exist_ok=True)
    playing = (GameInPlay("open", 61, 1, ("50% <b>?#&", "d"), 1, AT),)
    notes = noted(
        league=LeagueInPlay(store.leagues.get("open").uuid, "open", AT),
        playing=playing,
        queued=17,
        games_per_s_minute=2.5,
    )
    store.leagues.set_state("open", "running")
    site = Site.of(store.path)
    with TestClient(create_app(site), base_url="http://localhost") as client:
        with holding(store.path, "serves leagues"):
            assert write_notes(files, notes)
            page = client.get("/leagues/open/live").text
            assert "table 2" in page
            assert "between two games" in page, "the first table keeps its place"
            assert "50% &lt;b&gt;?#&amp;" in page
            assert "<dd>17 games</dd>" in page
            assert "2.50<small> games a second" in page
        site.page_cache._clock = lambda: 1e12  # a page this old isn't served again
        assert "Its runner was killed" in state_of(client)
        assert "it continues once the organiser starts it again" in state_of(client)
    (files / "runner.json").unlink()
    site.close()
    store.leagues.set_state("open", "finished")
    site = Site.of(store.path)
    with TestClient(create_app(site), base_url="http://localhost") as client:
        assert "See the final standings" in state_of(client)
    site.close()


def test_why_a_match_of_a_ladder_was_played_is_told_from_what_the_ladder_knew(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    entries = [EntrySpec(label, None) for label in "abcd"]
    config = {"name": "rungs", "game": "bread-basket", "bots": [], "schedule": {"kind": "ladder", "lag": 2}}
    league = store.leagues.create(
        "rungs",
        config=config,
        traits=Ladder.traits,
        ruleset=RULES,
        entries=entries,
        secret=SECRET,
        rating_options={"rates": "matches"},
    )
    matches = [MatchRecord(league.uuid, number, 0, (number % 2, 2), 1) for number in range(40)]
    store.matches.plan(league.uuid, matches)
    store.append([played(match, 0) for match in matches])
    store.close()
    site = Site.of(tmp_path / "arena.sqlite")
    with TestClient(create_app(site), base_url="http://localhost") as client:
        texts = {number: client.get(f"/leagues/rungs/matches/{number}").text for number in (0, 9, 39)}
    with open_store(tmp_path / "arena.sqlite", readonly=True) as opened:
        for number, text in texts.items():
            seen = Ladder().sees(Field((), (2,)), LadderSettings(lag=2), number)
            known = opened.ratings.matches_before(league.uuid, seen)
            page = match_page(opened, league, opened.matches.get(league.uuid, number), seen)
            assert [one.matches for one in page.before] == [known.get(no, 0) for no in (number % 2, 2)]
            before, after = (opened.ratings.after(league.uuid, number - back)[2] for back in (1, 0))
            assert page.before[1].change == after.mu - before.mu
            words = f"of matches 0 to {seen - 1}" if seen > 1 else "of no match"
            assert f"The ladder planned this match from the results {words}" in text
            assert seen < number or not number
    site.close()

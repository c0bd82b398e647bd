"""The state of a league and of an entry is the same everywhere, also right after it has changed."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from starlette.testclient import TestClient

from arena.cli.display.ranking_notes import legend
from arena.web.app import create_app
from arena.web.pages.home import home
from results import records
from results.base.runner_notes import LeagueInPlay, RunnerNotes, WaitingLeague
from results.records.query_rows import Standing
from results.records.roster import BENCHED, PAUSED, RESUMED, RETIRED, Roster
from results.reports.league_states import (
    ENTRY_STATES,
    LEAGUE_STATES,
    EntryState,
    LeagueState,
    StateOfLeague,
    absent_rows,
    state_of_entry,
    state_of_league,
)
from results.reports.leagues import league_row
from results.reports.rankings import rankings
from results.reports.status import StatusReader
from results.store import Store, open_store, runner_of
from results.store.beside_store import Runner
from results.store.rankings_and_history import Ratings
from results.store.status_queries import LeagueActivity
from results.store.store_lock import Holder
from tests.support.web.copied_site import copied_site

pytestmark = pytest.mark.xdist_group("site")

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
NOW = "2026-01-01T00:00:00.000Z"
LEAGUE = "unplayed"
PAGES = ("/", f"/leagues/{LEAGUE}", f"/leagues/{LEAGUE}/history", f"/leagues/{LEAGUE}/live")
BADGE = re.compile(r'<span class="badge (\w+)"[^>]*>\1</span>')


def test_every_state_has_its_words() -> None:
    assert list(LEAGUE_STATES) == list(get_args(LeagueState))
    assert list(ENTRY_STATES) == list(get_args(EntryState))


def _runner(**notes: object) -> Runner:
    values: dict[str, Any] = {"pid": 1, "does": "serves leagues", "since": NOW, "written_at": NOW}
    return Runner(Holder(1, "serves leagues"), RunnerNotes(**{"league": None, **values, **notes}))


@pytest.mark.parametrize(
    ("runner", "state"),
    [
        (Runner(None, None), "created"),
        (_runner(), "waiting"),
        (_runner(does="runs league other"), "created"),
        (_runner(league=LeagueInPlay("of-unplayed", LEAGUE, NOW)), "running"),
        (_runner(waiting=(WaitingLeague(LEAGUE, "all have played enough", NOW, rests=True),)), "resting"),
        (_runner(waiting=(WaitingLeague(LEAGUE, "its rules are missing", NOW),)), "waiting"),
    ],
)
def test_the_notes_of_the_runner_say_what_it_does_with_a_league(
    demo_store: Path, runner: Runner, state: str
) -> None:
    with open_store(demo_store, readonly=True) as store:
        league = msgspec.structs.replace(store.leagues.get(LEAGUE), uuid="of-unplayed")
        assert state_of_league(league, Roster(0), runner).state == state


def _stored(state: records.LeagueState, *, rated: bool = True) -> LeagueActivity:
    """Return a league as the ledger has it."""
    return LeagueActivity("of-main", "main", state, rated, NOW, 0, 0, 0, 0, 0, -1)


def _killed(**notes: object) -> Runner:
    return Runner(None, _runner(**notes).notes)


INTERRUPTED = StateOfLeague("interrupted", "its runner was killed", NOW)
RESTORED = StateOfLeague("interrupted", "no runner plays it, as after a restored backup")


@pytest.mark.parametrize(
    ("league", "runner", "state"),
    [
        (_stored("running"), _killed(), INTERRUPTED),
        (
            _stored("running"),
            _killed(does="runs league main", league=LeagueInPlay("of-main", "main", NOW)),
            INTERRUPTED,
        ),
        (_stored("running"), _killed(does="runs league other"), RESTORED),
        (_stored("running"), Runner(None, None), RESTORED),
        (_stored("stopped"), _killed(), INTERRUPTED),
        (_stored("stopped"), _killed(does="runs league other"), StateOfLeague("stopped")),
        (_stored("stopped", rated=False), _killed(), StateOfLeague("stopped")),
        (_stored("stopped"), Runner(None, None), StateOfLeague("stopped")),
        (_stored("created"), _killed(), StateOfLeague("created")),
        (_stored("finished"), _killed(), StateOfLeague("finished")),
    ],
)
def test_a_league_whose_runner_was_killed_is_interrupted_even_between_its_turns(
    league: LeagueActivity, runner: Runner, state: StateOfLeague
) -> None:
    assert state_of_league(league, Roster(0), runner) == state


def test_pages_reports_and_the_api_agree_as_soon_as_a_league_is_paused(
    demo_store: Path, tmp_path: Path
) -> None:
    with (
        copied_site(demo_store, tmp_path) as site,
        TestClient(create_app(site), base_url="http://localhost") as client,
    ):
        assert _shown(client) == {"created"}
        with open_store(site.stores.path) as store:
            league = store.leagues.get(LEAGUE).uuid
            store.leagues.add_event(league, 0, PAUSED, {"by": "organiser", "why": "a break"})
            assert _of_reports(store) == {"paused"}
        assert _shown(client) == {"paused"}
        live = client.get(f"/leagues/{LEAGUE}/live").text
        assert "a break. Its organiser has paused it; it continues once an organiser resumes it" in live
        with open_store(site.stores.path) as store:
            store.leagues.add_event(league, 0, RESUMED)
        assert _shown(client) == {"created"}


def _shown(client: TestClient) -> set[str]:
    found = set()
    for path in PAGES:
        text = client.get(path).text
        part = text[text.index(f">{LEAGUE}</a>" if path == "/" else "<main") :]
        match = BADGE.search(part)
        assert match, path
        found.add(match[1])
    found.add(client.get(f"/api/v1/leagues/{LEAGUE}").json()["state"])
    found.add(client.get(f"/api/v1/leagues/{LEAGUE}/rankings").json()["league"]["state"])
    return found


def _of_reports(store: Store) -> set[str]:
    (row,) = StatusReader(store, LEAGUE).read(runner_of(store.path), (), 0).leagues
    cards = {card.row.name: card.row.state for card in home(store).values["cards"]}
    return {row.state, league_row(store, store.leagues.get(LEAGUE)).state, cards[LEAGUE]}


def test_pages_reports_and_the_api_agree_about_entries(demo_store: Path, tmp_path: Path) -> None:
    expected = {0: "retired", 1: "benched", 2: "paused"}
    with (
        copied_site(demo_store, tmp_path) as site,
        TestClient(create_app(site), base_url="http://localhost") as client,
    ):
        with open_store(site.stores.path) as store:
            league = store.leagues.get(LEAGUE)
            store.leagues.add_event(league.uuid, 0, RETIRED, {"entry": 0})
            store.leagues.add_event(league.uuid, 0, BENCHED, {"entry_no": 1, "why": "4 faults"})
            store.leagues.add_event(league.uuid, 0, PAUSED, {"entry": 2, "by": "faults", "why": "too slow"})
            roster = store.entries.roster(league.uuid)
            labels = {entry.entry_no: entry.label for entry in store.entries.all(league.uuid)}
            found = rankings(store, league)
            absent = absent_rows(LEAGUE, store.leagues.events(league.uuid), roster, labels, LONG_AGO)
        named = {labels[number]: state for number, state in expected.items()}
        assert {no: state_of_entry(roster, no).state for no in expected} == expected
        assert {row.label: row.state for row in found.rows} == named
        assert {row.bot: row.state for row in absent} == named
        assert f"retired: {ENTRY_STATES['retired']}" in legend(found)
        rows = client.get(f"/api/v1/leagues/{LEAGUE}/entries").json()
        assert {row["label"]: row["state"] for row in rows} == named
        assert [row["retired"] for row in rows] == [True, False, False]
        text = client.get(f"/leagues/{LEAGUE}").text
        assert all(f"{state}</span>" in text for state in expected.values())


def test_the_home_page_reads_only_leagues_in_which_something_has_happened(
    demo_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with copied_site(demo_store, tmp_path) as site, open_store(site.stores.path) as store:
        first = home(store).values["cards"]
        read: list[str] = []
        standings = Ratings.standings

        def counted(of: Ratings, uuid: str) -> list[Standing]:
            read.append(uuid)
            return standings(of, uuid)

        monkeypatch.setattr(Ratings, "standings", counted)
        assert home(store).values["cards"] == first
        assert read == []
        league = store.leagues.get("bread").uuid
        store.leagues.add_event(league, 0, BENCHED, {"entry_no": 1, "why": "4 faults"})
        home(store)
        assert set(read) == {league}

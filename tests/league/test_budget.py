"""Budgets: whole matches, never one too many, and minutes that are counted over interruptions."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from arena.config.league_file import BotTable, LeagueFile, StopTable
from arena.core.errors import UsageError
from arena.league.definition.checked_definition import how_long, most_games, resolve
from arena.league.end_rules import BEGUN, Budget, begin, played_before_s
from arena.schedules.base import Pairing
from tests.support.leagues import arena_here, create_here, write_league
from tests.support.ledgers import all_games, new_league, new_store, plan

ENDLESS = LeagueFile(
    "x", "bread-basket", (BotTable(path="."),), seats=2, schedule={"kind": "ladder"}, rotations="cyclic"
)


def pairings(*seats: int) -> list[Pairing]:
    return [Pairing(0, tuple(range(count))) for count in seats]


def games_of(seats: int) -> int:
    return seats


def test_matches_by_hand() -> None:
    budget = Budget(StopTable(matches=5), None)
    assert budget.within(pairings(2, 2, 2), 1, 4, lambda _: 4) == tuple(pairings(2, 2, 2))
    assert budget.within(pairings(2, 2, 2), 3, 12, lambda _: 4) == tuple(pairings(2, 2))
    assert budget.within(pairings(2, 2, 2), 5, 20, lambda _: 4) == ()
    assert budget.why == "its budget of 5 matches is spent"


def test_games_are_kept_to_by_whole_matches() -> None:
    budget = Budget(StopTable(games=10), None)
    assert budget.within(pairings(3, 2, 3, 2), 0, 0, games_of) == tuple(pairings(3, 2, 3, 2))
    assert budget.within(pairings(3, 2, 3, 2), 1, 3, games_of) == tuple(pairings(3, 2))
    assert budget.within(pairings(3), 2, 8, games_of) == ()
    assert budget.why == "its budget of 10 games is spent"


@given(
    st.lists(st.integers(2, 5), min_size=1, max_size=40),
    st.integers(1, 30),
    st.integers(1, 80),
    st.integers(1, 9),
)
def test_however_it_is_asked_the_same_matches_fit(
    sizes: list[int], matches: int, games: int, block: int
) -> None:
    budget = Budget(StopTable(matches=matches, games=games), None)
    wanted, planned = pairings(*sizes), list[Pairing]()
    while planned != wanted:
        left = wanted[len(planned) : len(planned) + block]
        more = budget.within(left, len(planned), sum(len(p.entries) for p in planned), games_of)
        planned += more
        if not more:
            break
    at_once = budget.within(wanted, 0, 0, games_of)
    assert tuple(planned) == at_once
    assert len(planned) <= matches
    assert sum(len(p.entries) for p in planned) <= games


def test_minutes_are_counted_over_runs_also_those_that_were_killed(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    league = new_league(store)
    table, clock = StopTable(minutes=2), [100.0]
    first = begin(store, league, table, lambda: clock[0])
    assert first.within(pairings(2), 0, 0, games_of) == tuple(pairings(2))
    clock[0] += 119
    assert first.within(pairings(2), 0, 0, games_of) == tuple(pairings(2))
    clock[0] += 1
    assert first.within(pairings(2), 0, 0, games_of) == ()
    assert first.why == "its budget of 2 minutes is spent"
    # The run was killed after a game that ended 45 s after the run began, on the ledger's own clock.
    games = all_games(plan(store, league, (0, 1), (2, 3)))
    store.append([structs.replace(games[0], finished_at="2026-01-31T12:00:45.000+00:00"), *games[1:]])
    assert played_before_s(store, league.uuid) == 45
    second = begin(store, league, table, lambda: clock[0])
    clock[0] += 74
    assert second.within(pairings(2), 0, 0, games_of)
    clock[0] += 1
    assert not second.within(pairings(2), 0, 0, games_of)
    begun = [event.data for event in store.leagues.events(league.uuid) if event.kind == BEGUN]
    assert begun == [{"played_s": 0.0}, {"played_s": 45.0}]


def test_what_is_played_after_the_time_is_told(tmp_path: Path) -> None:
    store, clock = new_store(tmp_path), [100.0]
    budget = begin(store, new_league(store), StopTable(minutes=1), lambda: clock[0])
    assert not budget.is_late
    clock[0] += 60
    assert budget.is_late
    assert budget.overtime(3) == "the minute is over: playing the remaining 3 games of planned matches"
    clock[0] += 41
    assert budget.within(pairings(2), 7, 14, games_of) == ()
    assert budget.why == "its budget of 1 minutes is spent, and 41 s more for the matches planned by then"


@pytest.mark.slow
def test_the_display_says_that_planned_matches_are_played(tmp_path: Path) -> None:
    file = write_league(tmp_path, rounds=1, pause_ms=10)
    ladder = file.read_text().replace('kind = "round-robin"\nrounds = 1', 'kind = "ladder"')
    file.write_text(ladder + "[stop]\nminutes = 0.01\n")
    create_here(file)
    done = arena_here("run", "test", "--executor", "serial", "--sandbox", "off", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stderr.split())
    assert "test is over: its budget of 0.01 minutes is spent, and" in told
    assert "s more for the matches planned by then" in told


def test_a_league_without_minutes_leaves_no_trace(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    league = new_league(store)
    begin(store, league, StopTable(matches=4))
    assert store.leagues.events(league.uuid) == []
    assert played_before_s(store, league.uuid) == 0


@pytest.mark.parametrize(
    ("stop", "games", "words"),
    [
        (StopTable(), None, "until stopped"),
        (StopTable(matches=9), 18, "at most 9 matches"),
        (StopTable(games=9, matches=9), 9, "at most 9 matches, at most 9 games"),
        (StopTable(minutes=1.5), None, "at most 1.5 minutes plus the matches planned by then"),
        (StopTable(until="settled", games=1), 1, "until its order is settled at an error rate of 0.05, at most 1 game"),
        (
            StopTable(until="settled", top=1, error_rate=0.01, matches=1),
            2,
            "until its top 1 are settled at an error rate of 0.01, at most 1 match",
        ),
    ],
)  # fmt: skip
def test_how_long_it_will_be_is_told(stop: StopTable, games: int | None, words: str) -> None:
    definition = resolve(structs.replace(ENDLESS, stop=stop), 3)
    assert most_games(definition) == games
    assert how_long(definition) == words


def test_a_schedule_with_an_end_may_end_before_the_budget() -> None:
    definition = resolve(structs.replace(ENDLESS, schedule={"rounds": 2}, stop=StopTable(matches=100)), 3)
    assert most_games(definition) == 12
    assert how_long(definition) == "6 matches, 12 games, at most 100 matches"


@pytest.mark.parametrize(
    ("stop", "message"),
    [
        (StopTable(top=1), r"stop\.top: has no effect"),
        (StopTable(indifference=0.1, matches=3), r"stop\.indifference: has no effect"),
        (StopTable(until="settled", top=4, matches=3), "top is 4, but there are only 3 bots"),
        (StopTable(until="settled"), "equal bots never settle"),
    ],
)
def test_what_makes_no_sense_is_refused(stop: StopTable, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        resolve(structs.replace(ENDLESS, stop=stop), 3)


@pytest.mark.slow
def test_leagues_that_are_named_are_played_one_after_the_other_and_no_others(tmp_path: Path) -> None:
    file = write_league(tmp_path, rounds=1, bots=2, seats=2)
    text = file.read_text()
    for name in ("first", "second", "third"):
        file.write_text(text.replace('name = "test"', f'name = "{name}"'))
        create_here(file)
    here = ("--executor", "serial", "--sandbox", "off")
    unknown = arena_here("run", "first", "nobody", *here, cwd=tmp_path)
    assert unknown.returncode == 2
    assert "there is no league 'nobody'" in unknown.stderr
    assert arena_here("run", "second", "first", *here, cwd=tmp_path).returncode == 0
    rows = json.loads(arena_here("league", "list", "--format", "json", cwd=tmp_path).stdout)
    assert {row["name"]: row["state"] for row in rows} == {
        "first": "finished",
        "second": "finished",
        "third": "created",
    }

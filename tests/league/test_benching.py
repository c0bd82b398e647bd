"""Entries that think on others' time are benched, those that keep failing paused: by fixed prefixes of the results."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.executors.processes import ProcessExecutor
from arena.league.running.benching import (
    BENCHED_AFTER,
    EVERY,
    FIRST_LOOKS,
    LAG,
    MOST_LAG,
    OF_GAMES,
    PAUSED_AFTER,
    Benching,
    Decision,
    prefix,
)
from arena.league.running.run import LeagueRun
from arena.league.running.runner_activity import RunProgress
from arena.league.running.work_units import STARTLESS_AFTER
from protocol.verdicts import Verdict
from results.records import LeagueRecord
from results.records.roster import BENCHED, PAUSED, UNBENCHED, Roster
from results.store import Store
from tests.support.leagues import write_bot
from tests.support.ledgers import new_league, new_store, plan, played
from tests.support.open_leagues import CRASHES as ENDS
from tests.support.open_leagues import LADDER, ROUNDS, digests, open_league, play

PONDERS = {1: Verdict.PONDERING}
CRASHES = {1: Verdict.CRASH}
SILENT = {1: Verdict.STARTUP}
WHY = f"thought during other players' turns in {BENCHED_AFTER} games"


def league_of(place: Path, faults: Sequence[dict[int, Verdict]]) -> tuple[Store, LeagueRecord]:
    """Return a league with a match for each of these faults by entry."""
    store = new_store(place)
    league = new_league(store)
    matches = plan(store, league, *[(0, 1)] * len(faults))
    store.append([played(match, faults=found) for match, found in zip(matches, faults, strict=True)])
    return store, league


def judged(store: Store, league: LeagueRecord, *ends: int, pauses: bool = False) -> list[Decision]:
    """Return what is decided from the results below each of these numbers, for the match with that number."""
    benching = Benching(store, league)
    return [
        decision
        for end in ends
        for decision in benching.judge(end, end, store.entries.roster(league.uuid), pauses=pauses)
    ]


def test_three_games_and_out_by_an_event_with_the_match_from_which_it_holds(tmp_path: Path) -> None:
    store, league = league_of(tmp_path, [PONDERS] * 6)
    assert judged(store, league, 2) == []
    assert judged(store, league, 2, 4, 6) == [Decision(1, BENCHED, WHY)], "told once"
    (event,) = store.leagues.events(league.uuid)
    assert (event.kind, event.at_match_no) == (BENCHED, 4)
    assert event.data == {"entry_no": 1, "why": WHY}
    assert judged(store, league, 6) == [], "a later run reads the event"


def test_other_faults_and_other_entries_are_not_counted(tmp_path: Path) -> None:
    faults = [PONDERS, {1: Verdict.TIMEOUT}, {0: Verdict.PONDERING}, PONDERS, CRASHES, {}]
    store, league = league_of(tmp_path, faults)
    assert judged(store, league, 6, pauses=True) == []
    assert store.leagues.events(league.uuid) == []


def test_faults_before_an_entry_came_back_are_forgiven(tmp_path: Path) -> None:
    store, league = league_of(tmp_path, [PONDERS] * 8)
    judged(store, league, 4)
    store.leagues.add_event(league.uuid, 5, UNBENCHED, {"entry": 1})
    assert judged(store, league, 7) == [], "matches 5 and 6"
    assert judged(store, league, 8) == [Decision(1, BENCHED, WHY)]


def test_an_entry_that_keeps_failing_is_paused_only_in_a_standing_league(tmp_path: Path) -> None:
    faults = [CRASHES if number % 2 else {} for number in range(2 * PAUSED_AFTER)]
    store, league = league_of(tmp_path, faults)
    end = len(faults)
    assert judged(store, league, end) == []
    (decision,) = judged(store, league, end - 1, end, pauses=True)
    assert decision[:2] == (1, PAUSED)
    assert decision.why == f"forfeited {PAUSED_AFTER} of its last {OF_GAMES} games or fewer: crash"
    assert store.entries.roster(league.uuid).paused[1].by == "faults"


def test_faults_that_are_far_apart_pause_nobody(tmp_path: Path) -> None:
    faults = [{} if number % 3 else CRASHES for number in range(3 * PAUSED_AFTER)]
    store, league = league_of(tmp_path, faults)
    assert judged(store, league, len(faults), pauses=True) == []


@pytest.mark.parametrize("pauses", [True, False])
def test_an_entry_that_no_longer_starts_is_out_after_its_first_games(tmp_path: Path, *, pauses: bool) -> None:
    store, league = league_of(tmp_path, [{}, CRASHES, *[SILENT] * STARTLESS_AFTER])
    kind = PAUSED if pauses else BENCHED
    why = f"did not start in its last {STARTLESS_AFTER} games"
    assert judged(store, league, 4, 5, pauses=pauses) == [Decision(1, kind, why)]
    roster = store.entries.roster(league.uuid)
    if pauses:
        assert roster.paused[1].by == "faults"
    else:
        assert roster.benched[1].of_start == f"benched: {why}"
        assert not roster.benched[1].by_organiser, "so its author may replace it"


def test_an_entry_that_starts_now_and_then_plays_on(tmp_path: Path) -> None:
    faults = [SILENT, SILENT, {}, SILENT, SILENT, CRASHES, SILENT, SILENT]
    store, league = league_of(tmp_path, faults)
    for pauses in (False, True):
        assert judged(store, league, *range(1, 9), pauses=pauses) == []


def test_the_prefix_depends_on_the_number_of_planned_matches_only_and_never_falls() -> None:
    ends = [prefix(planned, 0) for planned in range(3 * MOST_LAG)]
    assert ends == sorted(ends)
    assert all(end % EVERY == 0 and 0 <= end <= max(0, planned - LAG) for planned, end in enumerate(ends))
    for planned in (2 * LAG, 1_000, 2 * MOST_LAG, 3 * MOST_LAG - 1):
        behind = planned - ends[planned]
        assert behind < min(planned // 2, MOST_LAG) + EVERY, "at most half of the league, and so many matches"
    assert prefix(1_000, 960) == 960, "what the schedule needs is there anyway"


def test_before_the_first_looks_it_is_enough_that_everybody_has_started_once(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    league = new_league(store)
    matches = plan(store, league, *[(0, 1)] * 8)
    benching = Benching(store, league)

    def looked(match_no: int) -> list[Decision] | None:
        return benching.look(match_no, store.entries.roster(league.uuid), pauses=False)

    assert looked(FIRST_LOOKS[0] - 1) == [], "before the first look"
    assert looked(4) is None
    store.append([played(match, faults=SILENT) for match in matches[:3]])
    assert looked(4) is None, "it may start in the game that is missing"
    store.append([played(matches[3], faults=CRASHES)])
    assert looked(7) == [], "to crash, it has to start"
    assert looked(8) == [], "so however often it fails later, `judge` is for that"


def test_who_never_started_is_out_at_the_first_look_after_three_games(tmp_path: Path) -> None:
    store, league = league_of(tmp_path, [SILENT] * 9)
    for number, ends in enumerate(((4,), (9, 4))):
        benching = Benching(store, league)
        found = [benching.look(end, store.entries.roster(league.uuid), pauses=False) for end in ends]
        why = "did not start in any of its 4 games"
        assert found[0] == ([] if number else [Decision(1, BENCHED, why)]), "once: it stands in the ledger"
    store.leagues.add_event(league.uuid, 6, UNBENCHED, {"entry": 1})
    roster = store.entries.roster(league.uuid)
    assert Benching(store, league).look(8, roster, pauses=False) == [], "two games since it came back"


def test_who_has_left_is_not_judged(tmp_path: Path) -> None:
    store, league = league_of(tmp_path, [PONDERS] * 4)
    gone = Roster(4, retired={1: 2})
    assert Benching(store, league).judge(4, 4, gone, pauses=True) == []


STOP = "[stop]\nmatches = 60\n"
READS_ON = "import sys\nfor line in sys.stdin:\n    pass\n"
"""It is found out that it never answers: that takes half a second a game, not ten."""


def with_broken(folder: Path, tables: str, source: str = ENDS) -> Store:
    """Create a league of three bots and one that doesn't start."""
    write_bot(folder / "bots", "bot-3", source, game="bread-basket")
    return open_league(folder, tables)


def forfeits(store: Store) -> list[tuple[str, bool]]:
    """Return the reason of each forfeit, and whether the bot was started."""
    faults = store.games.faults(store.leagues.get("main").uuid)
    assert {fault.entry_no for fault in faults} == {3}
    return [(fault.detail.partition(":")[0], "not started" not in fault.detail) for fault in faults]


def test_a_standing_league_pauses_a_bot_that_does_not_start(tmp_path: Path) -> None:
    store = with_broken(tmp_path, LADDER)
    play(store, until=48)
    (paused,) = [event for event in store.leagues.events("main") if event.kind == PAUSED]
    assert paused.data["entry"] == 3
    assert paused.data["why"] == f"did not start in its last {STARTLESS_AFTER} games"
    assert STARTLESS_AFTER <= len(forfeits(store)) <= PAUSED_AFTER, "those that were under way may follow"


def test_other_leagues_bench_it_so_that_its_games_take_no_time(tmp_path: Path) -> None:
    store = with_broken(tmp_path, ROUNDS)
    play(store)
    assert store.leagues.get("main").state == "finished"
    reasons = forfeits(store)
    assert len(reasons) == 2 * 3 * 3, "both games of each of its matches"
    benched = [reason for reason, _ in reasons if reason == "benched"]
    assert len(benched) == 12, "three of the first eight matches are its own"
    started = sum(was_started for _, was_started in reasons)
    assert STARTLESS_AFTER <= started <= 6, "a worker doesn't start it again after three failures"


@pytest.mark.slow
@pytest.mark.parametrize("tables", [LADDER + STOP, ROUNDS])
def test_who_is_out_depends_on_no_number_of_workers_and_on_no_interruption(
    tmp_path: Path, tables: str
) -> None:
    found = []
    for name, workers, most_games in (("one", 1, None), ("two", 2, None), ("four", 4, 20), ("stopped", 2, 5)):
        (tmp_path / name).mkdir()
        store = with_broken(tmp_path / name, tables, READS_ON)
        for most in (most_games, None):
            run = LeagueRun(store, store.leagues.get("main"), executor=ProcessExecutor(workers))

            def shown(progress: RunProgress, most: int | None = most, run: LeagueRun = run) -> None:
                run.stop.after_game = most is not None and progress.games >= most

            run.run(shown)
        events = [(event.kind, event.at_match_no, event.data) for event in store.leagues.events("main")]
        assert events[0][0] == BENCHED, "the league has an end"
        found.append((digests(store, "main"), events))
    assert all(one == found[0] for one in found)

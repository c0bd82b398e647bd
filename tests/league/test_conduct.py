"""Entries that think on others' time are benched, those that keep failing paused: by fixed prefixes of the results."""

from collections.abc import Sequence
from pathlib import Path

from arena.league.running.conduct import (
    BENCHED_AFTER,
    EVERY,
    LAG,
    MOST_LAG,
    OF_GAMES,
    PAUSED_AFTER,
    Conduct,
    Decision,
    prefix,
)
from protocol.verdicts import Verdict
from results.records import LeagueRecord
from results.roster import BENCHED, PAUSED, UNBENCHED, Roster
from results.store import Store
from tests.results.ledgers import new_league, new_store, plan, played

PONDERS = {1: Verdict.PONDERING}
CRASHES = {1: Verdict.CRASH}
WHY = f"thought on others' time in {BENCHED_AFTER} games"


def league_of(place: Path, faults: Sequence[dict[int, Verdict]]) -> tuple[Store, LeagueRecord]:
    """Return a league with a match for each of these faults by entry."""
    store = new_store(place)
    league = new_league(store)
    matches = plan(store, league, *[(0, 1)] * len(faults))
    store.append([played(match, faults=found) for match, found in zip(matches, faults, strict=True)])
    return store, league


def judged(store: Store, league: LeagueRecord, *ends: int, pauses: bool = False) -> list[Decision]:
    """Return what is decided from the results below each of these numbers, for the match with that number."""
    conduct = Conduct(store, league)
    return [
        decision
        for end in ends
        for decision in conduct.judge(end, end, store.entries.roster(league.uuid), pauses=pauses)
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
    assert decision.why == f"forfeited {PAUSED_AFTER} of its latest {OF_GAMES} games or fewer: crash"
    assert store.entries.roster(league.uuid).paused[1].by == "faults"


def test_faults_that_are_far_apart_pause_nobody(tmp_path: Path) -> None:
    faults = [{} if number % 3 else CRASHES for number in range(3 * PAUSED_AFTER)]
    store, league = league_of(tmp_path, faults)
    assert judged(store, league, len(faults), pauses=True) == []


def test_the_prefix_depends_on_the_number_of_planned_matches_only_and_never_falls() -> None:
    ends = [prefix(planned, 0) for planned in range(3 * MOST_LAG)]
    assert ends == sorted(ends)
    assert all(end % EVERY == 0 and 0 <= end <= max(0, planned - LAG) for planned, end in enumerate(ends))
    for planned in (2 * LAG, 1_000, 2 * MOST_LAG, 3 * MOST_LAG - 1):
        behind = planned - ends[planned]
        assert behind < min(planned // 2, MOST_LAG) + EVERY, "at most half of the league, and so many matches"
    assert prefix(1_000, 960) == 960, "what the schedule needs is there anyway"


def test_who_has_left_is_not_judged(tmp_path: Path) -> None:
    store, league = league_of(tmp_path, [PONDERS] * 4)
    gone = Roster(4, retired={1: 2})
    assert Conduct(store, league).judge(4, 4, gone, pauses=True) == []

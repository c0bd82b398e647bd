"""Who plays in a league from a match on: the fold of its events."""

from typing import Any

import pytest

from results.records import LeagueEvent
from results.records.roster import Roster, roster_at


def events(*changes: tuple[int, str, dict[str, Any]]) -> list[LeagueEvent]:
    """Return events by match number, kind and data."""
    return [
        LeagueEvent("l", event_no, at, kind, data, f"2026-11-{event_no + 1:02}T00:00:00.000Z")
        for event_no, (at, kind, data) in enumerate(changes)
    ]


SEASON = events(
    (16, "added", {"entries": [4, 5]}),
    (32, "replaced", {"entry": 6, "predecessor": 4}),
    (32, "paused", {"entry": 1, "by": "faults", "why": "crashes"}),
    (40, "benched", {"entry_no": 2, "why": "thinks"}),
    (48, "retired", {"entry": 0}),
    (48, "resumed", {"entry": 1}),
    (64, "unbenched", {"entry": 2}),
    (80, "paused", {"by": "organiser", "why": "night"}),
    (96, "resumed", {}),
    (96, "extended", {"set": {"stop.matches": 200}}),
    (112, "final", {"matches": 8, "next": "two"}),
)


@pytest.mark.parametrize(
    ("match_no", "playing", "benched", "changed_at"),
    [
        (0, {0, 1, 2, 3}, set(), 0),
        (15, {0, 1, 2, 3}, set(), 0),
        (16, {0, 1, 2, 3, 4, 5}, set(), 16),
        (32, {0, 2, 3, 5, 6}, set(), 32),
        (40, {0, 2, 3, 5, 6}, {2}, 40),
        (48, {1, 2, 3, 5, 6}, {2}, 48),
        (64, {1, 2, 3, 5, 6}, set(), 64),
        (100, {1, 2, 3, 5, 6}, set(), 64),
        (200, {1, 2, 3, 5, 6}, set(), 112),
    ],
)
def test_who_plays_in_a_match(match_no: int, playing: set[int], benched: set[int], changed_at: int) -> None:
    roster = roster_at(SEASON, match_no)
    assert {entry for entry in range(7) if roster.plays(entry)} == playing
    assert set(roster.benched) == benched
    assert (roster.has_changed, roster.changed_at) == (match_no >= 16, changed_at)


def test_what_became_of_the_others() -> None:
    early, late = roster_at(SEASON, 20), roster_at(SEASON, 300)
    assert early.awaited == {6}
    assert late.awaited == frozenset()
    assert late.retired == {0: 48, 4: 32}
    assert late.replaced_by == {4: 6}
    assert late.joined == {4: 16, 5: 16, 6: 32, 1: 48, 2: 64}, "those that came back count from there"
    assert late.set == {"stop.matches": 200}
    assert late.final == (112, 8)


def test_a_paused_league_says_since_when_and_why() -> None:
    pause = roster_at(SEASON, 90).league_paused
    assert pause is not None
    assert (pause.at_match_no, pause.by, pause.why, pause.since) == (
        *(80, "organiser", "night"),
        "2026-11-08T00:00:00.000Z",
    )
    assert roster_at(SEASON, 96).league_paused is None


def test_no_events_change_nothing() -> None:
    assert roster_at([], 10) == Roster(10)
    assert not roster_at(events((3, "begun", {"played_s": 0.0}), (9, "ended", {"why": ""})), 10).has_changed

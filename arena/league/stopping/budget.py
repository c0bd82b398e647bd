"""The budget of a league: so many matches, games or minutes, and then no further match is planned."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate

from arena.config.league_file import StopTable
from arena.league.definition.league_length import many
from arena.league.stopping.base import EndRule
from arena.schedules.base import Pairing
from results.records import LeagueRecord
from results.store import Store

BEGUN = "begun"
"""Kind of the league event by which a run with a budget of minutes begins; its data is `{"played_s": seconds}`."""
LATEST_GAMES = 64
"""Among so many games of the highest matches is the one that was finished last."""


@dataclass(slots=True)
class Budget(EndRule):
    """Ends a league once so much is planned. It needs no results."""

    table: StopTable
    until_s: float | None
    """When the playing time is over, on `clock`; None: never."""
    clock: Callable[[], float] = time.monotonic
    why: str = field(default="", init=False)

    def within(
        self, pairings: Sequence[Pairing], matches: int, games: int, games_of: Callable[[int], int]
    ) -> tuple[Pairing, ...]:
        """Return as many of the pairings, from the first on, as the budget allows.

        `matches` and `games` are planned already; `games_of` tells how many games a match has at a table of
        that size.
        """
        allowed = 0 if self.is_late else len(pairings)
        if self.table.matches is not None:
            allowed = min(allowed, self.table.matches - matches)
        if self.table.games is not None:
            after = accumulate((games_of(len(pairing.entries)) for pairing in pairings), initial=games)
            allowed = min(allowed, sum(count <= self.table.games for count in list(after)[1:]))
        if pairings and allowed <= 0:
            self.why = self._spent(matches)
        return tuple(pairings[: max(0, allowed)])

    @property
    def is_late(self) -> bool:
        """Whether the playing time is over, so that only what is planned already is still played."""
        return self.until_s is not None and self.clock() >= self.until_s

    def overtime(self, games: int) -> str:
        """Return in words that the playing time is over, while so many games of planned matches are left."""
        minutes = _many_minutes(self.table.minutes or 0)
        return (
            f"{minutes} over: the {many(games, 'game', 'games')} left of matches planned by then are played"
        )

    def _spent(self, matches: int) -> str:
        """Return in words that the budget is spent, once `matches` are planned."""
        if self.is_late:
            late_s = self.clock() - (self.until_s or 0)
            more = f", and {late_s:.0f} s more for the matches planned by then" if late_s >= 1 else ""
            return f"its budget of {self.table.minutes or 0:g} minutes is spent{more}"
        if self.table.matches is not None and matches >= self.table.matches:
            return f"its budget of {many(self.table.matches, 'match', 'matches')} is spent"
        return f"its budget of {many(self.table.games or 0, 'game', 'games')} is spent"


def begin(
    store: Store, league: LeagueRecord, table: StopTable, clock: Callable[[], float] = time.monotonic
) -> Budget:
    """Return the budget of a run that begins now. With one of minutes the beginning is recorded as an event."""
    if table.minutes is None:
        return Budget(table, None, clock)
    played_s = played_before_s(store, league.uuid)
    planned = store.leagues.progress(league.uuid).matches_planned
    store.leagues.add_event(league.uuid, planned, BEGUN, {"played_s": played_s})
    return Budget(table, clock() + 60 * table.minutes - played_s, clock)


def played_before_s(store: Store, league: str) -> float:
    """Return for how many seconds earlier runs played: each from its beginning to its last game, also a killed one."""
    begun = [event for event in store.leagues.events(league) if event.kind == BEGUN]
    if not begun:
        return 0.0
    last = begun[-1]
    ends = [game.finished_at for game in store.games.all(league, newest_first=True, limit=LATEST_GAMES)]
    since = max((_seconds(end) for end in ends), default=0.0) - _seconds(last.at)
    return float(last.data["played_s"]) + max(0.0, since)


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


def _many_minutes(minutes: float) -> str:
    return "the minute is" if minutes == 1 else f"the {minutes:g} minutes are"

"""The budget of a league: a number of matches, games or minutes, after which no more matches are planned."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate

from arena.config.league_file import StopTable
from arena.league.definition.league_length import many
from arena.league.stopping.judge import EndRule
from arena.schedules.base import Pairing
from results.records import LeagueRecord
from results.store import Store

BEGUN = "begun"
"""Kind of the league event that begins a run with a budget of minutes; its data is `{"played_s": seconds}`."""
LATEST_GAMES = 64
"""The game finished last is among this many games of the highest match numbers."""


@dataclass(slots=True)
class Budget(EndRule):
    """Ends a league once enough is planned. It needs no results."""

    table: StopTable
    until_s: float | None
    """When the playing time is over, on `clock`; None: never."""
    clock: Callable[[], float] = time.monotonic
    why: str = field(default="", init=False)

    def change(self, table: StopTable) -> None:
        """Go on with other numbers of matches, games and minutes."""
        if self.until_s is not None and table.minutes and self.table.minutes:
            self.until_s += 60 * (table.minutes - self.table.minutes)
        if table != self.table:  # extended while the last matches of the old budget were played
            self.why = ""
        self.table = table

    def within(
        self, pairings: Sequence[Pairing], matches: int, games: int, games_of: Callable[[int], int]
    ) -> tuple[Pairing, ...]:
        """Return the first pairings, as many as the budget allows.

        `matches` and `games` are planned already; `games_of` returns how many games a match has at a table of
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
        """Whether the playing time is over, so that only matches already planned are played."""
        return self.until_s is not None and self.clock() >= self.until_s

    def overtime(self, games: int) -> str:
        """Return a line for the display: the playing time is over, and this many games are left."""
        minutes = _many_minutes(self.table.minutes or 0)
        return f"{minutes} over: playing the remaining {many(games, 'game', 'games')} of planned matches"

    def _spent(self, matches: int) -> str:
        """Return in words that the budget is spent, with `matches` planned."""
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
    """Return the budget of a run that begins now. A budget of minutes records the beginning as an event."""
    if table.minutes is None:
        return Budget(table, None, clock)
    played_s = played_before_s(store, league.uuid)
    planned = store.leagues.progress(league.uuid).matches_planned
    store.leagues.add_event(league.uuid, planned, BEGUN, {"played_s": played_s})
    return Budget(table, clock() + 60 * table.minutes - played_s, clock)


def played_before_s(store: Store, league: str) -> float:
    """Return how many seconds earlier runs played, killed ones too: each from its beginning to its last game."""
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

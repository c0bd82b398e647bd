"""The budget of a league: so many matches, games or minutes, and then no further match is planned."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate

from arena.config.league_file import StopTable
from arena.league.setting import Setting
from arena.schedules.base import Pairing
from results.records import LeagueRecord
from results.store import Store

BEGUN = "begun"
"""Kind of the league event by which a run with a budget of minutes begins; its data is `{"played_s": seconds}`."""
LATEST_GAMES = 64
"""Among so many games of the highest matches is the one that was finished last."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How much one run may plan, given what was played before."""

    table: StopTable
    until_s: float | None
    """When the playing time is over, on `clock`; None: never."""
    clock: Callable[[], float] = time.monotonic

    def within(
        self, pairings: Sequence[Pairing], matches: int, games: int, games_of: Callable[[int], int]
    ) -> tuple[Pairing, ...]:
        """Return as many of the pairings, from the first on, as the budget allows.

        `matches` and `games` are planned already; `games_of` tells how many games a match has at a table of
        that size.
        """
        if self.is_late:
            return ()
        allowed = len(pairings)
        if self.table.matches is not None:
            allowed = min(allowed, self.table.matches - matches)
        if self.table.games is not None:
            after = accumulate((games_of(len(pairing.entries)) for pairing in pairings), initial=games)
            allowed = min(allowed, sum(count <= self.table.games for count in list(after)[1:]))
        return tuple(pairings[: max(0, allowed)])

    @property
    def is_late(self) -> bool:
        """Whether the playing time is over, so that only what is planned already is still played."""
        return self.until_s is not None and self.clock() >= self.until_s

    def overtime(self, games: int) -> str:
        """Return in words that the playing time is over, while so many games of planned matches are left."""
        minutes = _many_minutes(self.table.minutes or 0)
        return (
            f"{minutes} over: the {_many(games, 'game', 'games')} left of matches planned by then are played"
        )

    def why(self, matches: int) -> str:
        """Return in words that the budget is spent, once `matches` are planned."""
        if self.is_late:
            late_s = self.clock() - (self.until_s or 0)
            more = f", and {late_s:.0f} s more for the matches planned by then" if late_s >= 1 else ""
            return f"its budget of {self.table.minutes or 0:g} minutes is spent{more}"
        if self.table.matches is not None and matches >= self.table.matches:
            return f"its budget of {_many(self.table.matches, 'match', 'matches')} is spent"
        return f"its budget of {_many(self.table.games or 0, 'game', 'games')} is spent"


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
    ends = [game.finished_at for game in store.games(league, newest_first=True, limit=LATEST_GAMES)]
    since = max((_seconds(end) for end in ends), default=0.0) - _seconds(last.at)
    return float(last.data["played_s"]) + max(0.0, since)


def most_games(table: StopTable, setting: Setting) -> int | None:
    """Return how many games a league will have at most, by its schedule and its budget, where that is known."""
    known = [setting.total_games, table.games]
    if table.matches is not None:
        most = max(setting.games_of(seats) for seats in setting.field.seats)
        known.append(table.matches * most)
    return min((games for games in known if games is not None), default=None)


def told(table: StopTable, setting: Setting) -> str:
    """Return in words how long a league will go on: by its schedule, until it is settled, within its budget."""
    parts = []
    matches, games = setting.total_matches, setting.total_games
    if matches is not None:
        parts.append(f"{_many(matches, 'match', 'matches')}, {_many(games or 0, 'game', 'games')}")
    if table.until == "settled":
        what = "its order is settled" if table.top is None else f"its top {table.top} are settled"
        parts.append(f"until {what} at an error rate of {table.error_rate:g}")
    budget = [
        f"at most {words}"
        for given, words in (
            (table.matches, _many(table.matches or 0, "match", "matches")),
            (table.games, _many(table.games or 0, "game", "games")),
            (table.minutes, f"{table.minutes or 0:g} minutes and the matches planned by then"),
        )
        if given is not None
    ]
    return ", ".join([*parts, *budget]) or (
        "until stopped" if setting.endless else "as many matches as it takes"
    )


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


def _many_minutes(minutes: float) -> str:
    return "the minute is" if minutes == 1 else f"the {minutes:g} minutes are"


def _many(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"

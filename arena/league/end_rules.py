"""When a league ends: the rules that judge planned matches and results, and the judge that asks them in order."""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate
from typing import Protocol

from arena.config.league_file import StopTable
from arena.league.definition.stored import AT_A_TIME, finished
from arena.schedules.base import Finished, Pairing
from results.analysis.betting_test import Order, Sureness
from results.base.text import counted
from results.records import EntrySpec, LeagueEvent, LeagueRecord
from results.records.roster import SETTLED, arrivals, roster_at
from results.store import Store

LAG = StopTable().ahead
"""Number of matches planned ahead of the judged ones, so that workers don't wait, unless the league sets another."""


class EndRule(Protocol):
    """A rule that ends a league early, from the matches to be planned and some results. Use one object per run."""

    why: str = ""
    """Why it is over, in words for people; empty while it goes on."""
    by: str = ""
    """Which rule it is, if reports tell leagues that it has ended: `SETTLED`."""
    ends_run: bool = False
    """False: the league ends once all planned matches are played, and the ledger records it. True: this run ends after
    the games being played; nothing is recorded, and a later run with another rule may continue."""

    def sees(self, planned: int) -> int:
        """Return how many results the rule must have before the match with number `planned` may be planned.

        The number depends on `planned` alone, is at most `planned`, and never falls. The rule gets no more results
        than that, so that the same results give the same league. A rule that ends the run gets all results, because
        no match waits for it.
        """
        del planned
        return 0

    def take(self, match: Finished) -> None:
        """Judge the next match. Matches come in order, without gaps, including void ones, until the rule ends it."""
        del match

    def leaving(self, planned: int) -> Sequence[int]:
        """Return the entries that no longer play from match `planned` on, by the results that it may see."""
        del planned
        return ()

    def joining(self, planned: int, entries: int) -> Sequence[EntrySpec]:
        """Return who joins with match `planned` a league that has so many entries, by the results it may see."""
        del planned, entries
        return ()

    def within(
        self, pairings: Sequence[Pairing], matches: int, games: int, games_of: Callable[[int], int]
    ) -> Sequence[Pairing]:
        """Return the first pairings that may be planned besides so many matches and games; none: the league is over."""
        del matches, games, games_of
        return pairings


class Judge:
    """The end rules of one run of one league, and how far each has read."""

    def __init__(self, store: Store, league: str, rules: Sequence[EndRule] = ()) -> None:
        """Begin; the results are those of the league with that uuid."""
        self._store = store
        self._league = league
        self._readings = [_Reading(rule) for rule in rules]

    def add(self, rule: EndRule) -> None:
        """Add a rule, which judges from the first result on."""
        self._readings.append(_Reading(rule))

    @property
    def ended_by(self) -> EndRule | None:
        """The first rule that has ended the league or the run; None while it goes on."""
        return next((reading.rule for reading in self._readings if reading.rule.why), None)

    def is_ready(self, planned: int) -> bool:
        """Judge all results that match `planned` depends on; False if some are not in yet."""
        return all(
            self._read(reading, reading.rule.sees(planned))
            for reading in self._readings
            if self.ended_by is None
        )

    def leaving(self, planned: int) -> list[int]:
        """Return the entries that no longer play from match `planned` on; `is_ready` must have returned True."""
        return [entry for reading in self._readings for entry in reading.rule.leaving(planned)]

    def joining(self, planned: int, entries: int) -> list[EntrySpec]:
        """Return who joins with match `planned`; `is_ready` must have returned True."""
        return [spec for reading in self._readings for spec in reading.rule.joining(planned, entries)]

    def look(self) -> None:
        """Let the rules that end the run judge all results so far."""
        for reading in self._readings:
            if reading.rule.ends_run and not reading.rule.why:
                self._read(reading, self._counted())

    def within(
        self, pairings: Sequence[Pairing], matches: int, games: int, games_of: Callable[[int], int]
    ) -> Sequence[Pairing]:
        """Return the first pairings, as many as every rule allows; see `EndRule.within`."""
        for reading in self._readings:
            pairings = reading.rule.within(pairings, matches, games, games_of)
        return pairings

    def _counted(self) -> int:
        return self._store.leagues.progress(self._league).matches_counted

    def _read(self, reading: "_Reading", end: int) -> bool:
        """Let a rule judge the results below number `end`, read by blocks; return False if some are not in yet."""
        read = reading.taken + len(reading.ahead)
        if read < end:
            counted = self._counted()
            if counted < end:
                return False
            until = min(counted, max(end, read + AT_A_TIME))
            reading.ahead += finished(self._store, self._league, read, until)
        while reading.taken < end and not reading.rule.why:
            reading.rule.take(reading.ahead.popleft())
            reading.taken += 1
        return True


class _Reading:
    """The results that one rule has judged."""

    def __init__(self, rule: EndRule) -> None:
        self.rule = rule
        self.taken = 0
        self.ahead: deque[Finished] = deque()
        """Results read but not yet judged."""


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
        """Return the first pairings, as many as the budget allows."""
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
        minutes = self.table.minutes or 0
        over = "the minute is" if minutes == 1 else f"the {minutes:g} minutes are"
        return f"{over} over: playing the remaining {counted(games, 'game')} of planned matches"

    def _spent(self, matches: int) -> str:
        if self.is_late:
            late_s = self.clock() - (self.until_s or 0)
            more = f", and {late_s:.0f} s more for the matches planned by then" if late_s >= 1 else ""
            return f"its budget of {self.table.minutes or 0:g} minutes is spent{more}"
        if self.table.matches is not None and matches >= self.table.matches:
            return f"its budget of {counted(self.table.matches, 'match', 'matches')} is spent"
        return f"its budget of {counted(self.table.games or 0, 'game')} is spent"


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


POINT_MATCHES = 16
"""The rule checks the order after every this many matches."""


class Settled(EndRule):
    """Ends a league once its order is settled: the order of the entries that play then.

    After e matches, these are the entries of match e + `stop.ahead` − 1. That match is planned by then, so all events
    up to it are known, in the run in which they happen and in every repetition.
    """

    by = SETTLED

    def __init__(
        self,
        table: StopTable,
        entries: Sequence[int],
        labels: Callable[[], Mapping[int, str]],
        events: Callable[[int], Sequence[LeagueEvent]] = lambda _: (),
        *,
        benched_play: bool = True,
    ) -> None:
        """Begin. `entries`: the league's, also those that have left; with or without those that joined later.

        `labels` returns the names for the message, by entry number; `events` the league's events so far
        from a number on, in order.
        `benched_play`: the schedule has matches for benched entries, which forfeit them.
        """
        self._table = table
        self._labels = labels
        self._events = events
        self._benched_play = benched_play
        self._joined: set[int] = set()
        self._known = list(events(0))
        later = arrivals(self._known)
        self._sureness = Sureness(
            (entry for entry in entries if entry not in later),
            table.error_rate,
            top=table.top,
            indifference=table.indifference,
            reserve=table.arrivals,
        )
        self._initial = frozenset(entries) - later.keys()
        self._field: frozenset[int] | None = None
        self._taken = 0
        self._round_no = 0
        self._on_deal: dict[int, list[Finished]] = {}
        """The matches of the latest round that share deals."""

    def sees(self, planned: int) -> int:
        """Return the last multiple of `POINT_MATCHES` that lies at least `stop.ahead` matches back."""
        return max(0, planned - self._table.ahead) // POINT_MATCHES * POINT_MATCHES

    def take(self, match: Finished) -> None:
        """Count a match; at every multiple of `POINT_MATCHES`, check whether the order is settled."""
        if self._field is None:
            self._field = self._field_after(0)
        if match.round_no != self._round_no:
            for tables in self._on_deal.values():
                self._sureness.add_deal((one.entries, one.shares or (), one.games) for one in tables)
            self._on_deal.clear()
            self._round_no = match.round_no
        if match.shares is not None and match.rated:
            if match.deal_no is None:
                self._sureness.add(match.entries, match.shares, match.games)
            else:
                self._on_deal.setdefault(match.deal_no, []).append(match)
        self._taken += 1
        if self._taken % POINT_MATCHES == 0:
            self._field = self._field_after(self._taken)
            if (order := self._sureness.order(self._field)) is not None:
                self.why = self._words(order)

    def _field_after(self, matches: int) -> frozenset[int]:
        """Return the entries that are to be ordered after so many matches; let those join that are new."""
        self._known += self._events(len(self._known))  # they are only ever added, and there may be thousands
        events, last = self._known, matches + self._table.ahead - 1
        for entry, match_no in arrivals(events).items():
            if match_no <= last and entry not in self._joined:
                self._joined.add(entry)
                self._sureness.join(entry)
        roster = roster_at(events, last)
        gone = () if self._benched_play else roster.benched
        return frozenset(
            entry for entry in self._initial | self._joined if roster.plays(entry) and entry not in gone
        )

    def _words(self, order: Order) -> str:
        what = "the whole order is" if self._table.top is None else f"the top {self._table.top} are"
        labels = self._labels()
        names = ", ".join(labels.get(entry, f"#{entry}") for entry in order.entries)
        words = f"{what} settled at an error rate of {self._table.error_rate:g}: {names}"
        if order.level:
            pairs = "; ".join(
                " and ".join(labels.get(entry, f"#{entry}") for entry in pair) for pair in order.level
            )
            words += f"; statistically tied, within {self._table.indifference:g} of mean share: {pairs}"
        return words

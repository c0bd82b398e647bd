"""Tells what is the machine's fault: a machine that keeps refusing, and timeouts that an overloaded one caused."""

import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from math import ceil

from arena.league.running.work_units import Excused, Failure
from arena.sandbox.machine_shortage import Refusal
from protocol.verdicts import Verdict
from results.records import GameRecord
from results.store import Store

LASTING = frozenset({Verdict.HOST, Verdict.LOST_WORKER})
"""Verdicts of games that fail because the machine has run out of something."""
WAITS_S = (0.5, 1.0)
"""Pauses after the first failures in a row, so that the machine can recover. The next failure ends the run."""
RECENT_TABLES = 256
"""Number of good games whose entries are remembered."""


class HostFaults:
    """Watches the results of one run for a lasting fault of the machine."""

    def __init__(self, wait: Callable[[float], None] = time.sleep) -> None:
        """`wait` takes a number of seconds."""
        self.lasting: Refusal | None = None
        """Why the run must end, once that is certain."""
        self._wait = wait
        self._strikes = 0
        """Chunks of results with failures and without a good game, since the last good game."""
        self._suspects: set[int] | None = None
        """Entries that could have caused every one of those failures; None: any."""
        self._is_refused = False
        """Whether the machine itself reported in one of them that it has run out of something."""
        self._well: deque[tuple[int, ...]] = deque(maxlen=RECENT_TABLES)

    def take(self, good: Sequence[GameRecord], failures: Sequence[Failure]) -> None:
        """Count a chunk's good games and failures. Waits a moment if all of it failed."""
        self._well.extend(tuple(seat.entry_no for seat in game.seats) for game in good)
        if good:
            self._strikes, self._suspects, self._is_refused = 0, None, False
        failed = [failure for failure in failures if failure.record.verdict in LASTING]
        if not failed or good or self.lasting is not None:
            return
        for failure in failed:
            entry_no = failure.record.entry_no
            concerned = set(failure.ticket.entries) if entry_no is None else {entry_no}
            self._suspects = concerned if self._suspects is None else self._suspects & concerned
            self._is_refused = self._is_refused or failure.refusal is not None
        self._strikes += 1
        if self._strikes > len(WAITS_S):
            suspects = self._suspects or set()
            # All failures in a row share entries, and games without those succeeded in this run.
            is_one_bots = bool(suspects) and any(map(suspects.isdisjoint, self._well))
            if self._is_refused or not is_one_bots:
                self.lasting = _refusal_of(failed[-1])
        else:
            self._wait(WAITS_S[self._strikes - 1])


def _refusal_of(failure: Failure) -> Refusal:
    if failure.refusal is not None:
        return failure.refusal
    if failure.record.verdict is Verdict.LOST_WORKER:
        return Refusal(
            f"workers keep dying: {failure.record.detail.strip().splitlines()[-1]}",
            "the machine may be out of memory: run fewer workers (--workers 1), or look in the system log",
        )
    return Refusal(failure.record.detail, "fix the cause; `arena doctor` checks the machine")


MOST_PART = 0.02
"""At most this fraction of an entry's games is replayed: one of the first fifty games, then one more for each fifty."""


class OverloadRetries:
    """Counts the games of a league that were replayed because the machine was overloaded."""

    def __init__(self, store: Store, league: str) -> None:
        """Read past excuses from the ledger."""
        self._games: Counter[int] = Counter()
        self._granted: Counter[int] = Counter()
        self._excused_games: set[tuple[int, int]] = set()
        for statistics in store.totals.by_entry(league):
            self._games[statistics.entry_no] = statistics.games
        for attempt in store.games.attempts(league):
            if attempt.verdict is Verdict.OVERLOAD and attempt.entry_no is not None:
                self._granted[attempt.entry_no] += 1
                self._excused_games.add((attempt.match_no, attempt.rotation))

    def count(self, game: GameRecord) -> None:
        """Count a finished game."""
        self._games.update(seat.entry_no for seat in game.seats)

    def grants(self, excused: Excused) -> bool:
        """Return whether to replay a game, and count it. Each game gets one excuse, each entry a few."""
        entry_no, game = excused.record.entry_no, (excused.ticket.match_no, excused.ticket.rotation)
        if entry_no is None or game in self._excused_games:
            return False
        if self._granted[entry_no] + 1 > ceil(MOST_PART * max(1, self._games[entry_no])):
            return False
        self._granted[entry_no] += 1
        self._excused_games.add(game)
        return True

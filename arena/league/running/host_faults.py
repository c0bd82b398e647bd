"""Distinguishes a machine that keeps refusing from a single game that fails.

If the machine is at fault, every game fails, and a run would use up all their attempts. So a few failures in a row,
with no good game between them, end the run. Failures that come from one bot do not: games without that bot still
succeed.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence

from arena.league.running.game_work import Failure
from arena.sandbox.refusals import Refusal
from protocol.verdicts import Verdict
from results.records import GameRecord

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
            if self._is_refused or not self._is_one_bots():
                self.lasting = _refusal_of(failed[-1])
        else:
            self._wait(WAITS_S[self._strikes - 1])

    def _is_one_bots(self) -> bool:
        """Return whether all failures in a row share entries, and games without those succeeded in this run."""
        suspects = self._suspects or set()
        return bool(suspects) and any(suspects.isdisjoint(table) for table in self._well)


def _refusal_of(failure: Failure) -> Refusal:
    """Return what the machine refused, from a failure."""
    if failure.refusal is not None:
        return failure.refusal
    if failure.record.verdict is Verdict.LOST_WORKER:
        return Refusal(
            f"workers keep dying: {failure.record.detail.strip().splitlines()[-1]}",
            "the machine may be out of memory: run fewer workers (--workers 1), or look in the system log",
        )
    return Refusal(failure.record.detail, "fix the cause; `arena doctor` checks the machine")

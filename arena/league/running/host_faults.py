"""Tells a machine that goes on refusing from a game that fails by itself.

Where the machine is at fault every game fails, so a run that went on would use up the attempts of all of them. A few
failures in a row, without a good game between them, end the run before that. What belongs to one bot does not: games
without it go well meanwhile.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence

from arena.league.running.game_work import Failure
from arena.sandbox.refusals import Refusal
from protocol.verdicts import Verdict
from results.records import GameRecord

LASTING = frozenset({Verdict.HOST, Verdict.LOST_WORKER})
"""What a machine that is out of something shows in."""
WAITS_S = (0.5, 1.0)
"""What is waited after a failure that follows no good game: the machine may recover. One failure later it has not."""
RECENT_TABLES = 256
"""Of so many good games is remembered who played."""


class HostFaults:
    """Watches the results of one run for a fault of the machine that lasts."""

    def __init__(self, wait: Callable[[float], None] = time.sleep) -> None:
        """`wait` waits so many seconds."""
        self.lasting: Refusal | None = None
        """What the run is to end for, once that is sure."""
        self._wait = wait
        self._strikes = 0
        """Chunks of results with failures and without a good game, since the last good game."""
        self._suspects: set[int] | None = None
        """Entries that each of those failures may be the fault of; None: any."""
        self._is_refused = False
        """Whether the machine itself has said in one of them that it is out of something."""
        self._well: deque[tuple[int, ...]] = deque(maxlen=RECENT_TABLES)

    def take(self, good: Sequence[GameRecord], failures: Sequence[Failure]) -> None:
        """Take in a chunk: its good games and its failures. Waits a moment where all of it failed."""
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
        """Return whether all failures in a row have entries in common, without which games went well in this run."""
        suspects = self._suspects or set()
        return bool(suspects) and any(suspects.isdisjoint(table) for table in self._well)


def _refusal_of(failure: Failure) -> Refusal:
    """Return what a failure says that the machine refuses."""
    if failure.refusal is not None:
        return failure.refusal
    if failure.record.verdict is Verdict.LOST_WORKER:
        return Refusal(
            f"games end with their worker: {failure.record.detail.strip().splitlines()[-1]}",
            "the machine may be out of memory: run fewer workers (--workers 1), or see what the system's log says",
        )
    return Refusal(failure.record.detail, "mend what refuses; `arena doctor` looks at the machine")

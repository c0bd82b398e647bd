"""How long the machine kept a bot waiting: a thread of it was ready to run, and none of its threads had that core.

The control group of a bot counts exactly that for all its processes, ended ones included (`cpu.pressure`). Elsewhere it
is worked out from what each thread has run and waited, as the kernel shows it, and never too long: a thread that waited
may have waited for the bot's other threads, so all that these ran in the meantime is taken off.
"""

import os
from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple

from results.base.text import counted

OVERLOADED = 2.0
"""From so many threads that want each core on, a machine is overloaded: each of them gets half a core at most."""


class Ran(NamedTuple):
    """How long a thread has run, and how long it has waited for a core, since it began."""

    cpu_ns: int = 0
    wait_ns: int = 0
    """A wait that goes on doesn't show yet."""


class Waits:
    """Adds up in one turn, from look to look, how long a bot was kept waiting.

    From the moment a thread began to wait until now, the bot was kept waiting for at least as long as that thread has
    waited since, less what all others have run since. That comes on top of what had been found by that moment. The
    largest of these sums is the result: what several threads wait at once counts once, and what they wait one after
    another adds up, however short they live.
    """

    __slots__ = ("_bases_ns", "_looks_ns", "_threads", "waited_ns")

    def __init__(self, began_ns: int, ran_ns: int, threads: Mapping[int, Ran]) -> None:
        """Begin a turn at the monotonic time `began_ns`, when all threads of the bot had run for `ran_ns`.

        `threads` are those there were, by number, with what each had run and waited. All others begin in the turn.
        """
        self.waited_ns = 0
        self._looks_ns = [began_ns]
        self._bases_ns = [ran_ns]
        """What had been waited by each look, plus all that the bot had run."""
        self._threads = {number: (ran_ns - sum(ran), ran) for number, ran in threads.items()}
        """By number, what each had run and waited at the last look, and what to take off from that and from all that
        the bot ran in order to get how long the bot was kept waiting."""

    def look(self, now_ns: int, ran_ns: int, threads: Mapping[int, Ran]) -> None:
        """Add what has been waited since the last look. The values are those of now, the times not earlier."""
        waited_ns = self.waited_ns
        seen = {}
        for number, ran in threads.items():
            base_ns, before = self._threads.get(number, (self._bases_ns[-1], Ran()))
            if ran != before:
                # What it waited since the last look ended after that look, and so began no earlier than this.
                since_ns = self._looks_ns[-1] - (ran.wait_ns - before.wait_ns)
                look = bisect_right(self._looks_ns, since_ns) - 1
                if look >= 0:
                    base_ns = max(base_ns, self._bases_ns[look] - sum(before))
            seen[number] = base_ns, ran
            waited_ns = max(waited_ns, base_ns + sum(ran) - ran_ns)
        self._threads = seen
        self.waited_ns = waited_ns
        self._looks_ns.append(now_ns)
        self._bases_ns.append(waited_ns + ran_ns)


def at_beginning(
    passed_ns: int, ran_ns: int, threads: Mapping[int, Ran], known: Mapping[int, Ran]
) -> dict[int, Ran]:
    """Return what threads had run and waited when a turn began, `passed_ns` ago; the bot has run `ran_ns` since.

    `known` are earlier values. Since the turn began, a thread has waited no longer than it didn't run, and no longer
    than since the earlier value. The smaller of the two is at least the truth, so no excuse is lost by it.
    """
    found = {}
    for number, now in threads.items():
        before = known.get(number, Ran())
        ran_since_ns = min(now.cpu_ns - before.cpu_ns, max(0, ran_ns))
        waited_since_ns = min(now.wait_ns - before.wait_ns, max(0, passed_ns - ran_since_ns))
        found[number] = Ran(now.cpu_ns - ran_since_ns, now.wait_ns - waited_since_ns)
    return found


def is_overloaded() -> bool:
    """Return whether far more threads want a core of this machine than it has."""
    return os.getloadavg()[0] >= OVERLOADED * (os.cpu_count() or 1)


def machine_load() -> str:
    """Return how busy this machine is, in words with figures."""
    cores = os.cpu_count() or 1
    return f"the machine is busy (load {os.getloadavg()[0]:.0f} on {counted(cores, 'core')})"

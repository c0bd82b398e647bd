"""What a bot uses: the CPU time, memory and waiting time of all its processes, measured from outside.

Its first process is measured on every call, which takes a microsecond or two. Its other processes have to be found
first, which takes longer and is done at most every two milliseconds. Its threads take some 8 µs each, so these are
looked at only in turns that take long.

The machine keeps a bot waiting while a thread of it is ready to run, and none of its threads has that core. The control
group of a bot counts exactly that for all its processes, ended ones included (`cpu.pressure`). Elsewhere it is worked
out from what each thread has run and waited, as the kernel shows it, and never too long: a thread that waited may have
waited for the bot's other threads, so all that these ran in the meantime is taken off.
"""

import contextlib
import os
import time
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from time import clock_gettime_ns
from typing import NamedTuple

from msgspec import Struct

from arena.sandbox.cgroups import BotGroup
from arena.sandbox.survivors import children, read_once, with_descendants
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


LOOK_NS = 2_000_000
"""Minimum interval between two searches for processes."""
TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_STATE, _CUTIME, _THREADS, _STARTED = 0, 13, 17, 19
"""Positions in /proc/PID/stat, counted from the field after the name."""
_DEAD = b"X"
"""State of a process that has been reaped and is leaving the process table."""
_ROUNDED_NS = 4 * TICK_NS
"""Maximum CPU time of reaped children that may not show yet, because of rounding to ticks: two ticks per parent."""
_PASSES = 4
"""Maximum number of passes over processes that keep ending, before ended ones are left for the next look."""


class _Life(NamedTuple):
    """Fields of a process's /proc/PID/stat."""

    started: int
    """Start time in ticks since boot. Together with the pid, it identifies the process."""
    ended_ns: int
    """CPU time of the children that it has reaped, including those that they had reaped."""


class _Seen(Struct):
    life: _Life
    own_ns: int


class Usage:
    """Measures one bot. All values are 0 on systems that don't report them.

    The CPU time of the other processes is the sum of what each has used between looks. What a process uses between the
    last look and its end is added if its parent reaps it, and lost otherwise. Neither the sum nor the CPU time of the
    first process ever decreases, so a bot can't hide CPU time by ending a process, and none counts twice: a group still
    counts what an ended process has used.
    """

    __slots__ = (
        "_around",
        "_clock",
        "_first",
        "_first_ns",
        "_glances",
        "_group",
        "_lonely",
        "_members",
        "_schedstat",
        "_seen",
        "_statm",
        "_unshown_ns",
        "is_alone",
        "look_due_ns",
        "others_cpu_ns",
    )

    def __init__(self, first: int, around: int | None = None, group: BotGroup | None = None) -> None:
        """`first` is the bot's first process, `around` is process 1 of its sandbox, which inherits its orphans."""
        self._first = first
        self._around = around
        self._group = group
        self._first_ns = 0
        self._clock = _clock(first)
        self._statm = _opened(f"/proc/{first}/statm")
        self._schedstat = _opened(f"/proc/{first}/schedstat")
        self._glances = [
            _opened(f"/proc/{pid}/{file}")
            for pid in ((first,) if around is None else (first, around))
            for file in ("stat", f"task/{pid}/children")
        ]
        self._lonely: list[bytes] = []
        """What a glance saw before the last search, if that found the first process alone; otherwise empty."""
        self._members = [first]
        self.is_alone = True
        """Whether only the first process has been found so far."""
        self._seen: dict[int, _Seen] = {}
        self._unshown_ns = 0
        """CPU time seen in ended processes that doesn't show yet in the totals of their parents."""
        self.look_due_ns = 0
        """The monotonic time before which `look` does nothing."""
        self.others_cpu_ns = 0
        """CPU time of all processes except the first, including ended ones, at the last look."""

    def close(self) -> None:
        """Close the descriptors. May be called twice."""
        for descriptor in (self._statm, self._schedstat, *self._glances):
            if descriptor >= 0:
                os.close(descriptor)
        self._statm = self._schedstat = -1
        self._glances, self._lonely = [], []

    def first_cpu_ns(self) -> int:
        """Return the CPU time of all threads of the first process, and the last that was seen once it is gone."""
        try:
            self._first_ns = used_ns = clock_gettime_ns(self._clock)
        except OSError:
            return self._first_ns
        return used_ns

    @property
    def sees_waits(self) -> bool:
        """Whether the kernel shows how long threads waited."""
        return self._schedstat >= 0

    @property
    def has_few_threads(self) -> bool:
        """Whether `threads` takes only a microsecond or two: there was one at the last look, or the group counts."""
        return bool(self._lonely) or (self._group is not None and self._group.waited_ns() is not None)

    def threads(self, ran_ns: int) -> dict[int, Ran]:
        """Return how long each thread of the known processes has run and waited, by number.

        A control group that counts for all of them stands for a single thread, number 0. `ran_ns` is the CPU time of
        the whole bot.
        """
        if self._group is not None and (waited_ns := self._group.waited_ns()) is not None:
            return {0: Ran(ran_ns, waited_ns)}
        if self._lonely:
            return {self._first: _ran(_read(self._schedstat))}
        found = {}
        for pid in self._members:
            tasks = f"/proc/{pid}/task"
            with contextlib.suppress(OSError):
                for task in os.listdir(tasks):  # noqa: PTH208 - faster
                    found[int(task)] = _ran(_contents(f"{tasks}/{task}/schedstat"))
        return found

    def look(self, now_ns: int = 0) -> None:
        """Look for all processes. While only the first is known, does nothing within `LOOK_NS` of the last look.

        `now_ns` is the monotonic time, if the caller knows it.
        """
        now_ns = now_ns or time.monotonic_ns()
        if now_ns < self.look_due_ns:
            return
        seen = self._glance()
        has_stayed_alone = bool(seen) and seen == self._lonely
        if self._group is not None:
            if not has_stayed_alone:
                self._members = self.members()
            # Before the first process's, so that none of that counts as another's.
            group_ns = self._group.cpu_ns()
            self.others_cpu_ns = max(self.others_cpu_ns, group_ns - self.first_cpu_ns())
            self.is_alone = self.is_alone and len(self._members) == 1
        elif not has_stayed_alone:
            self._add_up()
            self.is_alone = len(self._members) == 1 and not self.others_cpu_ns
        self._lonely = seen if self.is_alone else []
        self.look_due_ns = now_ns + LOOK_NS if self.is_alone else 0

    def _glance(self) -> list[bytes]:
        """Return all that changes when the first process starts another, or when one is reaped; takes 5 µs.

        Empty if the first process has several threads, of which each may start others, or if something is unknown.
        """
        seen = []
        for number, descriptor in enumerate(self._glances):
            text = _read(descriptor)
            if number % 2:  # children
                seen.append(text)
                continue
            fields = text.rpartition(b")")[2].split(None, _THREADS + 1)
            if len(fields) <= _THREADS or fields[_THREADS] != b"1":
                return []
            seen += fields[_CUTIME : _CUTIME + 2]
        return seen

    def members(self) -> list[int]:
        """Return the bot's current processes. May miss processes started in the meantime."""
        return with_descendants([self._first] if self._around is None else children(self._around))

    def memory_bytes(self) -> int:
        """Return the resident memory of the known processes; shared pages count once per process."""
        total = _resident_bytes(_read(self._statm))
        for pid in self._members:
            if pid != self._first:
                total += _resident_bytes(_contents(f"/proc/{pid}/statm"))
        return total

    def proportional_bytes(self) -> int:
        """Return the memory of all processes; a page shared by n processes counts 1/n for each. Takes longer.

        Counts resident memory for processes that don't allow themselves to be inspected.
        """
        total = 0
        for pid in self.members():
            rollup = _contents(f"/proc/{pid}/smaps_rollup")
            at = rollup.find(b"\nPss:")
            if at >= 0:
                total += int(rollup[at:].split(None, 2)[1]) * 1024
            else:
                total += _resident_bytes(_contents(f"/proc/{pid}/statm"))
        return total

    def _add_up(self) -> None:
        """Add the CPU time that the other processes have used since the last look."""
        reapers = {self._first} if self._around is None else {self._first, self._around}
        # A process whose parent ends during the search isn't listed anywhere, so include all known ones.
        pids = {*reapers, *self.members(), *self._seen}
        lives = _lives(pids)
        settled = all(lives.get(pid) == seen.life for pid, seen in self._seen.items()) and not any(
            life.ended_ns for pid, life in lives.items() if pid not in self._seen
        )
        for _ in range(_PASSES):
            if settled:
                break
            lives, before = _lives(pids), lives
            settled = lives == before
        if settled and self._first in lives:
            self._add_ended(lives)
        for pid, life in lives.items():
            own_ns = 0 if pid in reapers else _cpu_ns(_clock(pid))
            seen = self._seen.get(pid)
            if seen is None:
                self._seen[pid] = _Seen(life if settled else life._replace(ended_ns=0), own_ns)
                self.others_cpu_ns += own_ns
            elif seen.life.started == life.started:
                self.others_cpu_ns += max(0, own_ns - seen.own_ns)
                seen.own_ns = max(seen.own_ns, own_ns)
        self._members = [pid for pid in lives if pid != self._around]

    def _add_ended(self, lives: Mapping[int, _Life]) -> None:
        """Add the CPU time of ended processes that hasn't been counted yet, and forget these processes.

        Call it when two passes over all processes have found the same. Then a process that is gone has either been
        reaped, so that the total of a living one includes it, or never will be.
        """
        added_ns = 0
        for pid, seen in list(self._seen.items()):
            life = lives.get(pid)
            if life is None or life.started != seen.life.started:
                added_ns -= seen.own_ns + seen.life.ended_ns
                del self._seen[pid]
        for pid, life in lives.items():
            if pid in self._seen:
                added_ns += life.ended_ns - self._seen[pid].life.ended_ns
                self._seen[pid].life = life
            else:
                added_ns += life.ended_ns
        added_ns -= self._unshown_ns
        self._unshown_ns = min(max(0, -added_ns), _ROUNDED_NS)
        self.others_cpu_ns += max(0, added_ns)


def _lives(pids: Iterable[int]) -> dict[int, _Life]:
    """Return the state of those processes that exist and haven't been reaped."""
    lives: dict[int, _Life] = {}
    for pid in pids:
        fields = _contents(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        if len(fields) > _STARTED and fields[_STATE] != _DEAD:
            ended_ticks = int(fields[_CUTIME]) + int(fields[_CUTIME + 1])
            lives[pid] = _Life(int(fields[_STARTED]), ended_ticks * TICK_NS)
    return lives


def _clock(pid: int) -> int:
    """Return the id of a process's CPU clock, as Linux derives it from the pid."""
    return (~pid << 3) | 2


def _ran(schedstat: bytes) -> Ran:
    fields = schedstat.split()
    return Ran(int(fields[0]), int(fields[1])) if len(fields) >= 2 else Ran()


def _cpu_ns(clock: int) -> int:
    try:
        return time.clock_gettime_ns(clock)
    except OSError:
        return 0


def _resident_bytes(statm: bytes) -> int:
    fields = statm.split()
    return int(fields[1]) * PAGE_BYTES if len(fields) > 1 else 0


def _opened(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        return -1


def _read(descriptor: int) -> bytes:
    try:
        return os.pread(descriptor, 512, 0)
    except OSError:
        return b""


def _contents(path: str) -> bytes:
    with contextlib.suppress(OSError):
        return read_once(path, 4096)
    return b""

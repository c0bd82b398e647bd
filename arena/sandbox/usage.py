"""What a bot uses: the CPU time, memory and waiting of all its processes, seen from outside.

Its first process is looked at whenever asked for, which costs a microsecond or two. The others have to be looked for,
which costs more, and is done at most every two milliseconds.
"""

import contextlib
import os
import time
from dataclasses import dataclass

from arena.sandbox.status import children

LOOK_NS = 2_000_000
"""How old what is known of all processes may be before they are looked for again."""
TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_CUTIME = 13
"""Place of the CPU time of ended children in /proc/PID/stat, counted from behind the name."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a process's first thread has had of the machine so far."""

    cpu_ns: int
    wait_ns: int
    """How long it was ready to run and given no core."""


class Usage:
    """Looks at one bot. All of it is 0 for processes that are gone, and on systems that do not tell."""

    __slots__ = (
        "_around",
        "_clock",
        "_first",
        "_looked_ns",
        "_members",
        "_schedstat",
        "_statm",
        "others_cpu_ns",
    )

    def __init__(self, first: int, around: int | None = None) -> None:
        """`first` is the bot's first process; `around` the process 1 of its sandbox, which inherits its orphans."""
        self._first = first
        self._around = around
        self._clock = _clock(first)
        self._statm = _opened(f"/proc/{first}/statm")
        self._schedstat = _opened(f"/proc/{first}/schedstat")
        self._members = [first]
        self._looked_ns = 0
        self.others_cpu_ns = 0
        """CPU time of all processes but the first, ended ones that were waited for too, when last looked for."""

    def close(self) -> None:
        """Close the descriptors. May be called twice."""
        for descriptor in (self._statm, self._schedstat):
            if descriptor >= 0:
                os.close(descriptor)
        self._statm = self._schedstat = -1

    def first_cpu_ns(self) -> int:
        """Return the CPU time of all threads of the first process."""
        return _cpu_ns(self._clock)

    def waiting(self) -> Waiting:
        """Return what the first thread has had of the machine."""
        fields = _read(self._schedstat).split()
        return Waiting(int(fields[0]), int(fields[1])) if len(fields) >= 2 else Waiting(0, 0)

    def look(self) -> None:
        """Look for all processes. Where none but the first was found so far, nothing is done within `LOOK_NS`."""
        now_ns = time.monotonic_ns()
        if not self.others_cpu_ns and len(self._members) == 1 and now_ns - self._looked_ns < LOOK_NS:
            return
        self._looked_ns = now_ns
        self._members = self.members()
        total_ns = sum(map(_ended_cpu_ns, self._members))
        if self._around is not None:
            total_ns += _ended_cpu_ns(self._around)
        total_ns += sum(_cpu_ns(_clock(pid)) for pid in self._members if pid != self._first)
        # One that was not waited for takes its time with it.
        self.others_cpu_ns = max(self.others_cpu_ns, total_ns)

    def members(self) -> list[int]:
        """Return the processes there are; one that is born meanwhile may be missed."""
        found = [self._first] if self._around is None else children(self._around)
        for pid in found:
            found.extend(child for child in children(pid) if child not in found)
        return found

    def memory_bytes(self) -> int:
        """Return the resident memory of the known processes, pages that several share counted for each."""
        total = _resident_bytes(_read(self._statm))
        for pid in self._members:
            if pid != self._first:
                total += _resident_bytes(_contents(f"/proc/{pid}/statm"))
        return total

    def proportional_bytes(self) -> int:
        """Return the memory of all processes, a page that n share counted as an nth for each; takes longer.

        Where a process does not let itself be looked at, what is resident counts.
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


def _clock(pid: int) -> int:
    """Return the number of a process's CPU clock: how Linux makes it of the process's number."""
    return (~pid << 3) | 2


def _cpu_ns(clock: int) -> int:
    try:
        return time.clock_gettime_ns(clock)
    except OSError:
        return 0


def _ended_cpu_ns(pid: int) -> int:
    """Return the CPU time of the children that a process has waited for."""
    fields = _contents(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if len(fields) <= _CUTIME + 1:
        return 0
    return (int(fields[_CUTIME]) + int(fields[_CUTIME + 1])) * TICK_NS


def _resident_bytes(statm: bytes) -> int:
    fields = statm.split()
    return int(fields[1]) * PAGE_BYTES if len(fields) > 1 else 0


def _opened(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        return -1


def _read(descriptor: int) -> bytes:
    with contextlib.suppress(OSError):
        return os.pread(descriptor, 512, 0)
    return b""


def _contents(path: str) -> bytes:
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            return os.read(descriptor, 4096)
        finally:
            os.close(descriptor)
    return b""

"""Finds out that a bot will never write again: all of its threads wait for something that only Arena could send.

Linux shows for each sleeping thread the system call it is in, with its arguments, and how often it has been switched.
If every thread of every process of a bot is in a call that waits without a time limit, and none of them has run between
two looks, then at some moment between them all were asleep at once. From then on only a message of Arena's, a timer or
a signal can wake one of them. Processes that could have set a timer for themselves are left alone, and so is everything
that can't be read, so that "will never write again" is certain when it is said, and unknown otherwise.

Sources: proc_pid_syscall(5), proc_pid_status(5), proc_pid_fd(5) of the Linux man-pages, and the kernel's tables of
system calls (arch/x86/entry/syscalls/syscall_64.tbl, scripts/syscall.tbl).
"""

import os
import platform
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

_Kind = Literal["read", "poll", "select", "epoll", "ppoll", "futex", "always"]

_CALLS: Final[dict[str, tuple[int | None, int | None, _Kind]]] = {
    "read": (0, 63, "read"),
    "readv": (19, 65, "read"),
    "poll": (7, None, "poll"),
    "ppoll": (271, 73, "ppoll"),
    "select": (23, None, "select"),
    "pselect6": (270, 72, "select"),
    "epoll_wait": (232, None, "epoll"),
    "epoll_pwait": (281, 22, "epoll"),
    "futex": (202, 98, "futex"),
    "wait4": (61, 260, "always"),
    "waitid": (247, 95, "always"),
}
"""Calls that may wait without a limit: their number on x86_64 and on aarch64, and how to see that they do."""
_COLUMNS: Final = {"x86_64": 0, "amd64": 0, "aarch64": 1, "arm64": 1}
_TIMER_SIGNALS: Final = (14, 26, 27, 29, *range(34, 65))
"""SIGALRM, SIGVTALRM, SIGPROF, SIGIO and the real-time signals: what a process may have set to wake itself."""
_FOREVER: Final = (0xFFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF)
"""-1 as an int and as a long, as the kernel shows it."""
_QUIET: Final = ("pipe:", "anon_inode:[eventpoll]", "anon_inode:[eventfd]", "/")
"""Beginnings of the open files that never become readable by themselves."""


@dataclass(frozen=True, slots=True)
class Sleeping:
    """All threads of a bot, asleep without a time limit. Two equal looks at different times prove a standstill."""

    threads: frozenset[tuple[int, int, bytes, bytes]]
    """Process, thread, its system call with arguments, its numbers of context switches."""
    reads: bool
    """Whether one of them waits to read from the given pipe."""


def look(pids: Collection[int], pipe: int) -> Sleeping | None:
    """Return the threads of all these processes, or None if one of them runs, may wake by itself, or can't be seen.

    `pids` must be all processes of the bot; `pipe` is our end of the pipe that it reads its messages from.
    """
    column = _COLUMNS.get(platform.machine())
    if column is None or not pids:
        return None
    threads: set[tuple[int, int, bytes, bytes]] = set()
    reads = False
    try:
        name = f"pipe:[{os.fstat(pipe).st_ino}]"
        for pid in pids:
            files = _files(pid)
            if not all(path.startswith(_QUIET) for path in files.values()) or _may_set_timers(pid):
                return None
            for tid in map(int, os.listdir(f"/proc/{pid}/task")):  # noqa: PTH208 - faster
                call = _read(f"/proc/{pid}/task/{tid}/syscall")
                kind = _waits(call, column)
                if kind is None:
                    return None
                if kind == "read":
                    reads |= files.get(int(call.split()[1], 16)) == name
                elif kind in ("poll", "ppoll", "select", "epoll"):
                    reads |= name in files.values()
                threads.add((pid, tid, call, _switches(pid, tid)))
    except (OSError, ValueError):
        return None
    return Sleeping(frozenset(threads), reads)


def _waits(call: bytes, column: int) -> _Kind | None:
    """Return how a thread waits without a time limit, from its line in /proc; None if it doesn't."""
    words = call.split()
    if len(words) < 7 or words[0] == b"-1":
        return None  # it runs, or is stopped outside a system call
    number = int(words[0])
    kind = next((known[2] for known in _CALLS.values() if known[column] == number), None)
    given = [int(word, 16) for word in words[1:7]]
    limited = {
        "poll": given[2] not in _FOREVER,
        "ppoll": given[2] != 0,
        "select": given[4] != 0,
        "epoll": given[3] not in _FOREVER,
        "futex": given[3] != 0,
    }
    return None if kind is None or limited.get(kind, False) else kind


def _files(pid: int) -> dict[int, str]:
    folder = f"/proc/{pid}/fd"
    return {int(number): os.readlink(f"{folder}/{number}") for number in os.listdir(folder)}  # noqa: PTH115, PTH208


def _may_set_timers(pid: int) -> bool:
    """Return whether a process handles a signal that a timer or a file could send it."""
    caught = next(line for line in _read(f"/proc/{pid}/status").splitlines() if line.startswith(b"SigCgt:"))
    mask = int(caught.split()[1], 16)
    return any(mask >> (number - 1) & 1 for number in _TIMER_SIGNALS)


def _switches(pid: int, tid: int) -> bytes:
    lines = _read(f"/proc/{pid}/task/{tid}/status").splitlines()
    return b" ".join(line.split()[1] for line in lines if b"_ctxt_switches:" in line)


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 16_384)
    finally:
        os.close(descriptor)

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
import stat
from collections.abc import Callable, Collection
from enum import Enum
from typing import Final, Literal

from msgspec import Struct

from arena.sandbox.survivors import read_once

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
_QUIET: Final = ("pipe:", "anon_inode:[eventpoll]", "anon_inode:[eventfd]")
"""Beginnings of the open files that never become readable by themselves. Regular files and folders don't, either."""
_QUIET_DEVICES: Final = frozenset(os.makedev(1, minor) for minor in (3, 5, 7, 8, 9))
"""Nor do null, zero, full, random and urandom."""
_FIRST_LOOK_NS: Final = 300_000_000
_BETWEEN_LOOKS_NS: Final = 150_000_000
_LATER: Final = 1.5
"""After a look that proved nothing, the next comes once the wait is so many times as long."""


class Standstill(Enum):
    """Why a bot that is alive can't answer any more; the value says it in words."""

    READING = "it waits for the next message"
    STUCK = "all its processes and threads wait for each other"


class StandstillWatch:
    """Finds out, during one wait for an answer, that none can come any more."""

    def __init__(self, members: Callable[[], Collection[int]]) -> None:
        """`members` returns the pids of all processes of the bot."""
        self._members = members
        self._next_ns = _FIRST_LOOK_NS
        self._seen: Sleeping | None = None

    def found(
        self, waited_ns: int, stdin: int, unread_bytes: Callable[[], int], came_bytes: Callable[[], int]
    ) -> Standstill | None:
        """Return why no answer can come any more; None if one may. Call it again and again during the wait.

        `waited_ns` is the time since the message was sent; `stdin` is our end of the pipe that the bot reads from.
        `unread_bytes` and `came_bytes` return what lies in that pipe, and in the one that it writes to.
        """
        if waited_ns < self._next_ns:
            return None
        before, self._seen = self._seen, None
        self._next_ns = int(_LATER * waited_ns)
        if stdin < 0 or unread_bytes() or came_bytes():
            return None  # it hasn't read all of the message, or has just written something
        sleeping = look(self._members(), stdin)
        if sleeping is None:
            return None
        if sleeping != before:
            self._seen, self._next_ns = sleeping, waited_ns + _BETWEEN_LOOKS_NS
            return None
        if came_bytes():
            return None
        return Standstill.READING if sleeping.reads else Standstill.STUCK


class Sleeping(Struct, frozen=True):
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
            if not all(_is_quiet(pid, number, path) for number, path in files.items()) or _may_set_timers(
                pid
            ):
                return None
            for tid in map(int, os.listdir(f"/proc/{pid}/task")):  # noqa: PTH208 - faster
                call = read_once(f"/proc/{pid}/task/{tid}/syscall")
                kind = _waits(call, column)
                if kind is None:
                    return None
                if kind == "read":
                    source = files.get(int(call.split()[1], 16), "/")
                    if source.startswith("/"):
                        return None  # a slow disk, or one across a network
                    reads |= source == name
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


def _is_quiet(pid: int, number: int, path: str) -> bool:
    """Return whether an open file never becomes readable by itself; others may write to a named pipe or a terminal."""
    if not path.startswith("/"):
        return path.startswith(_QUIET)
    status = os.stat(f"/proc/{pid}/fd/{number}")  # noqa: PTH116 - faster
    kind = status.st_mode
    return (
        stat.S_ISREG(kind) or stat.S_ISDIR(kind) or (stat.S_ISCHR(kind) and status.st_rdev in _QUIET_DEVICES)
    )


def _may_set_timers(pid: int) -> bool:
    """Return whether a process handles a signal that a timer or a file could send it."""
    caught = next(
        line for line in read_once(f"/proc/{pid}/status").splitlines() if line.startswith(b"SigCgt:")
    )
    mask = int(caught.split()[1], 16)
    return any(mask >> (number - 1) & 1 for number in _TIMER_SIGNALS)


def _switches(pid: int, tid: int) -> bytes:
    lines = read_once(f"/proc/{pid}/task/{tid}/status").splitlines()
    return b" ".join(line.split()[1] for line in lines if b"_ctxt_switches:" in line)

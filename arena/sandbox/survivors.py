"""Finding and killing what outlives the process that was to end.

Two nets: as a subreaper the worker inherits every orphan below it, and every
process of a run bears the run's token in its environment. Both need Linux;
elsewhere only the process group is killed.
"""

import contextlib
import ctypes
import os
import signal
import sys
import time
from pathlib import Path

from arena.sandbox.process_tree import children
from arena.sandbox.program import TOKEN_VARIABLE

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
BOT_UIDS = range(64_000, 65_000)
"""The accounts of root's bots, by slot: numbers that no distribution gives to a person."""
IS_LINUX = sys.platform.startswith("linux")
KILL_S = 5.0
"""How long is looked for something to kill, and waited for it to be gone."""
LOOK_S = 0.005
_EXITING = 0x4
"""PF_EXITING among the flags of /proc/PID/stat."""


def become_subreaper() -> bool:
    """Make this process the new parent of all orphans below it; return whether the system can."""
    return _prctl(PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent_pid: int) -> None:
    """Have this process killed when its parent ends, however that ends.

    To the kernel the parent is the thread that started this process: it has to be one that lasts.
    """
    if _prctl(PR_SET_PDEATHSIG, signal.SIGKILL) and os.getppid() != parent_pid:
        os.kill(os.getpid(), signal.SIGKILL)  # the parent was gone before we asked


def kill_group(pid: int) -> None:
    """Kill the process group that a bot leads; its leader must not have been reaped, or the number may be another's."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def kill_orphans(known: set[int]) -> int:
    """Kill and reap every child of this process that is not known, and what that leaves; return how many.

    Needs `become_subreaper` earlier; `known` are the children that may stay. What resists (a program that runs
    as another user, or starts others faster than they can be killed) is given up after a while.
    """
    killed = 0
    until = time.monotonic() + KILL_S
    while strangers := [pid for pid in children(os.getpid()) if pid not in known]:
        for pid in strangers:
            kill_group(pid)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        reaped = sum(map(_reap, strangers))
        killed += reaped
        if time.monotonic() > until:
            break
        if reaped < len(strangers):
            time.sleep(LOOK_S)
    return killed


def _reap(pid: int) -> bool:
    """Take a child off the process table if it has ended; return whether it had."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return True


def kill_marked(token: str, *, deadline_s: float = KILL_S) -> int:
    """Kill every process whose token begins with `token`; return how many. Looks until none is left.

    Processes that are just ending are waited for, whosever they are: they bear no token any more, and process 1 of a
    sandbox is one of them until all others of its sandbox are gone, some of which may have shed theirs.
    """
    killed: set[int] = set()
    until = time.monotonic() + deadline_s
    while (marked := _look_thoroughly(token, until)) and time.monotonic() < until:
        killed.update(pid for pid in marked if _kill_if_marked(pid, token))
        for pid in marked:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(LOOK_S)
    return len(killed)


def _look_thoroughly(token: str, until: float) -> list[int]:
    """Return the marked processes and those that are just ending, at least one if there is one at all.

    A process may start another and end while we go through a list that the other is not on. So new lists are made
    until there is nobody new on one.
    """
    seen: set[int] = set()
    marked: list[int] = []
    while (new := _processes() - seen) and not marked and time.monotonic() < until:
        marked = [pid for pid in new if _is_marked(pid, token) or _is_ending(pid)]
        seen |= new
    return marked


def find_marked(token: str) -> list[int]:
    """Return the living processes whose environment bears a token that begins with `token`."""
    return [pid for pid in sorted(_processes()) if _is_marked(pid, token)]


def _processes() -> set[int]:
    if not IS_LINUX:
        return set()
    return {int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()}


def _is_marked(pid: int, token: str) -> bool:
    mark = f"{TOKEN_VARIABLE}={token}".encode()
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes()
        # A process that has ended but is not reaped yet has no environment any more.
        return any(part.startswith(mark) for part in variables.split(b"\0"))
    except OSError:
        return False


def _is_ending(pid: int) -> bool:
    """Return whether a process that may be a bot's has begun to end and is not yet done with it.

    Others can have one of theirs end for as long as they like.
    """
    try:
        if not _may_be_a_bots(Path(f"/proc/{pid}").stat().st_uid):
            return False
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return False
    return fields[0] not in b"ZX" and bool(int(fields[6]) & _EXITING)


def _may_be_a_bots(uid: int) -> bool:
    """Return whether bots that this user starts run under an account."""
    mine = os.geteuid()
    return uid == mine or (mine == 0 and uid in BOT_UIDS)


def _kill_if_marked(pid: int, token: str) -> bool:
    """Kill a process, sure that its number has not become another's meanwhile; return whether it was killed."""
    try:
        descriptor = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        if not _is_marked(pid, token):
            return False
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _prctl(option: int, value: int) -> bool:
    if not IS_LINUX:
        return False
    return bool(ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) == 0)

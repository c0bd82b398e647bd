"""Finds and kills processes that outlive the bot that started them.

It finds them in two ways: a worker is a subreaper, so it inherits all orphans below it, and every process of a run
carries the run's token in its environment. Both need Linux; on other systems, only the process group is killed.
"""

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Iterable

from arena.sandbox.bot_program import TOKEN_VARIABLE


def read_once(path: str, most_bytes: int = 65_536) -> bytes:
    """Return the beginning of a file of /proc. Raises OSError. Quicker than a file object."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, most_bytes)
    finally:
        os.close(descriptor)


def children(pid: int) -> list[int]:
    """Return the children of all threads of a process; empty if it is gone."""
    found: list[int] = []
    tasks = f"/proc/{pid}/task"
    with contextlib.suppress(OSError):
        for task in os.listdir(tasks):  # noqa: PTH208 - faster; runs at many decisions
            with contextlib.suppress(OSError):
                found += map(int, read_once(f"{tasks}/{task}/children").split())
    return found


def with_descendants(pids: Iterable[int]) -> list[int]:
    """Return these processes and all their descendants, each once. May miss processes started in the meantime."""
    found = list(pids)
    for pid in found:
        found.extend(child for child in children(pid) if child not in found)
    return found


PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
BOT_UIDS = range(64_000, 65_000)
"""The accounts of bots if Arena runs as root, by slot. No distribution assigns these uids to people."""
IS_LINUX = sys.platform.startswith("linux")
KILL_S = 5.0
"""How long to look for processes to kill, and to wait for them to disappear."""
LOOK_S = 0.005
_PART_BYTES = 65_536
_EXITING = 0x4
"""PF_EXITING among the flags of /proc/PID/stat."""


def become_subreaper() -> bool:
    """Make this process the new parent of all orphans below it; return whether the system supports that."""
    return _prctl(PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent_pid: int) -> None:
    """Have the kernel kill this process when its parent ends in any way.

    For the kernel, the parent is the thread that started this process, so that thread must keep running.
    """
    if _prctl(PR_SET_PDEATHSIG, signal.SIGKILL) and os.getppid() != parent_pid:
        os.kill(os.getpid(), signal.SIGKILL)  # the parent ended before the call


def kill_group(pid: int) -> None:
    """Kill the process group that a bot leads. The leader must not have been reaped, or its pid may be reused."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


_SPARED: set[int] = set()
"""Children of this process that are no bot's."""


def spare(pid: int, *, anymore: bool = False) -> None:
    """Let `kill_orphans` leave a child alone that is no bot's, such as a program with rules; or not `anymore`."""
    (_SPARED.discard if anymore else _SPARED.add)(pid)


def kill_orphans(known: set[int]) -> int:
    """Kill and reap every child of this process that isn't in `known`, and then their orphans; return how many.

    Call `become_subreaper` first. Gives up after KILL_S on processes that resist, such as one that runs as another
    user, or one that starts others faster than they can be killed.
    """
    killed = 0
    until = time.monotonic() + KILL_S
    while strangers := [pid for pid in children(os.getpid()) if pid not in known and pid not in _SPARED]:
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
    try:
        return os.waitpid(pid, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return True


def kill_marked(token: str, *, deadline_s: float = KILL_S) -> int:
    """Kill every process whose token begins with `token`; return how many. Repeats until none is left.

    Also waits for all processes that are just exiting, because these no longer have a token. Process 1 of a sandbox is
    one of them until the rest of its sandbox is gone, which may include processes that have removed their token.
    """
    killed: set[int] = set()
    until = time.monotonic() + deadline_s
    while (marked := _look_thoroughly(token, until)) and time.monotonic() < until:
        killed.update(pid for pid in marked if signal_if_marked(pid, token, signal.SIGKILL))
        for pid in marked:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(LOOK_S)
    return len(killed)


def _look_thoroughly(token: str, until: float) -> list[int]:
    """Return marked processes and those that are just exiting: not necessarily all, but at least one if there is one.

    While we go through a list of processes, one may start another and exit. So the list is read again until it has no
    new processes.
    """
    seen: set[int] = set()
    marked: list[int] = []
    while (new := _processes() - seen) and not marked and time.monotonic() < until:
        marked = [pid for pid in new if _is_marked(pid, token) or _is_ending(pid)]
        seen |= new
    return marked


def find_marked(token: str) -> list[int]:
    """Return the living processes whose environment has a token that begins with `token`."""
    return [pid for pid in sorted(_processes()) if _is_marked(pid, token)]


def _processes() -> set[int]:
    if not IS_LINUX:
        return set()
    return {int(name) for name in os.listdir("/proc") if name.isdigit()}  # noqa: PTH208 - see `_content`


def _is_marked(pid: int, token: str) -> bool:
    try:
        variables = _content(f"/proc/{pid}/environ")
    except OSError:
        return False
    # A process that has ended but hasn't been reaped has no environment.
    return f"\0{TOKEN_VARIABLE}={token}".encode() in b"\0" + variables


def _content(path: str) -> bytes:
    """Return what a file of /proc holds. All processes are looked at whenever bots end, so this is quick."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        content = part = os.read(descriptor, _PART_BYTES)
        while part:
            part = os.read(descriptor, _PART_BYTES)
            content += part
        return content
    finally:
        os.close(descriptor)


def _is_ending(pid: int) -> bool:
    """Return whether a process that may be a bot's has started to exit but hasn't finished.

    Ignores processes of other users, who could make theirs take as long as they like.
    """
    try:
        uid, mine = os.stat(f"/proc/{pid}").st_uid, os.geteuid()  # noqa: PTH116 - a Path takes as long as the call
        if uid != mine and (mine or uid not in BOT_UIDS):  # bots of root run under accounts
            return False
        fields = read_once(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return False
    return fields[0] not in b"ZX" and bool(int(fields[6]) & _EXITING)


def signal_if_marked(pid: int, token: str, number: int) -> bool:
    """Send a signal to a process if it is marked; return whether it was. A reused pid can't hit another process."""
    try:
        descriptor = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        if not _is_marked(pid, token):
            return False
        signal.pidfd_send_signal(descriptor, number)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _prctl(option: int, value: int) -> bool:
    if not IS_LINUX:
        return False
    return bool(ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) == 0)

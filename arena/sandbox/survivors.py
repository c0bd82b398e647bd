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

from arena.sandbox.program import TOKEN_VARIABLE

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
IS_LINUX = sys.platform.startswith("linux")


def become_subreaper() -> bool:
    """Make this process the new parent of all orphans below it; return whether the system can."""
    return _prctl(PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent_pid: int) -> None:
    """Have this process killed when its parent ends, however that ends."""
    if _prctl(PR_SET_PDEATHSIG, signal.SIGKILL) and os.getppid() != parent_pid:
        os.kill(os.getpid(), signal.SIGKILL)  # the parent was gone before we asked


def kill_group(pid: int) -> None:
    """Kill the process group that a bot leads."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def kill_orphans(known: set[int]) -> int:
    """Kill and reap every child of this process that is not known, and what that leaves; return how many.

    Needs `become_subreaper` earlier; `known` are the children that may stay.
    """
    killed = 0
    while strangers := [pid for pid in _children() if pid not in known]:
        for pid in strangers:
            kill_group(pid)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in strangers:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
                killed += 1
    return killed


def kill_marked(token: str, *, deadline_s: float = 5.0) -> int:
    """Kill every process whose token begins with `token`; return how many. Looks until none is left."""
    killed = 0
    until = time.monotonic() + deadline_s
    while (marked := find_marked(token)) and time.monotonic() < until:
        for pid in marked:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
                killed += 1
        for pid in marked:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        time.sleep(0.005)
    return killed


def find_marked(token: str) -> list[int]:
    """Return the living processes whose environment bears a token that begins with `token`."""
    if not IS_LINUX:
        return []
    mark = f"{TOKEN_VARIABLE}={token}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            variables = (entry / "environ").read_bytes()
            if any(part.startswith(mark) for part in variables.split(b"\0")) and not _is_zombie(entry):
                found.append(int(entry.name))
    return found


def _is_zombie(process: Path) -> bool:
    return (process / "stat").read_bytes().rpartition(b") ")[2].startswith(b"Z")


def _children() -> list[int]:
    if not IS_LINUX:
        return []
    found: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            found += map(int, (task / "children").read_bytes().split())
    return found


def _prctl(option: int, value: int) -> bool:
    if not IS_LINUX:
        return False
    return bool(ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) == 0)

"""Locks that the kernel releases when their holders die, however they die.

Whoever can open a lock file can lock it, also for reading only, so only its owner can open it.
"""

import fcntl
import os
import pwd
from pathlib import Path

from results.base.errors import StoreFailed, StoreFull
from results.base.permissions import make_folder
from results.store.sqlite_file import full_disk


def opened(path: Path, flags: int = 0) -> int:
    """Return the descriptor of a lock file that only its owner can open; make it if it is missing, with its folder.

    Raises StoreFailed.
    """
    try:
        make_folder(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | flags, 0o600)
    except OSError as error:
        if full := full_disk(path, surely=False):
            raise StoreFull(*full) from error
        raise StoreFailed(
            f"{path} can't be made: {error.strerror}", "check the room and the permissions of the folder"
        ) from error
    status = os.fstat(descriptor)
    if status.st_mode & 0o077 and status.st_uid == os.geteuid():  # opened with the store, by `chmod -R`
        os.fchmod(descriptor, 0o600)
    return descriptor


def holder(path: Path) -> tuple[int | None, str] | None:
    """Return which process holds a lock file, if known, and its words, as `noted`; None if nobody does.

    Changes nothing. Those who may not open the file learn from the kernel's list who has locked it.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError:
        pids = lockers(path)
        return None if pids == [] else (pids[0] if pids else None, "")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return noted(descriptor)
    finally:
        os.close(descriptor)
    return None


def take(descriptor: int) -> bool:
    """Lock an open file exclusively; return False if somebody else has it locked."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_there(path: Path, descriptor: int) -> bool:
    """Return whether the locked file still has its name: its last holder removes it."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def lockers(file: Path | int) -> list[int] | None:
    """Return the processes that have locked a file, from the kernel's list; None if that can't be known."""
    try:
        status = os.fstat(file) if isinstance(file, int) else file.stat()
        lines = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return None
    device = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}"
    found = []
    for line in lines:  # 1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF; another form for those that wait
        _, kind, _, _, pid, place, *_ = line.split()
        if kind == "FLOCK" and place == f"{device}:{status.st_ino}":
            found.append(int(pid))
    return found


def noted(descriptor: int) -> tuple[int | None, str]:
    """Return which process holds a lock, by the kernel, if known, and what it has written behind its number."""
    try:
        words = os.pread(descriptor, 512, 0).decode(errors="replace")
    except OSError:
        words = ""
    number, _, does = words.strip().partition(" ")
    pid = int(number) if number.isascii() and number.isdecimal() else None
    holders = lockers(descriptor)
    if holders and pid not in holders and os.getpid() not in holders:  # what this process has written counts
        return holders[0], ""
    return pid, does


def process_words(pid: int) -> str:
    """Return `process 1234`, with its account if that is another one than ours."""
    account = _other_account(pid)
    return f"process {pid} of the account {account}" if account else f"process {pid}"


def ending(pid: int | None) -> str:
    """Return how to end a process that holds a lock, in words."""
    if pid is None:
        return "end it with Ctrl-C"
    account = _other_account(pid)
    return f"let {account} or root end it: `kill {pid}`" if account else f"end it with Ctrl-C or `kill {pid}`"


def _other_account(pid: int) -> str:
    """Return the account of a process; empty if it is ours, or can't be known."""
    try:
        owner = Path(f"/proc/{pid}").stat().st_uid
        return "" if owner == os.geteuid() else pwd.getpwuid(owner).pw_name
    except OSError:
        return ""
    except KeyError:
        return str(owner)


def has_ended(pid: int) -> bool:
    """Return whether a process is certainly gone."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OverflowError, OSError):  # no number of a process, or another user's
        return False
    return False

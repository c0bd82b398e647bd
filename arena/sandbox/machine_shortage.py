"""Recognises the errors of a machine that has run out of a resource, and describes them with a remedy."""

import errno
import os
import resource
import tempfile
from dataclasses import dataclass
from pathlib import Path

REFUSALS = frozenset(
    {
        errno.EAGAIN,
        errno.ENOMEM,
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EROFS,
        errno.EIO,
    }
)
"""Errors that are always the machine's fault."""
NO_TEMPORARY_FOLDER = "No usable temporary directory"
"""How the standard library's message begins if no folder for temporary files is writable."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A resource that the machine has refused."""

    what: str
    """What was refused, and where."""
    remedy: str
    """What to do about it."""


def refusal(error: BaseException, folder: Path | None = None) -> Refusal | None:
    """Return what the machine has refused with this error, or None if it is another kind of error.

    `folder` is where files were being written; default: the folder for temporary files.
    """
    if isinstance(error, MemoryError):
        return _of(errno.ENOMEM, "", folder)
    if isinstance(error, RuntimeError) and "start new thread" in str(error):
        return _of(errno.EAGAIN, "", folder)
    if not isinstance(error, OSError):
        return None
    if NO_TEMPORARY_FOLDER in str(error):
        return Refusal(
            str(error).partition("] ")[2] or str(error),
            "make room in one of these folders, or set TMPDIR to a writable folder",
        )
    return _of(error.errno, _place(error), folder) if error.errno in REFUSALS else None


def in_words(error: OSError) -> str:
    """Return the message for a system error, with the file it concerns."""
    told, place = error.strerror or str(error), _place(error)
    return f"{told}: {place}" if place and place not in told else told


def _place(error: OSError) -> str:
    """Return the file that an error concerns; for a copy, the target."""
    name = error.filename2 or error.filename
    return os.fsdecode(name) if isinstance(name, str | bytes | os.PathLike) else ""


def _of(number: int | None, place: str, folder: Path | None) -> Refusal:
    reason = os.strerror(number or 0)
    where = place or str(folder or tempfile.gettempdir())
    if number == errno.EROFS:
        return Refusal(f"{reason}: {where}", f"choose another folder, or mount it writable; {_ELSEWHERE}")
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
        return Refusal(f"{reason}: {where}{_free(where)}", f"make room, or repair the disk; {_ELSEWHERE}")
    if number == errno.EMFILE:
        soft = _limit(resource.RLIMIT_NOFILE)
        return Refusal(f"{reason}: the limit of a process is {soft}", "raise the limit: ulimit -n 1024")
    if number == errno.ENFILE:
        return Refusal(reason, "close other programs, or raise fs.file-max")
    if number == errno.ENOMEM:
        return Refusal(reason, "close other programs, or run fewer workers: --workers 1")
    return Refusal(
        f"{reason}: no more processes or threads (limit for this user: {_limit(resource.RLIMIT_NPROC)})",
        "end other processes, raise the limit (ulimit -u), or run fewer workers: --workers 1",
    )


_ELSEWHERE = "set TMPDIR=/another/folder to put temporary files elsewhere"


def _free(place: str) -> str:
    folder = Path(place)
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    try:
        room = os.statvfs(folder)
    except OSError:
        return ""
    return f" ({room.f_bavail * room.f_frsize / 1e6:.1f} MB and {room.f_favail} files free)"


def _limit(kind: int) -> str:
    soft = resource.getrlimit(kind)[0]
    return "unlimited" if soft == resource.RLIM_INFINITY else str(soft)

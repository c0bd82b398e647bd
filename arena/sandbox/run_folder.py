"""The folder for a run's temporary files: who owns it, and the end of those whose owner was killed.

A file in the folder is locked as long as its run lives. The kernel frees the lock however the run ends, and no number
of a process that has become another's is taken for a living owner. Whoever starts a run removes the folders whose lock
can be had. The folder for temporary files is shared with others, so names prove nothing: a folder has to be this
user's, closed to everybody else, with a lock file of this user's in it, and links are never followed.
"""

import contextlib
import fcntl
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from arena.sandbox.cgroups import remove_groups
from arena.sandbox.folders import remove_tree
from arena.sandbox.survivors import kill_marked

RUN = "arena-run-"
PROBE = "arena-probe-"
LOCK = "lock"
_CLOSED = 0o700
_TOKEN = re.compile(rb"[0-9a-f]{16}")


class RunFolder:
    """A new folder that is held until it is removed. A context manager, which removes it."""

    def __init__(self, token: str, prefix: str = RUN) -> None:
        """Make the folder; `token` marks the processes of the run, empty where there are none.

        Raises OSError where the system refuses.
        """
        self.path = Path(tempfile.mkdtemp(prefix=prefix))
        self.lock = -1
        """The descriptor that holds the lock."""
        try:
            making = self.path / f".{LOCK}"
            self.lock = os.open(making, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            fcntl.flock(self.lock, fcntl.LOCK_EX)
            os.write(self.lock, token.encode())
            making.rename(self.path / LOCK)  # it is locked from the moment on that it can be found
        except BaseException:
            self.remove()
            raise

    def __enter__(self) -> "RunFolder":
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove the folder with all that is in it, then let go of it."""
        remove_tree(self.path)
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1


def sweep_dead(place: Path | None = None) -> int:
    """Kill and remove what runs of this user have left that were killed with their guardians; return of how many.

    `place` is where to look: the folder for temporary files. What cannot be removed stays. Raises nothing.
    """
    swept = 0
    with contextlib.suppress(OSError):
        place = place or Path(tempfile.gettempdir())
        for path in sorted(place.iterdir()):
            if path.name.startswith((RUN, PROBE)):
                with contextlib.suppress(OSError):
                    swept += _sweep(path)
    return swept


def _sweep(path: Path) -> bool:
    """Remove a folder if it is one of ours whose owner is dead; return whether it was. Raises OSError."""
    with _taken_over(path) as token:
        if token is None:
            return False
        if _TOKEN.fullmatch(token):
            kill_marked(token.decode())
            remove_groups(token.decode())
        remove_tree(path)
        return True


@contextlib.contextmanager
def _taken_over(path: Path) -> Iterator[bytes | None]:
    """Hold a folder that nobody holds, and give its token; None: it is not ours, or its owner lives."""
    with contextlib.ExitStack() as opened:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        opened.callback(os.close, folder)
        found = os.fstat(folder)
        if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) != _CLOSED:
            yield None
            return
        # A bot without a sandbox may have put anything in its place; a pipe must not be waited for.
        lock = os.open(LOCK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        opened.callback(os.close, lock)
        held = os.fstat(lock)
        if held.st_uid != os.geteuid() or not stat.S_ISREG(held.st_mode):
            yield None
            return
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        yield os.read(lock, 64)

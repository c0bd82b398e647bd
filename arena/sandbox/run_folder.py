"""The folder for a run's temporary files, and the guardian, which cleans up after a run that is killed.

A run locks a file in its folder as long as it lives. The kernel releases the lock however the run ends, and a reused
pid can't be mistaken for a living owner. Each new run removes the folders whose lock is free. Others can write to the
folder for temporary files, so names prove nothing: a run's folder must belong to this user, be closed to everyone else,
and contain a lock file of this user. Links are never followed.

The guardian is a small process that outlives the runner. It reads from a pipe whose write end only the runner has. The
run's token is sent through it first, and not on the command line, where anyone who lists processes could see it. If the
runner exits cleanly, it sends a word after the token. If the pipe ends without that word, the runner is dead, and the
guardian kills every process that carries the token.
"""

import contextlib
import fcntl
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType

from arena.sandbox.cgroups import remove_groups
from arena.sandbox.folder_removal import remove_tree
from arena.sandbox.survivors import IS_LINUX, kill_marked
from results.base.children import module, start

RUN = "arena-run-"
PROBE = "arena-probe-"
LOCK = "lock"
_CLOSED = 0o700
_TOKEN = re.compile(rb"[0-9a-f]{16}")


class RunFolder:
    """A new folder, locked until it is removed. A context manager, which removes it."""

    def __init__(self, token: str, prefix: str = RUN) -> None:
        """Make the folder. `token` marks the processes of the run; empty if there are none. Raises OSError."""
        self.path = Path(tempfile.mkdtemp(prefix=prefix))
        self.lock = -1
        """The descriptor that holds the lock."""
        try:
            making = self.path / f".{LOCK}"
            self.lock = os.open(making, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            fcntl.flock(self.lock, fcntl.LOCK_EX)
            os.write(self.lock, token.encode())
            making.rename(self.path / LOCK)  # it is already locked when others can find it
        except BaseException:
            self.remove()
            raise

    def __enter__(self) -> "RunFolder":
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove the folder with its contents, then release the lock."""
        remove_tree(self.path)
        if self.lock >= 0:
            os.close(self.lock)
            self.lock = -1


def sweep_dead(place: Path | None = None) -> int:
    """Clean up after runs of this user that were killed together with their guardians; return how many there were.

    Kills their processes and removes their folders in `place` (default: the folder for temporary files). Leaves what
    can't be removed. Raises nothing.
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
    """Remove a folder if it belongs to a dead run of this user; return whether it does. Raises OSError."""
    with contextlib.ExitStack() as opened:
        token = _taken_over(path, opened)
        if token is None:
            return False
        if _TOKEN.fullmatch(token):
            kill_marked(token.decode())
            remove_groups(token.decode())
        remove_tree(path)
        return True


def _taken_over(path: Path, opened: contextlib.ExitStack) -> bytes | None:
    """Lock a folder whose run is dead, until `opened` closes; return its token, None if it isn't ours or is alive."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    opened.callback(os.close, folder)
    found = os.fstat(folder)
    if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) != _CLOSED:
        return None
    # A bot without a sandbox may have replaced the lock file; don't block if it is a pipe.
    lock = os.open(LOCK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    opened.callback(os.close, lock)
    held = os.fstat(lock)
    if held.st_uid != os.geteuid() or not stat.S_ISREG(held.st_mode):
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return None
    return os.read(lock, 64)


VARIABLE = "TMPDIR"


def passed_over() -> str:
    """Return why $TMPDIR isn't used, in words; empty if it is used or not set.

    The standard library silently falls back to the next writable folder, and copies of bots and scratch folders then
    fill the wrong disk. Raises OSError if no folder is writable.
    """
    given, used = os.environ.get(VARIABLE), tempfile.gettempdir()
    if not given or Path(given).absolute() == Path(used).absolute():
        return ""
    return f"{VARIABLE}={given} can't be used ({_refused(given)}): temporary files go to {used}"


def _refused(folder: str) -> str:
    """Return the system's error for making a file in a folder."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"tried")
    except OSError as error:
        return error.strerror or str(error)
    return "it was not writable when the command started"


HUNT_S = 30.0
"""Maximum clean-up time."""
SECOND_LOOK_S = 0.1
"""Delay before the second sweep, for a bot that was just starting when the runner died and had no token yet."""

_END_OF_TOKEN = b"\n"
_GOOD_BYE = b"done"


class Guardian:
    """Guards one run. A context manager; if the run is killed, its processes are killed and `folder` is removed.

    `held` are descriptors of locks, such as the folder's; the guardian holds them too, until it has finished cleaning
    up. Raises OSError if it can't be started.
    """

    def __init__(self, token: str, folder: Path, held: tuple[int, ...] = ()) -> None:
        self._pipe = -1
        self._process: subprocess.Popen[bytes] | None = None
        if not IS_LINUX:
            return
        reading, self._pipe = os.pipe()
        try:
            os.write(self._pipe, token.encode() + _END_OF_TOKEN)
            self._process = start(
                module("arena.sandbox.run_folder", str(folder)),
                stdin=reading,
                stderr=subprocess.DEVNULL,
                cwd="/",
                pass_fds=held,
            )
        except OSError:
            os.close(self._pipe)
            raise
        finally:
            os.close(reading)

    def __enter__(self) -> "Guardian":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is None:
            return
        with contextlib.suppress(OSError):
            os.write(self._pipe, _GOOD_BYE)
        os.close(self._pipe)
        self._process.wait()


def main(folder: str) -> None:
    """Read the token from standard input, wait for the end of the pipe, then clean up unless the run ended cleanly."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    received = b""
    while part := os.read(0, 64):
        received += part
    marked, _, word = received.partition(_END_OF_TOKEN)
    token = marked.decode()
    if token and word != _GOOD_BYE:  # an empty token would match every run
        kill_marked(token, deadline_s=HUNT_S)
        time.sleep(SECOND_LOOK_S)
        kill_marked(token, deadline_s=HUNT_S)
        remove_groups(token)
        remove_tree(Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The status of a running sandbox: bubblewrap's reports, and what is visible from outside."""

import contextlib
import errno
import json
import os
import select
import signal
import time
from collections.abc import Callable
from pathlib import Path

from arena.sandbox.survivors import children, with_descendants

SCRATCH = Path("/tmp")  # noqa: S108 - inside the sandbox, not shared
SHARED = Path("/dev/shm")  # noqa: S108
SIGNALLED = 128
"""An exit code of SIGNALLED + n means ended by signal n."""


def ended_by(number: int) -> str:
    """Return the words for a process ended by a signal: `was ended by SIGKILL`, or `by signal 99` without a name."""
    try:
        return f"was ended by {signal.Signals(number).name}"
    except ValueError:
        return f"was ended by signal {number}"


class Status:
    """The read end of `--json-status-fd`. Owns the descriptor; a context manager."""

    def __init__(self, descriptor: int, scratch: Path = SCRATCH) -> None:
        """`scratch` is the folder in the sandbox that the bot may write to."""
        os.set_blocking(descriptor, False)
        self.child_pid: int | None = None
        """The host's pid of process 1 of the sandbox; known before the sandbox is complete."""
        self.exit_code: int | None = None
        """The bot's exit code, 128 + n after signal n. None while it runs, or if the sandbox itself was killed."""
        self.has_ended = False
        """Whether the pipe has closed: bubblewrap has exited, or couldn't set up the sandbox."""
        self._descriptor = descriptor
        self._scratch = scratch
        self._pidfd = -1
        self._root = -1
        self._writable: tuple[Path, ...] = ()
        self._unread = b""

    def __enter__(self) -> "Status":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the descriptors. May be called twice."""
        for descriptor in (self._descriptor, self._pidfd, self._root):
            if descriptor >= 0:
                os.close(descriptor)
        self._descriptor = self._pidfd = self._root = -1
        self._writable = ()

    def update(self) -> None:
        """Read the available reports, without waiting."""
        while not self.has_ended:
            try:
                part = os.read(self._descriptor, 4096)
            except BlockingIOError:
                return
            self.has_ended = not part
            *lines, self._unread = (self._unread + part).split(b"\n")
            for line in lines:
                self._take(line)

    def wait_begun(self, limit_s: float) -> bool:
        """Wait until process 1 exists, and return whether it does. The bot itself starts some time later."""
        self._wait(lambda: self.child_pid is not None, limit_s)
        return self.child_pid is not None

    def wait_ended(self, limit_s: float) -> bool:
        """Wait until every process of the sandbox is gone; return whether they are.

        Watching process 1 is enough: in a process namespace, it is the last process to disappear.
        """
        until = time.monotonic() + limit_s
        self._wait(lambda: False, limit_s)
        if self._pidfd < 0:
            return self.has_ended
        left_ms = max(0.0, until - time.monotonic()) * 1000
        return bool(_poll(self._pidfd, left_ms))

    def bot_pid(self) -> int | None:
        """Return the host's pid of the bot's own process, for reading its CPU clock; None if it hasn't started."""
        if self.child_pid is None:
            return None
        return next(iter(children(self.child_pid)), None)

    def members(self) -> list[int]:
        """Return the host's pids of all processes of the sandbox except process 1.

        Every process that a bot starts descends from process 1, which inherits orphans. May miss processes started in
        the meantime.
        """
        return [] if self.child_pid is None else with_descendants(children(self.child_pid))

    def writable_folders(self) -> tuple[Path, ...]:
        """Return the host's paths of the folders that the bot can write to, for emptying them between games.

        Empty before the bot starts and after it has ended. The paths go through a descriptor of the sandbox's root and
        are valid until `close`: the bot can't move these folders, and a reused pid doesn't matter.
        Raises OSError if the system refuses, or if the root isn't the sandbox's.
        """
        if self._root < 0:
            # bubblewrap reports the pid of process 1 before it changes its root. Until the bot runs, /proc/…/root is
            # the host's root, and we would empty the host's /tmp.
            if self.child_pid is None or self.bot_pid() is None:
                return ()
            self._root = os.open(f"/proc/{self.child_pid}/root", os.O_PATH | os.O_DIRECTORY)
            if os.path.samestat(os.fstat(self._root), Path("/").stat()):
                os.close(self._root)
                self._root = -1
                raise OSError(errno.EXDEV, "the sandbox has no root of its own")
            root = Path(f"/proc/self/fd/{self._root}")
            self._writable = tuple(root / folder.relative_to("/") for folder in (self._scratch, SHARED))
        return self._writable

    def _take(self, line: bytes) -> None:
        with contextlib.suppress(ValueError):
            report = json.loads(line)
            self.exit_code = report.get("exit-code", self.exit_code)
            if "child-pid" in report:
                self.child_pid = report["child-pid"]
                with contextlib.suppress(OSError):  # already gone
                    self._pidfd = os.pidfd_open(self.child_pid)

    def _wait(self, is_done: Callable[[], bool], limit_s: float) -> None:
        until = time.monotonic() + limit_s
        self.update()
        while not is_done() and not self.has_ended and (left_s := until - time.monotonic()) > 0:
            _poll(self._descriptor, left_s * 1000)
            self.update()


def _poll(descriptor: int, limit_ms: float) -> list[tuple[int, int]]:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return poll.poll(limit_ms)

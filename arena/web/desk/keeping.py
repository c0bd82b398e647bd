"""Keeps the process going that checks uploads."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from arena.web.desk.receiving import UploadLimits
from results.base.isolation_levels import Wanted
from results.base.permissions import make_folder
from results.store import files_beside

MOST_BYTES = 4 * 2**20
"""A larger log is put aside before the next process begins, in place of the one put aside before."""


def open_log(path: Path) -> int:
    """Return a descriptor that appends to a log which only its owner can read; never follows a link."""
    make_folder(path.parent)
    with suppress(OSError):
        if path.stat().st_size > MOST_BYTES:
            path.replace(path.with_name(f"{path.name}.1"))
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


LOOK_S = 0.5
LEAST_PAUSE_S = 1.0
MOST_PAUSE_S = 60.0
"""Bounds of the pause before a process that has ended is started again; it doubles each time."""
SOUND_S = 60.0
"""After a run of this length the pauses begin at the shortest again."""
STOP_S = 10.0
SETTLED_S = 5.0
"""A process that has run for so long checks uploads."""
LOG_NAME = "uploads.log"
NOT_CONFINED = 6
"""Exit code of the process if the machine can't confine bots as it must."""
TAKEN = 7
"""Exit code of the process if another server's checks the uploads of the store."""


class DeskProcess:
    """Starts the process, and starts it again if it ends. It ends with this process, however this one does."""

    def __init__(
        self, store: Path, sandbox: Wanted, limits: UploadLimits, tell: Callable[[str], None]
    ) -> None:
        """`tell` gets a line for people."""
        self._store = store.absolute()
        self._command = [
            sys.executable,
            "-m",
            "arena.web.desk",
            str(self._store),
            sandbox,
            msgspec.json.encode(limits).decode(),
        ]
        self._tell = tell
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="desk", daemon=True)
        self._child: subprocess.Popen[bytes] | None = None
        self._pause_s = LEAST_PAUSE_S
        self.trouble = ""
        """Why uploads can't be checked now, for everybody; empty if they can."""

    @property
    def pid(self) -> int | None:
        """The process; None if there is none now."""
        return self._child.pid if self._child is not None and self._child.poll() is None else None

    @property
    def log_file(self) -> Path:
        """Where the process writes what it would print."""
        return files_beside(self._store) / LOG_NAME

    def begin(self) -> None:
        """Start the process and go on watching."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the process in order. The upload at work is put back; the next server takes it up."""
        self._over.set()
        self._thread.join()
        child = self._child
        if child is None:
            return
        if child.stdin is not None:
            with suppress(OSError):
                child.stdin.close()
        with suppress(ProcessLookupError):
            child.terminate()
        try:
            child.wait(STOP_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()

    def _watch(self) -> None:
        while not self._over.is_set():
            started_s = time.monotonic()
            try:
                self._child = self._started()
            except OSError as error:
                self._note("the server can't start what checks uploads", str(error))
            else:
                while self._child.poll() is None:
                    if time.monotonic() - started_s > SETTLED_S:
                        self.trouble = ""
                    if self._over.wait(LOOK_S):
                        return
                if self._child.returncode == NOT_CONFINED:
                    self._note("this server can't confine bots now", f"{self.log_file} says why")
                elif self._child.returncode == TAKEN:
                    self._note(
                        "another server checks the uploads of this store",
                        "one is enough: --no-uploads takes none",
                    )
                elif time.monotonic() - started_s > SETTLED_S:
                    self._tell(f"the process that checks uploads has ended; {self.log_file} says why")
                else:
                    self._note("what checks uploads ends at once", f"{self.log_file} says why")
            if time.monotonic() - started_s > SOUND_S:
                self._pause_s = LEAST_PAUSE_S
            self._over.wait(self._pause_s)
            self._pause_s = min(MOST_PAUSE_S, 2 * self._pause_s)

    def _note(self, trouble: str, more: str) -> None:
        """Keep in mind why uploads can't be checked; say so once."""
        if trouble != self.trouble:
            self.trouble = trouble
            self._tell(f"uploads are refused: {trouble}; {more}")

    def _started(self) -> subprocess.Popen[bytes]:
        descriptor = open_log(self.log_file)
        try:
            return subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=descriptor,
                stderr=descriptor,
                start_new_session=True,
            )
        finally:
            os.close(descriptor)

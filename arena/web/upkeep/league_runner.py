"""Keeps a process going beside the server: the runner, which plays the leagues.

It is the only one to write to the store. It has a session of its own: Ctrl-C in the terminal and the death of the
server don't reach it. A server that starts finds the runner of an earlier one by the lock of the store.
"""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from arena.core.errors import ArenaError
from arena.web.site_file.site_database import SiteFile, fact, note_fact
from results.base.children import Pauses, last_words, module, start_logged
from results.store import files_beside, holder_of
from results.store.file_locks import has_ended
from results.store.store_lock import Holder

LOOK_S = 0.5
SOUND_S = 60.0
"""After a run of this length the pauses before the next one begin at the shortest again."""
RUNNER_LOG = "runner.log"
_FACT = "runner"


class Supervisor:
    """Supervises the runner of one store, in a thread."""

    def __init__(
        self, store: Path, options: Sequence[str], file: SiteFile, tell: Callable[[str], None]
    ) -> None:
        """`options`: of `arena run`, without the store's; `tell` gets a line for people."""
        self._store = store.absolute()
        self._command = module("arena", "run", "--store", str(self._store), *options)
        self.log_file = files_beside(store) / RUNNER_LOG
        """Where the runner writes what it would print."""
        self._file = file
        self._tell = tell
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="runner", daemon=True)
        self._child: subprocess.Popen[bytes] | None = None
        self._pauses = Pauses(sound_s=SOUND_S)
        self._not_before_s = 0.0
        self._seen: int | None = None
        self.words = "starting"
        """What it knows of the runner, for people."""

    def begin(self) -> None:
        """Start the runner, or find the one that is there, and go on watching."""
        self._thread.start()

    def stop(self, hurry: threading.Event) -> None:
        """Stop the runner in order and wait for its end; once `hurry` is set, let it stop the games at once.

        A runner started by somebody else goes on.
        """
        self._over.set()
        self._thread.join()
        pid = self._own_runner()
        if pid is None:
            return
        self._tell(f"stopping the runner (process {pid}): it finishes the games being played")
        _ask_to_stop(pid)
        hurried = False
        while not self._is_over(pid):
            if hurry.is_set() and not hurried:
                hurried = True
                _ask_to_stop(pid)
            time.sleep(0.05)
        self._forget()

    def _watch(self) -> None:
        while not self._over.is_set():
            try:
                self._look()
            except (ArenaError, OSError) as error:
                self._say(f"the runner can't be started: {error}")
                self._pause()
            self._over.wait(LOOK_S)

    def _look(self) -> None:
        """Start a runner if there is none; tell of one that is there, and of one that has ended."""
        if self._child is not None:
            code = self._child.poll()
            if code is None:
                return
            self._child = None
            wait_s = self._pause()
            how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
            self._say(f"the runner {how}{self._last_words()}; it starts again in {wait_s:.0f} s")
            return
        if (holder := self._runner()) is not None:
            if self._seen != holder.pid:
                self._seen = holder.pid
                whose = "of an earlier server" if self._is_ours(holder.pid) else "that is there already"
                self._say(f"using the runner {whose}: process {holder.pid}, {holder.does}")
            return
        if self._seen is not None:
            self._say(f"the runner (process {self._seen}) has ended")
            self._seen = None
        if time.monotonic() >= self._not_before_s:
            self._start()

    def _start(self) -> None:
        self._pauses.begin()
        self._child = start_logged(self._command, self.log_file)
        with (
            suppress(ArenaError),
            self._file.writing() as db,
        ):  # without it, only a later server won't know its own
            note_fact(db, _FACT, f"{self._child.pid} {_birth(self._child.pid)}")
        self._say(f"started the runner (process {self._child.pid}); it writes to {self.log_file}")

    def _pause(self) -> float:
        """Put the next start off; return for how long, in seconds."""
        wait_s = self._pauses.next_s()
        self._not_before_s = time.monotonic() + wait_s
        return wait_s

    def _say(self, words: str) -> None:
        self.words = words
        self._tell(words)

    def _last_words(self) -> str:
        """Return the end of the runner's log as a clause; empty if there is none."""
        words = [line.strip() for line in last_words(self.log_file, 2_000).split("\n") if line.strip()]
        errors = [line for line in words if line.startswith("error: ")]
        return f" ({(errors or words)[-1][:300]})" if words else ""

    def _own_runner(self) -> int | None:
        """Return the process of the runner that this server or an earlier one has started; None if none runs."""
        if self._child is not None:
            return self._child.pid if self._child.poll() is None else None
        holder = self._runner()
        return holder.pid if holder is not None and self._is_ours(holder.pid) else None

    def _runner(self) -> Holder | None:
        """Return the runner that holds the store's lock; None if what still has it only cleans up after one."""
        holder = holder_of(self._store)
        if holder is None or not holder.is_runner or (holder.pid is not None and has_ended(holder.pid)):
            return None
        return holder

    def _is_ours(self, pid: int | None) -> bool:
        """Return whether a server of this site has started a process."""
        if pid is None:
            return False
        try:
            with self._file.reading() as db:
                return fact(db, _FACT) == f"{pid} {_birth(pid)}"
        except ArenaError:
            return False

    def _forget(self) -> None:
        with suppress(ArenaError), self._file.writing() as db:
            note_fact(db, _FACT, "")

    def _is_over(self, pid: int) -> bool:
        return self._child.poll() is not None if self._child is not None else has_ended(pid)


def _birth(pid: int) -> str:
    """Return when a process began, as the kernel counts; empty if that isn't known."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _ask_to_stop(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGTERM)

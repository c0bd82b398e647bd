"""The file in which a runner notes what it does, next to the store: `arena.files/runner.json` of `arena.sqlite`.

Only the process that holds the store's lock writes it. The file is no part of the ledger: losing it loses nothing.
"""

import os
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from results.base.permissions import created
from results.base.runner_notes import MOST_BYTES, RunnerNotes, packed, unpacked
from results.store.database import files_beside
from results.store.locks import has_ended
from results.store.store_lock import Holder, holder_of

FILE_NAME = "runner.json"
FRESH_S = 10.0
"""A runner that is alive writes the file more often than this, unless a step takes long."""
_PART = f".{FILE_NAME}.part"


def write_notes(files: Path, notes: RunnerNotes) -> bool:
    """Write notes to a store's folder, so that readers see the old ones or the new ones; return whether that worked.

    A disk that is full or read-only is no error. The file isn't flushed to the disk: after a crash of the machine, no
    runner is left that it could speak of.
    """
    part = files / _PART
    try:
        content = packed(notes)
        descriptor = created(part)
        try:
            complete = os.write(descriptor, content) == len(content)
        finally:
            os.close(descriptor)
        if complete:
            part.replace(files / FILE_NAME)
    except (OSError, ValueError):
        complete = False
    if not complete:
        with suppress(OSError):
            part.unlink()
    return complete


def remove_notes(files: Path) -> None:
    """Remove the notes from a store's folder, if that is possible."""
    for name in (FILE_NAME, _PART):
        with suppress(OSError):
            (files / name).unlink()


@dataclass(frozen=True, slots=True)
class Runner:
    """What is known of the runner of a store."""

    holder: Holder | None
    """The process that holds the store's lock."""
    notes: RunnerNotes | None
    """The notes of that process, or if nobody holds the lock those of the last runner, which was killed."""

    @property
    def is_running(self) -> bool:
        """Whether a runner holds the lock."""
        return self.holder is not None and self.holder.is_runner

    @property
    def was_killed(self) -> bool:
        """Whether there is no runner, and the last one didn't end in order."""
        return not self.is_running and self.notes is not None


def runner_of(store: Path) -> Runner:
    """Return what is known of the runner of the store at this path. Changes nothing, and waits for nobody."""
    holder = holder_of(store)
    notes = read_notes(files_beside(store))
    if (
        holder is not None
        and holder.pid is not None
        and has_ended(holder.pid)  # or is in a container, where processes have other numbers
        and not _is_fresh(files_beside(store))
    ):
        holder = None  # the lock is still held by what cleans up after it
    if holder is not None and not holder.does and notes is not None and holder.pid in (None, notes.pid):
        holder = Holder(notes.pid, notes.does)  # those who may read the store can't open its locks
    if holder is not None and holder.is_runner and notes is not None and notes.pid != holder.pid:
        notes = None  # of an earlier one
    return Runner(holder, notes)


def _is_fresh(files: Path) -> bool:
    try:
        return abs(time.time() - (files / FILE_NAME).lstat().st_mtime) < FRESH_S
    except OSError:
        return False


def read_notes(files: Path) -> RunnerNotes | None:
    """Return the notes in a store's folder; None if there are none that can be read."""
    path = files / FILE_NAME
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # replaced in between
                return None
            return unpacked(file.read(MOST_BYTES + 1))
    except OSError:
        return None

"""Looks at what waits in the inbox, and changes nothing: for those who only read the store."""

import os
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from arena.league.inbox.command import NoCommand, unpacked
from arena.league.inbox.files import MOST_LISTED, inbox_folder, read, waits

MOST_READ = 50
"""How many commands to read, at most."""


@dataclass(frozen=True, slots=True)
class WaitingCommand:
    """A file in the inbox."""

    file: str
    kind: str
    """Empty if it isn't a command; the runner will refuse it."""
    by: str
    submitted_at: str
    """As its author wrote it; empty if it isn't a command."""


@dataclass(slots=True)
class InboxView:
    """What waits in the inbox of a store with this folder. Files that it has read are not read again."""

    files: Path
    _known: dict[tuple[str, int, int, int], WaitingCommand] = field(default_factory=dict, init=False)

    def look(self) -> tuple[list[WaitingCommand], int]:
        """Return the first commands that wait, in order, and how many files wait, of those that a look counts."""
        folder = inbox_folder(self.files)
        try:
            with os.scandir(folder) as entries:
                names = [entry.name for entry in islice(entries, MOST_LISTED)]
        except OSError:  # most often there is no inbox yet
            return [], 0
        names = sorted(filter(waits, names))
        known, self._known = self._known, {}
        for name in names[:MOST_READ]:
            try:
                status = (folder / name).lstat()
            except OSError:  # taken up in the meantime
                continue
            key = name, status.st_ino, status.st_size, status.st_mtime_ns
            try:
                self._known[key] = known.get(key) or _read(folder / name)
            except FileNotFoundError:
                continue
        return list(self._known.values()), len(names)


def _read(path: Path) -> WaitingCommand:
    try:
        command = unpacked(read(path))
    except NoCommand:
        return WaitingCommand(path.name, "", "", "")
    return WaitingCommand(path.name, command.kind, command.by, command.submitted_at)

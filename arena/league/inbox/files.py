"""Commands as files in the inbox: leaving them, finding them, looking at them, and putting aside what isn't one.

The inbox is the folder `inbox` next to the store. Anything may be in it. A look at it takes bounded time, follows no
link, opens nothing but regular files, and never waits.
"""

import errno
import heapq
import os
import re
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

import msgspec
from msgspec import Meta, Struct

from arena.core.errors import ArenaError
from arena.sandbox.folder_removal import remove_tree
from results.base.clock import utc_now
from results.base.permissions import make_folder, read_regular, user_name, write_whole

MOST_BYTES = 1_048_576
"""Largest file of a command."""

UUID = r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\Z"
"""Pattern of an id."""


class Command(Struct, frozen=True, forbid_unknown_fields=True):
    """A command in the inbox. Its file may come from anyone who can write there, so nothing in it is trusted."""

    id: Annotated[str, Meta(pattern=UUID)]
    """Identifies it: a command with an id that the ledger knows has no effect."""
    kind: Annotated[str, Meta(pattern=r"^[a-z][a-z-]{0,31}\Z")]
    """What it asks for: a kind in `arena.league.inbox.dispatch`."""
    data: dict[str, Any]
    """The details, by kind."""
    by: Annotated[str, Meta(max_length=200)]
    submitted_at: Annotated[str, Meta(max_length=40)]
    """In the format of `clock.utc_text`; for people only."""


class NoCommand(ArenaError):
    """A file that isn't a command."""


def new_id() -> str:
    """Return an id for a new command."""
    return str(uuid4())


def new_command(kind: str, data: dict[str, Any], uuid: str | None = None) -> Command:
    """Return a new command of this user; `data` has the details, as the kind has them. `uuid`: from `new_id`."""
    return Command(uuid or new_id(), kind, data, user_name()[:200], utc_now())


def packed(command: Command) -> bytes:
    """Return a command as the content of its file. Raises ArenaError if it is too large."""
    content = msgspec.json.encode(command)
    if len(content) > MOST_BYTES:
        raise ArenaError(f"a command has {len(content):,} bytes; the limit is {MOST_BYTES:,}")
    return content


def unpacked(content: bytes) -> Command:
    """Return the command that a file contains. Raises NoCommand, with the reason."""
    try:
        return msgspec.json.decode(content, type=Command)
    except (msgspec.MsgspecError, ValueError) as error:
        raise NoCommand(f"not a command: {error}") from None
    except RecursionError:
        raise NoCommand("not a command: it is nested too deeply") from None


def file_name(command: Command) -> str:
    """Return a name for a command's file; names sort by the time of this call, to the nanosecond."""
    seconds, ns = divmod(time.time_ns(), 1_000_000_000)
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime(seconds))}.{ns:09}Z-{command.id}.json"


MOST_PER_LOOK = 256
"""How many files to take up, at most, in one look."""
MOST_LISTED = 10_000
"""How many names to read, at most, in one look. Commands are taken up in the order of their names among these."""
MOST_READ = 50
"""How many commands a look for people reads, at most."""
MOST_REFUSED = 1_000
"""How many refused files to keep: the newest."""
UNFINISHED_S = 3_600.0
"""Age at which a file that was never finished is removed."""

MOST_ATTACHED_BYTES = 67_108_864
"""Largest file that is attached to a command."""
FORGOTTEN_S = 7 * 86_400.0
"""Age at which an attached file is removed although its command was never taken up: it never came."""

_REFUSED = "refused"
_ATTACHED = "attached"
_OURS = frozenset({_REFUSED, _ATTACHED})
_CLEARING_S = 0.1
"""How long to work at most, in one look, on removing one refused folder with its contents."""


def inbox_folder(files: Path) -> Path:
    """Return the inbox below a store's folder."""
    return files / "inbox"


def leave(files: Path, command: Command) -> Path:
    """Write a command to the inbox, complete and on the disk; return its file. Raises ArenaError, leaving nothing."""
    path = inbox_folder(files) / file_name(command)
    _appear(path, packed(command))
    return path


def attach(files: Path, uuid: str, content: bytes) -> None:
    """Write what is too large for a command, before the command is left. Raises ArenaError."""
    if len(content) > MOST_ATTACHED_BYTES:
        raise ArenaError(
            f"the records have {len(content):,} bytes; the limit is {MOST_ATTACHED_BYTES:,}",
            "nothing was stored; bots that write less to standard error make them smaller",
        )
    _appear(inbox_folder(files) / _ATTACHED / uuid, content)


def attached(files: Path, uuid: str) -> bytes:
    """Return what is attached to a command. Raises NoCommand, FileNotFoundError."""
    return read(inbox_folder(files) / _ATTACHED / uuid, MOST_ATTACHED_BYTES)


def detach(files: Path, uuid: str) -> None:
    """Remove what is attached to a command, if anything is."""
    remove(inbox_folder(files) / _ATTACHED / uuid)


def remove_forgotten(files: Path) -> None:
    """Remove attached files whose command never came."""
    folder = inbox_folder(files) / _ATTACHED
    for name in _names(folder):
        _remove_older(folder / name, FORGOTTEN_S)


def _appear(path: Path, content: bytes) -> None:
    """Write a file that appears complete or not at all, and is on the disk after the return. Raises ArenaError."""
    try:
        write_whole(path, content, flushed=True)
    except OSError as error:
        raise ArenaError(
            f"{path.parent} can't be written to: {error.strerror}",
            "nothing was left behind; fix that, then try again",
        ) from error


def waiting(files: Path, without: Collection[str] = ()) -> list[str]:
    """Return the names of up to `MOST_PER_LOOK` files in the inbox, in order; an empty or missing inbox is quick.

    Leaves out the names in `without`, and files that are being written; those that never were finished are removed.
    """
    folder = inbox_folder(files)
    found = []
    for name in _names(folder):
        if _is_unfinished(name):
            _remove_older(folder / name, UNFINISHED_S)
        elif name not in _OURS and name not in without:
            found.append(name)
    return heapq.nsmallest(MOST_PER_LOOK, found)


def _names(folder: Path) -> list[str]:
    """Return the first names in a folder; none if it isn't there, as most often the inbox."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in islice(entries, MOST_LISTED)]
    except OSError:
        return []


def waits(name: str) -> bool:
    """Return whether the runner will take up what has this name in the inbox, command or not."""
    return name not in _OURS and not _is_unfinished(name)


def _is_unfinished(name: str) -> bool:
    return name.startswith(".") and name.endswith(".part")


def _remove_older(path: Path, age_s: float) -> None:
    with suppress(OSError):
        if path.lstat().st_mtime < time.time() - age_s:
            path.unlink()


def read(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Return the content of a file of the inbox. Raises NoCommand with the reason, FileNotFoundError."""
    try:
        content = read_regular(path, most_bytes + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        said = error.strerror if error.errno == errno.EINVAL else f"can't be read: {error.strerror}"
        raise NoCommand(said or "can't be read") from None
    if len(content) > most_bytes:
        raise NoCommand(f"larger than {most_bytes // 1_048_576} MiB")
    return content


def put_aside(path: Path) -> bool:
    """Move anything from the inbox to its folder of refused files; return whether it is gone from the inbox."""
    refused = path.parent / _REFUSED
    name = re.sub(r"[^\w.-]", "_", path.name, flags=re.ASCII)[:100]
    try:
        make_folder(refused)
        path.rename(refused / f"{time.time_ns():020}-{name}")
    except FileNotFoundError:
        return True
    except OSError:
        return remove(path)
    return True


def remove(path: Path) -> bool:
    """Remove a file from the inbox; return whether it is gone."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def prune(files: Path) -> None:
    """Remove the oldest refused files beyond `MOST_REFUSED`, within the bounds of one look."""
    folder = inbox_folder(files) / _REFUSED
    names = _names(folder)
    until = time.monotonic() + _CLEARING_S
    for name in heapq.nsmallest(min(2 * MOST_PER_LOOK, len(names) - MOST_REFUSED), names):
        remove_tree(folder / name, _CLEARING_S)
        if time.monotonic() > until:
            return


class WaitingCommand(Struct, frozen=True):
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
        names = sorted(filter(waits, _names(folder)))
        known, self._known = self._known, {}
        for name in names[:MOST_READ]:
            try:
                status = (folder / name).lstat()
            except OSError:  # taken up in the meantime
                continue
            key = name, status.st_ino, status.st_size, status.st_mtime_ns
            try:
                self._known[key] = known.get(key) or _waiting_command(folder / name)
            except FileNotFoundError:
                continue
        return list(self._known.values()), len(names)


def _waiting_command(path: Path) -> WaitingCommand:
    try:
        command = unpacked(read(path))
    except NoCommand:
        return WaitingCommand(path.name, "", "", "")
    return WaitingCommand(path.name, command.kind, command.by, command.submitted_at)

"""Takes commands up from the inbox, each exactly once."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from arena.core.errors import ArenaError, MachineRefuses
from arena.league.inbox import files
from arena.sandbox.machine_shortage import refusal
from arena.submissions import staging
from results.base.errors import StoreFailed
from results.base.text import visible
from results.records import CommandRecord
from results.store import Store

Perform = Callable[[Store, files.Command], str]
"""Carries a command out; returns what it did, in words. Raises ArenaError to refuse it."""

_OF_THE_MACHINE = (MachineRefuses, StoreFailed)
"""Errors that say nothing of the command: it stays in the inbox."""
_MOST_STUCK = 10_000


def perform_by_kind(store: Store, command: files.Command) -> str:
    """Carry a command out by its kind, as `arena.league.inbox.dispatch` does, which is loaded with the first one."""
    from arena.league.inbox.dispatch import perform

    return perform(store, command)


class Inbox:
    """The inbox of an open store. Only the process that holds the store's lock may take commands up."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._folder = files.inbox_folder(store.files)
        self._stuck: set[str] = set()
        """Names that have been dealt with, but can't be removed."""
        files.remove_forgotten(store.files)
        remove_deleted(store)

    def take_up(self, perform: Perform = perform_by_kind) -> list[CommandRecord]:
        """Carry out the commands in the inbox in the order of their names; return the records of those now taken up.

        `perform` runs in one transaction with the record of the command. An error undoes all that it did, and the
        command is recorded as refused. One call takes up a limited number of files and leaves the rest for the next.
        If the store or the machine fails, raises LedgerError, MachineRefuses or OSError; then the command stays there.
        """
        taken: list[CommandRecord] = []
        for name in files.waiting(self._store.files, self._stuck):
            with suppress(FileNotFoundError):  # its author has removed it
                self._take(self._folder / name, perform, taken)
        if any(record.outcome == "refused" for record in taken):
            files.prune(self._store.files)
        if taken:
            remove_deleted(self._store)
        return taken

    def _take(self, path: Path, perform: Perform, taken: list[CommandRecord]) -> None:
        """Deal with one file, then remove it; add its record to `taken` unless the ledger has one."""
        try:
            command = files.unpacked(files.read(path))
        except files.NoCommand as error:
            # A file that isn't a command has no id; it gets the same one each time that it is found.
            status = path.lstat()
            uuid = str(uuid5(NAMESPACE_URL, f"arena:{path.name!r}:{status.st_ino}:{status.st_mtime_ns}"))
            record = self._store.commands.find(uuid)
            if record is None:
                said = f"{visible(path.name)[:100]}: {error}"
                record = self._store.commands.add(uuid, "", "", "", "refused", said)
                taken.append(record)
        else:
            record = self._store.commands.find(command.id)
            if record is None:
                record = self._carried_out(command, perform)
                taken.append(record)
            files.detach(self._store.files, command.id)
        gone = files.remove(path) if record.outcome == "done" else files.put_aside(path)
        if not gone and len(self._stuck) < _MOST_STUCK:
            self._stuck.add(path.name)

    def _carried_out(self, command: files.Command, perform: Perform) -> CommandRecord:
        envelope = (command.id, command.kind, command.by, command.submitted_at)
        try:
            with self._store.together():
                return self._store.commands.add(*envelope, "done", perform(self._store, command))
        except _OF_THE_MACHINE:
            raise
        except ArenaError as error:
            why, advice = str(error), error.advice
        except Exception as error:
            if refusal(error):
                raise
            why = f"{type(error).__name__}: {error}; this is a bug in Arena: please report it"
            advice = ""
        return self._store.commands.add(*envelope, "refused", why, advice)


def remove_deleted(store: Store) -> None:
    """Remove the files of versions deleted from a store. Only for the process that holds its lock."""
    staging.remove_deleted(store, lambda sha256: _waits_for(store, sha256))


def _waits_for(store: Store, sha256: str) -> bool:
    for name in files.waiting(store.files):
        try:
            if sha256.encode() in files.read(files.inbox_folder(store.files) / name):
                return True
        except (files.NoCommand, OSError):
            continue
    return False

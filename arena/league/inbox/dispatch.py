"""Carries a command out by its kind at once, or leaves it for the process that runs leagues in the store."""

import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.core.errors import UnknownName, UsageError
from arena.league.changes import entries, whole_league
from arena.league.changes.base import Change, LeagueChange
from arena.league.changes.submitted_versions import DeleteVersion, Submit
from arena.league.inbox.files import Command, attach, detach, leave, new_command, new_id, waiting
from arena.league.inbox.job_commands import ChangeJob, Enqueue
from arena.league.inbox.new_league import NewLeague, ReplayedLeague
from arena.league.inbox.played_match import PlayedMatch
from arena.league.inbox.take_up import Inbox, remove_deleted
from results.records import CommandRecord
from results.store import (
    Holder,
    Store,
    StoreHeld,
    check_place,
    files_beside,
    holder_of,
    holding,
    open_store,
    refuse_read_only,
)

CHANGES: Mapping[str, type[LeagueChange]] = {
    change.kind: change
    for module in (entries, whole_league)
    for change in vars(module).values()
    if change in LeagueChange.__subclasses__()
}
"""The changes of leagues, by kind."""
KINDS: Mapping[str, type[Change]] = {
    **CHANGES,
    **{
        kind.kind: kind
        for kind in (Submit, DeleteVersion, PlayedMatch, NewLeague, ReplayedLeague, Enqueue, ChangeJob)
    },
}
"""By name. A command whose kind isn't here is refused."""


def command_for(change: Change, uuid: str | None = None) -> Command:
    """Return a new command of this user that makes a change. `uuid`: from `new_id`, if something is attached to it."""
    return new_command(change.kind, msgspec.to_builtins(change), uuid)


def perform(store: Store, command: Command) -> str:
    """Carry a command out by its kind; return what it did. Raises UsageError, and what the kind raises."""
    kind = KINDS.get(command.kind)
    if kind is None:
        raise UnknownName("kind of command", command.kind, list(KINDS))
    try:
        change = msgspec.convert(command.data, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise UsageError(f"{command.kind}: {error}") from None
    return change.perform(store)


WAIT_S = 2.0
"""How long to wait for the runner's answer."""
_LOOK_S = 0.05
_taking_over = threading.Lock()


class CommandRefused(UsageError):
    """The runner has refused a command."""


class Delivery(Struct, frozen=True):
    """What became of a command."""

    words: str
    """What it did; empty if it waits in the inbox."""
    left_for: Holder | None = None
    """The runner that will take it up, or took it up; None if it was carried out at once."""

    @property
    def waits(self) -> bool:
        """Whether it is still in the inbox."""
        return not self.words


def perform_or_leave(
    path: Path, command: Command, *, create: bool = False, wait_s: float = WAIT_S
) -> Delivery:
    """Carry a command out in the store at `path` if nobody runs leagues there; otherwise leave it for the runner.

    `create` a store if there is none. Waits up to `wait_s` for the runner's answer. Raises CommandRefused with the
    runner's words, StoreHeld if another process has held the store for long that takes up no commands, and what
    `perform` raises.
    """
    check_place(path, create=create)
    refuse_read_only(path)
    try:
        return Delivery(_performed(path, command, create=create))
    except StoreHeld as held:
        runner = held.holder
        if not runner.is_runner:
            raise
    leave(files_beside(path), command)
    return Delivery(_recorded(path, command.id, wait_s), runner)


def perform_or_leave_with(
    path: Path, change: Callable[[str], Change], content: bytes, *, create: bool = False
) -> Delivery:
    """Like `perform_or_leave`, with `content` attached to the command; `change` gets the id it is attached to."""
    check_place(path, create=create)
    refuse_read_only(path)
    uuid, files = new_id(), files_beside(path)
    attach(files, uuid, content)
    try:
        delivery = perform_or_leave(path, command_for(change(uuid), uuid), create=create)
    except BaseException:  # an interruption too; a command that was left still needs what is attached
        if not any(uuid in name for name in waiting(files)):
            detach(files, uuid)
        raise
    if not delivery.waits:  # otherwise, the runner will need what is attached
        detach(files, uuid)
    return delivery


def leave_with(
    path: Path, change: Callable[[str], Change], content: bytes, uuid: str, *, wait_s: float = WAIT_S
) -> str:
    """Leave a change in the inbox of an existing store, take it up if nobody runs leagues there; return what it did.

    For processes that may be killed at any time: the change is made exactly once, and what became of it is known by
    its id in the ledger, `uuid` from `new_id`. Empty if it still waits, for a runner or whoever writes to the store
    next. Raises CommandRefused, and ArenaError if the machine refuses; then nothing is left.
    """
    check_place(path, create=False)
    refuse_read_only(path)
    files = files_beside(path)
    attach(files, uuid, content)
    try:
        leave(files, command_for(change(uuid), uuid))
    except BaseException:
        detach(files, uuid)
        raise
    return _recorded(path, uuid, wait_s)


def deliver_once(path: Path, command: Command, *, wait_s: float = WAIT_S) -> str:
    """Have a command carried out in an existing store exactly once, however often this is called; return what it did.

    For commands that are written down elsewhere: call it until there is an answer, also after a kill. Empty if the
    command still waits. Raises CommandRefused, each time, and what the machine or the ledger refuses.
    """
    check_place(path, create=False)
    refuse_read_only(path)
    with open_store(path, readonly=True) as reader:
        if record := reader.commands.find(command.id):
            return _words_of(record)
    files = files_beside(path)
    if not any(command.id in name for name in waiting(files)):
        leave(files, command)
    return _recorded(path, command.id, wait_s)


def _recorded(path: Path, uuid: str, wait_s: float) -> str:
    """Return what the command with this id did, once the ledger knows it; empty if it still waits then."""
    until = time.monotonic() + wait_s
    with open_store(path, readonly=True) as reader:
        while True:
            if record := reader.commands.find(uuid):
                return _words_of(record)
            if holder_of(path) is None and _take_over(path):
                continue
            if time.monotonic() > until:
                return ""
            time.sleep(_LOOK_S)


def _performed(path: Path, command: Command, *, create: bool) -> str:
    with holding(path), open_store(path, create=create) as store:
        Inbox(store).take_up()  # what was left before comes first
        with store.together(adds=command.kind != PlayedMatch.kind):  # known bots add no row singly
            words = perform(store, command)
        remove_deleted(store)
        return words


def _words_of(record: CommandRecord) -> str:
    if record.outcome == "refused":
        raise CommandRefused(record.words, record.advice)
    return record.words


def _take_over(path: Path) -> bool:
    """Take commands up because no runner does; return False if another process is faster.

    The lock of a store keeps other processes out, but not other threads of this one.
    """
    try:
        with _taking_over, holding(path), open_store(path) as store:
            return bool(Inbox(store).take_up())
    except StoreHeld:
        return False

"""Carries a change of the store out, or leaves it for the runner and says so."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.messages import say

if TYPE_CHECKING:
    from arena.league.changes.commands import Change
    from arena.league.inbox.command import Command


def perform_or_leave(path: Path, change: "Change", *, create: bool = False) -> str:
    """Make a change in the store at `path`, now or through its runner; return what it did, in words.

    Empty if it waits for the runner, which this says. Raises CommandRefused and everything else that
    `arena.league.inbox.delivery.perform_or_leave` raises.
    """
    from arena.league.inbox.kinds import command_for

    return _delivered(path, command_for(change), create=create)


def perform_or_leave_with(
    path: Path, change: "Callable[[str], Change]", content: bytes, *, create: bool = False
) -> str:
    """Like `perform_or_leave`, for a change that is too large for a command: attach `content` to the command.

    `change` gets the id to which it is attached.
    """
    from arena.league.inbox.command import new_id
    from arena.league.inbox.files import attach, detach, waiting
    from arena.league.inbox.kinds import command_for
    from results.store import check_place, files_beside, refuse_read_only

    check_place(path, create=create)
    refuse_read_only(path)
    uuid, files = new_id(), files_beside(path)
    attach(files, uuid, content)
    try:
        words = _delivered(path, command_for(change(uuid), uuid), create=create)
    except BaseException:  # an interruption too; a command that was left still needs what is attached
        if not any(uuid in name for name in waiting(files)):
            detach(files, uuid)
        raise
    if words:  # otherwise, the runner will need what is attached
        detach(files, uuid)
    return words


def _delivered(path: Path, command: "Command", *, create: bool) -> str:
    from arena.league.inbox import delivery

    delivered = delivery.perform_or_leave(path, command, create=create)
    runner = delivered.left_for
    if runner is None:
        return delivered.words
    who = f"process {runner.pid}, {runner.does}" if runner.pid is not None else runner.does
    if delivered.waits:
        say(
            f"left for the runner ({who}): takes effect at its next block of matches; `arena status` shows it"
        )
    else:
        say(f"done by the runner ({who})")
    return delivered.words

"""Makes a change of the store, or leaves it for the runner and says so; asks first before something is deleted."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from arena.cli.messages import answer, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.league.changes.change import Change
    from arena.league.inbox.delivery import Delivery


def perform_or_leave(path: Path, change: "Change", *, create: bool = False) -> str:
    """Make a change in the store at `path`, now or through its runner; return what it did, in words.

    Empty if it waits for the runner, which this says. Raises CommandRefused and everything else that
    `arena.league.inbox.delivery.perform_or_leave` raises.
    """
    from arena.league.inbox import delivery
    from arena.league.inbox.kinds import command_for

    return words_of(delivery.perform_or_leave(path, command_for(change), create=create))


def perform_or_leave_with(
    path: Path, change: "Callable[[str], Change]", content: bytes, *, create: bool = False
) -> str:
    """Like `perform_or_leave`, for a change that is too large for a command: attach `content` to the command.

    `change` gets the id to which it is attached.
    """
    from arena.league.inbox import delivery

    return words_of(delivery.perform_or_leave_with(path, change, content, create=create))


def make_change(store: Path, change: "Change") -> None:
    """Make a change in the store, now or through its runner, and print what happens."""
    if words := perform_or_leave(store, change):
        answer(words)


def words_of(delivered: "Delivery") -> str:
    """Return what a change did, in words; empty if it waits. Say so if a runner has it, or had it."""
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


def confirm_deletion(name: str, details: str, *, yes: bool) -> None:
    """Ask at the terminal whether to delete `name`, described by `details`; don't ask if `yes`.

    Raises typer.Abort after a no, UsageError without a terminal.
    """
    from arena.core.errors import UsageError

    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(
            f"{name} isn't deleted without a yes, and there is no terminal to ask at",
            "to delete it without being asked, add --yes",
        )
    typer.confirm(f"Delete {name} {details}? This can't be undone.", abort=True, err=True)

"""Carries a change of the store out, or leaves it for the runner and says so."""

from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.messages import say

if TYPE_CHECKING:
    from arena.league.changes.commands import Change


def perform_or_leave(path: Path, change: "Change", *, create: bool = False, uuid: str | None = None) -> str:
    """Make a change in the store at `path`, now or through its runner; return what it did, in words.

    Empty if it waits for the runner, which this says. `uuid`: the command's id, if something is attached to it.
    Raises CommandRefused and everything else that `arena.league.inbox.delivery.perform_or_leave` raises.
    """
    from arena.league.inbox import delivery
    from arena.league.inbox.kinds import command_for

    delivered = delivery.perform_or_leave(path, command_for(change, uuid), create=create)
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

"""Makes a change to a league, or leaves it for the process that runs leagues in the store."""

from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.leaving import perform_or_leave
from arena.cli.messages import answer

if TYPE_CHECKING:
    from arena.league.changes.commands import Change


def make_change(store: Path, change: "Change") -> None:
    """Make a change in the store and print what happens."""
    if words := perform_or_leave(store, change):
        answer(words)

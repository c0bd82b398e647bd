"""Makes changes of a store at once, or leaves them for its runner, and says which."""

import sys
from pathlib import Path

import typer

from arena.cli.base.open_store import reading
from arena.cli.terminal.messages import answer, say
from arena.core.errors import UsageError
from arena.league.changes.base import Change
from arena.league.definition.bots_of_commands import Table
from arena.league.inbox import dispatch
from arena.league.inbox.dispatch import Delivery, command_for
from arena.league.inbox.played_match import entering, number_of
from arena.league.single_match import MatchRules, Played
from results.records import MatchRecord


def perform_or_leave(path: Path, change: Change, *, create: bool = False) -> str:
    """Make a change in the store at `path`, now or through its runner; return what it did, in words.

    Empty if it waits for the runner, which this says. Raises as `arena.league.inbox.dispatch.perform_or_leave`.
    """
    return words_of(dispatch.perform_or_leave(path, command_for(change), create=create))


def make_change(store: Path, change: Change) -> None:
    """Make a change in the store, now or through its runner, and print what happens."""
    if words := perform_or_leave(store, change):
        answer(words)


def words_of(delivered: Delivery) -> str:
    """Return what a change did, in words; empty if it waits. Say so if a runner has it, or had it."""
    runner = delivered.left_for
    if runner is None:
        return delivered.words
    who = f"process {runner.pid}, {runner.does}" if runner.pid is not None else runner.does
    if delivered.waits:
        say(
            f"left for the runner ({who}): takes effect with its next block of matches; `arena status` shows it"
        )
    else:
        say(f"done by the runner ({who})")
    return delivered.words


def confirm_deletion(name: str, details: str, *, yes: bool) -> None:
    """Ask whether to delete `name`, unless `yes`. Raises typer.Abort after a no, UsageError without a terminal."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(
            f"{name} isn't deleted without your confirmation, and there is no terminal to ask for it",
            "to delete it without being asked, add --yes",
        )
    typer.confirm(f"Delete {name} {details}? This can't be undone.", abort=True, err=True)


def enter_match(store: Path, played: Played, table: Table, rules: MatchRules) -> MatchRecord | None:
    """Enter a match into the league `casual`, now or through the runner; return it, or None if it waits for that."""
    name = words_of(dispatch.perform_or_leave_with(store, *entering(rules, table, played), create=True))
    if not name:
        return None
    with reading(store) as opened:
        return opened.matches.get("casual", number_of(name))

"""Opens the store of a command that plays games in it: a runner, which also takes up the commands in the inbox."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import typer

from arena.cli.base.open_store import reading, warn_of_readers, writing
from arena.cli.terminal.interruption import on_request
from arena.cli.terminal.messages import PAUSED, answer, say, say_error
from arena.core.errors import ArenaError, MachineRefuses, UsageError
from arena.executors.base import Stop
from arena.league.changes.base import Change
from arena.league.definition.staged_bots import Table
from arena.league.inbox import dispatch
from arena.league.inbox.dispatch import Delivery, command_for
from arena.league.inbox.played_match import entering, number_of
from arena.league.inbox.take_up import Inbox
from arena.league.single_match import MatchRules, Played
from arena.sandbox.resource_exhaustion import Refusal, refusal
from results.base.errors import StoreFull
from results.records import MatchRecord
from results.store import Store


@contextmanager
def running(path: Path, does: str, *, create: bool = True) -> Iterator[Store]:
    """Open a store like `writing`, for a runner. `does` begins with `runs` or `serves`, as in `serves leagues`.

    At the end, takes up the commands that came after the run's last look.
    """
    with writing(path, create=create, does=does) as store:
        warn_of_readers(path)
        try:
            yield store
        finally:
            with suppress(ArenaError):  # for example, the disk is full, which has been reported
                taking_up(store, say)()


class Interrupts:
    """Context manager that turns signals into a `Stop` while a league runs. Main thread only.

    The first finishes the games being played, the second stops at once. Neither loses a finished game.
    """

    def __init__(self, stop: Stop, notify: Callable[[str], None]) -> None:
        """Prepare; `notify` gets a line for the user."""
        self._stop = stop
        self._notify = notify
        self._listening = on_request(self._hear)
        self.heard = False
        """Whether a signal has come."""

    def __enter__(self) -> Self:
        self._listening.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._listening.__exit__(*error)

    def _hear(self) -> None:
        self.heard = True
        if self._stop.after_game:
            self._stop.at_once = True
            self._notify("stopping at once")
        else:
            self._stop.after_game = True
            self._notify(
                "finishing the games being played; press Ctrl-C again to stop now"
                if self._stop.is_playing
                else "stopping; no game is being played"
            )
        self._stop.break_off()


class Teller:
    """Prints lines for people, through the live display while there is one."""

    def __init__(self) -> None:
        self.say: Callable[[str], None] = say
        """How to print now."""

    def tell(self, line: str) -> None:
        """Print a line."""
        self.say(line)


def taking_up(store: Store, tell: Callable[[str], None]) -> Callable[[], None]:
    """Return a function that takes up the commands in the inbox of a store, and tells what became of each."""
    inbox = Inbox(store)

    def take_up() -> None:
        for record in inbox.take_up():
            what = f"{record.kind} by {record.by}" if record.kind else "a file in the inbox"
            tell(f"{what}: {'refused: ' if record.outcome == 'refused' else ''}{record.said}")

    return take_up


@contextmanager
def pausing(go_on: str) -> Iterator[None]:
    """Turn errors of the machine into an exit that explains them, with the command that continues."""
    try:
        yield
    except (MachineRefuses, StoreFull) as error:
        raise paused(Refusal(str(error), error.hint), go_on) from None
    except (OSError, MemoryError, RuntimeError) as error:
        if refused := refusal(error):
            raise paused(refused, go_on) from error
        raise


def paused(refused: Refusal, go_on: str) -> typer.Exit:
    """Print what the machine refuses, what to do about it, and the command that continues; return the exit."""
    say_error(f"paused, because this machine can't play games now: {refused.what}", refused.remedy)
    say(f"no results are lost, and no match is void; once the problem is fixed, continue with: {go_on}")
    return typer.Exit(PAUSED)


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

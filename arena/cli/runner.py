"""Opens the store of a command that plays games in it: a runner, which also takes up the commands in the inbox."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from arena.cli.messages import PAUSED, answer, say, say_error
from arena.cli.open_store import warn_of_readers, writing

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.league.changes.change import Change
    from arena.league.inbox.delivery import Delivery
    from arena.sandbox.refusals import Refusal
    from results.store import Store


LOADS_AFTER_S = 0.25
"""How long after its first look at the inbox, while the workers start, a runner loads what it needs later.

That is what changes leagues, for example. Then it has all of it, and an upgrade of Arena while it runs can't give it a
part of another version.
"""


@contextmanager
def running(path: Path, does: str, *, create: bool = True) -> "Iterator[Store]":
    """Open a store like `writing`, for a runner. `does` begins with `runs` or `serves`, as in `serves leagues`.

    At the end, takes up the commands that came after the run's last look.
    """
    from arena.core.errors import ArenaError

    with writing(path, create=create, does=does) as store:
        warn_of_readers(path)
        try:
            yield store
        finally:
            with suppress(ArenaError):  # for example, the disk is full, which has been reported
                taking_up(store, say)()


class Teller:
    """Prints lines for people, through the live display while there is one."""

    def __init__(self) -> None:
        self.say: Callable[[str], None] = say
        """How to print now."""

    def tell(self, line: str) -> None:
        """Print a line."""
        self.say(line)


def taking_up(store: "Store", tell: Callable[[str], None], later: Sequence[str] = ()) -> Callable[[], None]:
    """Return a function that takes up the commands in the inbox of a store, and tells what became of each.

    It loads the modules `later` too, once the workers have begun to start.
    """
    from arena.league.inbox.take_up import Inbox

    inbox = Inbox(store)
    first_look_s: float | None = None

    def take_up() -> None:
        nonlocal first_look_s
        now_s = time.monotonic()
        if first_look_s is None:
            first_look_s = now_s
        elif now_s - first_look_s > LOADS_AFTER_S:
            for module in ("arena.league.inbox.delivery", *later):
                import_module(module)
        for record in inbox.take_up():
            what = f"{record.kind} by {record.by}" if record.kind else "a file in the inbox"
            tell(f"{what}: {'refused: ' if record.outcome == 'refused' else ''}{record.said}")

    return take_up


@contextmanager
def pausing(go_on: str) -> Iterator[None]:
    """Turn errors of the machine into an exit that explains them, with the command that continues."""
    from arena.core.errors import MachineRefuses
    from arena.sandbox.refusals import Refusal, refusal
    from results.base.errors import StoreFull

    try:
        yield
    except (MachineRefuses, StoreFull) as error:
        raise paused(Refusal(str(error), error.hint), go_on) from None
    except (OSError, MemoryError, RuntimeError) as error:
        if refused := refusal(error):
            raise paused(refused, go_on) from error
        raise


def paused(refused: "Refusal", go_on: str) -> typer.Exit:
    """Print what the machine refuses, what to do about it, and the command that continues; return the exit."""
    say_error(f"paused, because this machine can't play games now: {refused.what}", refused.remedy)
    say(f"no results are lost, and no match is void; once the problem is fixed, continue with: {go_on}")
    return typer.Exit(PAUSED)


def perform_or_leave(path: Path, change: "Change", *, create: bool = False) -> str:
    """Make a change in the store at `path`, now or through its runner; return what it did, in words.

    Empty if it waits for the runner, which this says. Raises CommandRefused and everything else that
    `arena.league.inbox.delivery.perform_or_leave` raises.
    """
    from arena.league.inbox import delivery

    return words_of(delivery.perform_or_leave(path, delivery.command_for(change), create=create))


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


@contextmanager
def arriving_beside(store: Path) -> Iterator[Path]:
    """Do as `arena.submissions.staging.arriving_beside`, which is imported only now."""
    from arena.submissions import staging

    with staging.arriving_beside(store) as arriving:
        yield arriving

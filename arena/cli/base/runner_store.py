"""Opens the store of a command that plays games in it: a runner, which also takes up the commands in the inbox."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import typer

from arena.cli.base.open_store import warn_of_readers, writing
from arena.cli.terminal.interruption import on_request
from arena.cli.terminal.messages import PAUSED, say, say_error
from arena.core.errors import ArenaError, MachineRefuses
from arena.executors.base import Stop
from arena.league.inbox.take_up import Inbox
from arena.sandbox.machine_shortage import Refusal, refusal
from results.base.errors import StoreFull
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

"""Opens the store of a command that plays games in it: a runner, which also takes up the commands in the inbox."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.messages import say
from arena.cli.open_store import warn_of_readers, writing

if TYPE_CHECKING:
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
    from results.errors import LedgerError

    with writing(path, create=create, does=does) as store:
        warn_of_readers(path)
        try:
            yield store
        finally:
            with suppress(ArenaError, LedgerError):  # for example, the disk is full, which has been reported
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
            for module in ("arena.league.inbox.kinds", *later):
                import_module(module)
        for record in inbox.take_up():
            what = f"{record.kind} by {record.by}" if record.kind else "a file in the inbox"
            tell(f"{what}: {'refused: ' if record.outcome == 'refused' else ''}{record.said}")

    return take_up

"""What an executor is given and what it gives back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from arena.core.errors import ArenaError, MachineRefuses


class WorkersFail(ArenaError):
    """No game can be played, whichever it is: workers do not start, or die before they play."""


class WorkersRefused(WorkersFail, MachineRefuses):
    """The machine refuses to start workers, or ends them before they play."""


class Playing(Protocol):
    """Work under way in one worker."""

    def play(self, ticket: Any) -> Any:
        """Play one ticket; return its result. May not raise for what bots do."""

    def close(self) -> None:
        """End it, leaving nothing behind."""


class Work(Protocol):
    """What is to be done with tickets; picklable, as each worker gets a copy."""

    def open(self, worker: str, token: str, *, own_process: bool) -> Playing:
        """Begin in a worker: `token` marks all its processes; `own_process`: the worker's process does nothing else."""


class TicketSource(Protocol):
    """Where tickets come from; asked again after results have come in.

    A source may rely on what a place is: one worker at a time plays its tickets, one after the other, and where a
    worker dies, the next one in its place begins when nothing of the dead one lives any more.
    """

    def take(self, most: int, place: int) -> list[Any]:
        """Return up to `most` tickets to be played now in a place (0, 1, …). An empty list: none for the present."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A ticket that came to no result: its worker died, or failed, while it was being played."""

    ticket: Any
    worker: str
    detail: str


class Abandoned(BaseException):
    """Breaks off what a request to end need not wait for; not to be caught by the way, like KeyboardInterrupt."""


class Stop:
    """How a run is told to end: after the games being played, or at once."""

    def __init__(self) -> None:
        self.after_game = False
        self.at_once = False
        self.abandonable = False
        """Whether the main thread is at something that changes nothing, and that `Abandoned` may break off."""

    def break_off(self) -> None:
        """Raise Abandoned where that may be done now. For signal handlers, which run in the main thread."""
        if self.abandonable:
            self.abandonable = False
            raise Abandoned


class Executor(Protocol):
    """Plays tickets."""

    def run(
        self, work: Work, source: TicketSource, stop: Stop, held: Sequence[int] = ()
    ) -> Iterator[list[Any]]:
        """Yield chunks of results (or `Lost`) in any order until the source has no more tickets or `stop` says so.

        A chunk may be empty: that is a chance to look at the clock. When the iterator is closed, nothing is left of
        the run. `held` are descriptors that stay open until that is so, even where this process is killed.
        Raises WorkersFail where no ticket can be played.
        """

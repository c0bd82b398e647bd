"""What an executor is given and what it gives back."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct

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


class PreparedWork(Protocol):
    """Work on the machine that does it; picklable, as each worker of this machine gets a copy."""

    def open(self, worker: str, token: str, *, own_process: bool) -> Playing:
        """Begin in a worker: `token` marks all its processes; `own_process`: the worker's process does nothing else."""


class Work(Protocol):
    """What is to be done with tickets."""

    def prepare(self) -> PreparedWork:
        """Find out what this machine gives for it, once for all its workers.

        Raises ArenaError where it does not give what is wanted.
        """


class PortableWork(Work, Protocol):
    """Work that can also be done on other machines. These get bytes, and share neither files nor memory with us."""

    def pack(self) -> bytes:
        """Return the work as plain data: no paths, and nothing that was found out on this machine."""

    def pack_tickets(self, tickets: Sequence[Any]) -> bytes:
        """Return tickets as plain data."""

    def unpack_results(self, packed: bytes) -> list[Any]:
        """Return results that another machine has packed, `Lost` among them. Raises ArenaError where they are none."""

    def version(self, sha256: str) -> bytes:
        """Return the files of a version, by its content hash, packed; who gets them checks the hash.

        Raises ArenaError for a version that is none of this work, or whose files are gone.
        """


class TicketSource(Protocol):
    """Where tickets come from; asked again after results have come in.

    A source may rely on what a worker's number is: one worker at a time bears it and plays its tickets, one after the
    other. Where a worker dies, the next one of its number begins when nothing of the dead one lives any more.
    """

    def take(self, most: int, worker_no: int) -> list[Any]:
        """Return up to `most` tickets for a worker (0, 1, …) to play now. An empty list: none for the present."""


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

    plays_here: bool
    """Whether games are played on this machine: then the work is prepared before the run, to be refused at once where
    this machine doesn't give what is wanted."""

    def run(
        self, work: PortableWork, source: TicketSource, stop: Stop, held: Sequence[int] = ()
    ) -> Iterator[list[Any]]:
        """Yield chunks of results (or `Lost`) in any order until the source has no more tickets or `stop` says so.

        A chunk may be empty: that is a chance to look at the clock. When the iterator is closed, nothing is left of
        the run. `held` are descriptors that stay open until that is so, even where this process is killed.
        Raises WorkersFail where no ticket can be played.
        """


S = TypeVar("S", bound=Struct)


@dataclass(frozen=True, slots=True)
class ExecutorKind(Generic[S]):
    """A kind of executor, found by its name. What a module of this room, or of another package, exports."""

    name: str
    settings: type[S]
    """The type of its table `[executors.NAME]` in Arena's settings file."""
    make: Callable[[S, int], Executor]
    """Gives an executor for these settings and a number of workers, from 1. Starts nothing yet."""


class NoSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of an executor that has none."""

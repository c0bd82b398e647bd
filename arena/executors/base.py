"""The interface of an executor: the work it gets, and the results it returns."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from msgspec import Struct

from arena.core.errors import ArenaError, MachineRefuses
from results.base.runner_notes import HostInPlay


class WorkersFail(ArenaError):
    """No game can be played at all: workers don't start, or die before they play."""


class WorkersRefused(WorkersFail, MachineRefuses):
    """The machine refuses to start workers, or ends them before they play."""


class Playing(Protocol):
    """Work that has been opened in one worker."""

    def expect(self, tickets: Sequence[Any]) -> None:
        """Hear which tickets will probably be played next, in this order, to prepare for them. Must not raise."""

    def play(self, ticket: Any) -> Any:
        """Play one ticket; return its result. Must not raise because of anything a bot does."""

    def close(self) -> None:
        """End the work; leave no processes or files behind."""


class PreparedWork(Protocol):
    """Work that is prepared for one machine. Picklable, as each worker on the machine gets a copy."""

    def open(self, worker: str, token: str, *, own_process: bool) -> Playing:
        """Begin the work in a worker. `token` marks its processes; `own_process` if the process does nothing else."""


class Work(Protocol):
    """What to do with tickets."""

    def prepare(self) -> PreparedWork:
        """Prepare the work for this machine, for all workers. Raises ArenaError if the machine lacks what it needs."""


class PortableWork(Work, Protocol):
    """Work that can also be done on other machines. They get bytes, and don't share files or memory with this one."""

    def pack(self) -> bytes:
        """Return the work as plain data, without paths or facts about this machine."""

    def pack_tickets(self, tickets: Sequence[Any]) -> bytes:
        """Return tickets as plain data."""

    def unpack_results(self, packed: bytes) -> list[Any]:
        """Return results, including `Lost`, that another machine has packed. Raises ArenaError for anything else."""

    def trouble_in(self, ticket: Any, result: Any, *, by_rules: bool) -> str:
        """Return what is wrong with a result that another machine has sent for a ticket; empty if nothing is.

        `by_rules`: also play its replay by the rules, which takes longer.
        """

    def is_repeatable(self, ticket: Any) -> bool:
        """Return whether every seated version has been seen to play the same deal in the same way twice."""

    def differ(self, result: Any, other: Any) -> bool:
        """Return whether two results of the same ticket, from different machines, are of different games."""

    def version(self, sha256: str) -> bytes:
        """Return the packed files of a version, by its content hash. The receiver checks the hash.

        Raises ArenaError if this work doesn't use the version, or its files are missing.
        """


class TicketSource(Protocol):
    """Supplies tickets; asked again after results have arrived.

    A source may rely on worker numbers: only one worker at a time has a number, and it plays its tickets one after the
    other. If a worker dies, the next one with its number starts only after all processes of the dead one are gone.
    """

    def take(self, most: int, worker_no: int) -> list[Any]:
        """Return up to `most` tickets for a worker (0, 1, …) to play now; empty if there are none at present."""


class Lost(Struct, frozen=True):
    """A ticket without a result: its worker died or failed while playing it."""

    ticket: Any
    worker: str
    detail: str


class Abandoned(BaseException):
    """Aborts a step that need not finish before the run ends. Like KeyboardInterrupt, not an Exception."""


class Stop:
    """A request to end a run, after the current games or at once."""

    def __init__(self) -> None:
        self.after_game = False
        self.at_once = False
        self.is_playing = True
        """Whether games may be being played, which the first request lets finish. Executors that wait for somebody to
        play clear it meanwhile."""
        self.abandonable = False
        """Whether the main thread is in a step without side effects, which `Abandoned` may abort."""

    def break_off(self) -> None:
        """Raise Abandoned if that is allowed now. For signal handlers, which run in the main thread."""
        if self.abandonable:
            self.abandonable = False
            raise Abandoned


class Executor(Protocol):
    """Plays tickets."""

    plays_here: bool
    """Whether games are played on this machine. If so, the work is prepared before the run, so that errors show at
    once."""

    def run(
        self, work: PortableWork, source: TicketSource, stop: Stop, held: Sequence[int] = ()
    ) -> Iterator[list[Any]]:
        """Yield chunks of results (or `Lost`) in any order, until the source has no more tickets or `stop` is set.

        Chunks may be empty, to let the caller check the clock. After the iterator is closed, no process or file of the
        run is left. `held` are descriptors that stay open until then, even if this process is killed.
        Raises WorkersFail if no ticket can be played.
        """


@runtime_checkable
class HasSlots(Protocol):
    """An executor that knows how many games it can play at the same time."""

    @property
    def slots(self) -> int:
        """How many games at the same time, on the machines that are there now; 0: unknown."""


@runtime_checkable
class HasHosts(Protocol):
    """An executor whose games are played on hosts."""

    def hosts_in_play(self) -> Sequence[HostInPlay]:
        """Return what is known of each host that is there now; empty before the first has joined."""


S = TypeVar("S", bound=Struct)


class On(Struct, frozen=True):
    """Where a command is to play, by its options `--on`, `--certificates` and `--workers`; None: not given."""

    hosts: str | None
    certificates: Path | None
    workers: int | None


class ExecutorKind(Struct, Generic[S], frozen=True):
    """A kind of executor, selected by name. Modules of this package and of other packages export it as `EXECUTOR`."""

    name: str
    settings: type[S]
    """The type of the table `[executors.NAME]` in Arena's settings file."""
    make: Callable[[S, int], Executor]
    """Makes an executor from these settings and a number of workers (1 or more), without starting any process."""
    reach: Callable[[S, On, Callable[[str], None]], AbstractContextManager[Executor]] | None = None
    """The same for `--on`, which belongs to the executor named `cluster`: its hosts stay from one run to the next while
    the context is open. The function gets lines for people. Raises UsageError for options that it can't follow."""


class NoSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """For executors without settings."""

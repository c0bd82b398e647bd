"""Steps a bot through one seat of a stored game, in a sandbox."""

from collections.abc import Callable

from arena import registry
from arena.conversation.rebuild import StoredGame
from arena.conversation.stepping import Answering, StepWork
from arena.core.errors import MachineRefuses
from arena.executors.base import Stop
from arena.executors.worker import SerialExecutor
from arena.players.pool import HostRefusal, PoolLimits
from arena.sandbox.confinement import Confinement
from arena.sandbox.engine_files import game_files
from arena.sandbox.program import Program


def with_bot(
    program: Program,
    confinement: Confinement,
    stored: StoredGame,
    startup_ms: int,
    do: Callable[[Answering], None],
) -> None:
    """Start a bot for a stored game and call a function with it; the bot and its files are gone afterwards.

    Raises MachineRefuses if the machine refuses to start it.
    """
    game = stored.game
    work = StepWork(
        program,
        confinement,
        PoolLimits(startup_ms=startup_ms),
        lambda: game_files(type(game).__module__, registry.distribution_of(game)),
    )
    for results in SerialExecutor().run(work, _Once(do), Stop()):
        for result in results:
            if isinstance(result, HostRefusal):
                raise MachineRefuses(str(result), "`arena doctor` says what is missing")


class _Once:
    """A `TicketSource` with one ticket."""

    def __init__(self, do: Callable[[Answering], None]) -> None:
        self._tickets = [do]

    def take(self, most: int, worker_no: int) -> list[Callable[[Answering], None]]:  # noqa: ARG002 - one worker
        """Return the ticket, once."""
        taken, self._tickets = self._tickets[:most], self._tickets[most:]
        return taken

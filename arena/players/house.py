"""Players without a process: the house, and scripted ones for tests and checks."""

from collections.abc import Callable

from arena.core.chance import Rng
from arena.core.game import AnyGame
from arena.players.base import NO_LOG, Fault, PlayerLog, Reply
from protocol.messages import Ask, End, Start


class House:
    """Plays random legal moves for a forfeited seat, from its own random stream."""

    def __init__(self, game: AnyGame, seat: int, rng: Rng) -> None:
        self._game = game
        self._seat = seat
        self._rng = rng

    def move(self, state: object) -> object:
        """Return a legal move for the seat's decision."""
        return self._game.sample_move(state, self._seat, self._rng)


class ScriptedPlayer:
    """Answers with a function of the ask, in this process. A `Player`."""

    def __init__(
        self,
        answer: Callable[[Ask], Reply | Fault] | None = None,
        on_start: Callable[[Start], Fault | None] | None = None,
    ) -> None:
        """`answer` may be omitted if `on_start` always returns a fault, so that the player is never asked."""
        self._answer = answer
        self._on_start = on_start
        self._asked = 0
        self.started: Start | None = None
        self.ended: End | None = None
        self.stopped = False

    def start(self, message: Start, limit_ms: int) -> Fault | None:  # noqa: ARG002 - always in time
        """Begin a game."""
        self.started = message
        return self._on_start(message) if self._on_start else None

    def next_id(self) -> int:
        """Return the id for the next ask."""
        self._asked += 1
        return self._asked

    def ask(self, message: Ask, limit_ns: int) -> Reply | Fault:  # noqa: ARG002 - the function reports its time
        """Return the function's result."""
        if self._answer is None:
            raise AssertionError("asked a player that has no answers")
        return self._answer(message)

    def last_look(self) -> Fault | None:
        """Return None: code in this process is trusted."""
        return None

    def end(self, message: End) -> PlayerLog:
        """Record the result."""
        self.ended = message
        return NO_LOG

    def stop(self) -> PlayerLog:
        """Record that the player was stopped."""
        self.stopped = True
        return NO_LOG

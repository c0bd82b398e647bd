"""Feeds a bot what one seat of a stored game was sent, and compares its answers with the stored ones.

After a different answer the stored game goes on: the bot is told what happened then, not what would have happened.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from msgspec import UNSET, Struct, field

from arena.conversation.narration import Conversation, Question
from arena.core.errors import IllegalMove
from arena.core.game import AnyGame
from arena.core.replay import canonical
from arena.players.base import Fault, PlayerLog, Reply
from arena.players.pool import BotPool, HostRefusal, PoolLimits
from arena.sandbox.bot_program import Program
from arena.sandbox.confinement import UNCONFINED, Confinement
from protocol.messages import Clock
from protocol.verdicts import Verdict
from results.base.clock import NS_PER_MS

_ENTRY = 0
_MATCH = ("step", 0)


class Step(Struct, frozen=True):
    """One decision, as the bot answered it and as it was answered in the stored game."""

    decision: int
    ask: int
    kind: str
    stored: Any
    """The stored move; None if that bot was at fault here, or the game ended in this turn before its move counted."""
    answered: Any
    """The bot's move; None if it was at fault."""
    same: bool
    fault: str = ""
    """The bot's fault here, the verdict with its detail; empty if its move is legal."""
    ms: float | None = None
    """How long it took."""


class NotReady(Exception):
    """The bot didn't get ready."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(f"{fault.verdict}: {fault.detail}")
        self.fault = fault


def steps_of(
    bot: "SandboxedBot", game: AnyGame, told: Conversation, until: int | None = None
) -> Iterator[tuple[Question, Step]]:
    """Yield each question with the bot's answer, up to decision `until`; ends after a fault. Raises NotReady."""
    if fault := bot.start(told):
        raise NotReady(fault)
    for question in told.questions:
        if until is not None and question.decision > until:
            return
        reply = bot.ask(question, told.start.clock)
        step = _compared(game, told.seat, question, reply)
        yield question, step
        if isinstance(reply, Fault):
            return
    bot.end(told)


def _compared(game: AnyGame, seat: int, question: Question, reply: Reply | Fault) -> Step:
    ask = question.ask
    stored = None if question.answer is None else question.answer.move
    if isinstance(reply, Fault):
        fault = f"{reply.verdict}: {reply.detail}"
        return Step(question.decision, ask.id, ask.kind, stored, None, same=False, fault=fault)
    ms = reply.wall_ns / NS_PER_MS
    try:
        move = _legal(game, seat, question, reply.move)
    except IllegalMove as error:
        fault = f"{Verdict.ILLEGAL}: {error}"
        return Step(question.decision, ask.id, ask.kind, stored, reply.move, same=False, fault=fault, ms=ms)
    same = question.answer is not None and canonical(move) == canonical(stored)
    return Step(question.decision, ask.id, ask.kind, stored, move, same, ms=ms)


def _legal(game: AnyGame, seat: int, question: Question, move: Any) -> Any:
    """Return a move in the game's own form. Raises IllegalMove."""
    if question.state is not None:
        return game.format_move(game.parse_move(question.state, seat, move))
    legal = question.ask.legal
    if legal is not UNSET and canonical(move) not in map(canonical, legal):
        raise IllegalMove("it isn't one of `legal`")
    return move


class StepWork(Struct, frozen=True):
    """A bot to step through games, in a sandbox: a `Work` and a `PreparedWork` whose tickets are functions of it."""

    program: Program
    confinement: Confinement = UNCONFINED
    limits: PoolLimits = field(default_factory=PoolLimits)
    engine_files: Callable[[], Any] = dict

    def prepare(self) -> "StepWork":
        """Return itself."""
        return self

    def open(self, worker: str, token: str, *, own_process: bool) -> "SandboxedBot":  # noqa: ARG002 - one worker
        """Start the pool."""
        pool = BotPool(
            {_ENTRY: self.program},
            Path(mkdtemp(prefix="arena-bots-")),
            token,
            self.limits,
            self.confinement,
            owns_all_children=own_process,
            engine_files=self.engine_files,
        )
        return SandboxedBot(pool)


class SandboxedBot:
    """A `Playing`, and the bot that answers in it."""

    def __init__(self, pool: BotPool) -> None:
        self._pool = pool
        self._player = pool.take(_ENTRY, _MATCH, 0)
        self._log: PlayerLog | None = None

    def expect(self, tickets: Sequence[Callable[["SandboxedBot"], Any]]) -> None:
        """Prepare nothing: the bot has started."""

    def play(self, ticket: Callable[["SandboxedBot"], Any]) -> Any:
        """Call a function with the bot; return its result, or the error of a machine that refuses to play."""
        try:
            return ticket(self)
        except HostRefusal as error:
            return error
        finally:
            self._player.stop()
            self._pool.give_back(_ENTRY, self._player, 0)

    def close(self) -> None:
        """End the bot."""
        self._pool.close()

    def start(self, told: Conversation) -> Fault | None:
        """Begin the game; return the fault if it doesn't get ready."""
        return self._player.start(told.start, told.start.clock.ready_ms)

    def ask(self, question: Question, clock: Clock) -> Reply | Fault:
        """Return its answer, within the time that the stored bot had left."""
        time = question.ask.time
        return self._player.ask(question.ask, (time.move_ms + time.bank_ms + clock.margin_ms) * NS_PER_MS)

    def end(self, told: Conversation) -> None:
        """Tell it the result, if the seat was told one."""
        if told.end is not None:
            self._log = self._player.end(told.end)

    def log(self) -> PlayerLog:
        """End the game; return what the bot wrote to standard error."""
        return self._log or self._player.stop()

"""Feeds a bot what one seat of a stored game was sent, and compares its answers with the stored ones.

After a different answer the stored game goes on: the bot is told what happened then, not what would have happened.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Protocol

from msgspec import UNSET, Struct, field

from arena.conversation.narration import Conversation, Question
from arena.core.errors import IllegalMove
from arena.core.game import AnyGame
from arena.core.replay import canonical
from arena.players.base import NO_LOG, Fault, PlayerLog, Reply
from arena.players.pool import BotPool, HostRefusal, PoolLimits
from arena.sandbox.bot_program import Program
from arena.sandbox.confinement import UNCONFINED, Confinement
from protocol import codec
from protocol.messages import SUPPORTED, ArenaMessage, Clock, Hello, HelloReply, Move, Ready
from protocol.verdicts import MalformedLine, Verdict
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


class Answering(Protocol):
    """A bot that can be fed a conversation."""

    def start(self, told: Conversation) -> Fault | None:
        """Begin the game; return the fault if it doesn't get ready."""

    def ask(self, question: Question, clock: Clock) -> Reply | Fault:
        """Return its answer."""

    def end(self, told: Conversation) -> None:
        """Tell it the result, if the seat was told one."""

    def log(self) -> PlayerLog:
        """End the bot; return what it wrote to standard error, if that was read."""


class NotReady(Exception):
    """The bot didn't get ready."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(f"{fault.verdict}: {fault.detail}")
        self.fault = fault


def steps_of(
    bot: Answering, game: AnyGame, told: Conversation, until: int | None = None
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

    def open(self, worker: str, token: str, *, own_process: bool) -> "_Sandboxed":  # noqa: ARG002 - one worker
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
        return _Sandboxed(pool)


class _Sandboxed:
    """A `Playing`, and the bot that answers in it."""

    def __init__(self, pool: BotPool) -> None:
        self._pool = pool
        self._player = pool.take(_ENTRY, _MATCH, 0)
        self._log: PlayerLog | None = None

    def expect(self, tickets: Sequence[Callable[[Answering], Any]]) -> None:
        """Prepare nothing: the bot has started."""

    def play(self, ticket: Callable[[Answering], Any]) -> Any:
        """Call a function with the bot; return its result, or the error of a machine that refuses to play."""
        try:
            return ticket(self)
        except HostRefusal as error:
            return error
        finally:
            self._player.stop()
            self._pool.give_back(_ENTRY, self._player, 0)

    def close(self) -> None:
        self._pool.close()

    def start(self, told: Conversation) -> Fault | None:
        return self._player.start(told.start, told.start.clock.ready_ms)

    def ask(self, question: Question, clock: Clock) -> Reply | Fault:
        """Ask, with the time that the stored bot had left."""
        time = question.ask.time
        return self._player.ask(question.ask, (time.move_ms + time.bank_ms + clock.margin_ms) * NS_PER_MS)

    def end(self, told: Conversation) -> None:
        if told.end is not None:
            self._log = self._player.end(told.end)

    def log(self) -> PlayerLog:
        return self._log or self._player.stop()


READ_BYTES = 65_536
TO_BOT = "to-bot"
FROM_BOT = "from-bot"
KIT_VARIABLE = "ARENA_KIT_PIPES"
"""Names the folder of the pipes to the Python kit, which then leaves standard input and output to the debugger."""


class PipedBot:
    """A bot at the other end of two named pipes in a folder. Answers questions as `stepping.Answering`."""

    def __init__(self, folder: Path, opened: Callable[[list[int]], None] = lambda _: None) -> None:
        """Make the pipes. `opened` is called before `hello`, with the ids of processes that have opened them."""
        self.folder = folder
        self._opened = opened
        self._to = self._from = -1
        self._line_bytes = 0
        self._inbox = bytearray()
        for name in (TO_BOT, FROM_BOT):
            os.mkfifo(folder / name, 0o600)

    def start(self, told: Conversation) -> Fault | None:
        """Wait until the bot has opened both pipes, shake hands, and begin the game."""
        # In the order in which a shell opens `<` and `>`.
        self._to = os.open(self.folder / TO_BOT, os.O_WRONLY)
        self._from = os.open(self.folder / FROM_BOT, os.O_RDONLY)
        self._opened(_holders(self.folder / FROM_BOT))
        self._line_bytes = told.start.limits.line_bytes
        for message, reply in ((Hello(protocols=list(SUPPORTED)), HelloReply), (told.start, Ready)):
            answer = self._exchange(message)
            if isinstance(answer, Fault):
                return answer
            if not isinstance(answer, reply):
                return Fault(Verdict.STARTUP, f"answered `{_tag(message)}` with another message")
        return None

    def ask(self, question: Question, clock: Clock) -> Reply | Fault:  # noqa: ARG002 - there is no limit
        """Ask, and wait for the answer however long it takes."""
        asked_ns = time.monotonic_ns()
        answer = self._exchange(question.ask)
        if isinstance(answer, Fault):
            return answer
        if isinstance(answer, Move) and answer.id == question.ask.id:
            return Reply(answer.move, answer.note, time.monotonic_ns() - asked_ns, 0)
        return Fault(Verdict.MALFORMED, f"the answer is no `move` with the id {question.ask.id}")

    def end(self, told: Conversation) -> None:
        """Tell it the result."""
        if told.end is not None:
            self._send(told.end)

    def log(self) -> PlayerLog:
        """Close the pipes; standard error is where the bot was started."""
        for descriptor in (self._to, self._from):
            if descriptor >= 0:
                os.close(descriptor)
        self._to = self._from = -1
        return NO_LOG

    def _exchange(self, message: ArenaMessage) -> HelloReply | Ready | Move | Fault:
        if not self._send(message):
            return Fault(Verdict.CRASH, "closed its input")
        line = self._receive()
        if line is None:
            return Fault(Verdict.CRASH, f"ended before it answered `{_tag(message)}`")
        try:
            return codec.decode(line, self._line_bytes)
        except MalformedLine as error:
            return Fault(Verdict.MALFORMED, str(error))

    def _send(self, message: ArenaMessage) -> bool:
        line = codec.encode(message, self._line_bytes)
        try:
            while line:
                line = line[os.write(self._to, line) :]
        except BrokenPipeError:
            return False
        return True

    def _receive(self) -> bytes | None:
        """Return the next line without its newline; None if the bot has closed its output, or the line is too long."""
        while (end := self._inbox.find(b"\n")) < 0:
            data = os.read(self._from, READ_BYTES)
            if not data or len(self._inbox) > self._line_bytes:
                return None
            self._inbox += data
        line = bytes(self._inbox[:end])
        del self._inbox[: end + 1]
        return line


def _tag(message: ArenaMessage) -> str:
    return str(message.__struct_config__.tag)


def _holders(pipe: Path) -> list[int]:
    """Return the ids of other processes that have a pipe open, as far as /proc shows them."""
    found = (int(process.name) for process in Path("/proc").glob("[0-9]*") if _holds(process, pipe))
    return sorted(pid for pid in found if pid != os.getpid())


def _holds(process: Path, pipe: Path) -> bool:
    """Return whether a process has a pipe open; descriptors may come and go meanwhile."""
    try:
        descriptors = list((process / "fd").iterdir())
    except OSError:  # another user's, or it has ended
        return False
    for descriptor in descriptors:
        with suppress(OSError):
            if descriptor.readlink() == pipe:
                return True
    return False

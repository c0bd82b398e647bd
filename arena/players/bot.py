"""A bot at a seat: the protocol spoken with one bot process, one game at a time."""

from collections.abc import Callable, Sequence

from arena.players.base import NO_LOG, Fault, Player, PlayerLog, Reply
from arena.players.channel import Exchange, run
from arena.players.process import BotProcess
from arena.sandbox.program import empty
from protocol import codec
from protocol.limits import DEFAULT_LIMITS
from protocol.messages import Ask, BotMessage, End, Move, Ready, Start
from protocol.verdicts import Verdict


class BotPlayer:
    """Fills a seat with a bot process. A `Player`.

    `fresh` starts a process (or says why it cannot); it is called where no kept process is given, or where
    the kept one turns out to be dead or does not get ready.
    """

    def __init__(
        self,
        fresh: Callable[[], BotProcess | Fault],
        kept: BotProcess | None,
        startup_ms: int,
    ) -> None:
        self._fresh = fresh
        self.process = kept
        self._startup_ms = startup_ms
        self._limits = DEFAULT_LIMITS

    def start(self, message: Start, limit_ms: int) -> Fault | None:
        """Begin a game. A kept process that fails is replaced by a fresh one, once."""
        if self.process is not None:
            if self._get_ready(self.process, message, limit_ms) is None:
                return None
            self.process.kill()
            self.process = None
        process = self._fresh()
        if isinstance(process, Fault):
            return process
        self.process = process
        return process.greet(self._startup_ms) or self._get_ready(process, message, limit_ms)

    def _get_ready(self, process: BotProcess, message: Start, limit_ms: int) -> Fault | None:
        """Send `start` and wait for `ready`; what came before it is dropped."""
        empty(process.scratch)
        self._limits = message.limits
        process.channel.line_bytes = message.limits.line_bytes
        process.channel.read_bytes = 0
        wrong: list[str] = []

        def on_line(line: bytes) -> bool:
            try:
                return isinstance(self._decode(line), Ready)
            except codec.MalformedLine as error:
                wrong.append(str(error))
                return self._flooded(process)

        done = process.exchange(message, limit_ms, on_line)
        if done.failure:
            detail = process.explain(done.failure, "`start`", limit_ms)
            return Fault(Verdict.STARTUP, detail + (f" (wrote: {wrong[0]})" if wrong else ""))
        if self._flooded(process):
            return self._output_fault(process)
        process.games += 1
        return None

    def next_id(self) -> int:
        """Return the id for the next ask."""
        return 1 if self.process is None else self.process.asked + 1

    def ask(self, message: Ask, limit_ns: int) -> Reply | Fault:
        """Put one decision before the bot and return its answer."""
        return ask_all([(self, message, limit_ns)])[0]

    def end(self, message: End) -> PlayerLog:
        """Tell the result; a bot that does not read it is dealt with at its next game."""
        if self.process is None:
            return NO_LOG
        exchange = Exchange(self.process.channel, codec.encode(message, self._limits.line_bytes), 0, lambda _line: True)
        exchange.write()
        if exchange.unsent:
            # A bot that stops reading cannot be spoken to any more: its next game gets a fresh process.
            self.process.channel.stdout_ended = True
        self.process.channel.drain_log()
        return self.process.channel.log.take()

    def stop(self) -> PlayerLog:
        """Kill the process; return its log of the game."""
        if self.process is None:
            return NO_LOG
        process, self.process = self.process, None
        process.kill()
        return process.channel.log.take()

    def open(self, message: Ask, limit_ns: int) -> "_Question":
        """Return the exchange of one ask, ready to be run."""
        if self.process is None:
            raise AssertionError("asked before the game began")
        self.process.asked = message.id
        return _Question(self.process, message, limit_ns, self)

    def _decode(self, line: bytes) -> BotMessage:
        limits = self._limits
        return codec.decode(line, limits.line_bytes, limits.depth, limits.note_chars)

    def _flooded(self, process: BotProcess) -> bool:
        return process.channel.read_bytes > self._limits.output_bytes

    def _output_fault(self, process: BotProcess) -> Fault:
        written = process.channel.read_bytes
        return Fault(Verdict.OUTPUT, f"output: {self._limits.output_bytes} bytes limit, {written} bytes in this game")


class _Question:
    """One ask to one bot process, and what came of it."""

    def __init__(self, process: BotProcess, message: Ask, limit_ns: int, player: BotPlayer) -> None:
        self._process = process
        self._id = message.id
        self._limit_ns = limit_ns
        self._player = player
        self._answer: Move | Fault | None = None
        self._cpu_before_ns = process.cpu_ns()
        self.exchange = Exchange(process.channel, codec.encode(message, process.channel.line_bytes), limit_ns, self._on_line)
        self._drop_unasked()

    def _drop_unasked(self) -> None:
        """Go through what was written before this ask: nothing may be, but late answers are let pass."""
        channel = self._process.channel
        if not channel.inbox:
            channel.read_output()
        while self._answer is None and (line := channel.take_line()) is not None:
            self._on_line(line, last_id=self._id - 1)
        if self._answer is not None:
            self.exchange.failure = "unasked"

    def _on_line(self, line: bytes, last_id: int | None = None) -> bool:
        """Take a line; return whether the question is answered, be it by a fault."""
        player, process = self._player, self._process
        if player._flooded(process):
            self._answer = player._output_fault(process)
            return True
        try:
            message = player._decode(line)
        except codec.MalformedLine as error:
            self._answer = Fault(Verdict.MALFORMED, str(error))
            return True
        if not isinstance(message, Move):
            self._answer = Fault(
                Verdict.MALFORMED, f"`{type(message).__struct_config__.tag}` was written where a move was owed"
            )
            return True
        if message.id == self._id and last_id is None:
            self._answer = message
            return True
        if not 1 <= message.id < self._id:
            self._answer = Fault(
                Verdict.MALFORMED, f"id {message.id} was never asked; the last id is {last_id or self._id}"
            )
            return True
        process.stale_replies += 1
        return False

    def result(self) -> Reply | Fault:
        """Return the answer once the exchange is over."""
        exchange, process = self.exchange, self._process
        if isinstance(self._answer, Fault):
            return self._answer
        if self._answer is None:
            if exchange.failure == "ended":
                return Fault(Verdict.CRASH, process.ending() + " while a move was owed")
            verdict = Verdict.MALFORMED if exchange.failure == "overlong" else Verdict.TIMEOUT
            return Fault(verdict, process.explain(exchange.failure, "`ask`", self._limit_ns / 1_000_000))
        wall_ns = exchange.answered_ns - exchange.sent_ns
        cpu_ns = max(0, process.cpu_ns() - self._cpu_before_ns)
        return Reply(self._answer.move, self._answer.note, wall_ns, cpu_ns)


def ask_all(asks: Sequence[tuple[Player, Ask, int]]) -> list[Reply | Fault]:
    """Put simultaneous decisions before their players: all are asked, then all answers awaited.

    Each item is a player, its ask and its limit in nanoseconds; the answers come in the same order.
    """
    questions: list[_Question | Reply | Fault] = [
        player.open(message, limit_ns) if isinstance(player, BotPlayer) else player.ask(message, limit_ns)
        for player, message, limit_ns in asks
    ]
    open_questions = [question for question in questions if isinstance(question, _Question)]
    run([question.exchange for question in open_questions if not question.exchange.failure])
    return [question.result() if isinstance(question, _Question) else question for question in questions]

"""Asks one bot process for one decision, and judges its answer."""

from collections.abc import Sequence
from dataclasses import replace

from arena.core.durations import NS_PER_MS
from arena.players.base import MOST_WRITTEN, Fault, Reply
from arena.players.exchange import WatchedExchange, run, run_one
from arena.players.handshake import explain
from arena.players.process import BotProcess
from protocol import codec
from protocol.errors import MalformedLine
from protocol.messages import Ask, Limits, Move
from protocol.verdicts import Reason, Verdict


class Question(WatchedExchange):
    """An ask in progress, and then its answer or the bot's fault."""

    __slots__ = ("_answer", "_cpu_ns", "_id", "_last_id", "_limits", "_line_bytes")

    def __init__(self, process: BotProcess, message: Ask, limit_ns: int, limits: Limits) -> None:
        """Prepare the ask; then call `begin`, or `take_over` if it has been begun."""
        alone_ns = (message.time.move_ms + message.time.bank_ms) * NS_PER_MS
        line = codec.encode(message, limits.line_bytes)
        super().__init__(process, line, limit_ns, max(0, limit_ns - alone_ns))
        self._limits = limits
        self._line_bytes = len(line)
        self._answer: Move | Fault | None = None
        self._id = message.id
        self._last_id = process.asked
        self._cpu_ns = 0

    def begin(self) -> None:
        """Begin the bot's turn. Checks earlier output, which may only hold repeated answers to earlier asks."""
        channel, process = self.channel, self.process
        if channel.inbox or channel.waits(0):
            channel.drain_log()
            channel.read_output()
            self.take_lines()
        process.asked = self._id
        process.watch.begin_turn()
        if not self.over and (pondered := process.watch.pondered()):
            self._answer = Fault(Verdict.PONDERING, f"{pondered} before ask {self._id}")
            self.over = True

    def take_over(self, unsent: bytes, since_ns: int, read: bytes = b"") -> None:
        """Take over the bot's turn, once the line has been written, all but `unsent`, at `since_ns`; then `go_on`.

        `read` has been read from the bot since, and counted.
        """
        self.process.watch.freeze_others()
        self.process.asked = self._id
        self.unsent, self.since_ns = unsent, since_ns
        self.leave_out(since_ns, self.channel.clock_ns())
        if read:
            self.channel.inbox += read
            self.take_lines()
        if self.unsent:
            self.write()
        if not self.over:
            self.process.watch.estimate_waiting(self.limit_ns)

    def hear(self, line: bytes) -> bool:
        """Process a line; return whether it settles the question, by an answer or a fault."""
        if not self._is_answer(line):
            return False
        self._cpu_ns = self.process.watch.end_turn(self.answered_ns)
        self.process.evidence.heard()
        return True

    def _is_answer(self, line: bytes) -> bool:
        limits, written = self._limits, self.channel.read_bytes
        if written > limits.output_bytes:
            detail = f"{limits.output_bytes} bytes limit, {written} bytes in this game"
            self._answer = Fault(Verdict.OUTPUT, detail)
            return True
        try:
            message = codec.decode(line, limits.line_bytes, limits.depth, limits.note_chars)
        except MalformedLine as error:
            self._answer = Fault(Verdict.MALFORMED, str(error), error.reason, wrote=_kept(line))
            return True
        if type(message) is not Move:
            word = type(message).__struct_config__.tag
            detail = f"`{word}` was written where only a move may be"
            self._answer = Fault(Verdict.MALFORMED, detail, Reason.OTHER_MESSAGE, wrote=_kept(line))
            return True
        number, is_out = message.id, not self.unsent
        if number == self._id and is_out:
            self._answer = message
            return True
        if 1 <= number <= self._last_id:
            self.process.stale_replies += 1
            return False
        last_id = self._id if is_out else self._last_id
        detail = f"id {number} was not asked; the last id that was is {last_id}"
        self._answer = Fault(Verdict.MALFORMED, detail, Reason.WRONG_ID, wrote=_kept(line))
        return True

    def result(self) -> Reply | Fault:
        """Return the answer once the exchange is over."""
        result = self._result()
        if isinstance(result, Fault):
            result = replace(
                result,
                wrote=result.wrote or _kept(self.channel.inbox),
                was_asked=len(self.unsent) < self._line_bytes,
            )
        return result

    def _result(self) -> Reply | Fault:
        answer, process = self._answer, self.process
        if type(answer) is Move:
            self.look_at_memory()
            if not self.excess:
                taken_ns = self.answered_ns - self.since_ns
                excuse = self.excuse() if taken_ns > self.limit_ns else ""
                return Reply(answer.move, answer.note, taken_ns, self._cpu_ns, excuse)
        elif isinstance(answer, Fault):
            return answer
        if self.excess:
            return Fault(Verdict.MEMORY, f"{self.excess} in ask {self._id}")
        if self.failure in ("ended", "deaf") or (self.failure != "overlong" and process.wait(0)):
            closed = "input" if self.failure == "deaf" else "output"
            ending, reason = process.ending(closed)
            if killed := process.watch.memory_kill():
                return Fault(Verdict.MEMORY, f"{killed} in ask {self._id}")
            process.raise_if_ended_from_outside()
            return Fault(Verdict.CRASH, f"{ending} while a move was owed", reason, process.killed_by_system())
        verdict = Verdict.MALFORMED if self.failure == "overlong" else Verdict.TIMEOUT
        excuse = self.excuse() if verdict is Verdict.TIMEOUT else ""
        detail, reason = explain(self, "`ask`", self.limit_ns / NS_PER_MS)
        return Fault(verdict, detail, reason, excuse)


def ask(process: BotProcess, message: Ask, limit_ns: int, limits: Limits) -> Reply | Fault:
    """Ask one bot for one decision. `quick_ask.ask` does the same, in less time if nothing unusual happens."""
    question = Question(process, message, limit_ns, limits)
    question.begin()
    run_one(question)
    return question.result()


def ask_all(asks: Sequence[tuple[BotProcess, Ask, int, Limits]]) -> list[Reply | Fault]:
    """Ask bots for simultaneous decisions. `quick_asks.ask_all` does the same, in less time if all are quick."""
    questions = [Question(*one) for one in asks]
    for question in questions:
        question.begin()
    run(questions)
    return [question.result() for question in questions]


def _kept(written: bytes | bytearray) -> str:
    """Return what is kept of output that is no answer, as text."""
    return bytes(written[: 4 * MOST_WRITTEN]).decode("utf-8", "replace")[:MOST_WRITTEN]

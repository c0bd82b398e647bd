"""Asks bots for decisions, and judges their answers.

Most bots of small games answer at once. `ask` and `ask_all` are written flat for them: nothing has arrived since the
last answer, the line fits into the pipe, and within `QUIET_MS` one read gives one line, the answer. Whatever else
happens is left to `Question`, which takes over where they have come to. It alone knows verdicts and their words.
"""

import os
import select
from collections.abc import Sequence

from msgspec.structs import replace

from arena.players.base import MOST_WRITTEN, Fault, Reply
from arena.players.channel import READ_BYTES, Channel
from arena.players.exchange import QUIET_MS, STANDSTILL_NS, MonitoredExchange, go_on, run
from arena.players.handshake import explain
from arena.players.process import BotProcess
from arena.players.usage_monitor import LATE_NS
from protocol import codec
from protocol.messages import Ask, Limits, Move
from protocol.verdicts import MalformedLine, Reason, Verdict
from results.base.clock import NS_PER_MS

Asked = tuple[BotProcess, Ask, int, Limits]
"""A bot, what it is asked, the time for its answer in nanoseconds, and the limits of the game."""
QUIET_NS = QUIET_MS * NS_PER_MS
"""If there is no more time than this, the general code asks."""


def ask(process: BotProcess, message: Ask, limit_ns: int, limits: Limits) -> Reply | Fault:
    """Ask a bot for a decision; return its answer or fault. Raises LineTooLong, and EndedFromOutside as `Bot.ask`."""
    channel, monitor = process.channel, process.monitor
    if _is_unusual(channel, limit_ns):
        return ask_generally([(process, message, limit_ns, limits)])[0]
    line = codec.encode(message, limits.line_bytes)
    if monitor.begin_quick_turn(channel.clock_ns()) and monitor.pondered():
        return ask_generally([(process, message, limit_ns, limits)])[0]
    unsent, since_ns = _written(channel, line)
    read = b""
    if not unsent:
        ready = channel.waits(QUIET_MS)
        if ready and ready[0] == (channel.stdout, select.POLLIN):
            read = os.read(channel.stdout, READ_BYTES)
            reply = _judged(process, message, limit_ns, limits, since_ns, read, True)
            if reply is not None:
                return reply
    question = Question(process, message, limit_ns, limits)
    question.take_over(unsent, since_ns, read)
    go_on([question])
    return question.result()


def ask_all(asks: Sequence[Asked]) -> list[Reply | Fault]:
    """Ask bots for simultaneous decisions: send all asks, then await all. Raises as `ask`. Answers keep the order."""
    if any(_is_unusual(process.channel, limit_ns) for process, _, limit_ns, _ in asks):
        return ask_generally(asks)
    lines = [codec.encode(message, limits.line_bytes) for _, message, _, limits in asks]
    for process, *_ in asks:
        if process.monitor.begin_quick_turn(process.channel.clock_ns()) and process.monitor.pondered():
            return ask_generally(asks)
    asks[0][0].monitor.freeze_others()

    poll = select.poll()
    waiting: dict[int, int] = {}
    """The numbers of the bots that still owe an answer, by their standard output."""
    written = []
    for number, (process, *_) in enumerate(asks):
        channel = process.channel
        poll.register(channel.stdout, select.POLLIN)
        if not channel.stderr_ended:
            poll.register(channel.stderr, select.POLLIN)
        waiting[channel.stdout] = number
        written.append(_written(channel, lines[number]))
    read = [b""] * len(asks)
    replies: dict[int, Reply | Fault] = {}
    clock_ns = asks[0][0].channel.clock_ns
    until_ns = clock_ns() + QUIET_MS * NS_PER_MS
    goes_on = not any(unsent for unsent, _ in written)
    while goes_on and waiting and (ready := poll.poll(QUIET_MS)):
        for descriptor, flags in ready:
            if descriptor not in waiting or flags != select.POLLIN:
                goes_on = False  # a log, or an end
                continue
            number = waiting[descriptor]
            read[number] = os.read(descriptor, READ_BYTES)
            reply = _judged(*asks[number], written[number][1], read[number], False)
            if reply is None:
                goes_on = False
                continue
            replies[number] = reply
            del waiting[descriptor]
            poll.unregister(descriptor)
            if not asks[number][0].channel.stderr_ended:
                poll.unregister(asks[number][0].channel.stderr)
        goes_on = goes_on and clock_ns() < until_ns

    questions = {number: Question(*asks[number]) for number in waiting.values()}
    for number, question in questions.items():
        question.take_over(*written[number], read[number])
    go_on(list(questions.values()))
    replies |= {number: question.result() for number, question in questions.items()}
    return [replies[number] for number in range(len(asks))]


def ask_generally(asks: Sequence[Asked]) -> list[Reply | Fault]:
    """Do what `ask_all` does, whatever happens. Raises as `ask`."""
    questions = [Question(*one) for one in asks]
    for question in questions:
        question.begin()
    run(questions)
    return [question.result() for question in questions]


def _is_unusual(channel: Channel, limit_ns: int) -> object:
    """Return whether the general code should ask: something has arrived, somebody listens, or the limit is short."""
    return (
        limit_ns <= QUIET_NS
        or channel.inbox
        or channel.stdout_ended
        or channel.tap is not None
        or channel.waits(0)
    )


def _written(channel: Channel, line: bytes) -> tuple[bytes, int]:
    """Write a line; return what the pipe didn't take, and the time before."""
    since_ns = channel.clock_ns()  # on a single core, the answer may be there when the write returns
    try:
        return line[os.write(channel.stdin, line) :], since_ns
    except OSError:  # the pipe is full or closed
        return line, since_ns


def _judged(
    process: BotProcess,
    message: Ask,
    limit_ns: int,
    limits: Limits,
    since_ns: int,
    read: bytes,
    may_run_on: bool,
) -> Reply | None:
    """Count what has just been `read` from a bot; if it is the answer, in one line and in time, return the reply.

    Ends the bot's turn then. `may_run_on` is whether it may be frozen late.
    """
    channel, monitor = process.channel, process.monitor
    answered_ns = channel.clock_ns()
    channel.read_bytes += len(read)
    if read.find(b"\n") != len(read) - 1 or len(read) > channel.line_bytes:
        return None
    try:
        answer = codec.decode(read[:-1], limits.line_bytes, limits.depth, limits.note_chars)
    except MalformedLine:
        return None
    taken_ns = answered_ns - since_ns
    if (
        type(answer) is not Move
        or answer.id != message.id
        or taken_ns > limit_ns
        or taken_ns > STANDSTILL_NS
        or channel.read_bytes > limits.output_bytes
    ):
        return None
    cpu_ns = monitor.end_turn(answered_ns, quick=may_run_on and taken_ns <= LATE_NS)
    if answered_ns >= monitor.memory_due_ns:
        process.evidence.heard()
        if monitor.memory_excess():
            return None
    process.asked = message.id
    return Reply(answer.move, answer.note, taken_ns, cpu_ns)


class Question(MonitoredExchange):
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
        process.monitor.begin_turn()
        if not self.over and (pondered := process.monitor.pondered()):
            self._answer = Fault(Verdict.PONDERING, f"{pondered} before ask {self._id}")
            self.over = True

    def take_over(self, unsent: bytes, since_ns: int, read: bytes = b"") -> None:
        """Take over the bot's turn, once the line has been written, all but `unsent`, at `since_ns`; then `go_on`.

        `read` has been read from the bot since, and counted.
        """
        self.process.monitor.freeze_others()
        self.process.asked = self._id
        self.unsent, self.since_ns = unsent, since_ns
        self.leave_out(since_ns, self.channel.clock_ns())
        if read:
            self.channel.inbox += read
            self.take_lines()
        if self.unsent:
            self.write()
        if not self.over:
            self.process.monitor.estimate_waiting(self.limit_ns)

    def hear(self, line: bytes) -> bool:
        """Process a line; return whether it settles the question, by an answer or a fault."""
        if not self._is_answer(line):
            return False
        self._cpu_ns = self.process.monitor.end_turn(self.answered_ns)
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
            if killed := process.monitor.memory_kill():
                return Fault(Verdict.MEMORY, f"{killed} in ask {self._id}")
            process.raise_if_ended_from_outside()
            return Fault(Verdict.CRASH, f"{ending} during its turn", reason, process.killed_by_system())
        verdict = Verdict.MALFORMED if self.failure == "overlong" else Verdict.TIMEOUT
        excuse = self.excuse() if verdict is Verdict.TIMEOUT else ""
        detail, reason = explain(self, "`ask`", self.limit_ns / NS_PER_MS)
        return Fault(verdict, detail, reason, excuse)


def _kept(written: bytes | bytearray) -> str:
    """Return what is kept of output that is no answer, as text."""
    return bytes(written[: 4 * MOST_WRITTEN]).decode("utf-8", "replace")[:MOST_WRITTEN]

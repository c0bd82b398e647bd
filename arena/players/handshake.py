"""The two handshakes: `hello` once per process, `start` and `ready` once per game."""

from collections.abc import Sequence

from arena.players.base import Fault
from arena.players.exchange import QUIET_MS, MonitoredExchange, go_on, run
from arena.players.process import NOT_STARTED, BotProcess
from arena.players.usage_monitor import LATE_NS
from arena.sandbox.deadlock import Standstill
from arena.sandbox.usage import machine_load
from protocol import codec
from protocol.messages import SUPPORTED, Hello, HelloReply, Ready, Start, negotiate
from protocol.verdicts import MalformedLine, NoCommonVersion, Reason, Verdict
from results.base.clock import NS_PER_MS


def greet(processes: Sequence[BotProcess], limit_ms: int) -> list[Fault | None]:
    """Shake hands with fresh processes at the same time; return for each a `startup` fault if that takes longer."""
    exchanges = [_Greeting(process, limit_ms) for process in processes]
    run(exchanges)
    return [exchange.fault() for exchange in exchanges]


class _Greeting(MonitoredExchange):
    __slots__ = ("reason", "wrong")

    def __init__(self, process: BotProcess, limit_ms: int) -> None:
        line = codec.encode(Hello(protocols=list(SUPPORTED)))
        super().__init__(process, line, limit_ms * NS_PER_MS)
        self.wrong = ""
        self.reason: Reason | None = None

    def hear(self, line: bytes) -> bool:
        try:
            reply = codec.decode(line)
            if isinstance(reply, HelloReply):
                negotiate(SUPPORTED, reply.protocol)
            else:
                self.wrong, self.reason = "answered `hello` with another message", Reason.OTHER_MESSAGE
        except MalformedLine as error:
            self.wrong = f"answered `hello` with a line that is not a message: {error}"
            self.reason = error.reason
        except NoCommonVersion as error:
            self.wrong = str(error)
        return True

    def fault(self) -> Fault | None:
        if self.failure:
            return _fault(self, "`hello`", self.limit_ns / NS_PER_MS)
        return Fault(Verdict.STARTUP, self.wrong, self.reason) if self.wrong else None


def get_ready(process: BotProcess, message: Start, limit_ms: int) -> Fault | None:
    """Announce a new game to a process and wait until it is ready.

    Empties its scratch folder first, and drops earlier output. Returns a fault if it doesn't get ready in time.
    """
    try:
        process.empty_scratch()
    except OSError as error:
        return Fault(Verdict.STARTUP, f"its scratch folder cannot be emptied: {error.strerror}")
    exchange = _GettingReady(process, message, limit_ms)
    exchange.drop_early()
    exchange.run()
    written, most = process.channel.read_bytes, message.limits.output_bytes
    if written > most:
        return Fault(Verdict.OUTPUT, f"{most} bytes limit, {written} bytes before the game began")
    if exchange.failure:
        return _fault(exchange, "`start`", limit_ms)
    process.games += 1
    process.evidence.heard()
    process.monitor.begin_game()
    process.monitor.end_turn(exchange.answered_ns, quick=exchange.is_quick)
    return None


class _GettingReady(MonitoredExchange):
    """As in a quick ask, the other bots are frozen only if this one takes its time."""

    __slots__ = ("_limits", "reason", "wrong")

    def __init__(self, process: BotProcess, message: Start, limit_ms: int) -> None:
        channel, limits = process.channel, message.limits
        channel.line_bytes = limits.line_bytes
        channel.read_bytes = 0
        process.monitor.begin_quick_turn(channel.clock_ns())
        super().__init__(process, codec.encode(message, limits.line_bytes), limit_ms * NS_PER_MS)
        self._limits = limits
        self.wrong = ""
        """What was wrong with the first line that is no message; such lines don't end the wait."""
        self.reason: Reason | None = None

    def run(self) -> None:
        self.write()
        if not self.over and not self.unsent and self.channel.waits(min(QUIET_MS, self.limit_ns / NS_PER_MS)):
            self.channel.read_output()
            self.leave_out(self.since_ns, self.channel.clock_ns())
            self.take_lines()
        if not self.over:
            self.process.monitor.freeze_others()
            self.process.monitor.estimate_waiting(self.limit_ns)
            go_on([self])

    @property
    def is_quick(self) -> bool:
        """Whether the bot has answered so soon that it may run on after its turn."""
        return self.process.games > 1 and self.answered_ns - self.since_ns <= LATE_NS

    def drop_early(self) -> None:
        """Drop output from before this game, such as an unrequested `ready`."""
        channel = self.channel
        channel.inbox.clear()
        while channel.read_output() and channel.read_bytes <= self._limits.output_bytes:
            channel.inbox.clear()
        channel.drain_log()

    def hear(self, line: bytes) -> bool:
        if self.channel.read_bytes > self._limits.output_bytes:
            return True
        try:
            message = codec.decode(line, self._limits.line_bytes, self._limits.depth)
        except MalformedLine as error:
            if not self.wrong:
                self.wrong, self.reason = str(error), error.reason
            return False
        return isinstance(message, Ready) and not self.unsent


def _fault(exchange: "_Greeting | _GettingReady", asked: str, limit_ms: float) -> Fault:
    process, failure = exchange.process, exchange.failure
    if exchange.excess:
        return Fault(Verdict.MEMORY, f"{exchange.excess} before it answered {asked}")
    detail, reason = explain(exchange, asked, limit_ms)
    if failure == "ended" and (killed := process.monitor.memory_kill()):
        return Fault(Verdict.MEMORY, f"{killed} before it answered {asked}")
    if exchange.wrong and isinstance(exchange, _GettingReady):
        detail += f" (wrote: {exchange.wrong})"
        reason = exchange.reason
    excuse = exchange.excuse() if failure == "timeout" else process.killed_by_system()
    return Fault(Verdict.STARTUP, detail, reason, excuse)


def explain(exchange: MonitoredExchange, asked: str, limit_ms: float) -> tuple[str, Reason | None]:
    """Return why there was no answer, in words with the limit, and in one word."""
    process, failure = exchange.process, exchange.failure
    if failure == "overlong":
        return f"line: {process.channel.line_bytes} bytes limit, and a longer one was begun", Reason.LONG_LINE
    if failure in ("ended", "deaf") or process.wait(0):
        ending, reason = process.ending("input" if failure == "deaf" else "output")
        never_ran = reason is None or reason in NOT_STARTED.values()
        return ending if never_ran else f"{ending} before it answered {asked}", reason
    if failure == "unread":
        return f"did not read {asked} within {limit_ms:.0f} ms: its input pipe is full", Reason.UNREAD
    if exchange.standstill is not None:
        words = f"no answer to {asked}, and none will come: {exchange.standstill.value}"
        return words, Reason.READING if exchange.standstill is Standstill.READING else Reason.STUCK
    reason = exchange.silence()
    detail = f"no answer to {asked} within {limit_ms:.0f} ms"
    if reason is Reason.COMPUTING:
        detail += ": it was still computing"
    elif reason is Reason.BUSY_MACHINE:
        waited_ms = process.monitor.kept_waiting_ns() // NS_PER_MS
        detail += f": {f'it had no core for {waited_ms} ms; ' if waited_ms else ''}{machine_load()}"
    return detail, reason

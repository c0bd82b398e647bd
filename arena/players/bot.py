"""A bot at a seat: the protocol spoken with one bot process, one game at a time."""

from collections.abc import Callable, Sequence

from arena.players.base import NO_LOG, Fault, Player, PlayerLog, Reply
from arena.players.exchange import Exchange, run, run_one
from arena.players.handshake import get_ready, greet
from arena.players.process import BotProcess
from arena.players.question import Question
from protocol import codec
from protocol.limits import DEFAULT_LIMITS
from protocol.messages import Ask, End, Start
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
        """Begin a game. A kept process that fails is replaced by a fresh one, once; one that has worked is a fault.

        Raises OSError where the machine refuses to build the sandbox, EndedFromOutside as `ask` does.
        """
        self._limits = message.limits
        kept, self.process = self.process, None
        if kept is not None:
            kept.watch.look_at_rest()
            if worked := kept.watch.worked_at_rest():
                kept.kill()
                return Fault(Verdict.PONDERING, worked)
            if get_ready(kept, message, limit_ms) is None:
                self.process = kept
                return None
            kept.kill()
        process = self._fresh()
        if isinstance(process, Fault):
            return process
        self.process = process
        if kept is not None:
            process.channel.log = kept.channel.log  # its last words are part of this game's log
        fault = greet(process, self._startup_ms)
        if fault is not None:
            process.raise_if_never_built()
        fault = fault or get_ready(process, message, limit_ms)
        if fault is not None:
            process.raise_if_ended_from_outside()
        return fault

    def next_id(self) -> int:
        """Return the id for the next ask."""
        return 1 if self.process is None else self.process.asked + 1

    def ask(self, message: Ask, limit_ns: int) -> Reply | Fault:
        """Put one decision before the bot and return its answer.

        Raises EndedFromOutside where it was ended by somebody who is no bot.
        """
        question = self.question(message, limit_ns)
        run_one(question)
        return question.result()

    def question(self, message: Ask, limit_ns: int) -> Question:
        """Return an ask that is ready to be run."""
        if self.process is None:
            raise AssertionError("asked before the game began")
        return Question(self.process, message, limit_ns, self._limits)

    def last_look(self) -> Fault | None:
        """Look whether the bot has thought on others' time since its last turn as well."""
        if self.process is None:
            return None
        self.process.watch.look_between_turns()
        pondered = self.process.watch.pondered()
        return Fault(Verdict.PONDERING, f"{pondered} by the end of the game") if pondered else None

    def end(self, message: End) -> PlayerLog:
        """Tell the result and return the log; a bot that does not read it gets no other game."""
        if self.process is None:
            return NO_LOG
        channel = self.process.channel
        exchange = Exchange(channel, codec.encode(message, self._limits.line_bytes), 0)
        exchange.write()
        if exchange.unsent:
            channel.stdin_ended = True  # half a line lies in the pipe: nothing can follow it
        channel.drain_log()
        return self.process.take_log()

    def stop(self) -> PlayerLog:
        """Kill the process; return its log of the game."""
        if self.process is None:
            return NO_LOG
        process, self.process = self.process, None
        process.kill()
        return process.take_log()


def ask_all(asks: Sequence[tuple[Player, Ask, int]]) -> list[Reply | Fault]:
    """Put simultaneous decisions before their players: all are asked, then all answers awaited.

    Each item is a player, its ask and its limit in nanoseconds; the answers come in the same order.
    """
    if len(asks) == 1:
        player, message, limit_ns = asks[0]
        return [player.ask(message, limit_ns)]
    answers = [
        player.question(message, limit_ns) if isinstance(player, BotPlayer) else player.ask(message, limit_ns)
        for player, message, limit_ns in asks
    ]
    run([answer for answer in answers if isinstance(answer, Question)])
    return [answer.result() if isinstance(answer, Question) else answer for answer in answers]

"""A player backed by a bot process: speaks the protocol with it, one game at a time."""

from collections.abc import Callable, Sequence

from arena.players import asking_for_moves
from arena.players.base import NO_LOG, Fault, Player, PlayerLog, Reply
from arena.players.exchange import Exchange
from arena.players.handshake import get_ready, greet
from arena.players.process import BotProcess
from protocol import codec
from protocol.messages import DEFAULT_LIMITS, Ask, End, Start
from protocol.verdicts import Verdict
from results.base.clock import NS_PER_MS


class BotPlayer:
    """Fills a seat with a bot process. A `Player`."""

    def __init__(
        self,
        fresh: Callable[[], BotProcess | Fault] | None,
        kept: BotProcess | None,
        startup_ms: int,
        *,
        gap: int = 0,
        shares_core: bool = True,
        kill: Callable[[BotProcess], object] = lambda process: process.kill(),
    ) -> None:
        """Seat a bot in `kept`, or in a process to be started.

        `fresh` starts a process, or returns the fault that prevented it. It is called if there is neither a kept
        process nor one that was `started`, or if the kept one is dead or doesn't get ready; without it, that is the
        fault of the bot. `gap` is how many ids to leave out before each ask. `shares_core` is whether others that are
        asked at the same time take time, too; if not, the bot has no more time then. `kill` ends the process after a
        fault.
        """
        self._fresh = fresh
        self._gap = gap
        self._shares_core = shares_core
        self._margin_ms = 0
        self._kill = kill
        self.process = kept
        self.started: BotProcess | Fault | None = None
        """What has been started for the next game, ahead of it."""
        self._startup_ms = startup_ms
        self.limits = DEFAULT_LIMITS
        """Those of the present game."""
        self.log = NO_LOG
        """That of the last game."""

    def start(self, message: Start, limit_ms: int) -> Fault | None:
        """Begin a game.

        If the kept process fails to get ready, a fresh one replaces it, once. If it used CPU time between games,
        that is a fault. Raises OSError if the machine refuses to build the sandbox, and EndedFromOutside as `ask`.
        """
        self.limits, self._margin_ms = message.limits, message.clock.margin_ms
        kept, self.process = self.process, None
        if kept is not None:
            kept.monitor.look_at_rest()
            worked = kept.monitor.worked_at_rest()
            fault = Fault(Verdict.PONDERING, worked) if worked else get_ready(kept, message, limit_ms)
            if fault is None or self._fresh is None:
                self.process = kept
                if fault is not None:
                    kept.raise_if_ended_from_outside()
                return fault
            kept.kill()
            if worked:
                return fault
        if self._fresh is None:
            raise AssertionError("there is no process")
        process, self.started = self.started or self._fresh(), None
        if isinstance(process, Fault):
            return process
        self.process = process
        if kept is not None:
            process.channel.log = kept.channel.log  # its last output belongs to this game's log
        (fault,) = greet([process], self._startup_ms)
        if fault is not None:
            process.raise_if_never_built()
        fault = fault or get_ready(process, message, limit_ms)
        if fault is not None:
            process.raise_if_ended_from_outside()
        return fault

    def next_id(self) -> int:
        """Return the id for the next ask."""
        return 1 if self.process is None else self.process.asked + 1 + self._gap

    def ask(self, message: Ask, limit_ns: int) -> Reply | Fault:
        """Ask the bot for a decision; return its answer. Raises EndedFromOutside if it was killed from outside."""
        if self.process is None:
            raise AssertionError("asked before the game began")
        return asking_for_moves.ask(self.process, message, limit_ns, self.limits)

    def asked_with_others(self, message: Ask, limit_ns: int) -> asking_for_moves.Asked:
        """Return what `ask_all` needs of this bot."""
        if self.process is None:
            raise AssertionError("asked before the game began")
        if not self._shares_core:
            alone_ms = message.time.move_ms + message.time.bank_ms + self._margin_ms
            limit_ns = min(limit_ns, alone_ms * NS_PER_MS)
        return self.process, message, limit_ns, self.limits

    def last_look(self) -> Fault | None:
        """Return a fault if the bot thought on its opponents' time, including the time since its last turn.

        From now on it is frozen, if it can be.
        """
        if self.process is None:
            return None
        self.process.monitor.freeze()
        self.process.monitor.look_between_turns()
        pondered = self.process.monitor.pondered()
        return Fault(Verdict.PONDERING, f"{pondered} by the end of the game") if pondered else None

    def end(self, message: End) -> PlayerLog:
        """Send the result and return the log. A bot that doesn't read the result gets no further games."""
        if self.process is None:
            return NO_LOG
        channel = self.process.channel
        exchange = Exchange(channel, codec.encode(message, self.limits.line_bytes), 0)
        exchange.write()
        if exchange.unsent:
            channel.stdin_ended = True  # the pipe holds half a line, so nothing can follow it
        channel.drain_log()
        self.log = self.process.take_log()
        return self.log

    def stop(self) -> PlayerLog:
        """Kill the process and return its log of the game."""
        if self.process is None:
            return NO_LOG
        process, self.process = self.process, None
        self._kill(process)
        self.log = process.take_log()
        return self.log


def ask_all(asks: Sequence[tuple[Player, Ask, int]]) -> list[Reply | Fault]:
    """Ask several players for simultaneous decisions: send all asks, then wait for all answers.

    Each item is a player, its ask and its limit in nanoseconds. The answers are in the same order.
    """
    if len(asks) == 1:
        player, message, limit_ns = asks[0]
        return [player.ask(message, limit_ns)]
    bots = [
        player.asked_with_others(message, limit_ns)
        for player, message, limit_ns in asks
        if isinstance(player, BotPlayer)
    ]
    replies = iter(asking_for_moves.ask_all(bots) if bots else [])
    return [
        next(replies) if isinstance(player, BotPlayer) else player.ask(message, limit_ns)
        for player, message, limit_ns in asks
    ]

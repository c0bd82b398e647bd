"""The bots of one worker that are out of turn but not frozen yet.

Freezing a bot and thawing it again takes longer than many bots think. So a bot that has answered at once is left
running, on trust, until the next look at the clock finds that it has been out of its turn for `LATE_NS`. What it may
gain by that is bounded in docs/security.md.
"""

from typing import Protocol

from arena.core.durations import NS_PER_MS

LATE_NS = 1 * NS_PER_MS
"""How long bots may be out of their turns before they are frozen."""


class Freezable(Protocol):
    """A bot that can be frozen."""

    def freeze(self) -> None:
        """Freeze the bot."""


class LooseBots:
    """Freezes bots late. All times are monotonic, in nanoseconds."""

    __slots__ = ("_bots", "_ended_ns", "_is_slow", "_since_ns")

    def __init__(self) -> None:
        self._bots: list[Freezable] = []
        self._since_ns = 0
        """When the first of them ended its turn."""
        self._ended_ns = 0
        """When any turn ended last."""
        self._is_slow = True
        """Whether the referee took long from the last turn to this one, as it may do again after this one."""

    def begin_turn(self, bot: Freezable, now_ns: int) -> None:
        """Take a bot back into its turn, and freeze the others if it is time."""
        bots = self._bots
        if bots:
            if bot in bots:
                bots.remove(bot)
            if bots and now_ns - self._since_ns > LATE_NS:
                self.freeze()
        self._is_slow = now_ns - self._ended_ns > LATE_NS

    def end_turn(self, bot: Freezable, now_ns: int) -> bool:
        """Return whether a bot may be left running after its turn. If not, the caller freezes it."""
        self._ended_ns = now_ns
        if self._is_slow:
            return False
        if not self._bots:
            self._since_ns = now_ns
        self._bots.append(bot)
        return True

    def freeze(self) -> None:
        """Freeze all bots that are out of turn."""
        bots, self._bots = self._bots, []
        for bot in bots:
            bot.freeze()

    def forget(self, bot: Freezable) -> None:
        """Take out a bot that has been frozen or has ended."""
        if bot in self._bots:
            self._bots.remove(bot)

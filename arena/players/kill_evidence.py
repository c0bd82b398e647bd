"""Distinguishes a bot killed by the system from one that crashed."""

from arena.sandbox import memory_killer
from arena.sandbox.cgroups import BotGroup


class EndedFromOutside(Exception):
    """The sandbox was killed from outside, which no bot can do: a platform error."""


class KillEvidence:
    """What the kernel recorded about the end of one bot process.

    If the bot has a control group that counts memory, only that group's kills count, not those of other bots.
    Otherwise all out-of-memory kills of the machine count that happened since the bot's last answer.
    """

    __slots__ = ("_before", "_group", "_killer")

    def __init__(self, group: BotGroup | None) -> None:
        self._group = group
        self._killer = memory_killer.OF_THIS_MACHINE
        self._before = self._killer.recent_victims()

    def heard(self) -> None:
        """Record that the bot is alive: it has just answered."""
        self._before = self._killer.recent_victims()

    def found(self) -> str:
        """Return why the system is to blame for the SIGKILL that ended the bot, with figures; empty if it isn't."""
        if self._group is not None:
            if self._group.oomd_kills():
                return "killed: systemd-oomd has ended the bot's control group"
            if self._group.counts_memory:
                if self._group.outside_memory_kills():
                    return "killed: the machine was out of memory, and the bot within its limit"
                return ""
        now = self._killer.victims()
        if now is None or self._before is None or now <= self._before:
            return ""
        return (
            f"killed: the system's memory killer has ended {now - self._before} processes of this machine since "
            "the bot was last heard of"
        )

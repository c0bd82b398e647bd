"""Tells a bot that the system has ended from one that has crashed."""

from arena.sandbox import memory_killer
from arena.sandbox.cgroups import BotGroup


class EndedFromOutside(Exception):
    """Somebody outside the sandbox has ended it, which no bot can do: a fault of the platform."""


class KillEvidence:
    """What the kernel knows of the end of one bot process.

    Where the bot has a control group that counts memory, that group's count decides: another bot's end is no evidence.
    Otherwise it is the count of the whole machine, since the bot was last heard of.
    """

    __slots__ = ("_before", "_group", "_killer")

    def __init__(self, group: BotGroup | None) -> None:
        self._group = group
        self._killer = memory_killer.OF_THIS_MACHINE
        self._before = self._killer.recent_victims()

    def heard(self) -> None:
        """Take note that the bot lives: it has just answered."""
        self._before = self._killer.recent_victims()

    def found(self) -> str:
        """Return why the system is to blame for the SIGKILL that ended the bot, with figures; empty where it isn't."""
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

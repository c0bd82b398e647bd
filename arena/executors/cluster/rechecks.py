"""Plays a share of games of deterministic bots again on another host, and finds out which host errs.

Two hosts that differ don't tell which of them is wrong, so a third one is asked. The results stay as they are: what a
host that errs has sent before is for people to judge.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

MOST_OUT = 4
"""Maximum number of games that are being played again at the same time."""


@dataclass(slots=True)
class Recheck:
    """A game that is played again."""

    ticket: Any
    opinions: list[tuple[str, Any]] = field(default_factory=list)
    """The hosts that have played it, by id, each with its result."""
    asked: str = ""
    """The host that plays it now."""


class Rechecks:
    """The games of a run that are played again."""

    def __init__(self, part: float, differ: Callable[[Any, Any], bool], chance: Random | None = None) -> None:
        """`part` of the games are played again; `differ` compares two results."""
        self._part = part
        self._differ = differ
        self._chance = chance or Random()  # noqa: S311 - a host that errs doesn't see it
        self._out: dict[int, Recheck] = {}
        """By the number of its ticket."""
        self._next = -1
        self.same = 0
        """How many games were the same on another host."""

    def choose(self, host: str, ticket: Any, result: Any, others: Sequence[str]) -> Recheck | None:
        """Return a recheck if a game is to be played again; `others` are hosts that can do so."""
        if not others or len(self._out) >= MOST_OUT or self._chance.random() >= self._part:
            return None
        return Recheck(ticket, [(host, result)])

    def ask(self, recheck: Recheck, host: str) -> int:
        """Note that a host plays a game again; return the number of its ticket, which is negative."""
        number, self._next = self._next, self._next - 1
        recheck.asked = host
        self._out[number] = recheck
        return number

    def answer(self, number: int, result: Any) -> Recheck | None:
        """Take in a result, or None; return the recheck with all opinions so far if the hosts differ."""
        recheck = self._out.pop(number, None)
        if recheck is None or result is None:
            return None
        recheck.opinions.append((recheck.asked, result))
        if not any(self._differ(one, result) for _, one in recheck.opinions[:-1]):
            self.same += 1
            return None
        return recheck

    def lone(self, recheck: Recheck) -> str | None:
        """Return the host that all others contradict; None if that can't be said."""
        if len(recheck.opinions) < 3:
            return None
        for host, result in recheck.opinions:
            others = [one for other, one in recheck.opinions if other != host]
            if all(self._differ(result, one) for one in others) and not any(
                self._differ(one, others[0]) for one in others[1:]
            ):
                return host
        return None

    def forget(self, host: str) -> None:
        """Forget what a host was asked: it is lost."""
        self._out = {number: one for number, one in self._out.items() if one.asked != host}

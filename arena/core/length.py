"""How long a game may be, in moves of all seats, forced ones included.

A game may declare a cap, `longest_decisions` of its `GameInfo`. A game that reaches it is over by the scores so far,
and nobody is at fault; everybody is told by the event `cap`. The cap is part of the rules: a replay follows from it.
Without one the rules have to end every game; one that goes on and on is a fault of the rules and is broken off.
"""

from arena.core.errors import ArenaError
from arena.core.game import Event
from arena.core.ruleset import GameInfo

DEFAULT_LONGEST = 20_000
"""Moves after which a game without a cap of its own is taken for endless."""


class EndlessGame(ArenaError):
    """A game that did not end, and whose rules have no cap."""

    remedy = "set `longest_decisions` in its GameInfo, or give it a rule by which every game ends"


def capped(info: GameInfo, made: int) -> Event | None:
    """Return the event that ends a game which is not over after `made` moves; None where it goes on."""
    cap = info.longest_decisions
    return Event("cap", {"decisions": made}) if cap is not None and made >= cap else None


def refuse_endless(info: GameInfo, made: int) -> None:
    """Raise EndlessGame for a game without a cap that is not over after 20,000 moves."""
    if info.longest_decisions is None and made >= DEFAULT_LONGEST:
        raise EndlessGame(
            f"the game {info.name!r} had not ended after {made:,} moves, and may never end",
            EndlessGame.remedy,
        )

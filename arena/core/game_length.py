"""How long a game may be, in moves of all seats, forced ones included.

A game can declare a cap, `longest_decisions` in its `GameInfo`. A game that reaches the cap ends with the scores so
far, and nobody is at fault; all seats get the event `cap`. The cap is part of the rules, so a replay follows from it.
Without a cap, the rules must end every game; a game that never ends is a fault of the rules and is aborted.
"""

from arena.core.errors import ArenaError
from arena.core.game import Event
from arena.core.ruleset import GameInfo

DEFAULT_LONGEST = 20_000
"""After this many moves, a game without a cap counts as endless."""


class EndlessGame(ArenaError):
    """A game that didn't end and whose rules have no cap."""

    remedy = "set `longest_decisions` in its GameInfo, or add a rule that ends every game"


def capped(info: GameInfo, made: int) -> Event | None:
    """Return the event that ends a game which isn't over after `made` moves; None if it continues."""
    cap = info.longest_decisions
    return Event("cap", {"decisions": made}) if cap is not None and made >= cap else None


def refuse_endless(info: GameInfo, made: int) -> None:
    """Raise EndlessGame if a game without a cap isn't over after 20,000 moves."""
    if info.longest_decisions is None and made >= DEFAULT_LONGEST:
        raise EndlessGame(
            f"the game {info.name!r} had not ended after {made:,} moves and may never end",
            EndlessGame.remedy,
        )

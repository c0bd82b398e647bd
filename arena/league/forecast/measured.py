"""The luck that was measured for a game with its reference bots: `luck.json` in the game's package.

`benchmarks/luck.py` writes the files of Arena's own games; a game of another package may bring one too.
"""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from arena.core.data_files import own_text
from arena.core.game import AnyGame
from arena.core.rotation import Rotations, seatings
from arena.core.ruleset import Ruleset, ruleset
from arena.registry import blaming
from results.analysis.spread import Spread

FILE = "luck.json"

_Positive = Annotated[float, Meta(gt=0)]


class Measured(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The luck of the matches of a ruleset with all options at their defaults, at one table size; see `Spread`."""

    ruleset: str
    seats: Annotated[int, Meta(ge=2)]
    rotations: Rotations
    games: Annotated[int, Meta(ge=1)]
    matches: Annotated[int, Meta(ge=1)]
    share: _Positive
    share_error: _Positive
    score: _Positive
    score_error: _Positive

    @property
    def spread(self) -> Spread:
        """The luck."""
        return Spread(
            seats=self.seats,
            games=self.games,
            matches=self.matches,
            share=self.share,
            share_error=self.share_error,
            score=self.score,
            score_error=self.score_error,
        )


class MeasuredFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of a game's file."""

    rules_version: int
    """The version of the rules that was played."""
    measured: tuple[Measured, ...]


def measured_file(game: AnyGame) -> MeasuredFile | None:
    """Return a game's figures; None if it brings none, or they are of other rules.

    Raises PluginFailed if the file can't be used.
    """
    with blaming("game", game.info.name, game):
        text = own_text(game, FILE)
        if text is None:
            return None
        found = msgspec.json.decode(text, type=MeasuredFile)
    return found if found.rules_version == game.info.version else None


def measured_luck(game: AnyGame, rules: Ruleset, seats: int, rotations: Rotations) -> Spread | None:
    """Return the luck measured for these rules, which are resolved, at that table size; None if it wasn't."""
    found = measured_file(game)
    for one in found.measured if found else ():
        if one.seats != seats or one.ruleset not in game.info.rulesets:
            continue
        if _seated_alike(one.rotations, rotations, seats) and (
            game.resolve(ruleset(game.info, one.ruleset, {}), seats).key == rules.key
        ):
            return one.spread
    return None


def _seated_alike(one: Rotations, other: Rotations, seats: int) -> bool:
    """Return whether two kinds of rotation play the same seatings, as `cyclic` and `balanced` do with two seats."""
    table = tuple(range(seats))
    return one == other or seatings(table, one) == seatings(table, other)

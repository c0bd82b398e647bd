"""How a league is rated: `[rating]` of its file, checked against the rating system it names."""

from dataclasses import dataclass
from typing import Any

import msgspec

from arena.config.error_location import keyed
from arena.config.league_file import LeagueFile, RatingTable
from arena.config.reading import convert
from arena.league.definition.define import Definition
from arena.league.definition.tie_rate import draw_probability
from results.ratings import OF_ALL, rater, rating_system
from results.ratings.base import MeasuresDraws
from results.ratings.rater import Rater


@dataclass(frozen=True, slots=True)
class RatingPlan:
    """How to rate a league."""

    table: RatingTable
    """The keys that all systems have."""
    rater: Rater
    """The system, with its own keys as set in the file."""
    measured: str | None
    """The key whose value is measured; None if there is none, or the file sets it."""

    @property
    def widen(self) -> float:
        """Uncertainty added to an inherited rating, as a standard deviation."""
        if self.table.widen is not None:
            return self.table.widen
        return self.rater.scale.start.sigma / 2

    def as_stored(self) -> dict[str, Any]:
        """Return all keys with their values, as stored with the league."""
        return {
            **msgspec.to_builtins(self.table),
            "widen": self.widen,
            **self.rater.options,
            **({self.measured: None} if self.measured else {}),
        }


def rating_plan(file: LeagueFile, name: str, text: str = "") -> RatingPlan:
    """Return the rating plan of a league file; `name` and `text` are the file's, for messages.

    Raises BadFile naming file, line and key, UnknownRating, BrokenPlugin, and RatingFailed.
    """
    of_all = {key: value for key, value in file.rating.items() if key in OF_ALL}
    own = {key: value for key, value in file.rating.items() if key not in OF_ALL}
    table = convert(of_all, RatingTable, name, text, "rating")
    with keyed("rating.system"):
        system = rating_system(table.system)
    settings = convert(own, system.settings, name, text, "rating", besides=OF_ALL)
    measured = system.draws if isinstance(system, MeasuresDraws) and system.draws not in own else None
    return RatingPlan(table, Rater(system, settings), measured)


def with_draws(plan: RatingPlan, definition: Definition, measured: float | None = None) -> Rater:
    """Return the league's rater; measures the draw probability if the system needs one and the file sets none.

    `measured`: the probability, if it has been measured before.
    """
    if plan.measured is None:
        return plan.rater
    draws = measured
    if draws is None:
        draws = draw_probability(definition, by_games=plan.rater.rates_games)
    return rater(plan.table.system, {**plan.rater.options, plan.measured: draws})

"""The parameters of a league's rating system, fixed when it is created."""

from inspect import signature

from arena.config.league_file import LeagueFile, RatingTable
from arena.core.errors import UsageError
from arena.league.draws import draw_probability
from arena.league.setting import Setting
from arena.registry import blaming
from results.errors import UnknownRating
from results.ratings import rating_system, rating_systems

PARAMETERS = ("beta", "tau", "draw_probability")
"""Those that the league file can set."""


def check_system(table: RatingTable) -> None:
    """Raise UnknownRating for a rating system that does not exist."""
    if table.system not in rating_systems():
        raise UnknownRating("rating system", table.system, sorted(rating_systems()))


def rating_options(file: LeagueFile, setting: Setting) -> dict[str, float]:
    """Return the parameters that a league file sets, with the draw probability measured where it sets none.

    Raises UnknownRating, BadRating, and UsageError for a parameter that the rating system has not.
    """
    table = file.rating
    known = (
        set(signature(rating_systems()[table.system]).parameters)
        if table.system in rating_systems()
        else None
    )
    options: dict[str, float] = {}
    for name in PARAMETERS:
        value = getattr(table, name)
        if known is not None and name not in known:
            if value != getattr(RatingTable(), name):
                raise UsageError(
                    f"rating.{name}: the rating system {table.system!r} has no such parameter",
                    f"it has: {', '.join(sorted(known)) or 'none'}",
                )
        elif value is not None:
            options[name] = value
        elif known is not None:
            options[name] = draw_probability(setting)
    with blaming("rating system", table.system, rating_systems().get(table.system)):
        rating_system(table.system, options)  # raises where it does not exist or a value can't be had
    return options

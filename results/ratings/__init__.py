"""Rating systems, found by name: a module here that exports RATING, or an entry point of another package."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache

from results.errors import BadRating, UnknownRating
from results.ratings.base import RatingSystem

GROUP = "arena.ratings"
"""The entry-point group in which other packages offer rating systems."""

_NO_SYSTEMS = ("base", "truncated")
"""Modules of this package that are none."""


@cache
def rating_systems() -> Mapping[str, Callable[..., RatingSystem]]:
    """Return what makes each rating system, by name.

    A module that can't be imported, exports no RATING, or repeats a name raises
    ImportError with the module's name.
    """
    from importlib.metadata import entry_points  # slow to import, and workers never need it

    found: dict[str, Callable[..., RatingSystem]] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name not in _NO_SYSTEMS:
            loaded = importlib.import_module(f"{__name__}.{module.name}")
            _add(found, getattr(loaded, "RATING", None), loaded.__name__)
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        _add(found, point.load(), point.value)
    return found


def rating_system(name: str, options: Mapping[str, object] | None = None) -> RatingSystem:
    """Return a rating system with the given parameters, the others at their defaults.

    Raises UnknownRating with the list of those that exist, and BadRating for a
    parameter that it has not or a value that the parameter can't have.
    """
    from inspect import signature

    systems = rating_systems()
    if name not in systems:
        raise UnknownRating("rating system", name, sorted(systems))
    known = list(signature(systems[name]).parameters)
    for option in options or {}:
        if option not in known:
            raise BadRating(
                f"rating {name} has no parameter {option!r}", f"it has: {', '.join(known) or 'none'}"
            )
    return systems[name](**(options or {}))


def _add(found: dict[str, Callable[..., RatingSystem]], system: object, source: str) -> None:
    name = getattr(system, "name", None)
    if not callable(system) or not isinstance(name, str):
        raise ImportError(f"{source} exports no rating system: RATING must be a class with a name")
    if name in found:
        raise ImportError(f"{source} exports the rating system {name!r}, which exists already")
    found[name] = system

"""Rating systems by name: Arena's own, each a module here that exports RATING, and those of other packages."""

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import msgspec

from results.base.errors import BadRating, RatingMissing, UnknownRating
from results.base.plugins import Found, Room, missing_members
from results.ratings.base import MeasuresDraws, RatingSystem, Scale
from results.ratings.rater import GROUP, Rater

OF_ALL = ("system", "inherit", "widen")
"""The keys of `[rating]` that every rating system has; a system's own settings must have other names."""


def _lacks(system: RatingSystem) -> list[str]:
    """Return what is missing for an object to be a rating system."""
    if lacks := missing_members(system, RatingSystem):
        return lacks
    settings: Any = system.settings
    if not isinstance(settings, type) or not issubclass(settings, msgspec.Struct):
        return ["settings that are a msgspec.Struct"]
    config = settings.__struct_config__
    if not (config.frozen and config.forbid_unknown_fields):
        return ["settings with frozen=True and forbid_unknown_fields=True"]
    fields = msgspec.structs.fields(settings)
    if required := [field.encode_name for field in fields if field.required]:
        return [f"a default for the setting {name!r}" for name in required]
    if taken := [field.encode_name for field in fields if field.encode_name in OF_ALL]:
        return [f"another name for the setting {name!r}, which is a key of every system" for name in taken]
    if isinstance(system, MeasuresDraws) and system.draws not in settings.__struct_fields__:
        return [f"the setting {system.draws!r} that its `draws` names"]
    return []


_RATINGS: Room[RatingSystem] = Room(
    what="rating system",
    package="results.ratings",
    attribute="RATING",
    name=lambda system: system.name,
    lacks=_lacks,
    group=GROUP,
)


@cache
def rating_systems() -> Found[RatingSystem]:
    """Return all rating systems by name; `broken` lists those that failed to load."""
    return _RATINGS.find()


def rating_system(name: str) -> RatingSystem:
    """Return the rating system with that name. Raises UnknownRating with the list of systems, or BrokenPlugin."""
    return _RATINGS.own(name) or rating_systems().named(name, partial(UnknownRating, "rating system", name))


def rater(name: str, options: Mapping[str, object] | None = None, scale: Scale | None = None) -> Rater:
    """Return a rater for a system with the given options and defaults for the others.

    `scale` is the league's, if known. Raises UnknownRating, BrokenPlugin, RatingFailed, and BadRating if the system
    doesn't have an option or doesn't accept its value.
    """
    system = rating_system(name)
    try:
        settings = msgspec.convert(dict(options or {}), system.settings)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$")
        key = path.strip("`.")
        known = ", ".join(field.encode_name for field in msgspec.structs.fields(system.settings))
        raise BadRating(
            f"rating {name}: {key + ': ' if key else ''}{what[0].lower()}{what[1:]}",
            f"it has: {known or 'no options'}",
        ) from None
    return Rater(system, settings, scale)


def league_rater(league: str, system: str, options: Mapping[str, object], scale: Scale) -> Rater:
    """Return a rater for the matches of a league in the ledger; `league` is its name, for messages.

    Raises RatingMissing if the system isn't installed, BrokenPlugin, and BadRating.
    """
    try:
        return rater(system, options, scale)
    except UnknownRating:
        raise RatingMissing(league, system) from None

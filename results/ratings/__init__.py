"""Rating systems by name: Arena's own, each a module here that exports RATING, and those of other packages.

A `Rater` applies one with a league's settings, and checks everything that it returns.
"""

import math
import traceback
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

import msgspec
from msgspec import Struct

from results.base.errors import BadRating, RatingFailed, RatingMissing, UnknownRating
from results.base.plugins import Found, Room, frame_within, missing_members, package_of
from results.base.scoring import Sides
from results.base.text import said_by_msgspec
from results.ratings.base import MeasuresDraws, RatesSides, Rating, RatingSystem, Scale
from results.ratings.mean_score import MEAN_SCORE

GROUP = "arena.ratings"
"""The entry-point group for rating systems of other packages."""
_MOST = 1e12
"""No rating may be larger: its decimals would be meaningless."""

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
    if name == MEAN_SCORE.name:
        return MEAN_SCORE
    return _RATINGS.own(name) or rating_systems().named(name, partial(UnknownRating, "rating system", name))


class Rater:
    """Rates the matches of one league."""

    def __init__(self, system: RatingSystem, settings: Struct, scale: Scale | None = None) -> None:
        """Use a system with its settings; `scale` is the league's, if known. Raises RatingFailed."""
        self.system = system
        self.settings = settings
        self.scale = scale or self._scale()

    @property
    def options(self) -> dict[str, Any]:
        """All settings as plain data, enough to recreate the rater."""
        options: dict[str, Any] = msgspec.to_builtins(self.settings)
        return options

    @property
    def counts_scores(self) -> bool:
        """Whether an entry's rating is its mean score: see `mean_score`."""
        return self.system.name == MEAN_SCORE.name

    @property
    def rates_games(self) -> bool:
        """Whether ratings change with each game of a match, by the setting `rates`; otherwise with a match as one."""
        return getattr(self.settings, "rates", "matches") == "games"

    def rate(self, ratings: Sequence[Rating], ranks: Sequence[int], sides: Sides = ()) -> tuple[Rating, ...]:
        """Return the ratings after one match or game, in the given order; `ranks`: 1 is best, equal ranks tie.

        `sides`: the side of each, from 0, if some are partners; they have equal ranks. The order of the arguments makes
        no difference to the last bit: entries with equal ratings and ranks get equal ratings. Raises ValueError if
        there are fewer than two entries or the numbers of ratings and ranks differ,
        and RatingFailed if the system raises or returns something other than ratings.
        """
        if len(ratings) != len(ranks) or len(ratings) < 2:
            raise ValueError(f"{len(ratings)} ratings and {len(ranks)} ranks; it takes two or more of each")
        if sides:
            return self._rate_sides(ratings, ranks, sides)
        keys = [(rank, rating.mu, rating.sigma) for rank, rating in zip(ranks, ratings, strict=True)]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        try:
            given = self.system.rate(
                self.settings, tuple([ratings[i] for i in order]), tuple([ranks[i] for i in order])
            )
        except Exception as error:  # rating systems can be anyone's code
            raise self._failed(error) from error
        after = self._checked(given, len(order))
        if len(set(keys)) == len(keys):
            placed = after[:]
            for i, rating in zip(order, after, strict=True):
                placed[i] = rating
            return tuple(placed)
        new: dict[tuple[int, float, float], list[Rating]] = {}
        for i, rating in zip(order, after, strict=True):
            new.setdefault(keys[i], []).append(rating)
        alike = {key: _mean(found) for key, found in new.items()}
        return tuple(alike[key] for key in keys)

    def _rate_sides(
        self, ratings: Sequence[Rating], ranks: Sequence[int], sides: Sides
    ) -> tuple[Rating, ...]:
        """Do the same with partners."""
        system = self.system
        if not isinstance(system, RatesSides):
            raise self._refused("it has no `rate_sides`, which rates games with partners")
        members: list[list[int]] = [[] for _ in range(max(sides) + 1)]
        for i in sorted(range(len(ratings)), key=lambda i: (ratings[i].mu, ratings[i].sigma)):
            members[sides[i]].append(i)
        of_side = [
            (ranks[those[0]], *((ratings[i].mu, ratings[i].sigma) for i in those)) for those in members
        ]
        order = sorted(range(len(members)), key=of_side.__getitem__)
        try:
            given = system.rate_sides(
                self.settings,
                tuple([tuple([ratings[i] for i in members[side]]) for side in order]),
                tuple([ranks[members[side][0]] for side in order]),
            )
            flat = [rating for side in given for rating in side]
        except Exception as error:  # rating systems can be anyone's code
            raise self._failed(error) from error
        after = self._checked(flat, len(ratings))
        new: dict[tuple[Any, ...], list[Rating]] = {}
        keys = {i: (of_side[sides[i]], ratings[i].mu, ratings[i].sigma) for i in range(len(ratings))}
        for i, rating in zip((i for side in order for i in members[side]), after, strict=True):
            new.setdefault(keys[i], []).append(rating)
        alike = {key: _mean(found) for key, found in new.items()}
        return tuple([alike[keys[i]] for i in range(len(ratings))])

    def _scale(self) -> Scale:
        try:
            scale = self.system.scale(self.settings)
        except Exception as error:  # rating systems can be anyone's code
            raise self._failed(error) from error
        if problem := _problem_of(scale):
            raise self._refused(f"its scale {problem}")
        return msgspec.convert(msgspec.to_builtins(scale), Scale)  # whole numbers become floats

    def _checked(self, given: Any, entries: int) -> list[Rating]:
        """Return a system's result as ratings of plain floats. Raises RatingFailed for anything else."""
        if not (type(given) is tuple or isinstance(given, Sequence)) or len(given) != entries:
            what = f"{len(given)} ratings" if isinstance(given, Sequence) else f"a {type(given).__name__}"
            raise self._refused(f"`rate` returned {what} for {entries} entries")
        has_sigma = self.scale.has_sigma
        after: list[Rating] = []
        for rating in given:
            if (
                type(rating) is Rating
                and type(rating.mu) is type(rating.sigma) is float
                and (-_MOST <= rating.mu < 0 or 0 < rating.mu <= _MOST)
                and has_sigma
                and 0 < rating.sigma <= _MOST
            ):
                after.append(rating)  # as nearly all are: what follows would change nothing
                continue
            if not isinstance(rating, Rating) or not (_is_number(rating.mu) and _is_number(rating.sigma)):
                raise self._refused(f"`rate` returned {rating!r}, which is not a rating")
            if not (abs(rating.mu) <= _MOST and 0 <= rating.sigma <= _MOST):
                raise self._refused(f"`rate` returned {rating!r}: μ must be finite, σ finite and 0 or more")
            if (rating.sigma > 0) is not has_sigma:
                raise self._refused(
                    f"`rate` returned {rating!r}, "
                    + ("and σ must stay above 0" if has_sigma else "and its scale has no σ")
                )
            after.append(Rating(rating.mu + 0.0, rating.sigma + 0.0))  # a database can't keep −0.0
        return after

    def _failed(self, error: Exception) -> RatingFailed:
        """Return an error that names the system and the line that failed."""
        frame = frame_within(error, type(self.system).__module__)
        frame = frame or traceback.extract_tb(error.__traceback__)[-1]
        return self._refused(
            f"{type(error).__name__}: {error} ({frame.filename}:{frame.lineno}, in {frame.name})"
        )

    def _refused(self, why: str) -> RatingFailed:
        return RatingFailed(
            f"the rating system {self.system.name!r} of {package_of(self.system, GROUP)} failed: {why}",
            "fix that package, or report this to its author",
        )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _problem_of(scale: object) -> str:
    """Return what is wrong with a system's scale; empty if it is valid."""
    if not isinstance(scale, Scale) or not isinstance(scale.start, Rating):
        return f"is {scale!r}, which is not a Scale with a Rating to start at"
    for name, value, low, high in (
        ("start.mu", scale.start.mu, -1e6, 1e6),
        ("start.sigma", scale.start.sigma, 0, 1e6),
        ("unit", scale.unit, 1e-6, 1e6),
        ("decimals", scale.decimals, 0, 6),
    ):
        if not _is_number(value) or not low <= value <= high:
            return f"has a {name} of {value!r}, not a number from {low:g} to {high:g}"
    return "" if isinstance(scale.decimals, int) else f"has {scale.decimals!r} decimals, not a whole number"


def _mean(ratings: Sequence[Rating]) -> Rating:
    """Return the mean of ratings; if all are equal, exactly that rating."""
    if all(rating == ratings[0] for rating in ratings):
        return ratings[0]
    count = len(ratings)
    mu, sigma = (math.fsum(of) / count for of in zip(*((r.mu, r.sigma) for r in ratings), strict=True))
    return Rating(mu, sigma)


def rater(name: str, options: Mapping[str, object] | None = None, scale: Scale | None = None) -> Rater:
    """Return a rater for a system with the given options and defaults for the others.

    `scale` is the league's, if known. Raises UnknownRating, BrokenPlugin, RatingFailed, and BadRating if the system
    doesn't have an option or doesn't accept its value.
    """
    system = rating_system(name)
    try:
        settings = msgspec.convert(dict(options or {}), system.settings)
    except msgspec.ValidationError as error:
        what, path = said_by_msgspec(error)
        key = path.strip(".")
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

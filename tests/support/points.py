"""A rating system that is worked out at a glance, and what makes it one that is found."""

from collections.abc import Sequence
from typing import Annotated

import pytest
from msgspec import Meta, Struct

from results import ratings
from results.base.plugins import Found
from results.ratings.base import Rating, RatingSystem, Scale


class PointsSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Its keys in `[rating]`."""

    first: float = 0.0
    step: Annotated[float, Meta(gt=0, le=100)] = 1.0


class Points:
    """A point for each entry ranked below. A `RatingSystem` without σ."""

    name = "points"
    settings = PointsSettings

    def scale(self, settings: PointsSettings) -> Scale:
        return Scale(Rating(settings.first), unit=10 * settings.step, decimals=0)

    def rate(
        self, settings: PointsSettings, ratings: Sequence[Rating], ranks: Sequence[int]
    ) -> tuple[Rating, ...]:
        return tuple(
            Rating(rating.mu + settings.step * sum(other > rank for other in ranks))
            for rating, rank in zip(ratings, ranks, strict=True)
        )


def offer(monkeypatch: pytest.MonkeyPatch, *systems: RatingSystem) -> None:
    """Have these be all the rating systems there are, beside ours."""
    found = {**ratings.rating_systems(), **{system.name: system for system in systems}}
    monkeypatch.setattr(ratings, "rating_systems", lambda: Found("rating system", found, ()))

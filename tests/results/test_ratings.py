"""Rating systems: found by name, given their settings, and held to what they must do."""

import math
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import pytest
from msgspec import Struct

from results.base.errors import BadRating, RatingFailed, UnknownRating
from results.base.plugins import BrokenPlugin
from results.ratings import Rater, rater, rating_system, rating_systems
from results.ratings.base import USUAL, Rating, Scale
from tests.support.points import Points, PointsSettings


class Twin(Points):
    name = "trueskill"


class Nameless:
    """Has no member at all."""


class Required(Struct, frozen=True, forbid_unknown_fields=True):
    step: float


class Loose(Struct):
    step: float = 1.0


class Taken(Struct, frozen=True, forbid_unknown_fields=True):
    widen: float = 1.0


def with_settings(settings: type[Struct]) -> Any:
    return type("Odd", (Points,), {"settings": settings})()


foreign, twin, nameless = Points(), Twin(), Nameless()
required, loose, taken = with_settings(Required), with_settings(Loose), with_settings(Taken)
unmeasured = type("Unmeasured", (Points,), {"draws": "ties"})()
as_class = Points


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Return what lets another package offer something of this module under a name."""

    def offer(name: str, what: str) -> None:
        point = EntryPoint(name, f"{__name__}:{what}", "arena.ratings")
        monkeypatch.setattr(EntryPoint, "load", lambda self: globals()[self.attr])
        monkeypatch.setattr(metadata, "entry_points", lambda group: EntryPoints([point]).select(group=group))
        rating_systems.cache_clear()

    yield offer
    rating_systems.cache_clear()


def test_trueskill_is_there_with_its_defaults() -> None:
    assert rater("trueskill").scale == USUAL
    assert rater("trueskill", {"mu": 1000, "sigma": 200}).scale.start == Rating(1000.0, 200.0)


def test_an_unknown_system_is_refused_with_the_list() -> None:
    with pytest.raises(UnknownRating, match="elo") as caught:
        rating_system("elo")
    assert "trueskill" in caught.value.hint


def test_an_unknown_option_is_refused_with_the_list() -> None:
    with pytest.raises(BadRating, match="drawprob") as caught:
        rater("trueskill", {"drawprob": 0.1})
    assert "draw_probability" in caught.value.hint


def test_another_package_may_offer_one(offered: Callable[[str, str], None]) -> None:
    offered("points", "foreign")
    system = rater("points", {"step": 2.0})
    assert system.rate([system.scale.start] * 2, [1, 2]) == (Rating(2.0), Rating(0.0))


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("nameless", "it lacks name, rate, scale, settings"),
        ("required", "it lacks a default for the setting 'step'"),
        ("loose", "it lacks settings with frozen=True and forbid_unknown_fields=True"),
        ("taken", "it lacks another name for the setting 'widen'"),
        ("unmeasured", "it lacks the setting 'ties' that its `draws` names"),
        ("as_class", "is a class"),
    ],
)
def test_what_is_none_harms_only_who_asks_for_it(
    offered: Callable[[str, str], None], what: str, words: str
) -> None:
    offered("points", what)
    assert rater("trueskill").scale == USUAL
    with pytest.raises(BrokenPlugin, match=words) as caught:
        rating_system("points")
    assert what in str(caught.value)


def test_nobody_takes_the_name_of_ours(offered: Callable[[str, str], None]) -> None:
    offered("trueskill", "twin")
    assert rater("trueskill").scale == USUAL
    assert "two rating systems are named 'trueskill'" in rating_systems().broken[0].reason


# Held to what they must do


def returning(given: Any, scale: Any = None) -> Rater:
    """Return what rates by a system that always gives the same."""

    class Giving(Points):
        def scale(self, settings: PointsSettings) -> Scale:
            return super().scale(settings) if scale is None else scale

        def rate(self, settings: Any, ratings: Any, ranks: Any) -> Any:  # noqa: ARG002 - whatever the match was
            return given(ratings) if callable(given) else given

    return Rater(Giving(), PointsSettings())


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([Rating(math.nan), Rating(0.0)], "nan"),
        ([Rating(math.inf), Rating(0.0)], "inf"),
        ([Rating(1e300), Rating(0.0)], "must be finite"),
        ([Rating(1.0, -1.0), Rating(0.0)], "0 or more"),
        ([Rating(1.0, 2.0), Rating(0.0)], "its scale has no σ"),
        ([Rating(1.0)], "1 ratings for 2 entries"),
        (None, "a NoneType for 2 entries"),
        ([1.0, 2.0], "1.0, which is not a rating"),
        ([Rating("1"), Rating(0.0)], "which is not a rating"),  # type: ignore[arg-type]
        (lambda ratings: ratings[5], "IndexError: tuple index out of range .*test_ratings.py:"),
    ],
)
def test_what_is_no_rating_is_refused_by_name(given: Any, words: str) -> None:
    with pytest.raises(RatingFailed, match=words) as caught:
        returning(given).rate([Rating(0.0), Rating(0.0)], [1, 2])
    assert "the rating system 'points' of tests.results.test_ratings failed" in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        ("wide", "which is not a Scale"),
        (Scale(Rating(0.0), 0.0), "a unit of 0.0"),
        (Scale(Rating(math.nan), 1.0), "start.mu of nan"),
        (Scale(Rating(0.0), 1.0, decimals=1.5), "1.5 decimals"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_scale_is_refused_by_name(scale: Any, words: str) -> None:
    with pytest.raises(RatingFailed, match=words):
        returning([], scale)


def test_whole_numbers_and_negative_zeros_are_made_plain() -> None:
    first, second = returning([Rating(1), Rating(-0.0)]).rate([Rating(0.0), Rating(0.0)], [1, 2])
    assert (type(first.mu), str(second.mu)) == (float, "0.0")


def test_a_system_gets_the_best_first_and_equals_get_equal_ratings() -> None:
    seen: list[tuple[Sequence[Rating], Sequence[int]]] = []

    class Places(Points):
        """Rates by the place in which an entry is listed."""

        def rate(
            self, settings: PointsSettings, ratings: Sequence[Rating], ranks: Sequence[int]
        ) -> tuple[Rating, ...]:
            del settings
            seen.append((ratings, ranks))
            return tuple(Rating(float(place)) for place in range(len(ratings)))

    rated = Rater(Places(), PointsSettings()).rate(
        [Rating(5.0), Rating(1.0), Rating(9.0), Rating(1.0)], [3, 1, 2, 1]
    )
    assert seen == [((Rating(1.0), Rating(1.0), Rating(9.0), Rating(5.0)), (1, 1, 2, 3))]
    assert rated == (Rating(3.0), Rating(0.5), Rating(2.0), Rating(0.5))

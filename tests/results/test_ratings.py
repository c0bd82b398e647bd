"""Rating systems are found by name, also those of other packages."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import metadata
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from results import ratings
from results.errors import BadRating, UnknownRating
from results.ratings import rating_system, rating_systems
from results.ratings.base import Rating


class Foreign:
    """A rating system of another package: everybody is worth the number of matches played."""

    name = "foreign"

    def __init__(self, step: float = 1.0) -> None:
        self.step = step

    @property
    def parameters(self) -> Mapping[str, float]:
        return {"step": self.step}

    def initial(self) -> Rating:
        return Rating(0.0, 1.0)

    def rate(self, ratings: Sequence[Rating], ranks: Sequence[int]) -> tuple[Rating, ...]:
        del ranks
        return tuple(Rating(rating.mu + self.step, rating.sigma) for rating in ratings)


class Twin(Foreign):
    name = "trueskill"


def nameless() -> None:
    """Is called, but has no name."""


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Return what lets another package offer something of this module."""

    def offer(what: str) -> None:
        point = EntryPoint(what, f"{__name__}:{what}", ratings.GROUP)
        monkeypatch.setattr(EntryPoint, "load", lambda self: globals()[self.name])
        monkeypatch.setattr(metadata, "entry_points", lambda group: EntryPoints([point]).select(group=group))
        rating_systems.cache_clear()

    yield offer
    rating_systems.cache_clear()


def test_trueskill_is_there_with_its_defaults() -> None:
    assert rating_system("trueskill").initial() == Rating(25.0, 25 / 3)
    assert rating_system("trueskill", {"mu": 1000, "sigma": 200}).initial() == Rating(1000, 200)


def test_an_unknown_system_is_refused_with_the_list() -> None:
    with pytest.raises(UnknownRating, match="elo") as caught:
        rating_system("elo")
    assert "trueskill" in caught.value.hint


def test_an_unknown_parameter_is_refused_with_the_list() -> None:
    with pytest.raises(BadRating, match="drawprob") as caught:
        rating_system("trueskill", {"drawprob": 0.1})
    assert "draw_probability" in caught.value.hint


def test_another_package_may_offer_one(offered: Callable[[str], None]) -> None:
    offered("Foreign")
    system = rating_system("foreign", {"step": 2.0})
    assert system.rate([system.initial()] * 2, [1, 2]) == (Rating(2.0, 1.0), Rating(2.0, 1.0))


@pytest.mark.parametrize(("what", "word"), [("Twin", "exists already"), ("nameless", "no rating system")])
def test_what_is_none_stops_loudly(offered: Callable[[str], None], what: str, word: str) -> None:
    offered(what)
    with pytest.raises(ImportError, match=word) as caught:
        rating_systems()
    assert what in str(caught.value)


def test_conservative_is_three_sigmas_below() -> None:
    assert Rating(25.0, 25 / 3).conservative == 0.0
    assert Rating(30.0, 2.0).conservative == 24.0

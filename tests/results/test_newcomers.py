"""Who is new in a league: entries that joined later, until their places are as sure as the others'."""

from collections.abc import Sequence

import pytest

from results.ratings.base import USUAL, Rating, Scale
from results.records.query_rows import SURE_MATCHES, SURE_PART, Standing, newcomers

ELO = Scale(start=Rating(1500.0), unit=200.0)


def row(entry_no: int, matches: int, sigma: float = 0.0) -> Standing:
    return Standing(
        0, entry_no, str(entry_no), None, 25.0, sigma, matches, matches, 0.0, 0.5, 0.0, 0, 0.0, 1, False
    )


def new(rows: Sequence[Standing], scale: Scale = USUAL) -> set[int]:
    return set(newcomers(rows, {9: 50}, scale))


ENOUGH = SURE_PART * USUAL.unit


@pytest.mark.parametrize(
    ("matches", "sigma", "is_new"),
    [
        (0, 8.3, True),
        (9, 1.5, True),  # too few matches for a rank
        (10, 1.5, False),  # as sure as the median of the others
        (500, 1.51, True),
    ],
)
def test_with_sigma_the_others_are_the_measure(matches: int, sigma: float, is_new: bool) -> None:
    others = [row(0, 100, 1.2), row(1, 100, 1.5), row(2, 100, 4.0), row(3, 9, 0.1)]
    assert new([*others, row(9, matches, sigma)]) == ({9} if is_new else set())


def test_sure_enough_is_enough_however_sure_the_others_are() -> None:
    others = [row(0, 5000, 0.2), row(1, 5000, 0.3)]
    assert new([*others, row(9, 40, ENOUGH)]) == set()
    assert new([*others, row(9, 40, ENOUGH + 0.001)]) == {9}


@pytest.mark.parametrize(
    ("others", "matches", "is_new"),
    [
        (40, 19, True),
        (40, 20, False),
        (5000, SURE_MATCHES - 1, True),
        (5000, SURE_MATCHES, False),
        (12, 9, True),
    ],
)
def test_without_sigma_matches_are_counted(others: int, matches: int, is_new: bool) -> None:
    assert new([row(0, others), row(1, others), row(9, matches)], ELO) == ({9} if is_new else set())


def test_entries_from_the_start_are_never_new() -> None:
    assert newcomers([row(0, 100, 1.0), row(1, 0, 8.3)], {}, USUAL) == set()


def test_those_who_joined_before_are_the_measure_too() -> None:
    rows = [row(7, 500, 1.4), row(8, 12, 3.0), row(9, 500, 1.4)]
    assert newcomers(rows, {7: 10, 8: 20, 9: 30}, USUAL) == {7, 8}, "of those before 9, the median is 2.2"


def test_where_all_have_joined_later_the_scale_alone_decides() -> None:
    assert new([row(9, 12, ENOUGH)]) == set()
    assert new([row(9, 12, 2.0)]) == {9}

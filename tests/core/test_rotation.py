"""Rotations: who sits where in the games of a match."""

from collections import Counter

import pytest

from arena.core.errors import UsageError
from arena.core.rotation import Rotations, seatings


def test_cyclic_by_hand() -> None:
    assert seatings((7, 8, 9), "cyclic") == ((7, 8, 9), (9, 7, 8), (8, 9, 7))


def test_mirror_by_hand() -> None:
    assert seatings((7, 8, 9), "mirror") == (
        (7, 8, 9), (9, 7, 8), (8, 9, 7),
        (9, 8, 7), (7, 9, 8), (8, 7, 9),
    )  # fmt: skip
    assert seatings((7, 8), "mirror") == ((7, 8), (8, 7), (8, 7), (7, 8))


def test_all_and_off_by_hand() -> None:
    assert seatings((7, 8), "all") == ((7, 8), (8, 7))
    assert len(set(seatings((6, 7, 8, 9), "all"))) == 24
    assert seatings((7, 8, 9), "off") == ((7, 8, 9),)


def test_all_of_more_than_four_seats_are_too_many() -> None:
    with pytest.raises(UsageError, match="at most 4 seats, not 5"):
        seatings((0, 1, 2, 3, 4), "all")


@pytest.mark.parametrize("seats", range(2, 13))
def test_entry_i_sits_at_seat_i_plus_r(seats: int) -> None:
    entries = tuple(range(100, 100 + seats))
    games = seatings(entries, "cyclic")
    assert len(games) == seats
    for rotation, seating in enumerate(games):
        for i, entry in enumerate(entries):
            assert seating[(i + rotation) % seats] == entry


@pytest.mark.parametrize("rotations", ["cyclic", "mirror", "all"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_everybody_sits_everywhere_equally_often(rotations: Rotations, seats: int) -> None:
    games = seatings(tuple(range(seats)), rotations)
    sat = Counter((seat, entry) for seating in games for seat, entry in enumerate(seating))
    assert set(sat.values()) == {len(games) // seats}
    assert len(sat) == seats * seats


@pytest.mark.parametrize("seats", range(3, 13))
def test_mirrored_everybody_has_the_same_neighbours_on_either_side(seats: int) -> None:
    pairs = Counter(
        (seating[seat], seating[(seat + 1) % seats])
        for seating in seatings(tuple(range(seats)), "mirror")
        for seat in range(seats)
    )
    assert all(pairs[left, right] == pairs[right, left] for left, right in pairs)

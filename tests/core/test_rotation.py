"""Rotations: who sits where in the games of a match."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

import pytest

from arena.core.errors import UsageError
from arena.core.ruleset import Rotations
from arena.core.seatings import seatings


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


@pytest.mark.parametrize("rotations", ["cyclic", "mirror", "balanced", "all"])
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


def test_balanced_by_hand() -> None:
    assert seatings((6, 7, 8, 9), "balanced") == ((6, 7, 8, 9), (7, 9, 6, 8), (9, 8, 7, 6), (8, 6, 9, 7))
    assert seatings((7, 8, 9), "balanced") == seatings((7, 8, 9), "mirror"), (
        "a Latin square of 3 has one circle"
    )
    assert seatings((7, 8), "balanced") == ((7, 8), (8, 7))
    with pytest.raises(UsageError, match="at most 12 seats, not 13"):
        seatings(tuple(range(13)), "balanced")


@pytest.mark.parametrize("seats", range(1, 13))
def test_balanced_everybody_sits_everywhere_and_neighbours_are_even(seats: int) -> None:
    games = seatings(tuple(range(100, 100 + seats)), "balanced")
    assert games[0] == tuple(range(100, 100 + seats)), "the first game is the base order"
    assert len(games) == (6 if seats == 3 else seats)
    sat = Counter((seat, entry) for game in games for seat, entry in enumerate(game))
    assert len(sat) == seats**2
    assert set(sat.values()) == {len(games) // seats}
    if seats == 1:
        return
    after = neighbours(games)
    often = Counter(after[pair] for pair in permutations(games[0], 2))
    if seats == 3:
        assert often == {3: 6}
    elif seats == 2:
        assert often == {2: 2}
    elif seats % 2 == 0:
        assert often == {1: seats * (seats - 2), 2: seats}, (
            "right after each other once, after one of them twice"
        )
    else:
        assert often == {0: seats, 1: seats * (seats - 4), 2: 2 * seats}
    predecessors = [sorted(after[other, entry] for other in games[0] if other != entry) for entry in games[0]]
    assert all(each == predecessors[0] for each in predecessors), (
        "nobody's neighbours are less even than others'"
    )


@pytest.mark.parametrize("seats", [3, 4, 5, pytest.param(6, marks=pytest.mark.slow)])
def test_no_latin_square_has_more_even_neighbours(seats: int) -> None:
    found = [unevenness(square) for square in latin_squares(seats)]
    assert len(found) == {3: 1, 4: 4, 5: 56, 6: 9408}[seats], (
        "all there are, but for names and the order of rows"
    )
    ours = seatings(tuple(range(seats)), "cyclic" if seats == 3 else "balanced")
    assert unevenness(ours) == min(found)


def neighbours(games: Iterable[Sequence[int]]) -> Counter[tuple[int, int]]:
    """Return how often one entry sits right after another in the circle."""
    return Counter(pair for game in games for pair in zip(game, (*game[1:], game[0]), strict=True))


def unevenness(games: Iterable[Sequence[int]]) -> tuple[int, int, int]:
    """Return the sums of squares of how often two sit one right after the other, side by side, and two apart."""
    after = neighbours(games)
    beside = [after[a, b] + after[b, a] for a, b in after if a < b or (b, a) not in after]
    two_after = Counter(pair for game in games for pair in zip(game, (*game[2:], *game[:2]), strict=True))
    return sum_of_squares(after.values()), sum_of_squares(beside), sum_of_squares(two_after.values())


def sum_of_squares(counts: Iterable[int]) -> int:
    return sum(count * count for count in counts)


def latin_squares(seats: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield every Latin square whose first row and first column are in order.

    Any other becomes one of these if its entries are named after the first row and its rows are put in order, which
    doesn't change how even its neighbours are.
    """
    rows = [[row for row in permutations(range(seats)) if row[0] == first] for first in range(seats)]
    used = [{seat} for seat in range(seats)]

    def add_rows(square: tuple[tuple[int, ...], ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
        if len(square) == seats:
            yield square
            return
        for row in rows[len(square)]:
            if all(entry not in column for entry, column in zip(row, used, strict=True)):
                for entry, column in zip(row, used, strict=True):
                    column.add(entry)
                yield from add_rows((*square, row))
                for entry, column in zip(row, used, strict=True):
                    column.remove(entry)

    yield from add_rows((tuple(range(seats)),))

"""Sums that grow with a league are those of all its matches at once, to the bit."""

from random import Random

import numpy as np
import pytest
from msgspec import structs

from results.analysis.fit_results import Measure
from results.analysis.match_sums import GrowingSums, MatchSums, match_sums
from results.records.query_rows import SeatResult
from tests.results.seat_rows import Game, rows_of


def some_matches(seed: int) -> list[list[SeatResult]]:
    """Return the seats of 60 matches of one to three games at tables of two to four, some with forfeits, by match."""
    rng = Random(seed)
    games: list[Game] = []
    out = []
    for match_no in range(60):
        table = rng.sample(range(7), rng.randint(2, 4))
        games += [
            (match_no, rng.sample(table, len(table)), [rng.randint(-30, 30) for _ in table])
            for _ in range(rng.randint(1, 3))
        ]
        if rng.random() < 0.2:
            out.append((match_no, rng.randrange(len(table))))
    rows = rows_of(games, out)
    return [[row for row in rows if row.match_no == match_no] for match_no in range(60)]


def same(one: MatchSums, other: MatchSums) -> bool:
    return all(
        np.array_equal(first, second)
        for first, second in zip(structs.astuple(one), structs.astuple(other), strict=True)
    )


@pytest.mark.parametrize("measure", Measure)
@pytest.mark.parametrize("seed", range(5))
def test_they_are_those_of_all_at_once(measure: Measure, seed: int) -> None:
    matches = some_matches(seed)
    assert any(row.forfeited for match in matches for row in match)
    rng = Random(seed)
    growing = GrowingSums(measure)
    for first in range(0, 60, 12):
        growing.add([matches[number] for number in range(first, first + 12)])
        if rng.random() < 0.7:
            growing = GrowingSums.from_arrays(measure, growing.arrays())
        expected = match_sums(matches[: first + 12], measure)
        made = growing.sums()
        assert len(made) == len(expected) == 3
        assert all(same(one, other) for one, other in zip(made, expected, strict=True))


def test_a_worse_game_later_makes_earlier_forfeits_worse() -> None:
    early = rows_of([(0, (0, 1), (5, 0)), (1, (0, 1), (3, 9))], out=[(1, 0)])
    growing = GrowingSums(Measure.SCORES)
    growing.add([early])
    before = growing.sums()[0].by_entry[1, 0]
    growing.add([rows_of([(2, (0, 1), (40, 0))])])
    after = growing.sums()[0].by_entry[1, 0]
    assert (before, after) == (-5 / 2, -40 / 2)


def test_nothing_yet() -> None:
    growing = GrowingSums(Measure.SCORES)
    growing.add([])
    assert growing.sums() == ()
    assert GrowingSums.from_arrays(Measure.SCORES, growing.arrays()).sums() == ()


def test_arrays_of_something_else_are_refused() -> None:
    growing = GrowingSums(Measure.SHARES)
    growing.add([rows_of([(0, (0, 1), (5, 0))])])
    arrays = growing.arrays()
    del arrays["2.by_seat"]
    with pytest.raises(KeyError):
        GrowingSums.from_arrays(Measure.SHARES, arrays)

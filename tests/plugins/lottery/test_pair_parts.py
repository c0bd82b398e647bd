"""How pairs of entries did in each part of the matches, by hand and from a ledger."""

from collections import Counter
from pathlib import Path

import pytest
from arena_lottery.pair_parts import PARTS, PairPart, PairParts, pair_parts, part_of

from tests.support.ledgers import new_league, new_store, plan, played


def test_pairs_by_parts_by_hand() -> None:
    parts = PairParts()
    parts.add(0, (1, 0), (1, 1))
    parts.add(1, (2, 0, 1), (2, 1, 3))
    assert parts.rows() == sorted(
        [
            PairPart(part_of(0), 0, 1, 1, 0, 1),
            PairPart(part_of(1), 0, 1, 1, 1, 0),
            PairPart(part_of(1), 0, 2, 1, 1, 0),
            PairPart(part_of(1), 1, 2, 1, 0, 0),
        ]
    )


@pytest.mark.parametrize("period", [1, 7, 21, 64, 144])
def test_no_period_of_a_schedule_shows_in_the_parts(period: int) -> None:
    """A pair that meets every so many matches is spread over all parts."""
    counts = Counter(part_of(number * period) for number in range(64 * 50))
    assert set(counts) == set(range(PARTS))
    assert max(counts.values()) < 100


def test_pairs_by_parts_are_those_of_the_matches(tmp_path: Path) -> None:
    """0 beats 1, 1 beats 2, always; match 3 is void, and the last is not played yet."""
    store = new_store(tmp_path)
    league = new_league(store, 3)
    games = plan(store, league, *(((0, 1), (1, 2))[number % 2] for number in range(8)))
    store.append([played(match, 0, (5, 1)) for match in games[:-1] if match.match_no != 3])
    store.append([], void_matches=[(league.uuid, 3)])
    parts = pair_parts(store, league)
    expected: dict[tuple[int, ...], int] = {}
    for match_no in (0, 1, 2, 4, 5, 6):
        key = (part_of(match_no), *((0, 1), (1, 2))[match_no % 2])
        expected[key] = expected.get(key, 0) + 1
    assert parts == [
        PairPart(key[0], key[1], key[2], count, count, 0) for key, count in sorted(expected.items())
    ]

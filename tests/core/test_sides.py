"""Sides: what a game may say of them, seats that are rotated with partners together, and ranks after forfeits."""

from collections import Counter
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from arena.core.errors import ArenaError
from arena.core.game import is_decided, ranks_with_faults, sides_of
from arena.core.ruleset import Rotations, Ruleset
from arena.core.seatings import seatings

WHIST = (0, 1, 0, 1)
RULES = Ruleset("cards", 1, "plain", {})


def game(sides: Any) -> Any:
    return SimpleNamespace(info=SimpleNamespace(name="cards"), sides=lambda _rules, _seats: sides)


@pytest.mark.parametrize(
    ("given", "sides"),
    [((0, 1, 0, 1), WHIST), ([7, 3, 7, 3], WHIST), ((1, 1, 0, 0), (0, 0, 1, 1)), (range(4), ())],
)
def test_sides_are_numbered_in_the_order_of_seats(given: Any, sides: tuple[int, ...]) -> None:
    assert sides_of(game(given), RULES, 4) == sides


def test_a_game_without_sides_has_none() -> None:
    assert sides_of(object(), RULES, 4) == ()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((0, 1), "has sides for 2 seats at a table of 4"),
        ((0, 1, 1, 1), "has a side of 1 and one of 3"),
        ((0, 0, 0, 0), "has all seats on one side"),
        ({0: 0}, "a whole number for each seat"),
        ((0, 1, 0, True), "a whole number for each seat"),
        (None, "a whole number for each seat"),
    ],
)
def test_sides_that_do_not_fit_the_seats_are_refused_in_a_sentence(given: Any, words: str) -> None:
    with pytest.raises(ArenaError, match=words):
        sides_of(game(given), RULES, 4)


def partners(seated: tuple[int, ...], sides: tuple[int, ...]) -> set[frozenset[int]]:
    return {frozenset(e for e, side in zip(seated, sides, strict=True) if side == one) for one in sides}


@pytest.mark.parametrize("rotations", get_args(Rotations))
@pytest.mark.parametrize("sides", [WHIST, (0, 0, 1, 1), (0, 1, 2, 0, 1, 2), (0, 0, 1, 1, 2, 2)])
def test_partners_stay_together_and_every_entry_plays_every_seat_equally_often(
    rotations: Rotations, sides: tuple[int, ...]
) -> None:
    if rotations == "all" and len(sides) > 4:
        return
    entries = tuple(range(10, 10 + len(sides)))
    games = seatings(entries, rotations, sides)
    assert games[0] == entries
    assert {frozenset(partners(one, sides)) for one in games} == {frozenset(partners(entries, sides))}
    if rotations != "off":
        counts = Counter((seat, entry) for one in games for seat, entry in enumerate(one))
        assert len(counts) == len(sides) ** 2
        assert len(set(counts.values())) == 1


def test_opposite_partners_are_rotated_as_seats_always_are() -> None:
    assert seatings((6, 7, 8, 9), "cyclic", WHIST) == seatings((6, 7, 8, 9), "cyclic")


def test_neighbours_are_rotated_side_by_side() -> None:
    assert seatings((6, 7, 8, 9), "cyclic", (0, 0, 1, 1)) == (
        (6, 7, 8, 9),
        (8, 9, 6, 7),
        (7, 6, 9, 8),
        (9, 8, 7, 6),
    )


def test_all_rotations_are_those_with_the_same_partners() -> None:
    assert len(seatings((6, 7, 8, 9), "all", WHIST)) == 8


@pytest.mark.parametrize(
    ("faults", "loses_side", "ranks", "over"),
    [
        ({}, False, (1, 3, 1, 3), False),
        ({0: 5}, False, (1, 3, 1, 3), False),
        ({0: 5, 1: 6}, False, (1, 3, 1, 3), False),
        ({0: 5, 2: 9}, False, (3, 1, 3, 1), True),
        ({0: 5}, True, (3, 1, 3, 1), True),
        ({0: 5, 1: 6}, True, (3, 1, 3, 1), True),
        ({0: 5, 2: 9, 1: 9, 3: 9}, False, (1, 1, 1, 1), True),
        ({0: 5, 2: 9, 1: 7, 3: 8}, False, (1, 3, 1, 3), True),
    ],
)
def test_a_side_is_out_when_its_game_says_so(
    faults: dict[int, int], loses_side: bool, ranks: tuple[int, ...], over: bool
) -> None:
    """A side that plays on with the house keeps its result; one that is out ranks below the others."""
    assert ranks_with_faults((8, 5, 8, 5), faults, WHIST, loses_side=loses_side) == ranks
    assert is_decided(4, faults, WHIST, loses_side=loses_side) is over


def test_partners_with_different_scores_are_the_games_fault() -> None:
    with pytest.raises(ArenaError, match="partners have different scores"):
        ranks_with_faults((8, 5, 7, 5), {}, WHIST)

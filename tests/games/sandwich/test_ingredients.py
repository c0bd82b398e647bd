"""The data file: what it holds."""

import re
from statistics import fmean, pstdev

from arena.core.game_files import read_toml
from arena.games.sandwich.ingredients import (
    CARDS,
    FAMILIES,
    FAMILY_OF,
    NAMES,
    PAIRS,
    PAIRS_OF_CARDS,
)

FILE = read_toml("arena.games.sandwich", "ingredients.toml")


def test_there_are_56_ingredients_in_8_families_of_7() -> None:
    assert FAMILIES == ("meat", "fish", "cheese", "vegetable", "fruit", "sauce", "sweet", "oddity")
    assert len(NAMES) == len(set(NAMES)) == 56
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in (*FAMILIES, *NAMES))
    assert all(FAMILY_OF.count(family) == 7 for family in range(8))
    assert NAMES[CARDS["blue-cheese"]] == "blue-cheese"
    assert FAMILIES[FAMILY_OF[CARDS["blue-cheese"]]] == "cheese"


def test_the_36_figures_are_symmetric_and_count_neither_too_much_nor_too_little() -> None:
    assert all(PAIRS[one][other] == PAIRS[other][one] for one in range(8) for other in range(8))
    figures = [PAIRS[one][other] / 1e6 for one in range(8) for other in range(one + 1)]
    assert len(figures) == 36
    assert figures == [figure for row in FILE["pairs"].values() for figure in row.values()]
    assert max(map(abs, figures)) <= 1.5
    assert abs(fmean(figures)) <= 0.1
    assert 0.5 <= pstdev(figures) <= 0.75


def test_fish_with_sweet_is_bad_and_cheese_with_fruit_is_good() -> None:
    figures = sorted(PAIRS[one][other] for one in range(8) for other in range(one + 1))
    assert pair("fish", "sweet") == figures[0]
    assert pair("cheese", "fruit") == figures[-1]


def pair(one: str, other: str) -> int:
    return PAIRS[FAMILIES.index(one)][FAMILIES.index(other)]


def test_pairs_of_cards_are_those_of_their_families() -> None:
    assert PAIRS_OF_CARDS[CARDS["tuna"]][CARDS["jam"]] == pair("fish", "sweet") == -1_400_000
    assert all(PAIRS_OF_CARDS[a][b] == PAIRS[a // 7][b // 7] for a in range(56) for b in range(56))

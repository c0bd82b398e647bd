"""The data file: what it holds, and that a wrong one is refused in words."""

import copy
from collections.abc import Callable
from statistics import fmean, pstdev
from typing import Any

import pytest

from arena.core.data_files import BadData, read_toml
from arena.games.sandwich.ingredients import (
    CARDS,
    FAMILIES,
    FAMILY_OF,
    NAMES,
    PAIRS,
    PAIRS_OF_CARDS,
    read,
)

FILE = read_toml("arena.games.sandwich", "ingredients.toml")


def test_there_are_56_ingredients_in_8_families_of_7() -> None:
    assert FAMILIES == ("meat", "fish", "cheese", "vegetable", "fruit", "sauce", "sweet", "oddity")
    assert len(NAMES) == len(set(NAMES)) == 56
    assert all(FAMILY_OF.count(family) == 7 for family in range(8))
    assert NAMES[CARDS["blue-cheese"]] == "blue-cheese"
    assert FAMILIES[FAMILY_OF[CARDS["blue-cheese"]]] == "cheese"


def test_the_36_figures_are_symmetric_and_count_neither_too_much_nor_too_little() -> None:
    assert all(PAIRS[one][other] == PAIRS[other][one] for one in range(8) for other in range(8))
    figures = [PAIRS[one][other] / 1e6 for one in range(8) for other in range(one + 1)]
    assert len(figures) == 36
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


def changed(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    data = copy.deepcopy(FILE)
    change(data)
    return data


def set_all(data: dict[str, Any], factor: float) -> None:
    for row in data["pairs"].values():
        for family in row:
            row[family] = round(max(-1.5, min(1.5, row[family] * factor)), 6)


def move_all(data: dict[str, Any], by: float) -> None:
    for row in data["pairs"].values():
        for family in row:
            row[family] = round(max(-1.5, row[family] + by), 6)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: data.pop("pairs"), "two tables, families and pairs"),
        (lambda data: data.update(more={}), "two tables, families and pairs"),
        (lambda data: data.update(families=[]), "families: this is a table"),
        (lambda data: data["families"].pop("fish"), "families: there are 8 families, not 7"),
        (lambda data: data["families"]["fish"].pop(), "families.fish: a family is a list of 7 ingredients"),
        (lambda data: data["families"].update(fish="tuna"), "families.fish: a family is a list of 7"),
        (lambda data: data["families"]["fish"].__setitem__(0, "ham"), "families.fish: ham is there twice"),
        (
            lambda data: data["families"]["fish"].__setitem__(0, "Tuna Fish"),
            "families.fish: 'Tuna Fish': a name",
        ),
        (lambda data: data["families"]["fish"].__setitem__(0, 7), "families.fish: 7: a name"),
        (lambda data: data["pairs"].pop("fish"), "pairs: there is one row for each family"),
        (lambda data: data["pairs"].update(sweets={}), "pairs: there is one row for each family"),
        (lambda data: data["pairs"].update(fish=1), "pairs.fish: this is a table"),
        (lambda data: data["pairs"]["fish"].pop("meat"), "pairs.fish: there is one figure for each of these"),
        (lambda data: data["pairs"]["meat"].update(fish=0.1), "pairs.meat: there is one figure"),
        (
            lambda data: data["pairs"]["fish"].update(meat=1.6),
            "pairs.fish.meat: a figure lies from -1.5 to 1.5",
        ),
        (lambda data: data["pairs"]["fish"].update(meat=True), "pairs.fish.meat: a figure lies"),
        (lambda data: data["pairs"]["fish"].update(meat="0"), "pairs.fish.meat: a figure lies"),
        (
            lambda data: data["pairs"]["fish"].update(meat=0.1234567),
            "pairs.fish.meat: a figure has at most six",
        ),
        (lambda data: data["pairs"]["fish"].update(meat=float("nan")), "pairs.fish.meat: a figure lies"),
        (lambda data: set_all(data, 0.5), "standard deviation is 0.5 to 0.75, not 0.319"),
        (lambda data: set_all(data, 1.3), "standard deviation is 0.5 to 0.75, not 0.8"),
        (lambda data: move_all(data, 0.1), "the mean of the figures is 0 ± 0.1, not 0.147"),
    ],
)
def test_a_wrong_file_is_refused_and_says_where(change: Callable[[dict[str, Any]], Any], reason: str) -> None:
    with pytest.raises(BadData) as refused:
        read(changed(change), "some/file.toml")
    assert str(refused.value).startswith("some/file.toml: ")
    assert reason in str(refused.value)


def test_a_family_with_a_badly_written_name_is_refused() -> None:
    data = changed(lambda data: data["families"].update({"Odd ones": data["families"].pop("oddity")}))
    with pytest.raises(BadData, match="Odd ones: a name is written in lower case"):
        read(data, "some/file.toml")

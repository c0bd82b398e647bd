"""The editions, their options, and what fits how many players (source 002)."""

import pytest

from arena.core.errors import BadOption, UnknownName
from arena.core.ruleset import ruleset
from arena.games.sandwich import GAME
from tests.games.sandwich.tables import rules_of

FR = {
    "own_card": "last",
    "trading": False,
    "trade_rounds": 3,
    "points": (3, 2, 0),
    "points3": (3, 2, 1, 0),
    "alternate": False,
    "open": False,
    "boxes": 1,
    "rounds": 3,
    "tasting": "palate",
}


@pytest.mark.parametrize(
    ("name", "differs"),
    [
        ("fr", {}),
        ("en", {"own_card": "after_others", "trading": True}),
        ("es", {"own_card": "after_others", "trading": True}),
        ("de", {"own_card": "after_others", "trading": True, "points": (3, 1, 0)}),
    ],
)
def test_each_edition_sets_its_options(name: str, differs: dict[str, object]) -> None:
    assert dict(rules_of(4, name).options) == {**FR, **differs}


def test_the_editions_in_order_and_the_first_is_the_default() -> None:
    assert list(GAME.info.rulesets) == ["fr", "en", "es", "de"]
    assert ruleset(GAME.info).name == "fr"


def test_the_spanish_edition_is_rated_with_the_english_one() -> None:
    assert ruleset(GAME.info, "es").key == ruleset(GAME.info, "en").key
    assert ruleset(GAME.info, "es").name == "en"
    assert ruleset(GAME.info, "es", {"rounds": 2}).name == "en+rounds=2"


@pytest.mark.parametrize(
    ("options", "fewest", "most"),
    [
        ({}, 3, 6),
        ({"boxes": 2}, 5, 12),
        ({"alternate": True}, 5, 6),
        ({"alternate": True, "boxes": 2}, 5, 12),
        ({"open": True, "tasting": "free", "trading": True}, 3, 6),
    ],
)
def test_how_many_can_play(options: dict[str, object], fewest: int, most: int) -> None:
    rules = ruleset(GAME.info, "fr", options)
    assert GAME.seats(rules) == range(fewest, most + 1)
    for seats in range(-2, 20):
        if fewest <= seats <= most:
            assert GAME.resolve(rules, seats) == rules
        else:
            with pytest.raises(BadOption, match=str(seats)):
                GAME.resolve(rules, seats)


@pytest.mark.parametrize(
    ("seats", "options", "reason"),
    [
        (2, {}, "for 3 to 12 players, not 2"),
        (13, {"boxes": 2}, "for 3 to 12 players, not 13"),
        (7, {}, "one box is for up to 6 players, not 7"),
        (4, {"boxes": 2}, "two boxes are for 5 players or more, not 4"),
        (4, {"alternate": True}, "only with 5 players or more, not 4"),
        (4, {"points": [3, 2]}, "points: 3 numbers are needed, from the best sandwich to the worst, not 2"),
        (4, {"points": [3, 2, 1, 0]}, "points: 3 numbers are needed"),
        (3, {"points3": [3, 2, 1]}, "points3: 4 numbers are needed"),
        (4, {"points3": [3]}, "points3: 4 numbers are needed"),
    ],
)
def test_options_that_do_not_fit_are_refused(seats: int, options: dict[str, object], reason: str) -> None:
    with pytest.raises(BadOption, match=reason):
        rules_of(seats, "en", **options)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("own_card", "never"),
        ("trading", "yes"),
        ("trade_rounds", 0),
        ("points", []),
        ("points", [3, 2, -1]),
        ("points3", 3),
        ("alternate", 1),
        ("boxes", 3),
        ("boxes", 0),
        ("rounds", 0),
        ("rounds", "3"),
        ("tasting", "blind"),
    ],
)
def test_values_out_of_range_are_refused_by_name(option: str, value: object) -> None:
    with pytest.raises(BadOption, match=f"option {option}: "):
        ruleset(GAME.info, "fr", {option: value})


def test_an_unknown_option_is_refused_with_the_list() -> None:
    with pytest.raises(UnknownName) as refused:
        ruleset(GAME.info, "fr", {"cheese": True})
    assert "tasting" in refused.value.hint


def test_the_commerce_variant_of_the_french_edition() -> None:
    rules = rules_of(4, "fr", trading=True)
    assert rules.name == "fr+trading=on"
    assert rules.flag("trading")

"""Rulesets and options: what follows from the ruleset and the number of players, and what is refused."""

import pytest

from arena.core.errors import BadOption
from arena.core.ruleset import ruleset
from arena.games.bread_and_chocolate import GAME
from tests.games.bread_and_chocolate.tables import resolved


@pytest.mark.parametrize("name", ["pagat", "gamerules"])
def test_what_follows_for_two(name: str) -> None:
    rules = resolved(name)
    assert rules["rules"] == name
    assert (rules["hands"], rules["turn_limit"], rules["going_out"]) == (10, 500, 10)


@pytest.mark.parametrize("seats", range(2, 6))
def test_what_follows_in_shram(seats: int) -> None:
    rules = resolved("shram", seats)
    assert (rules["hands"], rules["turn_limit"], rules["going_out"]) == (seats, 40 * seats, 0)
    assert rules["values"] == "ranks"


def test_what_is_set_stays() -> None:
    rules = resolved("shram", 3, hands=7, turn_limit=12, going_out=5, values="note")
    assert rules.name == "shram+going_out=5+hands=7+turn_limit=12+values=note"
    assert (rules["hands"], rules["turn_limit"], rules["going_out"]) == (7, 12, 5)


@pytest.mark.parametrize(("name", "seats"), [("pagat", 3), ("gamerules", 5), ("shram", 6), ("shram", 1)])
def test_numbers_of_players_that_are_refused(name: str, seats: int) -> None:
    with pytest.raises(BadOption, match=f"not {seats}"):
        resolved(name, seats)


@pytest.mark.parametrize("name", ["pagat", "gamerules"])
def test_values_are_refused_where_cards_have_none(name: str) -> None:
    with pytest.raises(BadOption, match=f"only in shram, not in {name}"):
        resolved(name, values="note")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("hands", 0),
        ("turn_limit", 0),
        ("going_out", -1),
        ("values", "none"),
        ("rules", "pagat2"),
        ("hands", "5"),
    ],
)
def test_options_out_of_range_are_refused(option: str, value: object) -> None:
    with pytest.raises(BadOption, match=option):
        ruleset(GAME.info, "shram", {option: value})


def test_the_rules_by_name_and_by_option_are_the_same() -> None:
    assert ruleset(GAME.info, "pagat", {"rules": "shram"}).key == ruleset(GAME.info, "shram").key

"""Options and rulesets: what values there are, how they are written, what a ruleset is called."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.errors import BadOption, UnknownName
from arena.core.ruleset import GameInfo, Option, OptionValue, Ruleset, ruleset, show, with_options

FLAG = Option("open", "flag", "whether cards lie open", False)
COUNT = Option("hands", "count", "hands in a game", None, high=20, auto="one for each player")
NUMBER = Option("bonus", "number", "points for going out", 10, low=-50, high=50)
CHOICE = Option("deck", "choice", "which deck", "full", choices=("full", "short"))
NUMBERS = Option("points", "numbers", "points by place", (3, 2, 0), low=0, high=9)
OPTIONS = (FLAG, COUNT, NUMBER, CHOICE, NUMBERS)
INFO = GameInfo(
    name="whist",
    title="Whist",
    version=3,
    summary="Tricks.",
    rulesets={"plain": {}, "short": {"deck": "short"}, "wild": {"deck": "short", "open": True, "bonus": 20}},
    options=OPTIONS,
)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (FLAG, True),
        (COUNT, 1),
        (COUNT, 20),
        (COUNT, None),
        (NUMBER, -50),
        (NUMBER, 0),
        (CHOICE, "short"),
        (NUMBERS, (0,)),
        (NUMBERS, (9, 9, 9, 9)),
    ],
)
def test_values_in_range_are_taken(option: Option, value: OptionValue) -> None:
    assert option.check(value) == value
    assert option.parse(show(value)) == value


def test_a_list_of_a_file_becomes_a_tuple() -> None:
    assert NUMBERS.check([3, 1, 0]) == (3, 1, 0)


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        (FLAG, 1, "true or false"),
        (FLAG, "true", "true or false"),
        (FLAG, None, "true or false"),
        (COUNT, 0, "a whole number from 1 to 20, or auto (one for each player)"),
        (COUNT, 21, "a whole number from 1 to 20, or auto (one for each player)"),
        (COUNT, True, "a whole number from 1 to 20, or auto (one for each player)"),
        (COUNT, 2.0, "a whole number from 1 to 20, or auto (one for each player)"),
        (NUMBER, 51, "a whole number from -50 to 50"),
        (NUMBER, None, "a whole number from -50 to 50"),
        (CHOICE, "huge", "one of full, short"),
        (CHOICE, 1, "one of full, short"),
        (NUMBERS, (), "a list of at most 100 whole numbers from 0 to 9"),
        (NUMBERS, (3, 10), "a list of at most 100 whole numbers from 0 to 9"),
        (NUMBERS, (3, True), "a list of at most 100 whole numbers from 0 to 9"),
        (NUMBERS, 3, "a list of at most 100 whole numbers from 0 to 9"),
    ],
)
def test_other_values_are_refused_with_what_is_allowed(option: Option, value: object, allowed: str) -> None:
    with pytest.raises(BadOption) as refusal:
        option.check(value)
    assert str(refusal.value) == f"option {option.name}: {value!r} is not {allowed}"
    assert refusal.value.hint == option.summary


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (FLAG, "on", True),
        (FLAG, "TRUE", True),
        (FLAG, "off", False),
        (COUNT, "7", 7),
        (COUNT, "auto", None),
        (NUMBER, "-3", -3),
        (CHOICE, "short", "short"),
        (NUMBERS, "3", (3,)),
        (NUMBERS, "3,1,0", (3, 1, 0)),
    ],
)
def test_values_are_read_as_written_on_the_command_line(
    option: Option, text: str, value: OptionValue
) -> None:
    assert option.parse(text) == value


@pytest.mark.parametrize(
    ("option", "text"),
    [
        (FLAG, "1"),
        (FLAG, ""),
        (COUNT, "1,2"),
        (COUNT, "many"),
        (COUNT, "2.5"),
        (NUMBER, "auto"),
        (CHOICE, "Short"),
        (NUMBERS, "3,,1"),
        (NUMBERS, "x"),
    ],
)
def test_nonsense_on_the_command_line_is_refused(option: Option, text: str) -> None:
    with pytest.raises(BadOption, match=option.name):
        option.parse(text)


@given(st.sampled_from(OPTIONS), st.text(max_size=6))
def test_any_text_is_a_value_or_refused(option: Option, text: str) -> None:
    try:
        value = option.parse(text)
    except BadOption:
        return
    assert option.parse(show(value)) == value


def test_the_first_ruleset_is_the_default_one() -> None:
    rules = ruleset(INFO)
    assert (rules.game, rules.version, rules.name) == ("whist", 3, "plain")
    assert rules.options == {
        "bonus": 10,
        "deck": "full",
        "hands": None,
        "open": False,
        "points": (3, 2, 0),
    }
    assert list(rules.options) == sorted(rules.options)


@pytest.mark.parametrize(
    ("name", "changes", "called"),
    [
        ("plain", {}, "plain"),
        ("wild", {}, "wild"),
        ("plain", {"hands": 2}, "plain+hands=2"),
        ("plain", {"deck": "short"}, "short"),
        ("wild", {"bonus": 10, "open": False}, "short"),
        ("short", {"open": True}, "short+open=on"),
        ("plain", {"bonus": 20, "deck": "short"}, "short+bonus=20"),
        ("plain", {"open": True, "bonus": 20}, "wild+deck=full"),
        ("plain", {"points": [3, 1]}, "plain+points=3,1"),
    ],
)
def test_a_ruleset_is_called_by_the_nearest_name_and_what_differs(
    name: str, changes: dict[str, object], called: str
) -> None:
    rules = ruleset(INFO, name, changes)
    assert rules.name == called
    assert with_options(INFO, rules.options) == rules


def test_an_implied_flag_is_left_out_while_it_is_off() -> None:
    """Leagues and replays from before there was the option have the same name, options and key."""
    more = replace(INFO, options=(*INFO.options, Option("late", "flag", "late", False, implied=True)))
    for changes in ({}, {"late": False}):
        rules = ruleset(more, "plain", changes)
        assert (rules.name, rules.key, rules["late"]) == ("plain", ruleset(INFO).key, False)
        assert with_options(more, rules.options) == rules
    on = ruleset(more, "plain", {"late": True})
    assert (on.name, on.flag("late"), on.options["late"]) == ("plain+late=on", True, True)
    assert with_options(more, on.options) == on
    with pytest.raises(KeyError):
        on.flag("lat")


def test_a_named_ruleset_may_have_an_implied_flag_on() -> None:
    late = Option("late", "flag", "late", False, implied=True)
    more = replace(INFO, options=(*INFO.options, late), rulesets={**INFO.rulesets, "later": {"late": True}})
    assert ruleset(more, "later").name == "later"
    assert ruleset(more, "later", {"late": False}).name == "plain"


def test_equal_options_have_one_key_whatever_they_are_called() -> None:
    one, other = ruleset(INFO, "plain", {"deck": "short"}), ruleset(INFO, "short")
    assert one.key == other.key
    assert json.loads(one.key) == {
        "bonus": 10,
        "deck": "short",
        "hands": None,
        "open": False,
        "points": [3, 2, 0],
    }
    assert ruleset(INFO).key != one.key


def test_unknown_names_are_refused_with_the_list() -> None:
    with pytest.raises(UnknownName, match="whist has no ruleset 'rough'") as refusal:
        ruleset(INFO, "rough")
    assert refusal.value.hint == "available: plain, short, wild"
    with pytest.raises(UnknownName, match="whist has no option 'chefs'") as refusal:
        ruleset(INFO, None, {"chefs": 1})
    assert refusal.value.hint == "available: open, hands, bonus, deck, points"
    with pytest.raises(BadOption, match="deck"):
        ruleset(INFO, None, {"deck": "huge"})
    with pytest.raises(BadOption, match="option hands: 3,000,000 is not a whole number from "):
        ruleset(INFO, None, {"hands": 3_000_000})


def test_options_are_read_by_their_kind() -> None:
    rules = ruleset(INFO, "wild", {"hands": 4})
    assert rules.flag("open") is True
    assert rules.count("hands") == 4
    assert rules.count("bonus") == 20
    assert rules.choice("deck") == "short"
    assert rules.numbers("points") == (3, 2, 0)
    assert rules["bonus"] == 20


@pytest.mark.parametrize("read", [lambda rules: rules.count("hands"), lambda rules: rules.numbers("deck")])
def test_reading_an_open_option_is_a_mistake_of_the_program(read: Any) -> None:
    with pytest.raises(AssertionError, match=r"not resolved|not a list"):
        read(ruleset(INFO))


def test_open_options_are_filled_under_the_same_name() -> None:
    rules = ruleset(INFO, "short")
    filled = rules.filled(hands=4, bonus=0)
    assert filled.name == "short"
    assert filled.options == {**rules.options, "hands": 4}
    assert list(filled.options) == sorted(filled.options)
    assert filled.filled(hands=5) == filled


def test_a_ruleset_can_be_a_key() -> None:
    assert {ruleset(INFO): 1}[ruleset(INFO)] == 1
    assert isinstance(hash(ruleset(INFO, "wild")), int)
    assert ruleset(INFO) != Ruleset("whist", 3, "plain", {})

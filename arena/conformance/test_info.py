"""What a game declares about itself: names, rulesets, options, numbers of seats."""

import re

import pytest

from arena.core.errors import BadOption
from arena.core.game import AnyGame
from arena.core.ruleset import ruleset, with_options

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def test_names_can_stand_in_files_and_commands(game: AnyGame) -> None:
    info = game.info
    assert NAME.fullmatch(info.name)
    assert all(NAME.fullmatch(name) for name in info.rulesets)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", option.name) for option in info.options)
    assert len({option.name for option in info.options}) == len(info.options)


def test_what_people_read_is_one_line(game: AnyGame) -> None:
    for text in (game.info.title, game.info.summary, *(option.summary for option in game.info.options)):
        assert text == text.strip() != ""
        assert "\n" not in text


def test_versions_count_from_one(game: AnyGame) -> None:
    assert game.info.version >= 1


def test_a_cap_is_a_number_of_moves(game: AnyGame) -> None:
    cap = game.info.longest_decisions
    assert cap is None or (type(cap) is int and cap >= 1)


def test_rulesets_set_options_to_values_they_can_have(game: AnyGame) -> None:
    for option in game.info.options:
        assert option.check(option.default) == option.default
    for changes in game.info.rulesets.values():
        for option_name, value in changes.items():
            assert game.info.option(option_name).check(value) == value
            assert value != game.info.option(option_name).default


def test_rulesets_of_equal_options_are_one_ruleset_under_its_first_name(game: AnyGame) -> None:
    """Two editions may have the same options. Their ruleset then has two names, and uses the first as its own."""
    first: dict[str, str] = {}
    for name in game.info.rulesets:
        named = ruleset(game.info, name)
        assert named.name == first.setdefault(named.key, name)


def test_resolving_fills_every_option_and_does_nothing_the_second_time(game: AnyGame) -> None:
    for name in game.info.rulesets:
        rules = ruleset(game.info, name)
        assert len(game.seats(rules)) > 0
        for seats in game.seats(rules):
            resolved = game.resolve(rules, seats)
            assert None not in resolved.options.values()
            assert list(resolved.options) == sorted(option.name for option in game.info.options)
            assert resolved.name == rules.name
            assert game.resolve(resolved, seats) == resolved
            again = game.resolve(with_options(game.info, resolved.options), seats)
            assert again.options == resolved.options


def test_other_numbers_of_seats_are_refused(game: AnyGame) -> None:
    for name in game.info.rulesets:
        rules = ruleset(game.info, name)
        seats = game.seats(rules)
        for wrong in (-1, 0, 1, min(seats) - 1, max(seats) + 1, 1000):
            if wrong not in seats:
                with pytest.raises(BadOption, match=str(wrong)):
                    game.resolve(rules, wrong)

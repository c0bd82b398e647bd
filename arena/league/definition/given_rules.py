"""The ruleset and options that the arguments of a command name."""

from collections.abc import Sequence

from arena.core.errors import UsageError
from arena.core.game import AnyGame
from arena.core.ruleset import Ruleset, numbers, players, ruleset
from arena.registry import blaming


def parse_options(game: AnyGame, given: Sequence[str]) -> dict[str, object]:
    """Return options written as NAME=VALUE. Raises UsageError listing the valid names or values."""
    options: dict[str, object] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"option {text!r} is not of the form NAME=VALUE")
        options[name] = game.info.option(name).parse(value)
    return options


def given_seats(game: AnyGame, name: str | None, options: Sequence[str]) -> range:
    """Return the numbers of seats of a ruleset that a command names, with options NAME=VALUE. Raises UsageError."""
    return _seats_of(game, ruleset(game.info, name, parse_options(game, options)))


def given_rules(
    game: AnyGame, name: str | None, options: Sequence[str], seats: int, *, by_option: bool
) -> Ruleset:
    """Return the ruleset that a command names, resolved for a number of seats.

    `by_option`: the number was given as --seats, not by naming bots. Raises UsageError if the ruleset has other ones.
    """
    rules = ruleset(game.info, name, parse_options(game, options))
    allowed = _seats_of(game, rules)
    if seats not in allowed:
        raise UsageError(
            f"{game.info.name} ({rules.name}) is for {players(allowed)}, not {seats}",
            f"choose --seats {numbers(allowed)}" if by_option else _how_many(allowed),
        )
    with blaming("game", game.info.name, game):
        return game.resolve(rules, seats)


def _how_many(allowed: Sequence[int]) -> str:
    """Return what to do where the number of named bots fits no table."""
    if max(allowed) == 1:
        return "name one bot; `arena compare` and leagues play several on the same deals"
    return f"name {numbers(allowed)} bots"


def _seats_of(game: AnyGame, rules: Ruleset) -> range:
    """Return the numbers of seats of a ruleset. Raises PluginFailed."""
    with blaming("game", game.info.name, game):
        return game.seats(rules)

"""The tables of all games that are installed, for the tests of single games."""

from collections.abc import Iterator

from arena_conformance.random_games import named_tables

from arena.core.ruleset import ruleset
from arena.registry import games

TABLES = list(named_tables(games().values()))
"""Every named ruleset at every number of seats."""

RULESETS = {
    "bread-basket": {"tens": 2, "extra": 2, "none": 2},
    "bread-and-chocolate": {"shram": 2, "gamerules": 2, "pagat": 2},
    "sandwich": {"fr": 3, "en": 3, "de": 3, "es": 3},
}
"""Each game with its rulesets, and a small number of seats for each."""
MOST_SEATS = {"bread-basket": 6, "bread-and-chocolate": 2, "sandwich": 4}
MORE_SEATS = {"shram": 5}
"""Rulesets for more seats than the others of their game."""
WIDER: dict[str, dict[str, object]] = {"sandwich": {"boxes": 2}}
"""Options with which a game takes more players."""


def forfeiting_tables() -> Iterator[tuple[str, str, int, bool]]:
    """Yield game, ruleset, a small or large number of seats, and whether one of them is forfeited."""
    for game, rulesets in RULESETS.items():
        for name, seats in rulesets.items():
            most = MORE_SEATS.get(name, MOST_SEATS[game])
            yield game, name, seats, False
            if most != seats:
                yield game, name, most, False
                yield game, name, most, True


def every_table() -> Iterator[tuple[str, str, int, dict[str, object]]]:
    """Yield game, ruleset, every number of seats, and the options that this number needs."""
    for game in games().values():
        for name in game.info.rulesets:
            plain = game.seats(ruleset(game.info, name))
            for seats in plain:
                yield game.info.name, name, seats, {}
            wider = WIDER.get(game.info.name, {})
            for seats in game.seats(ruleset(game.info, name, wider)):
                if seats not in plain:
                    yield game.info.name, name, seats, wider

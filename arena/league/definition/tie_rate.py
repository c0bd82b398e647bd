"""Measures how often two equal players tie, from random games on fixed deals."""

from collections.abc import Sequence

from arena.core.game import AnyGame
from arena.core.rotation import Rotations
from arena.core.ruleset import Ruleset
from arena.league.definition.define import Definition
from arena.league.definition.random_matches import random_matches
from arena.registry import blaming
from results.scoring import game_shares

LOWEST, HIGHEST = 0.01, 0.5
"""Limits of the measured probability: ties can always happen, and ratings must keep learning."""


def draw_probability(definition: Definition, *, by_games: bool = False) -> float:
    """Return the probability that two equal players tie in a match, or `by_games` in a game: 0.01 to 0.5, rounded.

    The players choose at random among legal moves. Two tie if their shares over the match's games have the same sum.
    The result is the mean over the league's table sizes. It depends on the rules alone, so every machine gets the
    same. Raises PluginFailed if the game fails or does not end.
    """
    game = definition.game
    with blaming("game", game.info.name, game):
        measured = [
            tie_rate(game, rules, seats, definition.rotations, by_games=by_games)
            for seats, rules in definition.rulesets.items()
        ]
    return round(min(max(sum(measured) / len(measured), LOWEST), HIGHEST), 3)


def tie_rate(
    game: AnyGame, rules: Ruleset, seats: int, rotations: Rotations, *, by_games: bool = False
) -> float:
    """Return the fraction of pairs, 0 to 1, that tied in matches of random players; `rules` are resolved.

    `by_games`: the fraction that tied in single games.
    """
    compared = ties = 0
    for match in random_matches(game, rules, seats, rotations):
        shares = [0] * seats
        for first in range(0, len(match), seats):
            rows = match[first : first + seats]
            of_game = game_shares([row.rank for row in rows])
            if by_games:
                compared += 1
                ties += _tied(of_game)
            for row, share in zip(rows, of_game, strict=True):
                shares[row.entry_no] += share
        if not by_games:
            compared += 1
            ties += _tied(shares)
    return ties / (compared * seats * (seats - 1) // 2)


def _tied(shares: Sequence[int]) -> int:
    """Return the number of pairs with equal shares."""
    return sum(shares[a] == shares[b] for a in range(len(shares)) for b in range(a))

"""Measures how often two equal players tie, from random games on fixed deals."""

from arena.core.game import AnyGame
from arena.core.rotation import Rotations
from arena.core.ruleset import Ruleset
from arena.league.definition.define import Definition
from arena.league.definition.random_matches import random_matches
from arena.registry import blaming
from results.scoring import game_shares

LOWEST, HIGHEST = 0.01, 0.5
"""Limits of the measured probability: ties can always happen, and ratings must keep learning."""


def draw_probability(definition: Definition) -> float:
    """Return the probability that two equal players tie in a match, from 0.01 to 0.5, to three decimals.

    The players choose at random among legal moves. Two tie if their shares over the match's games have the same sum.
    The result is the mean over the league's table sizes. It depends on the rules alone, so every machine gets the
    same. Raises PluginFailed if the game fails or does not end.
    """
    game = definition.game
    with blaming("game", game.info.name, game):
        measured = [
            tie_rate(game, rules, seats, definition.rotations) for seats, rules in definition.rulesets.items()
        ]
    return round(min(max(sum(measured) / len(measured), LOWEST), HIGHEST), 3)


def tie_rate(game: AnyGame, rules: Ruleset, seats: int, rotations: Rotations) -> float:
    """Return the fraction of pairs, 0 to 1, that tied in matches of random players; `rules` are resolved."""
    pairs = ties = 0
    for match in random_matches(game, rules, seats, rotations):
        shares = [0] * seats
        for first in range(0, len(match), seats):
            of_game = match[first : first + seats]
            for row, share in zip(of_game, game_shares([row.rank for row in of_game]), strict=True):
                shares[row.entry_no] += share
        pairs += seats * (seats - 1) // 2
        ties += sum(shares[a] == shares[b] for a in range(seats) for b in range(a))
    return ties / pairs

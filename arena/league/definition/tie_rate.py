"""Measures how often two equal players tie, from random games on fixed deals."""

from arena.core.chance import Chance, Stream
from arena.core.game import AnyGame, Outcome
from arena.core.game_length import capped, refuse_endless
from arena.core.late_chance import at_random, play_chance
from arena.core.rotation import Rotations, seatings
from arena.core.ruleset import Ruleset
from arena.core.ticket import match_seed
from arena.league.definition.define import Definition
from arena.registry import PluginFailed, blaming
from results.scoring import game_shares

LOWEST, HIGHEST = 0.01, 0.5
"""Limits of the measured probability: ties can always happen, and ratings must keep learning."""
MOST_MATCHES = 200
"""Matches per table size: enough for an error of about 0.02 at two seats, less at more."""
LEAST_MATCHES = 20
MOST_MOVES_A_GAME = 100_000
"""A longer game is assumed never to end."""
MOST_MOVES = 40_000
"""Stop after this many moves, once LEAST_MATCHES are played, so that long games take little longer."""

_SECRET = b"arena/draw-probability"


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
    pairs = ties = moves = 0
    for match_no in range(MOST_MATCHES):
        if match_no >= LEAST_MATCHES and moves >= MOST_MOVES:
            break
        seed = match_seed(_SECRET, match_no)
        shares = [0] * seats
        for rotation, seating in enumerate(seatings(tuple(range(seats)), rotations)):
            outcome, made = _play(game, rules, seats, seed, rotation)
            moves += made
            for entry, share in zip(seating, game_shares(outcome.ranks), strict=True):
                shares[entry] += share
        pairs += seats * (seats - 1) // 2
        ties += sum(shares[a] == shares[b] for a in range(seats) for b in range(a))
    return ties / pairs


def _play(game: AnyGame, rules: Ruleset, seats: int, seed: bytes, rotation: int) -> tuple[Outcome, int]:
    """Play one game at random; return its outcome and the number of moves."""
    state, _ = game.deal(seats, rules, Chance(seed=seed))
    chance = Stream(seed, f"rotation/{rotation}")
    draw = at_random(Stream(seed, f"rotation/{rotation}/later"))
    state, _ = play_chance(game, game.copy(state), draw)
    moves = 0
    while not isinstance(turn := game.turn(state), Outcome):
        if capped(game.info, moves):
            return Outcome(game.scores(state)), moves
        refuse_endless(game.info, moves)
        made = {
            decision.seat: decision.legal[0]
            if decision.legal is not None and len(decision.legal) == 1
            else game.sample_move(state, decision.seat, chance)
            for decision in turn
        }
        game.advance(state, made)
        state, _ = play_chance(game, state, draw)
        moves += len(made)
        if moves > MOST_MOVES_A_GAME:
            raise PluginFailed(
                f"the game {rules.game!r} had not ended after {MOST_MOVES_A_GAME:,} random moves",
                "it may never end: add a rule that ends every game",
            )
    return turn, moves

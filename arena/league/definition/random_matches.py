"""Matches between players that choose at random, on fixed deals: what the rules alone say about a game."""

from collections.abc import Iterator

from arena.core.chance import Chance, Stream
from arena.core.game import AnyGame, Outcome
from arena.core.game_length import capped, refuse_endless
from arena.core.late_chance import at_random, play_chance
from arena.core.rotation import Rotations, seatings
from arena.core.ruleset import Ruleset
from arena.core.ticket import match_seed
from arena.registry import PluginFailed
from results.query_rows import SeatResult

MOST_MATCHES = 200
"""Matches per table size: enough for an error of a draw probability of about 0.02 at two seats, less at more."""
LEAST_MATCHES = 20
MOST_MOVES_A_GAME = 100_000
"""A longer game is assumed never to end."""
MOST_MOVES = 40_000
"""Stop after this many moves, once LEAST_MATCHES are played, so that long games take little longer."""

_SECRET = b"arena/draw-probability"


def random_matches(
    game: AnyGame, rules: Ruleset, seats: int, rotations: Rotations
) -> Iterator[list[SeatResult]]:
    """Yield the seats of some matches, of one after the other; `rules` are resolved. The same on every machine."""
    moves = 0
    for match_no in range(MOST_MATCHES):
        if match_no >= LEAST_MATCHES and moves >= MOST_MOVES:
            break
        seed = match_seed(_SECRET, match_no)
        rows = []
        for rotation, seating in enumerate(seatings(tuple(range(seats)), rotations)):
            outcome, made = _play(game, rules, seats, seed, rotation)
            moves += made
            rows += [
                SeatResult(match_no, rotation, seat, entry, outcome.ranks[seat], outcome.scores[seat], 0)
                for seat, entry in enumerate(seating)
            ]
        yield rows


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

"""Bread Basket: deals the hidden cards many times over, and plays every move out to the end of the hand.

The deals fit all that it has seen. In a playout, everyone takes the best trick at hand, and
otherwise plays any one card. After each round of playouts the worse half of the
moves is dropped, so that most playouts go to the moves that matter.
"""

from time import monotonic

from arena_engine import ForwardModel
from arena_kit import run

from arena.core.card_game_base import NOTHING
from arena.games.bread_basket.play import STOP, format_, make_move, parse
from arena.games.bread_basket.state import trick_start, worth

PLAYOUTS = 80  # in one round


def choose(ask, game):
    until = monotonic() + ask["time"]["move_ms"] / 3000  # a third of the time for one move
    model = ForwardModel(game)
    deals = [this_hand(model, ask)]
    moves = [parse(deals[0], game.seat, raw) for raw in ask["legal"]]
    results = {move: [] for move in moves}
    while len(moves) > 1:
        for _ in range(max(2, PLAYOUTS // len(moves))):
            number = len(results[moves[0]])
            if number == len(deals):
                deals.append(this_hand(model, ask))
            for move in moves:
                results[move].append(played_out(deals[number].copy(), move, game))
            if monotonic() > until:
                return format_(best_first(moves, results)[0])
        moves = best_first(moves, results)[: (len(moves) + 1) // 2]
    return format_(moves[0])


def this_hand(model, ask):
    """Return a random state that fits what was seen, without the hands after this one."""
    state = model.guess(ask).state
    state.decks = state.decks[: state.hand_no + 1]
    return state


def best_first(moves, results):
    return sorted(moves, key=lambda move: -sum(results[move]) / len(results[move]))


def played_out(state, move, game):
    """Make a move, play the hand to its end, and return by how much the bot is then ahead of the others."""
    make_move(state, move, None)
    while state.to_move != NOTHING:
        make_move(state, likely_move(state), None)
    own = state.scores[game.seat]
    return own - (sum(state.scores) - own) / (game.seats - 1)


def likely_move(state):
    """Return the card that takes the most; if none takes any, a stop, or any card to begin the turn."""
    line, hand = state.line, state.held[state.to_move]
    best, move = 0, STOP
    end = len(line)
    for card in set(hand):
        line.append(card)
        first = trick_start(line, end)
        if first >= 0:
            points = worth(line[first:])[1]
            if points > best:
                best, move = points, card
        line.pop()
    if move == STOP and state.played == NOTHING:
        return hand[0]  # any card: hands are dealt in random order
    return move


run(choose)

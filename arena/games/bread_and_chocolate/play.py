"""The course of a game of Bread and Chocolate: dealing a hand, making a move, ending a hand.

All functions change the state in place. If `log` is a list, they append events to it; playouts pass
None.
"""

from arena.core.game import Event
from arena.games.bread_and_chocolate import piles
from arena.games.bread_and_chocolate.cards import NAMES, names, rank
from arena.games.bread_and_chocolate.moves import DISCARD, DRAW, FLIP, PLAY, SPREAD, Move
from arena.games.bread_and_chocolate.piles import Log
from arena.games.bread_and_chocolate.state import NOTHING, State

HAND_SIZE = 6
"""Number of cards dealt to each seat."""


def deal_hand(state: State, log: Log) -> None:
    """Deal hand `hand_no` from its deck: one card at a time, clockwise, then the down and the up card.

    The seat left of the dealer, hand_no modulo seats, gets the first card and acts first.
    """
    deck = state.decks[state.hand_no]
    seats = len(state.held)
    begins = state.hand_no % seats
    dealt = seats * HAND_SIZE
    for place in range(seats):
        state.held[(begins + place) % seats] = list(deck[place:dealt:seats])
    state.down = [deck[dealt]]
    state.up = [deck[dealt + 1]]
    state.stock = list(deck[: dealt + 1 : -1])
    state.to_move = begins
    state.opening = seats
    state.owed = 0
    state.spread = False
    state.turns = 0
    if log is not None:
        public = {
            "hand_no": state.hand_no,
            "dealer": state.dealer,
            "held": [len(cards) for cards in state.held],
            "up": NAMES[state.up[-1]],
            "stock": len(state.stock),
        }
        private = {seat: {"hand": names(cards)} for seat, cards in enumerate(state.held)}
        log.append(Event("dealt", public, private))


def make_move(state: State, move: Move, log: Log) -> None:
    """Make a legal move for the seat to decide, and everything that follows until the next decision."""
    kind = move[0]
    if kind == PLAY:
        _lay(state, move[1], log)
    elif kind == DRAW:
        _draw_one(state, log)
    elif kind == DISCARD:
        _discard(state, move[1:], log)
    else:
        _open(state, kind, log)


def _lay(state: State, card: int, log: Log) -> None:
    """Lay a card on the up pile and apply its effect. A discard is a separate decision in the same turn."""
    top = state.up[-1]
    effect = state.rules.effect[top][card]
    state.held[state.to_move].remove(card)
    state.up.append(card)
    state.spread = rank(card) == rank(top)
    if log is not None:
        what = "draw" if effect > 0 else "discard" if effect < 0 else "spread" if state.spread else "none"
        told = {"seat": state.to_move, "card": NAMES[card], "effect": what, "number": abs(effect)}
        log.append(Event("played", told))
    if effect < 0:
        state.owed = -effect
        return
    if effect:
        piles.draw(state, effect, log)
    _end_turn(state, log)


def _draw_one(state: State, log: Log) -> None:
    """Draw a card because there is no legal play. In `gamerules`, this ends a spread."""
    if log is not None:
        log.append(Event("stuck", {"seat": state.to_move}))
    piles.draw(state, 1, log)
    if state.rules.name == "gamerules":
        state.spread = False
    _end_turn(state, log)


def _discard(state: State, cards: Move, log: Log) -> None:
    """Lay cards from the hand on the down pile, the last one on top."""
    hand = state.held[state.to_move]
    for card in cards:
        hand.remove(card)
    state.down += cards
    state.owed = 0
    if log is not None:
        told = {"seat": state.to_move, "count": len(cards), "down_count": len(state.down)}
        log.append(Event("discarded", told, {state.to_move: {"cards": names(cards)}}))
    _end_turn(state, log)


def _open(state: State, kind: int, log: Log) -> None:
    """Spread, flip or pass, then let the next player act, or lay the first card if the opening is over.

    In `shram`, each player acts once. Otherwise a spread, a flip or two passes end the opening. In all cases
    the neighbour is next.
    """
    if kind == SPREAD:
        piles.turn_up(state, log)
    elif kind == FLIP:
        piles.flip(state, log)
    elif log is not None:
        log.append(Event("passed", {"seat": state.to_move}))
    if kind in (SPREAD, FLIP) and state.rules.name != "shram":
        state.opening = 0
    else:
        state.opening -= 1
    state.to_move = (state.to_move + 1) % len(state.held)


def _end_turn(state: State, log: Log) -> None:
    """Pass the turn to the left, or end the hand: by going out, or at the turn limit."""
    seat = state.to_move
    state.turns += 1
    if not state.held[seat]:
        _end_hand(state, seat, log)
    elif state.turns >= state.rules.turn_limit:
        _end_hand(state, NOTHING, log)
    else:
        state.to_move = (seat + 1) % len(state.held)


def _end_hand(state: State, winner: int, log: Log) -> None:
    """Score the hand, and deal the next one if there is one.

    Decided, since the sources rank only the winner: the player who goes out gets `going_out` points, the others
    minus the cost of their remaining cards. `winner` is NOTHING at the turn limit.
    """
    cost = state.rules.cost
    points = [-sum([cost[card] for card in hand]) for hand in state.held]
    if winner != NOTHING:
        points[winner] += state.rules.going_out
    for seat, gained in enumerate(points):
        state.scores[seat] += gained
    if log is not None:
        told = {
            "hand_no": state.hand_no,
            "winner": None if winner == NOTHING else winner,
            "points": points,
            "scores": list(state.scores),
        }
        log.append(Event("hand_ended", told))
    if state.hand_no + 1 < len(state.decks):
        state.hand_no += 1
        deal_hand(state, log)
    else:
        state.to_move = NOTHING

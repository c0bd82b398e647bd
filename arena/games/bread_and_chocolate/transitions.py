"""The course of a game of Bread and Chocolate: dealing a hand, making a move, ending a hand.

All functions change the state in place. If `log` is a list, they append events to it; playouts pass
None.
"""

from arena.core.card_game_base import NOTHING, deal_hands
from arena.core.game import Event
from arena.games.bread_and_chocolate.moves import DISCARD, DRAW, FLIP, PLAY, SPREAD, Move
from arena.games.bread_and_chocolate.rules import NAMES, RED, State, names, rank

Log = list[Event] | None


def draw(state: State, count: int, log: Log) -> None:
    """Draw this many cards, at least one, for the seat whose turn it is, as far as the rules allow."""
    name = state.rules.name
    if name == "pagat":
        _draw_all_but_one(state, count, log)
    elif name == "gamerules":
        _draw_through_resets(state, count, log)
    else:
        _draw_through_refills(state, count, log)


def _draw_all_but_one(state: State, count: int, log: Log) -> None:
    """Draw by source 001: a draw that would empty the stock leaves one card and ends, followed by the reset."""
    left = len(state.stock)
    if count < left:
        _take(state, count, log)
        return
    if left > 1:
        _take(state, left - 1, log)
    _reset(state, log)


def _draw_through_resets(state: State, count: int, log: Log) -> None:
    """Draw by source 003: card by card, with a reset whenever one card is left, then continue.

    Decided, since source 003 doesn't cover it: a draw that starts with one card or none resets first; a reset
    that leaves one card or none ends the draw.
    """
    if len(state.stock) <= 1:
        _reset(state, log)
    while count and len(state.stock) > 1:
        taken = min(count, len(state.stock) - 1)
        _take(state, taken, log)
        count -= taken
        if len(state.stock) == 1:
            _reset(state, log)


def _draw_through_refills(state: State, count: int, log: Log) -> None:
    """Draw by source 004: to the last card of the stock, which is then refilled at once, and continue.

    Decided, since source 004 doesn't cover it: a stock that couldn't be refilled is refilled when the next draw
    begins; a refill that yields nothing ends the draw.
    """
    if not state.stock:
        _refill(state, log)
    while count and state.stock:
        taken = min(count, len(state.stock))
        _take(state, taken, log)
        count -= taken
        if not state.stock:
            _refill(state, log)


def _take(state: State, count: int, log: Log) -> None:
    """Move this many cards, at least one and at most as many as there are, from the stock to the hand."""
    stock = state.stock
    drawn = stock[: -count - 1 : -1]
    del stock[-count:]
    state.held[state.to_move] += drawn
    if log is not None:
        told = {"seat": state.to_move, "count": count, "stock": len(stock)}
        log.append(Event("drew", told, {state.to_move: {"cards": names(drawn)}}))


def _reset(state: State, log: Log) -> None:
    """Turn over the up pile to form the stock, and the down pile to form the up pile (sources 001, 003).

    The oldest card of a turned pile is on top. The rest of the stock starts the new down pile.
    """
    left, stock, up = state.stock, state.up, state.down
    stock.reverse()
    up.reverse()
    state.stock, state.up, state.down = stock, up, left
    state.spread = False
    if log is not None:
        told = {"up": NAMES[up[-1]], "up_count": len(up), "down_count": len(left), "stock": len(stock)}
        log.append(Event("reset", told))


def _refill(state: State, log: Log) -> None:
    """Turn over the up pile except its top to form the stock (source 004); the down card stays."""
    up = state.up
    if len(up) == 1:
        return
    state.stock = up[-2::-1]
    state.up = up[-1:]
    if log is not None:
        log.append(Event("refilled", {"up": NAMES[up[-1]], "stock": len(state.stock)}))


def turn_up(state: State, log: Log) -> None:
    """Turn stock cards onto the up pile until the colour of its top changes or the stock is empty: a spread."""
    stock, up = state.stock, state.up
    red = RED[up[-1]]
    before = len(up)
    while stock and RED[up[-1]] == red:
        up.append(stock.pop())
    if log is not None:
        told = {"seat": state.to_move, "cards": names(up[before:]), "stock": len(stock)}
        log.append(Event("spread", told))
    if not stock and state.rules.name == "shram":
        _refill(state, log)


def flip(state: State, log: Log) -> None:
    """Swap the tops of the up pile and the down pile."""
    state.up[-1], state.down[-1] = state.down[-1], state.up[-1]
    if log is not None:
        told = {"seat": state.to_move, "up": NAMES[state.up[-1]], "down": NAMES[state.down[-1]]}
        log.append(Event("flipped", told))


HAND_SIZE = 6
"""Number of cards dealt to each seat."""


def deal_hand(state: State, log: Log) -> None:
    """Deal hand `hand_no` from its deck: one card at a time, clockwise, then the down and the up card.

    The seat left of the dealer, hand_no modulo seats, gets the first card and acts first.
    """
    deck = state.decks[state.hand_no]
    seats = len(state.held)
    dealt = deal_hands(state.held, state.hand_no, deck, HAND_SIZE)
    state.down = [deck[dealt]]
    state.up = [deck[dealt + 1]]
    state.stock = list(deck[: dealt + 1 : -1])
    state.to_move = state.hand_no % seats
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
        draw(state, effect, log)
    _end_turn(state, log)


def _draw_one(state: State, log: Log) -> None:
    """Draw a card because there is no legal play. In `gamerules`, this ends a spread."""
    if log is not None:
        log.append(Event("stuck", {"seat": state.to_move}))
    draw(state, 1, log)
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
        turn_up(state, log)
    elif kind == FLIP:
        flip(state, log)
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

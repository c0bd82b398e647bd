"""The course of a game of Bread Basket: dealing a hand, making a move, ending a hand (source 000).

All functions change the state in place. If `log` is a list, they append events to it; playouts pass
None.
"""

from arena.core.game import Event
from arena.games.bread_basket.cards import CHEF, NAMES, names
from arena.games.bread_basket.moves import FETCH, STOP
from arena.games.bread_basket.state import NOTHING, State
from arena.games.bread_basket.tricks import longest_trick, trick_start, worth


def hand_size(seats: int) -> int:
    """Return how many cards each seat is dealt: 12 for 2 seats, 10 for 3, 8 for 4 or more."""
    return {2: 12, 3: 10}.get(seats, 8)


def deal_hand(state: State, log: list[Event] | None) -> None:
    """Deal hand `hand_no` from its deck: one card at a time, clockwise, then the first card of the line.

    The seat left of the dealer, hand_no modulo seats, gets the first card and has the first turn.
    """
    deck = state.decks[state.hand_no]
    seats = len(state.held)
    begins = state.hand_no % seats
    dealt = seats * hand_size(seats)
    for place in range(seats):
        state.held[(begins + place) % seats] = list(deck[place:dealt:seats])
    state.line = [deck[dealt]]
    state.stock = deck
    state.stock_at = dealt + 1
    state.aside = 0
    state.to_move = begins
    state.played = NOTHING
    state.before = tuple(state.scores)
    if log is not None:
        public = {
            "hand_no": state.hand_no,
            "dealer": state.dealer,
            "held": [len(cards) for cards in state.held],
            "card": NAMES[deck[dealt]],
            "stock": state.stock_count,
        }
        private = {seat: {"hand": names(cards)} for seat, cards in enumerate(state.held)}
        log.append(Event("dealt", public, private))


def make_move(state: State, move: int, log: list[Event] | None) -> None:
    """Make a legal move for the seat whose turn it is, and everything that follows until the next decision."""
    seat = state.to_move
    hand = state.held[seat]
    if move < STOP:
        line = state.line
        hand.remove(move)
        line.append(move)
        if log is not None:
            log.append(Event("played", {"seat": seat, "card": NAMES[move]}))
        last = len(line) - 1
        first = trick_start(line, last)
        if first >= 0:
            _take(state, first, last, log)
            if not line:
                _refill(state, log)
        if state.played == NOTHING and hand:
            state.played = move
            return
    elif move == STOP:
        if log is not None:
            log.append(Event("stopped", {"seat": seat}))
    else:
        _fetch(state, move - FETCH, log)
    _pass_turn(state, log)


def _fetch(state: State, position: int, log: list[Event] | None) -> None:
    """Use a Chef's ability: lay the Chef aside, take a card of the line into the hand, take all tricks this makes."""
    seat = state.to_move
    hand = state.held[seat]
    line = state.line
    card = line.pop(position)
    hand.remove(CHEF)
    hand.append(card)
    state.aside += 1
    if log is not None:
        log.append(Event("fetched", {"seat": seat, "position": position, "card": NAMES[card]}))
    trick = longest_trick(line, position)
    while trick is not None:
        _take(state, *trick, log)
        trick = longest_trick(line, trick[0])
    if not line:
        _refill(state, log)


def _take(state: State, first: int, last: int, log: list[Event] | None) -> None:
    """Give the trick from position `first` to `last` of the line to the seat whose turn it is."""
    seat = state.to_move
    cards = state.line[first : last + 1]
    del state.line[first : last + 1]
    trick, points = worth(cards)
    state.scores[seat] += points
    if log is not None:
        told = {"seat": seat, "trick": trick, "position": first, "cards": names(cards), "points": points}
        log.append(Event("taken", told))


def _refill(state: State, log: list[Event] | None) -> None:
    """Add the next card of the stock, if any, to an empty line."""
    if state.stock_at == len(state.stock):
        return
    card = state.stock[state.stock_at]
    state.stock_at += 1
    state.line.append(card)
    if log is not None:
        log.append(Event("refilled", {"card": NAMES[card], "stock": state.stock_count}))


def _pass_turn(state: State, log: list[Event] | None) -> None:
    """Pass the turn to the next seat that holds cards, or end the hand if there is none."""
    held = state.held
    seats = len(held)
    state.played = NOTHING
    for after in range(state.to_move + 1, state.to_move + 1 + seats):
        if held[after % seats]:
            state.to_move = after % seats
            return
    state.to_move = NOTHING
    if log is not None:
        points = [now - then for now, then in zip(state.scores, state.before, strict=True)]
        told = {"hand_no": state.hand_no, "points": points, "scores": list(state.scores)}
        log.append(Event("hand_ended", told))
    if state.hand_no + 1 < len(state.decks):
        state.hand_no += 1
        deal_hand(state, log)

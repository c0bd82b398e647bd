"""The course of a game of Bread Basket: dealing a hand, making a move, ending a hand (source 000).

All functions change the state in place. If `log` is a list, they append events to it; playouts pass
None.
"""

from functools import lru_cache

from arena.core.card_game_base import NOTHING, deal_hands
from arena.core.chance import Rng
from arena.core.errors import IllegalMove
from arena.core.game import JSON, Decision, Event
from arena.core.move_parsing import read_shape, shown, whole_number
from arena.games.bread_basket.state import CARDS, CHEF, NAMES, State, longest_trick, names, trick_start, worth

STOP = 12
FETCH = 13

_SHAPES: dict[str, tuple[str, ...]] = {"play": ("card",), "stop": (), "chef": ("position",)}


def decisions(state: State) -> tuple[Decision[int], ...]:
    """Return the one decision to make now; none when the game is over."""
    if state.to_move == NOTHING:
        return ()
    hand, is_first = state.held[state.to_move], state.played == NOTHING
    reached = len(state.line) if CHEF in hand and (is_first or state.chef_second) else 0
    return _decision(state.to_move, "first_card" if is_first else "second_card", frozenset(hand), reached)


def sample(state: State, seat: int, rng: Rng) -> int:  # noqa: ARG001 - only one seat decides
    """Return one of the legal moves of the seat whose turn it is; all are equally likely."""
    legal = decisions(state)[0].legal or ()
    return legal[rng.randrange(len(legal))]


@lru_cache(maxsize=1 << 15)
def _decision(seat: int, kind: str, cards: frozenset[int], positions: int) -> tuple[Decision[int]]:
    """Return the decision about a card of a turn; a Chef can reach `positions` cards of the line."""
    stop = () if kind == "first_card" else (STOP,)
    return (Decision(seat, kind, (*sorted(cards), *stop, *range(FETCH, FETCH + positions))),)


def check(state: State, seat: int, move: int) -> None:
    """Check that the move is legal for the seat now. Raises IllegalMove, naming the rule."""
    if state.to_move == NOTHING:
        raise IllegalMove("the game is over")
    if seat != state.to_move:
        raise IllegalMove(f"it is the turn of seat {state.to_move}, not of seat {seat}")
    hand = state.held[seat]
    if 0 <= move < STOP:
        if move not in hand:
            raise IllegalMove(f"a card is played from the hand, which holds no {NAMES[move]}")
    elif move == STOP:
        if state.played == NOTHING:
            raise IllegalMove("a turn has one or two cards: stopping is possible only after the first")
    else:
        _check_chef(state, hand, move - FETCH)


def _check_chef(state: State, hand: list[int], position: int) -> None:
    if state.played != NOTHING and not state.chef_second:
        raise IllegalMove("a Chef's ability must be the only card of the turn")
    if CHEF not in hand:
        raise IllegalMove("a Chef's ability needs a Chef, and the hand holds none")
    if not state.line:
        raise IllegalMove("a Chef's ability takes a card of the line, and the line is empty")
    if not 0 <= position < len(state.line):
        there_are = "only position 0" if len(state.line) == 1 else f"positions 0 to {len(state.line) - 1}"
        raise IllegalMove(f"the line has {there_are}, not {shown(position)}")


def parse(state: State, seat: int, raw: JSON) -> int:
    """Return the legal move that a JSON value stands for now. Raises IllegalMove, naming the rule."""
    kind, fields = read_shape(raw, _SHAPES)
    if kind == "play":
        name = fields["card"]
        if not isinstance(name, str) or name not in CARDS:
            raise IllegalMove(f'a card is written "O", "1" to "10" or "C", not {shown(name)}')
        move = CARDS[name]
    elif kind == "stop":
        move = STOP
    else:
        position = whole_number(fields["position"], "a position of the line")
        if position < 0:
            raise IllegalMove(f"positions of the line count from 0, and {shown(position)} is below")
        move = FETCH + position
    check(state, seat, move)
    return move


def format_(move: int) -> dict[str, JSON]:
    """Return a move as a JSON object."""
    if move < STOP:
        return {"type": "play", "card": NAMES[move]}
    if move == STOP:
        return {"type": "stop"}
    return {"type": "chef", "position": move - FETCH}


def hand_size(seats: int) -> int:
    """Return how many cards each seat is dealt: 12 for 2 seats, 10 for 3, 8 for 4 or more."""
    return {2: 12, 3: 10}.get(seats, 8)


def deal_hand(state: State, log: list[Event] | None) -> None:
    """Deal hand `hand_no` from its deck: one card at a time, clockwise, then the first card of the line.

    The seat left of the dealer, hand_no modulo seats, gets the first card and has the first turn.
    """
    deck = state.decks[state.hand_no]
    dealt = deal_hands(state.held, state.hand_no, deck, hand_size(len(state.held)))
    state.line = [deck[dealt]]
    state.stock = deck
    state.stock_at = dealt + 1
    state.aside = 0
    state.to_move = state.hand_no % len(state.held)
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

"""Moves of Bread Basket as small integers: which are legal, and their JSON form (source 000).

A move is an integer: 0 to 11 plays that card, STOP ends the turn, FETCH + p uses a Chef's ability on
position p of the line. Legal moves are listed in ascending order.
"""

from functools import lru_cache

from arena.core.errors import IllegalMove
from arena.core.game import JSON, Decision
from arena.core.moves import read_shape, shown, whole_number
from arena.games.bread_basket.cards import CARDS, CHEF, NAMES
from arena.games.bread_basket.state import NOTHING, State

STOP = 12
FETCH = 13

_SHAPES: dict[str, tuple[str, ...]] = {"play": ("card",), "stop": (), "chef": ("position",)}


def decisions(state: State) -> tuple[Decision[int]]:
    """Return the one decision to make now; the game must not be over."""
    hand = state.held[state.to_move]
    if state.played == NOTHING:
        return _first_card(state.to_move, frozenset(hand), len(state.line) if CHEF in hand else 0)
    reached = len(state.line) if state.chef_second and CHEF in hand else 0
    return _second_card(state.to_move, frozenset(hand), reached)


@lru_cache(maxsize=1 << 14)
def _first_card(seat: int, cards: frozenset[int], positions: int) -> tuple[Decision[int]]:
    """Return the decision at the start of a turn; a Chef can reach `positions` cards of the line."""
    return (Decision(seat, "first_card", (*sorted(cards), *range(FETCH, FETCH + positions))),)


@lru_cache(maxsize=1 << 14)
def _second_card(seat: int, cards: frozenset[int], positions: int) -> tuple[Decision[int]]:
    """Return the decision after the first card of a turn; a Chef can reach `positions` cards of the line."""
    return (Decision(seat, "second_card", (*sorted(cards), STOP, *range(FETCH, FETCH + positions))),)


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

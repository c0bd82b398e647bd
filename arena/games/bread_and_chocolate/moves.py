"""Moves of Bread and Chocolate as small tuples: which are legal, and their JSON form.

A move is (PLAY, card), (DISCARD, card, card, …), (DRAW,), (SPREAD,), (FLIP,) or (PASS,). Legal plays are
listed in ascending order of the cards.
"""

from functools import lru_cache

from arena.core.card_game_base import NOTHING
from arena.core.chance import Rng, shuffled
from arena.core.errors import IllegalMove
from arena.core.game import JSON, Decision
from arena.core.move_parsing import read_shape, shown
from arena.games.bread_and_chocolate.rules import CARDS, NAMES, RED, State, names, number, steps

Move = tuple[int, ...]

PLAY, DISCARD, DRAW, SPREAD, FLIP, PASS = range(6)

PLAYS: tuple[Move, ...] = tuple((PLAY, card) for card in range(52))
"""The move that lays each card."""
DRAWING: Move = (DRAW,)
SPREADING: Move = (SPREAD,)
FLIPPING: Move = (FLIP,)
PASSING: Move = (PASS,)

_WORDS: dict[str, Move] = {"draw": DRAWING, "spread": SPREADING, "flip": FLIPPING, "pass": PASSING}
_NAMED = {move: word for word, move in _WORDS.items()}
_SHAPES: dict[str, tuple[str, ...]] = {"play": ("card",), "discard": ("cards",), **dict.fromkeys(_WORDS, ())}


def decisions(state: State) -> tuple[Decision[Move], ...]:
    """Return the one decision to make now; none when the game is over."""
    seat = state.to_move
    if seat == NOTHING:
        return ()
    if state.owed:
        hand = state.held[seat]
        return (Decision(seat, "discard", ((DISCARD, *hand),) if state.owed == len(hand) else None),)
    if state.opening:
        return _opening(seat, may_spread(state))
    return _play(seat, playable(state))


def playable(state: State) -> frozenset[int]:
    """Return the cards that the seat to move may lay, outside the opening and discards."""
    hand = state.held[state.to_move]
    return state.rules.playable(state.up[-1], state.spread, len(hand)).intersection(hand)


def may_spread(state: State) -> bool:
    """Return whether the opening allows a spread: always in `shram`, otherwise only on a red card."""
    return state.rules.name == "shram" or RED[state.up[-1]]


@lru_cache(maxsize=1 << 14)
def _play(seat: int, cards: frozenset[int]) -> tuple[Decision[Move]]:
    """Return the decision of a turn in which the given cards may be laid."""
    return (Decision(seat, "play", tuple(PLAYS[card] for card in sorted(cards)) or (DRAWING,)),)


@lru_cache(maxsize=16)
def _opening(seat: int, spreading: bool) -> tuple[Decision[Move]]:
    return (Decision(seat, "opening", (SPREADING, FLIPPING, PASSING) if spreading else (FLIPPING, PASSING)),)


def sample(state: State, seat: int, rng: Rng) -> Move:  # noqa: ARG001 - only one seat decides
    """Return a legal move of the seat to move; all are equally likely."""
    legal = decisions(state)[0].legal
    if legal is not None:
        return legal[rng.randrange(len(legal))]
    return (DISCARD, *shuffled(state.held[state.to_move], rng)[: state.owed])


def check(state: State, seat: int, move: Move) -> None:
    """Check that the move is legal for the seat now. Raises IllegalMove, naming the rule."""
    if state.to_move == NOTHING:
        raise IllegalMove("the game is over")
    if seat != state.to_move:
        raise IllegalMove(f"it is the turn of seat {state.to_move}, not of seat {seat}")
    kind = move[0]
    if state.owed:
        if kind != DISCARD:
            raise IllegalMove(f"{counted(state.owed)} must be discarded for the card laid one below")
        _check_discard(state, move[1:])
    elif state.opening:
        if kind not in (SPREAD, FLIP, PASS):
            raise IllegalMove("in the opening a player may spread, flip or pass, and nothing else")
        if kind == SPREAD and not may_spread(state):
            raise IllegalMove(f"a spread is possible only on a red card, and {NAMES[state.up[-1]]} is black")
    elif kind == PLAY:
        _check_play(state, move[1])
    elif kind == DRAW:
        if playable(state):
            raise IllegalMove("a legal play must be made: drawing is only for who has none")
    elif kind == DISCARD:
        raise IllegalMove("cards are discarded only after one is laid one below the top")
    else:
        raise IllegalMove("the opening is over: spread, flip and pass are no moves any more")


def _check_discard(state: State, cards: Move) -> None:
    hand = state.held[state.to_move]
    if len(cards) != state.owed:
        raise IllegalMove(f"exactly {counted(state.owed)} must be discarded, not {len(cards)}")
    if len(set(cards)) != len(cards):
        raise IllegalMove("a card can be discarded only once")
    for card in cards:
        if card not in hand:
            raise IllegalMove(f"a card is discarded from the hand, which holds no {NAMES[card]}")
    if len(cards) == len(hand) and list(cards) != hand:
        raise IllegalMove("where every card left must go, they go in the order of the hand")


def _check_play(state: State, card: int) -> None:
    hand = state.held[state.to_move]
    if card not in hand:
        raise IllegalMove(f"a card is played from the hand, which holds no {NAMES[card]}")
    top = state.up[-1]
    if card in state.rules.playable(top, state.spread, len(hand)):
        return
    told = f"{NAMES[card]} on {NAMES[top]}"
    if state.rules.name == "shram":
        raise IllegalMove(
            f"{told}: a card must be one above or one below the top, the ace above the king only"
        )
    if steps(card, top) == 1:
        raise IllegalMove(
            f"{told}: {counted(number(card))} would have to be discarded, and {len(hand) - 1} remain"
        )
    if steps(card, top) == 0:
        raise IllegalMove(f"{told}: the same rank is laid black on red, or while a spread lasts")
    raise IllegalMove(f"{told}: a card must be one above or one below the top, or of its rank")


def counted(count: int) -> str:
    """Return a number of cards in words."""
    return "1 card" if count == 1 else f"{count} cards"


def parse(state: State, seat: int, raw: JSON) -> Move:
    """Return the legal move that a JSON value stands for now. Raises IllegalMove, naming the rule."""
    kind, fields = read_shape(raw, _SHAPES)
    if kind == "play":
        move = PLAYS[_card(fields["card"])]
    elif kind == "discard":
        cards = fields["cards"]
        if not isinstance(cards, list):
            raise IllegalMove(f"the cards of a discard are a list, not {shown(cards)}")
        if len(cards) > len(NAMES):
            raise IllegalMove(f"{len(cards)} cards are more than there are")
        move = (DISCARD, *map(_card, cards))
    else:
        move = _WORDS[kind]
    check(state, seat, move)
    return move


def _card(raw: JSON) -> int:
    if not isinstance(raw, str) or raw not in CARDS:
        raise IllegalMove(f'a card is written as rank and suit, such as "Td" or "As", not {shown(raw)}')
    return CARDS[raw]


def format_(move: Move) -> dict[str, JSON]:
    """Return a move as a JSON object."""
    if move[0] == PLAY:
        return {"type": "play", "card": NAMES[move[1]]}
    if move[0] == DISCARD:
        return {"type": "discard", "cards": names(move[1:])}
    return {"type": _NAMED[move]}

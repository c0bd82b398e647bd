"""Which moves of Sandwich are legal when, and what is wrong with the others (source 002)."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import permutations
from typing import NoReturn

from arena.core.errors import IllegalMove
from arena.core.game import Decision
from arena.core.moves import shown
from arena.games.sandwich.ingredients import NAMES, names
from arena.games.sandwich.moves import Answer, Grab, MakeOffer, Move, NoOffer, Serve, Taste
from arena.games.sandwich.state import State

WORD_CHARS = 200
"""The most characters of the words that go with a sandwich."""

MOVES_OF: dict[str, tuple[type[Move], ...]] = {
    "grab": (Grab,),
    "offer": (MakeOffer, NoOffer),
    "answer": (Answer,),
    "serve": (Serve,),
    "taste": (Taste,),
    "over": (),
}
"""The moves that can be played in each phase."""


def deciders(state: State) -> tuple[int, ...]:
    """Return the seats that have to decide now, in seat order; none when the game is over."""
    if state.phase == "over":
        return ()
    if state.phase == "taste":
        return (state.taster,)
    if state.phase == "answer":
        return tuple(sorted({offer.to for offer in state.offers}))
    return tuple(range(state.rules.seats))


def decisions(state: State) -> tuple[Decision[Move], ...]:
    """Return the decisions to make now; rankings in free tasting are listed, all others are composed."""
    if state.phase == "taste":
        return _tasting(state.taster, state.rules.served)
    return _composing(state.phase, deciders(state))


@cache
def _composing(phase: str, seats: tuple[int, ...]) -> tuple[Decision[Move], ...]:
    return tuple([Decision(seat, phase, None) for seat in seats])


@cache
def _tasting(taster: int, count: int) -> tuple[Decision[Move], ...]:
    """Return the taster's decision: all rankings of this many sandwiches, in lexical order."""
    return (Decision(taster, "taste", tuple([Taste(ranking) for ranking in permutations(range(count))])),)


def check(state: State, seat: int, move: Move) -> None:
    """Check that the move is legal for the seat now. Raises IllegalMove, naming the rule."""
    if state.phase == "over":
        raise IllegalMove("the game is over")
    if not isinstance(move, MOVES_OF[state.phase]):
        raise IllegalMove(f"what is to be decided now is of the kind {state.phase}, and this is another move")
    if seat not in deciders(state):
        raise IllegalMove(_why_not(state, seat))
    match move:
        case Grab(order):
            _check_ranking(order, len(state.market), "a grab names each position of the market once")
        case MakeOffer():
            _check_offer(state, seat, move)
        case NoOffer():
            pass
        case Answer(accept):
            _check_answer(state, seat, accept)
        case Serve():
            _check_serve(state, seat, move)
        case Taste(ranking):
            _check_ranking(ranking, state.rules.served, "a ranking names each sandwich read out once")


def _why_not(state: State, seat: int) -> str:
    """Return why a seat has nothing to decide in a game that is not over."""
    if not 0 <= seat < state.rules.seats:
        return f"there is no seat {seat}"
    if state.phase == "taste":
        return f"it is seat {state.taster} that tastes now, not seat {seat}"
    return f"seat {seat} has got no offer to answer"


def _check_ranking(ranking: Sequence[int], count: int, rule: str) -> None:
    rule = f"{rule}, 0 to {count - 1}"
    seen: set[int] = set()
    for place in ranking:
        if not 0 <= place < count:
            raise IllegalMove(f"{rule}: there is no {shown(place)}")
        if place in seen:
            raise IllegalMove(f"{rule}: {place} is there twice")
        seen.add(place)
    for place in range(count):
        if place not in seen:
            raise IllegalMove(f"{rule}: {place} is left out")


def _check_offer(state: State, seat: int, offer: MakeOffer) -> None:
    if not 0 <= offer.to < state.rules.seats:
        raise IllegalMove(f"an offer goes to a seat, 0 to {state.rules.seats - 1}, not to {shown(offer.to)}")
    if offer.to == seat:
        raise IllegalMove(f"an offer goes to another seat, and {seat} is the one that makes it")
    if offer.give not in state.hands[seat]:
        raise IllegalMove(
            f"an offer gives a card that one holds, and seat {seat} holds no {NAMES[offer.give]}"
        )
    if offer.want not in state.hands[offer.to]:
        raise IllegalMove(
            f"an offer wants a card of the other's, and seat {offer.to} holds no {NAMES[offer.want]}"
        )


def _check_answer(state: State, seat: int, accept: Sequence[int]) -> None:
    own = [number for number, offer in enumerate(state.offers) if offer.to == seat]
    for place, number in enumerate(accept):
        if number not in own:
            listed = ", ".join(map(str, own))
            raise IllegalMove(
                f"an answer takes offers that one got, here of {listed}: {shown(number)} is none"
            )
        if number in accept[:place]:
            raise IllegalMove(f"an answer takes no offer twice, and {number} is there twice")


def _check_serve(state: State, seat: int, serve: Serve) -> None:
    needed = state.rules.served
    if len(serve.sandwiches) != needed:
        raise IllegalMove(
            f"a serve has {needed} sandwiches, one for each receiver, not {len(serve.sandwiches)}"
        )
    held = Counter(state.hands[seat])
    used = Counter([card for sandwich in serve.sandwiches for card in sandwich])
    if used != held:
        _refuse_cards(held, used)
    _check_words(state, serve.words)


def _refuse_cards(held: Counter[int], used: Counter[int]) -> NoReturn:
    """Raise IllegalMove for sandwiches that use as many cards as the hand has, but not the same ones."""
    forgotten = ", ".join(names(list((held - used).elements())))
    card = next(iter(used - held))
    if card not in held:
        raise IllegalMove(
            f"sandwiches are made of the hand, which holds no {NAMES[card]}; left out: {forgotten}"
        )
    raise IllegalMove(
        f"every card is used once: {NAMES[card]} is used {_times(used[card])} and held {_times(held[card])}; "
        f"left out: {forgotten}"
    )


def _check_words(state: State, words: Sequence[str]) -> None:
    if not words:
        return
    if not state.rules.open:
        raise IllegalMove("words go only with sandwiches given face up (option open), not with these")
    if len(words) != state.rules.served:
        raise IllegalMove(
            f"there are {state.rules.served} words, one for each sandwich, or none; not {len(words)}"
        )
    for place, word in enumerate(words):
        if len(word) > WORD_CHARS:
            raise IllegalMove(
                f"a word has at most {WORD_CHARS} characters, and that for sandwich {place} has {len(word)}"
            )
        if any("\ud800" <= character <= "\udfff" for character in word):
            raise IllegalMove(f"a word is text, and that for sandwich {place} holds half of a surrogate pair")


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")

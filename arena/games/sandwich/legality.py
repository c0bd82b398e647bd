"""Which moves of Sandwich are legal when, and what is wrong with the others (source 002)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import MISSING, fields
from functools import cache
from itertools import permutations
from typing import NoReturn

from arena.core.chance import Rng, shuffled
from arena.core.errors import IllegalMove
from arena.core.game import JSON, Decision
from arena.core.move_parsing import read_shape, shown, whole_number
from arena.games.sandwich.ingredients import CARDS, NAMES, names
from arena.games.sandwich.rules import MOST
from arena.games.sandwich.state import (
    Answer,
    Grab,
    MakeOffer,
    Move,
    NoOffer,
    Sandwich,
    Serve,
    State,
    Taste,
    grab,
)

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

_ALL = tuple(frozenset(range(count)) for count in range(MOST + 1))
"""All places of a ranking, by their number."""


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
    if state.phase == "over":
        return ()
    if state.phase == "taste":
        return _tasting(state.taster, state.rules.served)
    return tuple([_composing(state.phase, seat) for seat in deciders(state)])


@cache
def _composing(phase: str, seat: int) -> Decision[Move]:
    return Decision(seat, phase, None)


@cache
def _tasting(taster: int, count: int) -> tuple[Decision[Move], ...]:
    """Return the taster's decision: all rankings of this many sandwiches, in lexical order."""
    return (Decision(taster, "taste", tuple([Taste(ranking) for ranking in permutations(range(count))])),)


def check(state: State, seat: int, move: Move) -> None:
    """Check that the move is legal for the seat now. Raises IllegalMove, naming the rule."""
    if state.phase == "over":
        raise IllegalMove("the game is over")
    if not isinstance(move, MOVES_OF[state.phase]):
        raise IllegalMove(f"the decision now is of the kind {state.phase}, and this is another move")
    if seat not in deciders(state):
        raise IllegalMove(_why_not(state, seat))
    if isinstance(move, Grab):
        _check_ranking(move.order, len(state.market), "a grab names each position of the market once")
    elif isinstance(move, Serve):
        _check_serve(state, seat, move)
    elif isinstance(move, MakeOffer):
        _check_offer(state, seat, move)
    elif isinstance(move, Answer):
        _check_answer(state, seat, move.accept)
    elif isinstance(move, Taste):
        _check_ranking(move.ranking, state.rules.served, "a ranking names each sandwich read out once")


def _why_not(state: State, seat: int) -> str:
    """Return why a seat has nothing to decide in a game that is not over."""
    if not 0 <= seat < state.rules.seats:
        return f"there is no seat {seat}"
    if state.phase == "taste":
        return f"it is seat {state.taster} that tastes now, not seat {seat}"
    return f"seat {seat} has got no offer to answer"


def _check_ranking(ranking: Sequence[int], count: int, rule: str) -> None:
    if len(ranking) == count and _ALL[count].issubset(ranking):
        return
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
    held = state.hands[seat]
    used = [card for sandwich in serve.sandwiches for card in sandwich]
    if sorted(used) != sorted(held):
        _refuse_cards(Counter(held), Counter(used))
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


def sample(state: State, seat: int, rng: Rng) -> Move:
    """Return a legal move of the seat's decision.

    Rankings and sandwiches are random, all equally likely, without words. Half the time there is an offer, of a random
    card for a random card of a random seat. Of the offers it got, a seat accepts each with probability one half, in
    random order.
    """
    if state.phase == "grab":
        return grab(shuffled(range(len(state.market)), rng))
    if state.phase == "serve":
        hand = shuffled(state.hands[seat], rng)
        return Serve(tuple([(hand[i], hand[i + 1], hand[i + 2]) for i in range(0, len(hand), 3)]))
    if state.phase == "offer":
        return _offer(state, seat, rng)
    if state.phase == "answer":
        numbers = [number for number, offer in enumerate(state.offers) if offer.to == seat]
        rng.shuffle(numbers)
        return Answer(tuple([number for number in numbers if rng.randrange(2)]))
    rankings = decisions(state)[0].legal or ()
    return rankings[rng.randrange(len(rankings))]


def _offer(state: State, seat: int, rng: Rng) -> Move:
    if rng.randrange(2):
        return NoOffer()
    to = (seat + 1 + rng.randrange(state.rules.seats - 1)) % state.rules.seats
    own, other = state.hands[seat], state.hands[to]
    return MakeOffer(to, own[rng.randrange(len(own))], other[rng.randrange(len(other))])


_KINDS: tuple[type[Move], ...] = (Grab, MakeOffer, NoOffer, Answer, Serve, Taste)
_REQUIRED = {kind.type: tuple(key.name for key in fields(kind) if key.default is MISSING) for kind in _KINDS}
_OPTIONAL = {Serve.type: ("words",)}
_FITTING = {phase: tuple(move.type for move in moves) for phase, moves in MOVES_OF.items()}
"""The types of move of each phase."""
_WHOLE = frozenset({int})


def parse(state: State, seat: int, raw: JSON) -> Move:
    """Return the legal move that a JSON value stands for now. Raises IllegalMove, naming the rule."""
    kind, given = read_shape(raw, _REQUIRED, _OPTIONAL)
    fitting = _FITTING[state.phase]
    if fitting and kind not in fitting:
        wanted = " or ".join(f'"{name}"' for name in fitting)
        raise IllegalMove(f'the move must be of type {wanted} now, not "{kind}"')
    move: Move
    if kind == "grab":
        move = grab(_numbers(given["order"], "order", "positions of the market"))
    elif kind == "offer":
        move = MakeOffer(
            whole_number(given["to"], "a seat"), _card(given["give"], "give"), _card(given["want"], "want")
        )
    elif kind == "no_offer":
        move = NoOffer()
    elif kind == "answer":
        move = Answer(_numbers(given["accept"], "accept", "numbers of offers"))
    elif kind == "serve":
        move = _serve(given["sandwiches"], given.get("words", ()), "words" in given)
    else:
        move = Taste(_numbers(given["ranking"], "ranking", "places among the sandwiches read out"))
    check(state, seat, move)
    return move


def _numbers(raw: JSON, key: str, what: str) -> tuple[int, ...]:
    if not isinstance(raw, list):
        raise IllegalMove(f'"{key}" is a list of {what}, not {shown(raw)}')
    if not _WHOLE.issuperset(map(type, raw)):
        for number in raw:
            whole_number(number, f'each of "{key}"')
    return tuple(raw)


def _card(raw: JSON, *where: object) -> int:
    if not isinstance(raw, str) or raw not in CARDS:
        raise IllegalMove(f"{' '.join(map(str, where))}: there is no ingredient {shown(raw)}")
    return CARDS[raw]


def _serve(raw: JSON, words: JSON, worded: bool) -> Serve:
    if not isinstance(raw, list):
        raise IllegalMove(f'"sandwiches" is a list of sandwiches, not {shown(raw)}')
    return Serve(
        tuple([_sandwich(sandwich, place) for place, sandwich in enumerate(raw)]),
        _words(words) if worded else (),
    )


def _sandwich(raw: JSON, place: int) -> Sandwich:
    if not isinstance(raw, list):
        raise IllegalMove(f"sandwich {place} is a list of ingredients, not {shown(raw)}")
    if len(raw) != 3:
        raise IllegalMove(f"a sandwich has 3 ingredients, and sandwich {place} has {len(raw)}")
    a, b, c = raw
    return _card(a, "sandwich", place), _card(b, "sandwich", place), _card(c, "sandwich", place)


def _words(raw: JSON) -> tuple[str, ...]:
    if not isinstance(raw, list) or not raw:
        raise IllegalMove(f'"words" is a list of words, one for each sandwich, or left out; not {shown(raw)}')
    for place, word in enumerate(raw):
        if not isinstance(word, str):
            raise IllegalMove(f"a word is text, and that for sandwich {place} is {shown(word)}")
    return tuple(raw)

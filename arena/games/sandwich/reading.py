"""Reads moves of Sandwich from JSON: any value is either a legal move or refused."""

from arena.core.errors import IllegalMove
from arena.core.game import JSON
from arena.core.moves import read_shape, shown, whole_number
from arena.games.sandwich.ingredients import CARDS
from arena.games.sandwich.legality import MOVES_OF, check
from arena.games.sandwich.moves import Answer, Grab, MakeOffer, Move, NoOffer, Serve, Taste, grab
from arena.games.sandwich.palates import Sandwich
from arena.games.sandwich.state import State

_REQUIRED: dict[str, tuple[str, ...]] = {
    "grab": ("order",),
    "offer": ("to", "give", "want"),
    "no_offer": (),
    "answer": ("accept",),
    "serve": ("sandwiches",),
    "taste": ("ranking",),
}
_OPTIONAL: dict[str, tuple[str, ...]] = {"serve": ("words",)}
_TYPES: dict[type[Move], str] = {
    Grab: "grab",
    MakeOffer: "offer",
    NoOffer: "no_offer",
    Answer: "answer",
    Serve: "serve",
    Taste: "taste",
}
_FITTING = {phase: tuple(_TYPES[move] for move in moves) for phase, moves in MOVES_OF.items()}
"""The types of move of each phase."""
_WHOLE = frozenset({int})


def parse(state: State, seat: int, raw: JSON) -> Move:
    """Return the legal move that a JSON value stands for now. Raises IllegalMove, naming the rule."""
    kind, fields = read_shape(raw, _REQUIRED, _OPTIONAL)
    fitting = _FITTING[state.phase]
    if fitting and kind not in fitting:
        wanted = " or ".join(f'"{name}"' for name in fitting)
        raise IllegalMove(f'the move is to be of type {wanted} now, not "{kind}"')
    move: Move
    if kind == "grab":
        move = grab(_numbers(fields["order"], "order", "positions of the market"))
    elif kind == "offer":
        move = MakeOffer(
            whole_number(fields["to"], "a seat"), _card(fields["give"], "give"), _card(fields["want"], "want")
        )
    elif kind == "no_offer":
        move = NoOffer()
    elif kind == "answer":
        move = Answer(_numbers(fields["accept"], "accept", "numbers of offers"))
    elif kind == "serve":
        move = _serve(fields["sandwiches"], fields.get("words", ()), "words" in fields)
    else:
        move = Taste(_numbers(fields["ranking"], "ranking", "places among the sandwiches read out"))
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

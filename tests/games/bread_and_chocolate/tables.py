"""Moments of Bread and Chocolate written down, and moves made in them.

Cards stand in a string, with spaces: "As Td 7h". Piles are written from the oldest card to the newest, so that
the top is the last; the stock from the card that is drawn first. A move is a card, `draw`, `spread`, `flip`,
`pass`, or a discard: "- 2c 9d".
"""

from collections.abc import Sequence
from typing import Any

from arena.core.game import JSON, Decision, Outcome
from arena.core.ruleset import Ruleset, ruleset
from arena.games.bread_and_chocolate import GAME
from arena.games.bread_and_chocolate.moves import Move
from arena.games.bread_and_chocolate.rules import CARDS, State, names, rules_of

SEATS = range(2, 6)
Events = list[dict[str, Any]]


def cards(text: str) -> list[int]:
    return [CARDS[name] for name in text.split()]


def resolved(name: str = "pagat", seats: int = 2, **options: object) -> Ruleset:
    return GAME.resolve(ruleset(GAME.info, name, options), seats)


def table(
    *held: str,
    rules: str = "pagat",
    up: str = "8h",
    down: str = "2h",
    stock: str = "Ks Kh Qs Qh Js Jh",
    to_move: int = 0,
    opening: int = 0,
    spread: bool = False,
    turns: int = 0,
    scores: Sequence[int] = (),
    later: Sequence[str] = (),
    **options: object,
) -> State:
    """Return a moment of hand 0 with what each seat holds; `later` are the decks of the hands to come."""
    return State(
        rules=rules_of(resolved(rules, len(held), **options)),
        decks=((), *(tuple(cards(deck)) for deck in later)),
        hand_no=0,
        stock=cards(stock)[::-1],
        up=cards(up),
        down=cards(down),
        held=[cards(hand) for hand in held],
        to_move=to_move,
        opening=opening,
        owed=0,
        spread=spread,
        turns=turns,
        scores=list(scores or [0] * len(held)),
    )


def as_json(move: str) -> JSON:
    if move in ("draw", "spread", "flip", "pass"):
        return {"type": move}
    if move.startswith("-"):
        return {"type": "discard", "cards": move[1:].split()}
    return {"type": "play", "card": move}


def make(state: State, *moves: str, seen_by: int | None = None) -> tuple[State, Events]:
    """Make moves for whoever is to move; return the state after them and all events as a seat sees them."""
    events: Events = []
    for move in moves:
        seat = state.to_move
        state, happened = GAME.apply(state, {seat: GAME.parse_move(state, seat, as_json(move))})
        events += [event.seen_by(seen_by) for event in happened]
    return state, events


def decision(state: State) -> Decision[Move]:
    """Return the decision to be made; somebody is to move."""
    turn = GAME.turn(state)
    assert not isinstance(turn, Outcome)
    (one,) = turn
    return one


def legal(state: State) -> list[str]:
    """Return the legal moves, as they are written here."""
    written = []
    for move in decision(state).legal or ():
        raw = GAME.format_move(move)
        if raw["type"] == "discard":
            written.append(" ".join(["-", *raw["cards"]]))
        else:
            written.append(raw.get("card", raw["type"]))
    return written


def hand(state: State, seat: int) -> str:
    return " ".join(names(state.held[seat]))


def piles(state: State) -> tuple[str, str, str]:
    """Return up pile, down pile and stock, as they are written here."""
    return " ".join(names(state.up)), " ".join(names(state.down)), " ".join(names(state.stock[::-1]))


def kinds(events: Events) -> list[str]:
    return [event["kind"] for event in events]


def only(events: Events, kind: str) -> dict[str, Any]:
    """Return the one event of a kind."""
    (event,) = [event for event in events if event["kind"] == kind]
    return event

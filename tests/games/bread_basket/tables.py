"""Moments of Bread Basket written down, and moves made in them.

Cards stand in a string, with spaces: "5 4 3 O C". A move is a card, `stop`, or `@3` for a Chef's ability on
position 3 of the line.
"""

from collections.abc import Sequence
from typing import Any

from arena.core.card_game_base import NOTHING
from arena.core.game import JSON, Decision, Outcome
from arena.games.bread_basket import GAME
from arena.games.bread_basket.state import CARDS, State


def cards(text: str) -> list[int]:
    return [CARDS[name] for name in text.split()]


def table(
    *held: str,
    line: str = "",
    stock: str = "",
    to_move: int = 0,
    played: str = "",
    scores: Sequence[int] = (),
    later: Sequence[str] = (),
    chef_second: bool = False,
) -> State:
    """Return a moment of hand 0 with what each seat holds; `later` are the decks of the hands to come."""
    scores = scores or [0] * len(held)
    return State(
        decks=((), *(tuple(cards(deck)) for deck in later)),
        hand_no=0,
        stock=tuple(cards(stock)),
        stock_at=0,
        held=[cards(hand) for hand in held],
        line=cards(line),
        aside=0,
        to_move=to_move,
        played=CARDS[played] if played else NOTHING,
        scores=list(scores),
        before=tuple(scores),
        chef_second=chef_second,
    )


def as_json(move: str) -> JSON:
    if move == "stop":
        return {"type": "stop"}
    if move.startswith("@"):
        return {"type": "chef", "position": int(move[1:])}
    return {"type": "play", "card": move}


def make(state: State, *moves: str) -> tuple[State, list[dict[str, Any]]]:
    """Make moves for whoever is to move; return the state after them and all public events."""
    events: list[dict[str, Any]] = []
    for move in moves:
        seat = state.to_move
        state, happened = GAME.apply(state, {seat: GAME.parse_move(state, seat, as_json(move))})
        events += [event.seen_by(None) for event in happened]
    return state, events


def decision(state: State) -> Decision[int]:
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
        written.append(
            {"play": raw.get("card", ""), "stop": "stop", "chef": f"@{raw.get('position')}"}[raw["type"]]
        )
    return written


def line(state: State) -> str:
    return " ".join(GAME.view(state, None)["line"])


def hand(state: State, seat: int) -> str:
    return " ".join(GAME.view(state, seat)["hand"])


def taken(events: Sequence[dict[str, Any]]) -> list[tuple[str, str, int]]:
    """Return each trick of the events: what it is, its cards, its points."""
    return [
        (event["trick"], " ".join(event["cards"]), event["points"])
        for event in events
        if event["kind"] == "taken"
    ]


def kinds(events: Sequence[dict[str, Any]]) -> list[str]:
    return [event["kind"] for event in events]

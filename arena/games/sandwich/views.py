"""What a seat may know, at the start and at each moment.

Hidden are the piles, even from their owners, the palates of others, and face-down sandwiches until they
are read out. Everything else is open on the table.
"""

from arena.core.game import JSON
from arena.games.sandwich.ingredients import FAMILIES, FAMILY_SIZE, NAMES, PAIRS, names
from arena.games.sandwich.palates import figure
from arena.games.sandwich.play import direction, offers_json
from arena.games.sandwich.state import NOBODY, State


def private(state: State, seat: int) -> dict[str, JSON]:
    """Return a seat's palate, and the families and pair figures, which are the same in every game."""
    palate = state.deal.palates[seat]
    return {
        "likings": dict(zip(FAMILIES, map(figure, palate.likings), strict=True)),
        "quirks": dict(zip(NAMES, map(figure, palate.quirks), strict=True)),
        "families": {
            family: list(NAMES[number * FAMILY_SIZE : (number + 1) * FAMILY_SIZE])
            for number, family in enumerate(FAMILIES)
        },
        "pairs": {
            family: dict(zip(FAMILIES, map(figure, row), strict=True))
            for family, row in zip(FAMILIES, PAIRS, strict=True)
        },
    }


def view(state: State, seat: int | None) -> dict[str, JSON]:
    """Return what is on the table and, for a seat, who gets its sandwiches."""
    rules = state.rules
    at_market = state.phase == "grab"
    trading = state.phase in ("offer", "answer")
    tasting = state.phase == "taste"
    seen: dict[str, JSON] = {
        "round_no": state.round_no,
        "rounds": rules.rounds,
        "phase": state.phase,
        "direction": direction(state),
        "market_turn": state.market_turn if at_market else None,
        "market": names(state.market),
        "grab_order": list(state.grab_order),
        "pile": rules.pile - state.market_turn - 1 if at_market else 0,
        "hands": [names(hand) for hand in state.hands],
        "trade_round": state.trade_round if trading else None,
        "offers": offers_json(state.offers),
        "taster": None if state.taster == NOBODY else state.taster,
        "read_out": [names(sandwich) for sandwich in state.read_out()] if tasting else [],
        "plates": _plates(state),
        "scores": list(state.scores),
    }
    if seat is not None:
        seen["seat"] = seat
        seen["receivers"] = list(rules.receivers(seat, state.round_no))
    return seen


def _plates(state: State) -> list[list[JSON]]:
    """Return the waiting sandwiches before each seat, nearest giver first; null if they are face down.

    Those being read out are left to `read_out`, whose order reveals nothing about their makers.
    """
    return [
        [] if seat == state.taster else [names(sandwich) if state.rules.open else None for sandwich in plate]
        for seat, plate in enumerate(state.plates)
    ]

"""Games of Sandwich with everything that chance decides written down, and moves made in them.

Cards stand in a string, with spaces: "ham tuna brie". What is not given is as plain as can be: decks in the
order of the data file, grab orders 0, 1, 2 …, palates that like nothing better than anything else.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.core.chance import Chance, Stream
from arena.core.game import JSON, Event, Outcome
from arena.core.ruleset import Ruleset, ruleset
from arena.games.sandwich import GAME
from arena.games.sandwich.ingredients import CARDS, FAMILIES, NAMES
from arena.games.sandwich.state import Sandwich, State

Told = list[dict[str, Any]]


def rules_of(seats: int, name: str = "en", **options: object) -> Ruleset:
    return GAME.resolve(ruleset(GAME.info, name, options), seats)


def record(
    rules: Ruleset,
    seats: int,
    decks: Mapping[int, str] | None = None,
    orders: Mapping[int, Sequence[int]] | None = None,
    likings: Mapping[int, Mapping[str, float]] | None = None,
    quirks: Mapping[int, Mapping[str, float]] | None = None,
    shown: Mapping[tuple[int, int], Sequence[int]] | None = None,
) -> dict[str, list[Any]]:
    """Return the draws of a game: decks, grab orders by round, palates by seat, shown by round and taster.

    A deck that is given in part is filled up with the other cards in the order of the data file.
    """
    drawn: dict[str, list[Any]] = {}
    for round_no in range(rules.count("rounds")):
        first = (decks or {}).get(round_no, "").split()
        rest = list(NAMES * rules.count("boxes"))
        for name in first:
            rest.remove(name)
        drawn[f"deck/{round_no}"] = first + rest
        drawn[f"grab_order/{round_no}"] = list((orders or {}).get(round_no, range(seats)))
        for seat in range(seats):
            order = (shown or {}).get((round_no, seat), range(3 if seats > 3 else 4))
            drawn[f"shown/{round_no}/{seat}"] = list(order)
    for seat in range(seats):
        own = (likings or {}).get(seat, {})
        drawn[f"likings/{seat}"] = [float(own.get(family, 0.0)) for family in FAMILIES]
        own = (quirks or {}).get(seat, {})
        drawn[f"quirks/{seat}"] = [float(own.get(name, 0.0)) for name in NAMES]
    return drawn


def game(seats: int, name: str = "en", options: Mapping[str, object] | None = None, **drawn: Any) -> State:
    """Return the start of a game with the given draws."""
    rules = rules_of(seats, name, **(options or {}))
    return GAME.deal(seats, rules, Chance(record=record(rules, seats, **drawn)))[0]


def make(state: State, moves: Mapping[int, JSON]) -> tuple[State, Told]:
    """Make the moves of one turn; return the state after them and the public events."""
    after, events = GAME.apply(
        state, {seat: GAME.parse_move(state, seat, raw) for seat, raw in moves.items()}
    )
    return after, told(events)


def told(events: Sequence[Event]) -> Told:
    return [event.seen_by(None) for event in events]


def kinds(events: Told) -> list[str]:
    return [event["kind"] for event in events]


def grabs(orders: Mapping[int, Sequence[int]]) -> dict[int, JSON]:
    return {seat: {"type": "grab", "order": list(order)} for seat, order in orders.items()}


def all_grab(state: State) -> dict[int, JSON]:
    """Return the grabs by which each seat gets the card that its left neighbour turned up, whatever the rules."""
    seats = state.rules.seats
    return grabs({seat: [(seat + 1 + step) % seats for step in range(seats)] for seat in range(seats)})


def to(phase: str, state: State) -> State:
    """Play on to a phase of this round: each takes the left neighbour's card, nobody trades."""
    while state.phase != phase:
        assert state.phase in ("grab", "offer"), f"{phase} does not come after {state.phase}"
        if state.phase == "grab":
            state, _ = make(state, all_grab(state))
        else:
            state, _ = make(state, {seat: {"type": "no_offer"} for seat in range(state.rules.seats)})
    return state


def hand(state: State, seat: int) -> str:
    return " ".join(NAMES[card] for card in state.hands[seat])


def as_held(state: State, seat: int) -> JSON:
    """Return the serve that takes the hand three by three, in the order the cards came."""
    names = hand(state, seat).split()
    return {"type": "serve", "sandwiches": [names[i : i + 3] for i in range(0, len(names), 3)]}


def serve_as_held(state: State) -> tuple[State, Told]:
    return make(state, {seat: as_held(state, seat) for seat in range(state.rules.seats)})


def sandwich(text: str) -> Sandwich:
    a, b, c = text.split()
    return CARDS[a], CARDS[b], CARDS[c]


def random_game(
    seats: int,
    name: str = "en",
    seed: int = 0,
    watch: Callable[[State], None] | None = None,
    **options: object,
) -> tuple[State, list[Event]]:
    """Play a random game; return its end and all events. `watch` is called with each state on the way."""
    rng = Stream(b"%d" % seed, "moves")
    state, dealt = GAME.deal(seats, rules_of(seats, name, **options), Chance(b"%d" % seed))
    events = list(dealt)
    while not isinstance(turn := GAME.turn(state), Outcome):
        if watch is not None:
            watch(state)
        state, happened = GAME.apply(
            state, {one.seat: GAME.sample_move(state, one.seat, rng) for one in turn}
        )
        events += happened
    return state, events

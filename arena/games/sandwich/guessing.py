"""Guesses a full state from what one seat has seen: hidden things are drawn at random where they may be.

All turned-up cards are open, so only the piles are unknown and, in free tasting, what is face down and who made
the sandwiches that are read out (`plate_guessing`). Of other palates, a seat knows the rankings it has seen
(`palate_guessing`).
"""

from collections.abc import Sequence

from arena.core.chance import Rng
from arena.core.game import Seen
from arena.games.sandwich.ingredients import CARDS, FAMILIES, NAMES
from arena.games.sandwich.palate_guessing import guess_palate
from arena.games.sandwich.palates import Palate, Sandwich, millionths
from arena.games.sandwich.plate_guessing import Event, Plates, guess_plates, sandwich_of, this_round
from arena.games.sandwich.rules import Rules
from arena.games.sandwich.state import NOBODY, Deal, Offer, State


def guess(seen: Seen, rng: Rng) -> State:
    """Return a full state that looks to the seat like the one it has seen, with everything hidden at random.

    For palates that agree with all rankings, `seen.events` must start with the game; in free tasting, no later than
    the deal of this round. Events of kinds other than the game's own are ignored.
    Raises ValueError if events and view are inconsistent.
    """
    view = seen.view
    rules = Rules.of(seen.ruleset, seen.seats)
    round_no, phase = view["round_no"], view["phase"]
    taster = NOBODY if view["taster"] is None else view["taster"]
    plates: Plates = [()] * seen.seats
    shown: tuple[int, ...] = ()
    if phase == "taste":
        plates, shown = guess_plates(seen, rules, rng)
    market_turn = view["market_turn"] if phase == "grab" else rules.pile
    return State(
        rules=rules,
        deal=Deal(
            decks=_guess_decks(view, rules, rng),
            grab_orders=_guess_orders(view, rules, rng),
            palates=_guess_palates(seen, rules, rng),
            shown=_guess_shown(rules, round_no, taster, shown, rng),
        ),
        round_no=round_no,
        phase=phase,
        market_turn=market_turn,
        market=_cards(view["market"]),
        hands=[_cards(hand) for hand in view["hands"]],
        trade_round=view["trade_round"] or 0,
        offers=tuple(
            [
                Offer(offer["seat"], offer["to"], CARDS[offer["give"]], CARDS[offer["want"]])
                for offer in view["offers"]
            ]
        ),
        plates=plates,
        taster=taster,
        scores=list(view["scores"]),
        before=_scores_before(seen),
    )


def _guess_decks(view: Event, rules: Rules, rng: Rng) -> tuple[tuple[int, ...], ...]:
    """Return decks with the unseen cards of this round in the piles; past decks and turns are left empty."""
    box = list(range(len(NAMES))) * rules.boxes
    decks: list[tuple[int, ...]] = [()] * view["round_no"]
    unseen = list(box)
    if view["phase"] == "grab":
        for name in [*view["market"], *(name for hand in view["hands"] for name in hand)]:
            unseen.remove(CARDS[name])
        rng.shuffle(unseen)
        decks.append((0,) * (len(box) - len(unseen)) + tuple(unseen))
    else:
        decks.append(())
    while len(decks) < rules.rounds:
        rng.shuffle(box)
        decks.append(tuple(box))
    return tuple(decks)


def _guess_orders(view: Event, rules: Rules, rng: Rng) -> tuple[tuple[int, ...], ...]:
    """Return grab orders: this round's is known, past ones are left empty."""
    now = tuple(view["grab_order"])
    first = -view["market_turn"] % rules.seats if view["phase"] == "grab" else 0
    orders: list[tuple[int, ...]] = [()] * view["round_no"] + [now[first:] + now[:first]]
    while len(orders) < rules.rounds:
        order = list(range(rules.seats))
        rng.shuffle(order)
        orders.append(tuple(order))
    return tuple(orders)


def _guess_palates(seen: Seen, rules: Rules, rng: Rng) -> tuple[Palate, ...]:
    """Return the seat's own palate and, for the others, palates that agree with the rankings seen."""
    rankings: list[list[list[Sandwich]]] = [[] for _ in range(seen.seats)]
    if not rules.free:  # in free tasting, a ranking says nothing about a palate
        for event in seen.events:
            if event["kind"] == "tasted":
                rankings[event["taster"]].append([sandwich_of(names) for names in event["sandwiches"]])
    return tuple(
        [
            _own_palate(seen.private) if seat == seen.seat else guess_palate(rankings[seat], rng)
            for seat in range(seen.seats)
        ]
    )


def _own_palate(private: Event) -> Palate:
    likings, quirks = private["likings"], private["quirks"]
    return Palate(
        millionths([likings[family] for family in FAMILIES]), millionths([quirks[name] for name in NAMES])
    )


def _guess_shown(
    rules: Rules, round_no: int, taster: int, shown: tuple[int, ...], rng: Rng
) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return the orders in which sandwiches are read out: this taster's as given, all others at random."""
    if not rules.free:
        return ()
    orders = []
    for _ in range(rules.rounds):
        of_round = []
        for _ in range(rules.seats):
            order = list(range(rules.served))
            rng.shuffle(order)
            of_round.append(tuple(order))
        orders.append(of_round)
    if taster != NOBODY:
        orders[round_no][taster] = shown
    return tuple(map(tuple, orders))


def _scores_before(seen: Seen) -> tuple[int, ...]:
    """Return the scores at the start of this round: the current ones less what was given since."""
    scores = list(seen.view["scores"])
    if seen.view["phase"] == "taste":
        for event in this_round(seen.events):
            if event["kind"] == "tasted":
                for maker, points in zip(event["makers"], event["points"], strict=True):
                    scores[maker] -= points
    return tuple(scores)


def _cards(names: Sequence[str]) -> list[int]:
    return [CARDS[name] for name in names]

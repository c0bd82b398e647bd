"""Guesses full states from what one seat has seen: hidden things are drawn at random where they may be.

All turned-up cards are open, so only the piles are unknown and, in free tasting, what is face down and who made
the sandwiches that are read out (`plate_guessing`). Of other palates, a seat knows the rankings it has seen
(`palate_guessing`).
"""

from collections.abc import Mapping, Sequence

from arena.core.card_game_base import last_deal
from arena.core.chance import Rng, shuffled
from arena.core.game import JSON
from arena.core.ruleset import Ruleset
from arena.games.sandwich.ingredients import CARDS, FAMILIES, NAMES
from arena.games.sandwich.palate_guessing import PalateGuesser
from arena.games.sandwich.plate_guessing import Event, Making, PlateGuesser, Plates, sandwich_of
from arena.games.sandwich.rules import Rules
from arena.games.sandwich.state import NOBODY, Deal, Offer, Palate, State, millionths


class Guesser:
    """What a seat knows in one game; see `arena.core.foresight`."""

    def __init__(self, ruleset: Ruleset, seats: int, seat: int, private: Mapping[str, JSON]) -> None:
        self._rules = Rules.of(ruleset, seats)
        likings, quirks = private["likings"], private["quirks"]
        own = Palate(
            millionths([likings[family] for family in FAMILIES]), millionths([quirks[name] for name in NAMES])
        )
        self._palates: list[Palate | PalateGuesser] = [
            own if other == seat else PalateGuesser() for other in range(seats)
        ]
        self._making: Making | None = None
        """Of this round, in free tasting."""
        self._gained = [0] * seats
        """Points of the tastings of this round."""

    def hear(self, events: Sequence[Event]) -> None:
        """Take events in their wire format: for palates that give all rankings, from the start of the game.

        In free tasting, only those since the last deal count. Events of kinds other than the game's own are ignored.
        """
        for event in events[last_deal(events) or 0 if self._rules.free else 0 :]:
            if event["kind"] == "dealt":
                self._making = Making(self._rules, event["round_no"])
                self._gained = [0] * self._rules.seats
            elif event["kind"] == "tasted":
                for maker, points in zip(event["makers"], event["points"], strict=True):
                    self._gained[maker] += points
                taster = self._palates[event["taster"]]
                if isinstance(taster, PalateGuesser) and not self._rules.free:
                    taster.hear([sandwich_of(names) for names in event["sandwiches"]])
            if self._making is not None and self._rules.free:
                self._making.hear(event)

    def worlds(self, view: Event, count: int, rng: Rng) -> list[State]:
        """Return states that look to the seat like the present one; they share what chance decides in later rounds.

        Raises ValueError if events and view are inconsistent.
        """
        rules = self._rules
        phase, taster = view["phase"], NOBODY if view["taster"] is None else view["taster"]
        if phase == "taste" and self._making is None:
            raise ValueError("the events do not reach back to the last deal")
        plates = PlateGuesser(self._making, view) if phase == "taste" and self._making is not None else None
        unseen = _unseen(view, rules)
        later = range(view["round_no"] + 1, rules.rounds)
        box = list(range(len(NAMES))) * rules.boxes
        decks = [shuffled(box, rng) for _ in later]
        orders = _grab_orders(view, rules, rng)
        shown = [[shuffled(range(rules.served), rng) for _ in range(rules.seats)] for _ in later]
        market, hands = _cards(view["market"]), [_cards(hand) for hand in view["hands"]]
        offers = [
            Offer(offer["seat"], offer["to"], CARDS[offer["give"]], CARDS[offer["want"]])
            for offer in view["offers"]
        ]
        scores = view["scores"]
        before = scores
        if phase == "taste":
            before = [now - gained for now, gained in zip(scores, self._gained, strict=True)]
        past = ((),) * view["round_no"]
        found = []
        for _ in range(count):
            deck = (0,) * (len(box) - len(unseen)) + shuffled(unseen, rng) if unseen else ()
            present = [shuffled(range(rules.served), rng) for _ in range(rules.seats)] if rules.free else []
            table: Plates = [()] * rules.seats
            if plates is not None:
                table, present[taster] = plates.plates(rng)
            deal = Deal(
                decks=(*past, deck, *decks),
                grab_orders=orders,
                palates=tuple([one if isinstance(one, Palate) else one.palate(rng) for one in self._palates]),
                shown=(*past, tuple(present), *map(tuple, shown)) if rules.free else (),
            )
            state = State(
                rules=rules,
                deal=deal,
                round_no=view["round_no"],
                phase=phase,
                market_turn=view["market_turn"] if phase == "grab" else rules.pile,
                market=market[:],
                hands=[hand[:] for hand in hands],
                trade_round=view["trade_round"] or 0,
                offers=tuple(offers),
                plates=table,
                taster=taster,
                scores=list(scores),
                before=tuple(before),
            )
            found.append(state)
        return found


def _unseen(view: Event, rules: Rules) -> list[int]:
    """Return the cards in the piles of this round. Raises ValueError if the view shows cards that there aren't."""
    if view["phase"] != "grab":
        return []
    unseen = list(range(len(NAMES))) * rules.boxes
    for name in [*view["market"], *(name for hand in view["hands"] for name in hand)]:
        unseen.remove(CARDS[name])
    return unseen


def _grab_orders(view: Event, rules: Rules, rng: Rng) -> tuple[tuple[int, ...], ...]:
    """Return grab orders: this round's is known, past ones are left empty."""
    now = tuple(view["grab_order"])
    first = -view["market_turn"] % rules.seats if view["phase"] == "grab" else 0
    orders: list[tuple[int, ...]] = [()] * view["round_no"] + [now[first:] + now[:first]]
    while len(orders) < rules.rounds:
        orders.append(shuffled(range(rules.seats), rng))
    return tuple(orders)


def _cards(names: Sequence[str]) -> list[int]:
    return [CARDS[name] for name in names]

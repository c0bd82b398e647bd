"""Guesses full states from what one seat has seen: hidden things are drawn at random where they may be.

All turned-up cards are open, so only the piles are unknown and, in free tasting, what is face down and who made
the sandwiches that are read out. All hands were open before these were made, so each maker's cards are known. How a
maker combined them isn't known until they are tasted; all ways are equally likely. Of other palates, a seat knows the
rankings it has seen (`palate_guessing`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate, permutations

from arena.core.card_game_base import last_deal
from arena.core.chance import Rng, shuffled
from arena.core.game import JSON
from arena.core.ruleset import Ruleset
from arena.games.sandwich.ingredients import CARDS, FAMILIES, NAMES
from arena.games.sandwich.palate_guessing import PalateGuesser
from arena.games.sandwich.rules import Rules
from arena.games.sandwich.state import NOBODY, Deal, Offer, Palate, Sandwich, State, millionths

Event = Mapping[str, JSON]
"""An event in its wire format."""
Plates = list[tuple[Sandwich, ...]]
"""The untasted sandwiches before each seat, nearest giver first."""
_Giver = tuple[int, int]
"""A sandwich by its maker and its number among the maker's, in serving order."""


class Making:
    """What one seat knows about the sandwiches of a round."""

    def __init__(self, rules: Rules, round_no: int) -> None:
        self.rules = rules
        self.round_no = round_no
        self.left: list[Counter[int]] = [Counter() for _ in range(rules.seats)]
        """Each maker's cards that aren't in a known sandwich."""
        self.known: dict[_Giver, Sandwich] = {}

    def hear(self, event: Event) -> None:
        """Take the next event of the round; those that say nothing of cards are ignored."""
        kind, left = event["kind"], self.left
        if kind == "grabbed":
            for hand, name in zip(left, event["taken"], strict=True):
                hand[CARDS[name]] += 1
        elif kind == "traded":
            for trade in event["trades"]:
                give, want = CARDS[trade["give"]], CARDS[trade["want"]]
                left[trade["seat"]].subtract([give])
                left[trade["seat"]][want] += 1
                left[trade["to"]].subtract([want])
                left[trade["to"]][give] += 1
        elif kind == "served" and "sandwiches" in event:
            for number, names in enumerate(event["sandwiches"]):
                self._know((event["seat"], number), sandwich_of(names))
        elif kind == "tasted":
            self._taste(event)

    def _know(self, giver: _Giver, sandwich: Sandwich) -> None:
        self.known[giver] = sandwich
        self.left[giver[0]].subtract(sandwich)

    def _taste(self, event: Event) -> None:
        """Add the sandwiches of a tasting to the known ones; if one maker made two, in any order."""
        unplaced = list(self.rules.givers(event["taster"], self.round_no))
        for maker, names in zip(event["makers"], event["sandwiches"], strict=True):
            sandwich = sandwich_of(names)
            own = [giver for giver in unplaced if giver[0] == maker]
            place = next((giver for giver in own if self.known.get(giver) == sandwich), None)
            if place is None:
                place = next(giver for giver in own if giver not in self.known)
                self._know(place, sandwich)
            unplaced.remove(place)


class PlateGuesser:
    """Guesses the plates at one moment of a tasting."""

    def __init__(self, making: Making, view: Event) -> None:
        """Raise ValueError if nobody can have made the sandwiches that are read out."""
        self._making = making
        self._taster: int = view["taster"]
        self._read_out = [sandwich_of(names) for names in view["read_out"]]
        self._givers = making.rules.givers(self._taster, making.round_no)
        weighed = [(way, self._weight(way)) for way in permutations(range(len(self._givers)))]
        self._ways = [(way, weight) for way, weight in weighed if weight]
        """For each sandwich read out, the index of a giver who can have made it; and how many ways there are to."""
        self._sums = list(accumulate([weight for _, weight in self._ways]))
        if not self._ways:
            raise ValueError("nobody can have made the sandwiches read out: events are missing")

    def plates(self, rng: Rng) -> tuple[Plates, tuple[int, ...]]:
        """Return the untasted sandwiches before each seat, and the order in which the taster's are read out.

        Every maker's sandwiches are made from its hand. Those already tasted, the seat's own and face-up ones are
        known; those read out go to makers who can have made them; the rest is random.
        """
        making = self._making
        rules, round_no, known = making.rules, making.round_no, dict(making.known)
        drawn = rng.randrange(self._sums[-1])
        shown = next(way for (way, _), end in zip(self._ways, self._sums, strict=True) if drawn < end)
        left = [Counter(cards) for cards in making.left]
        for sandwich, place in zip(self._read_out, shown, strict=True):
            giver = self._givers[place]
            if giver not in known:
                known[giver] = sandwich
                left[giver[0]].subtract(sandwich)
        unused = [list(cards.elements()) for cards in left]
        for cards in unused:
            rng.shuffle(cards)
        plates: Plates = [()] * rules.seats
        for seat in range(self._taster, rules.seats):
            plate = []
            for maker, number in rules.givers(seat, round_no):
                if (maker, number) not in known:
                    cards = unused[maker]
                    known[maker, number] = (cards.pop(), cards.pop(), cards.pop())
                plate.append(known[maker, number])
            plates[seat] = tuple(plate)
        return plates, shown

    def _weight(self, way: Sequence[int]) -> int:
        """Return in how many ways the givers' cards make the sandwiches read out, if each comes from one of them."""
        weight = 1
        left: dict[int, Counter[int]] = {}
        for sandwich, place in zip(self._read_out, way, strict=True):
            giver = self._givers[place]
            if giver not in self._making.known:
                cards = left.setdefault(giver[0], Counter(self._making.left[giver[0]]))
                for card in sandwich:
                    weight *= max(cards[card], 0)
                    cards[card] -= 1
            elif self._making.known[giver] != sandwich:
                return 0
        return weight


def sandwich_of(names: Sequence[str]) -> Sandwich:
    """Return a sandwich from the names of its ingredients."""
    a, b, c = names
    return CARDS[a], CARDS[b], CARDS[c]


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
            found.append(
                State(
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
            )
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

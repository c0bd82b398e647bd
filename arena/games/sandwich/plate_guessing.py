"""In free tasting, guesses who made the sandwiches that are read out and what is still face down.

All hands were open before the sandwiches were made, so each maker's cards are known. How a maker combined them
isn't known until they are tasted.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations

from arena.core.card_game_base import since_deal
from arena.core.chance import Rng
from arena.core.game import JSON, Seen
from arena.games.sandwich.ingredients import CARDS
from arena.games.sandwich.rules import Rules
from arena.games.sandwich.state import Sandwich

Event = Mapping[str, JSON]
"""An event in its wire format."""
Plates = list[tuple[Sandwich, ...]]
"""The untasted sandwiches before each seat, nearest giver first."""


def guess_plates(seen: Seen, rules: Rules, rng: Rng) -> tuple[Plates, tuple[int, ...]]:
    """Return the untasted sandwiches before each seat, and the order in which the taster's are read out.

    Every maker's sandwiches are made from its hand. Those already tasted, the seat's own and face-up ones are
    known; those read out go to makers who can have made them; the rest is random.
    """
    round_no, taster = seen.view["round_no"], seen.view["taster"]
    left, known = _recall_making(seen, rules)
    givers = rules.givers(taster, round_no)
    read_out = [sandwich_of(names) for names in seen.view["read_out"]]
    shown = _who_made(read_out, givers, left, known, rng)
    for place, (maker, number) in enumerate(givers):
        if (maker, number) not in known:
            known[maker, number] = read_out[shown.index(place)]
            left[maker].subtract(known[maker, number])
    unused = [list(cards.elements()) for cards in left]
    for cards in unused:
        rng.shuffle(cards)
    plates: Plates = [()] * rules.seats
    for seat in range(taster, rules.seats):
        plate = []
        for maker, number in rules.givers(seat, round_no):
            if (maker, number) not in known:
                cards = unused[maker]
                known[maker, number] = (cards.pop(), cards.pop(), cards.pop())
            plate.append(known[maker, number])
        plates[seat] = tuple(plate)
    return plates, shown


def _recall_making(seen: Seen, rules: Rules) -> tuple[list[Counter[int]], dict[tuple[int, int], Sandwich]]:
    """Return each maker's cards that aren't in a known sandwich, and the known sandwiches.

    A sandwich is identified by its maker and its number among the maker's, in serving order.
    Raises ValueError if the events don't reach back to the deal of this round.
    """
    left: list[Counter[int]] = [Counter() for _ in range(rules.seats)]
    known: dict[tuple[int, int], Sandwich] = {}
    for event in since_deal(seen.events):
        kind = event["kind"]
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
                known[event["seat"], number] = sandwich_of(names)
        elif kind == "tasted":
            _recall_tasting(event, rules, seen.view["round_no"], known)
    for (maker, _), sandwich in known.items():
        left[maker].subtract(sandwich)
    return left, known


def _recall_tasting(
    event: Event, rules: Rules, round_no: int, known: dict[tuple[int, int], Sandwich]
) -> None:
    """Add the sandwiches of a tasting to the known ones; if one maker made two, in any order."""
    unplaced = list(rules.givers(event["taster"], round_no))
    for maker, names in zip(event["makers"], event["sandwiches"], strict=True):
        sandwich = sandwich_of(names)
        own = [giver for giver in unplaced if giver[0] == maker]
        place = next((giver for giver in own if known.get(giver) == sandwich), None)
        if place is None:
            place = next(giver for giver in own if giver not in known)
            known[place] = sandwich
        unplaced.remove(place)


def _who_made(
    read_out: Sequence[Sandwich],
    givers: Sequence[tuple[int, int]],
    left: Sequence[Counter[int]],
    known: Mapping[tuple[int, int], Sandwich],
    rng: Rng,
) -> tuple[int, ...]:
    """Return, for each sandwich read out, the index of a giver who can have made it. Raises ValueError if none can."""
    ways = []
    for way in permutations(range(len(givers))):
        needed: dict[int, Counter[int]] = {}
        for sandwich, place in zip(read_out, way, strict=True):
            giver = givers[place]
            if giver in known:
                if known[giver] != sandwich:
                    break
            else:
                needed.setdefault(giver[0], Counter()).update(sandwich)
        else:
            if all(needed[maker] <= left[maker] for maker in needed):
                ways.append(way)
    if not ways:
        raise ValueError("nobody can have made the sandwiches read out: events are missing")
    return ways[rng.randrange(len(ways))]


def sandwich_of(names: Sequence[str]) -> Sandwich:
    """Return a sandwich from the names of its ingredients."""
    a, b, c = names
    return CARDS[a], CARDS[b], CARDS[c]

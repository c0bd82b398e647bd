"""Guesses a full state from what one seat has seen: hidden things are drawn at random where they may be.

All turned-up cards are open, so only the piles are unknown and, in free tasting, what is face down and who made
the sandwiches that are read out (`plate_guessing`). Of other palates, a seat knows the rankings it has seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, pi, sin
from statistics import NormalDist

from arena.core.card_game_base import since_deal
from arena.core.chance import Rng, shuffled
from arena.core.game import Seen
from arena.games.sandwich.ingredients import (
    CARDS,
    FAMILIES,
    FAMILY_COUNT,
    FAMILY_OF,
    MILLION,
    NAMES,
    PAIRS_OF_CARDS,
)
from arena.games.sandwich.plate_guessing import Event, Plates, guess_plates, sandwich_of
from arena.games.sandwich.rules import Rules
from arena.games.sandwich.state import (
    LIKING_SIGMA,
    NOBODY,
    QUIRK_SIGMA,
    Deal,
    Offer,
    Palate,
    Sandwich,
    State,
    millionths,
)

_FIGURES = FAMILY_COUNT + len(NAMES)
_PUSHES = 200
"""The most rounds of pushing; each round repairs every violated condition. More than 20 are hardly ever needed."""
_MOVES = 10
"""Random moves after the push."""
_TRIES = 4

_quantile = NormalDist().inv_cdf


@dataclass(frozen=True, slots=True)
class _Condition:
    """One sandwich is worth more than another: `offset` + the sum of weights times figures is above 0.

    The figures are a palate's likings and then its quirks, each divided by its standard deviation.
    """

    weights: tuple[tuple[int, float], ...]
    """The index of a figure and its weight."""
    offset: float

    def among(self, bound: Sequence[int]) -> "_Condition":
        """Return the condition with figures numbered by their index in a list."""
        return _Condition(
            tuple([(bound.index(number), weight) for number, weight in self.weights]), self.offset
        )

    def value(self, figures: Sequence[float]) -> float:
        """Return the difference in worth without the offset, which comes from the pairs."""
        return sum([weight * figures[number] for number, weight in self.weights])


def guess_palate(rankings: Sequence[Sequence[Sandwich]], rng: Rng) -> Palate:
    """Return a random palate that gives these rankings, each of sandwiches from best to worst.

    Without rankings, it is drawn like any palate. If no palate gives all rankings, as many as possible hold.
    """
    conditions = [
        _condition(better, worse)
        for ranking in rankings
        for better, worse in pairwise(ranking)
        if sorted(better) != sorted(worse)
    ]
    figures = _normals(_FIGURES, rng)
    bound = sorted({number for condition in conditions for number, _ in condition.weights})
    conditions = [condition.among(bound) for condition in conditions]
    for _ in range(_TRIES if conditions else 0):
        found = _move(_push(_normals(len(bound), rng), conditions, rng), conditions, rng)
        for number, figure in zip(bound, found, strict=True):
            figures[number] = figure
        if all(_agrees(_palate(figures), ranking) for ranking in rankings):
            break
    return _palate(figures)


def _condition(better: Sandwich, worse: Sandwich) -> _Condition:
    weights: dict[int, float] = {}
    offset = 0
    for (a, b, c), sign in ((better, 1), (worse, -1)):
        for card in (a, b, c):
            family, quirk = FAMILY_OF[card], FAMILY_COUNT + card
            weights[family] = weights.get(family, 0.0) + sign * LIKING_SIGMA
            weights[quirk] = weights.get(quirk, 0.0) + sign * QUIRK_SIGMA
        offset += sign * (PAIRS_OF_CARDS[a][b] + PAIRS_OF_CARDS[a][c] + PAIRS_OF_CARDS[b][c])
    return _Condition(
        tuple([(number, weight) for number, weight in weights.items() if weight]), offset / MILLION
    )


def _push(figures: list[float], conditions: Sequence[_Condition], rng: Rng) -> list[float]:
    """Move the figures in place, as little as needed plus a random amount, until all conditions hold."""
    for _ in range(_PUSHES):
        held = True
        for condition in conditions:
            short = condition.value(figures) + condition.offset
            if short <= 0.0:
                held = False
                by = (rng.random() - short) / sum([weight * weight for _, weight in condition.weights])
                for number, weight in condition.weights:
                    figures[number] += by * weight
        if held:
            break
    return figures


def _move(figures: list[float], conditions: Sequence[_Condition], rng: Rng) -> list[float]:
    """Return the figures after several random moves that keep the conditions."""
    for _ in range(_MOVES):
        other = _normals(len(figures), rng)
        lines = [(one.value(figures), one.value(other), one.offset) for one in conditions]
        angle = rng.random() * 2 * pi
        low, high = angle - 2 * pi, angle
        while angle and any(a * cos(angle) + b * sin(angle) + offset <= 0.0 for a, b, offset in lines):
            if angle < 0.0:
                low = angle
            else:
                high = angle
            angle = low + rng.random() * (high - low) if high - low > 1e-9 else 0.0
        by, of_other = cos(angle), sin(angle)
        figures = [by * here + of_other * there for here, there in zip(figures, other, strict=True)]
    return figures


def _normals(count: int, rng: Rng) -> list[float]:
    """Return normal numbers of mean 0 and standard deviation 1."""
    return [_quantile(rng.random() or 0.5) for _ in range(count)]


def _palate(figures: Sequence[float]) -> Palate:
    return Palate(
        millionths([LIKING_SIGMA * figure for figure in figures[:FAMILY_COUNT]]),
        millionths([QUIRK_SIGMA * figure for figure in figures[FAMILY_COUNT:]]),
    )


def _agrees(palate: Palate, ranking: Sequence[Sandwich]) -> bool:
    worths = [palate.worth(sandwich) for sandwich in ranking]
    return all(better >= worse for better, worse in pairwise(worths))


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
        orders.append(shuffled(range(rules.seats), rng))
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
    orders = [[shuffled(range(rules.served), rng) for _ in range(rules.seats)] for _ in range(rules.rounds)]
    if taster != NOBODY:
        orders[round_no][taster] = shown
    return tuple(map(tuple, orders))


def _scores_before(seen: Seen) -> tuple[int, ...]:
    """Return the scores at the start of this round: the current ones less what was given since."""
    scores = list(seen.view["scores"])
    if seen.view["phase"] == "taste":
        for event in since_deal(seen.events):
            if event["kind"] == "tasted":
                for maker, points in zip(event["makers"], event["points"], strict=True):
                    scores[maker] -= points
    return tuple(scores)


def _cards(names: Sequence[str]) -> list[int]:
    return [CARDS[name] for name in names]

"""Guesses are distributed as the palates, piles and plates that fit what was seen, each as likely as its deal."""

from collections import Counter
from collections.abc import Hashable
from itertools import pairwise, permutations
from statistics import fmean

import pytest

from arena.core.chance import Chance, Rng, Stream
from arena.core.game import Outcome
from arena.games.sandwich import GAME
from arena.games.sandwich.determinization import Guesser
from arena.games.sandwich.ingredients import FAMILY_COUNT
from arena.games.sandwich.palate_guessing import PalateGuesser
from arena.games.sandwich.plate_guessing import Making, PlateGuesser
from arena.games.sandwich.rules import Rules
from arena.games.sandwich.state import Palate, State
from tests.games.sandwich.tables import rules_of, sandwich
from tests.support.ranks import GUESSES, Figures, Ranks

# Palates

RANKINGS = [
    [sandwich(names) for names in ("ham tuna brie", "apple honey snail", "lettuce pesto fig")],
    [sandwich(names) for names in ("ham trout wasabi", "gouda apple pear", "bacon mustard onion")],
]


def guesser_of(rankings: int) -> PalateGuesser:
    found = PalateGuesser()
    for ranking in RANKINGS[:rankings]:
        found.hear(ranking)
    return found


@pytest.mark.parametrize(("rankings", "guesses"), [(1, 30), pytest.param(2, 1500, marks=pytest.mark.slow)])
def test_palates_are_those_of_many_that_happen_to_agree(rankings: int, guesses: int) -> None:
    """Ranks of palates that were drawn until they gave the rankings, for each liking and each quirk that matters."""
    rng = Stream(b"palates", f"{rankings}")
    free, bound = PalateGuesser(), guesser_of(rankings)
    matter = {FAMILY_COUNT + card for ranking in RANKINGS[:rankings] for one in ranking for card in one}
    matter |= set(range(FAMILY_COUNT))
    ranks = Ranks(rng)
    while guesses:
        palate = free.palate(rng)
        if all(palate.ranking(one) == (0, 1, 2) for one in RANKINGS[:rankings]):
            ranks.add(tastes(palate, matter), [tastes(bound.palate(rng), matter) for _ in range(GUESSES)])
            guesses -= 1
    assert ranks.worst()[0] < 6.0
    assert abs(ranks.mean()) < 0.9


def tastes(palate: Palate, matter: set[int]) -> Figures:
    figures = [*palate.likings, *palate.quirks]
    return {number: figures[number] for number in matter}


def test_one_palate_says_next_to_nothing_about_the_next() -> None:
    """Two rankings: the correlation of a liking in one guess with that in the next, mean and largest of all eight."""
    guesser, rng = guesser_of(2), Stream(b"palates", "in a row")
    likings = [guesser.palate(rng).likings for _ in range(400)]
    found = []
    for family in range(FAMILY_COUNT):
        figures = [one[family] for one in likings]
        mean = fmean(figures)
        spread = fmean([(one - mean) ** 2 for one in figures])
        both = fmean([(one - mean) * (two - mean) for one, two in pairwise(figures)])
        found.append(both / spread)
    assert abs(fmean(found)) < 0.09
    assert max(map(abs, found)) < 0.25


# Plates


def plates_of(
    seats: int, boxes: int, hands: list[str], read_out: list[str], rng: Rng, count: int
) -> Counter[object]:
    """Return how often each giver is taken to have made each sandwich read out to seat 0."""
    rules = Rules.of(rules_of(seats, "fr", tasting="free", boxes=boxes, rounds=1), seats)
    making = Making(rules, 0)
    for cards in zip(*[hand.split() for hand in hands], strict=True):
        making.hear({"kind": "grabbed", "taken": list(cards)})
    view = {"taster": 0, "read_out": [names.split() for names in read_out]}
    guesser = PlateGuesser(making, view)
    return Counter([guesser.plates(rng)[1] for _ in range(count)])


def test_makers_are_as_likely_as_their_hands_make_them() -> None:
    """Five seats and two boxes: three hams, two and one; none, one and two tunas; and six more cards each.

    The weights of all six ways, counted card by card: two are impossible, two weigh 3 and two 12.
    """
    rest = "brie gouda fig jam pear apple"
    hands = [
        f"{more} {rest}" for more in ("snail snail snail", "snail snail snail", "ham ham ham", "ham ham tuna")
    ]
    hands.append(f"ham tuna tuna {rest}")
    read_out = ["ham brie gouda", "tuna fig jam", "ham pear apple"]
    found = plates_of(5, 2, hands, read_out, Stream(b"plates", "boxes"), 1000)
    rules = Rules.of(rules_of(5, "fr", tasting="free", boxes=2, rounds=1), 5)
    makers = [maker for maker, _ in rules.givers(0, 0)]
    ways: Counter[object] = Counter()
    for way in permutations(range(3)):
        weight = 1
        for names, place in zip(read_out, way, strict=True):
            hand = hands[makers[place]].split()
            weight *= sum([list(three) == names.split() for three in permutations(hand, 3)])
        ways[way] = weight
    assert set(ways.values()) == {0, 3, 12}
    assert set(found) == {way for way, weight in ways.items() if weight}
    expected = {way: 1000 * weight / ways.total() for way, weight in ways.items() if weight}
    chi = sum([(found[way] - mean) ** 2 / mean for way, mean in expected.items()])
    assert chi < 24.0  # three degrees of freedom: exceeded once in 40,000 times


# At decisions of full deals


def moment(name: str, seats: int, rng: Rng, **options: object) -> tuple[State, int, Guesser, list[State]]:
    """Return the state at some decision of a random game, the seat that watches, and what it knows."""
    rules = rules_of(seats, name, **options)
    state, dealt = GAME.deal(seats, rules, Chance(b"%d" % rng.randrange(1 << 32)))
    seat = rng.randrange(seats)
    guesser = Guesser(rules, seats, seat, GAME.private(state, seat))
    guesser.hear([event.seen_by(seat) for event in dealt])
    round_no, wait = rng.randrange(state.rules.rounds), rng.randrange(14)
    while not isinstance(turn := GAME.turn(state), Outcome):
        if state.round_no == round_no and (wait := wait - 1) < 0:
            break
        state, events = GAME.apply(state, {one.seat: GAME.sample_move(state, one.seat, rng) for one in turn})
        guesser.hear([event.seen_by(seat) for event in events])
    return state, seat, guesser, list(guesser.worlds(GAME.view(state, seat), GUESSES, rng))


def figures(state: State, seat: int) -> Figures:
    """Return the likings of all others, the next cards of the piles, and the sandwiches on the plates."""
    found: dict[Hashable, float] = {
        ((other - seat) % state.rules.seats, family): liking
        for other, palate in enumerate(state.deal.palates)
        if other != seat
        for family, liking in enumerate(palate.likings)
    }
    if state.phase == "grab":
        turned = (state.market_turn + 1) * state.rules.seats
        for number, card in enumerate(state.deal.decks[state.round_no][turned : turned + 4]):
            found["pile", number] = card
    for number, plate in enumerate(state.plates):
        for place, one in enumerate(plate):
            found["plate", number - max(state.taster, 0), place] = one[0]
    return found


@pytest.mark.parametrize(
    ("name", "seats", "options", "deals"),
    [
        ("en", 4, {}, 5),
        pytest.param("en", 4, {}, 4000, marks=pytest.mark.slow),
        pytest.param("fr", 3, {}, 3000, marks=pytest.mark.slow),
        pytest.param("fr", 4, {"tasting": "free"}, 3000, marks=pytest.mark.slow),
    ],
)
def test_the_truth_has_every_rank_equally_often(
    name: str, seats: int, options: dict[str, object], deals: int
) -> None:
    """Chi-squared of 16 ranks for each liking of each other seat, the next cards, and what is on the plates."""
    rng = Stream(b"ranks", f"{name}/{seats}/{options}")
    ranks = Ranks(rng)
    for _ in range(deals):
        state, seat, _, worlds = moment(name, seats, rng, **options)
        ranks.add(figures(state, seat), [figures(world, seat) for world in worlds])
    assert ranks.worst()[0] < 6.0
    assert abs(ranks.mean()) < 0.75

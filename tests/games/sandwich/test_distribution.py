"""Guesses are distributed as the palates, piles and plates that fit what was seen, each as likely as its deal."""

from collections import Counter
from collections.abc import Hashable
from itertools import pairwise, permutations, product
from math import exp
from statistics import fmean

import pytest

from arena.core.chance import Chance, Rng, Stream
from arena.core.game import Outcome
from arena.games.sandwich import GAME, determinization
from arena.games.sandwich.determinization import Guesser, Making, PlateGuesser
from arena.games.sandwich.ingredients import CARDS, FAMILY_COUNT, FAMILY_OF, MILLION, NAMES
from arena.games.sandwich.palate_guessing import PalateGuesser
from arena.games.sandwich.rules import Rules
from arena.games.sandwich.state import LIKING_SIGMA, QUIRK_SIGMA, Palate, Sandwich, State
from tests.games.sandwich.tables import game, rules_of, sandwich
from tests.support.ranks import GUESSES, Figures, Ranks, too_large

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


@pytest.mark.parametrize(("rankings", "guesses"), [(1, 30), pytest.param(2, 750, marks=pytest.mark.slow)])
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


# Against every world, on cut decks


def told_apart(found: Counter[object], every: set[object]) -> float:
    """Return by how many standard deviations chi-squared is too large for worlds that are equally likely."""
    assert set(found) <= every
    return too_large([found[world] for world in every], len(every))


@pytest.mark.parametrize(
    ("seats", "box", "count"), [(4, 40, 2), pytest.param(3, 39, 30, marks=pytest.mark.slow)]
)
def test_every_pile_is_dealt_equally_often(
    monkeypatch: pytest.MonkeyPatch, seats: int, box: int, count: int
) -> None:
    """A box with three or four cards more than the piles take, at the last turn but one and at the last one.

    With three seats, the worlds are 720 and 6; with four, counted by the next four cards, 1,680 and 24.
    """
    monkeypatch.setattr(determinization, "NAMES", NAMES[:box])
    rules = rules_of(seats, "fr", rounds=1)
    rng = Stream(b"every pile", f"{seats}")
    pile = 3 * (4 if seats == 3 else 3)
    names = list(NAMES[:box])
    rng.shuffle(names)
    for turns in (pile - 1, pile):
        held = names[: seats * (turns - 1)]
        shown = names[len(held) : len(held) + seats]
        hidden = sorted(CARDS[name] for name in names[len(held) + seats :])
        guesser = Guesser(rules, seats, 0, GAME.private(game(seats, "fr"), 0))
        view = {
            **GAME.view(game(seats, "fr", {"rounds": 1}), 0),
            "market_turn": turns - 1,
            "market": shown,
            "hands": [held[seat::seats] for seat in range(seats)],
            "grab_order": list(range(seats)),
        }
        length = len(hidden) if seats == 3 else 4
        every = set[object](permutations(hidden, length))
        worlds = guesser.worlds(view, count * len(every), rng)
        assert {len(world.deal.decks[0]) for world in worlds} == {box}
        seen = len(held) + seats
        found = Counter[object](world.deal.decks[0][seen : seen + length] for world in worlds)
        assert told_apart(found, every) < 5.0


def test_every_way_to_make_the_plates_is_told_equally_often() -> None:
    """Seat 1 sees three sandwiches before seat 0, one its own; seats 2 and 3 have two kinds of cards: 88 worlds."""
    rules = Rules.of(rules_of(4, "fr", tasting="free", rounds=1), 4)
    hands = ["fig " * 9, "jam " * 9, "ham " * 7 + "tuna " * 2, "ham " * 7 + "tuna " * 2]
    read_out = [sandwich(names) for names in ("ham ham tuna", "jam jam jam", "ham ham ham")]
    making = Making(rules, 0)
    for cards in zip(*[hand.split() for hand in hands], strict=True):
        making.hear({"kind": "grabbed", "taken": list(cards)})
    making.hear({"kind": "served", "seat": 1, "sandwiches": [["jam", "jam", "jam"]] * 3})
    every = set[object]()
    makings = [set(permutations([CARDS[name] for name in hand.split()])) for hand in hands[2:]]
    for served in product(*makings):
        made = {2: served[0], 3: served[1], 1: (CARDS["jam"],) * 9, 0: (CARDS["fig"],) * 9}
        plates: list[tuple[tuple[int, ...], ...]] = [
            tuple([made[maker][3 * place : 3 * place + 3] for maker, place in rules.givers(seat, 0)])
            for seat in range(4)
        ]
        every |= {
            (tuple(plates), shown)
            for shown in permutations(range(3))
            if [plates[0][place] for place in shown] == read_out
        }
    guesser = PlateGuesser(
        making, {"taster": 0, "read_out": [list(map(NAMES.__getitem__, one)) for one in read_out]}
    )
    rng = Stream(b"every plate", "1")
    found = Counter[object]()
    for _ in range(40 * len(every)):
        told, order = guesser.plates(rng)
        found[tuple(told), order] += 1
    assert len(every) > 50
    assert told_apart(found, every) < 5.0


@pytest.mark.parametrize("guesses", [600, pytest.param(20_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("ranking", RANKINGS, ids=("1", "2"))
def test_palates_have_the_exact_means_and_spreads(ranking: list[Sandwich], guesses: int) -> None:
    """One ranking of three sandwiches leaves two sums of figures above a bound; all else follows from these two.

    Their means and variances are integrated; figures depend on them linearly, and are normal otherwise.
    """
    sigmas = [LIKING_SIGMA] * FAMILY_COUNT + [QUIRK_SIGMA] * len(NAMES)
    sums: list[dict[int, float]] = []
    bounds = []
    for better, worse in pairwise(ranking):
        weights: Counter[int] = Counter()
        for three, sign in ((better, 1), (worse, -1)):
            for card in three:
                weights.update({FAMILY_OF[card]: sign, FAMILY_COUNT + card: sign})
        sums.append(dict(weights))
        nothing = Palate((0,) * FAMILY_COUNT, (0,) * len(NAMES))
        bounds.append((nothing.worth(worse) - nothing.worth(better)) / MILLION)
    a, b, c = (
        sum(weight * other.get(figure, 0) * sigmas[figure] ** 2 for figure, weight in one.items())
        for one, other in ((sums[0], sums[0]), (sums[0], sums[1]), (sums[1], sums[1]))
    )
    means, covariances = truncated(a, b, c, bounds)
    guesser, rng = PalateGuesser(), Stream(b"exact palates", f"{ranking}")
    guesser.hear(ranking)
    palates = [guesser.palate(rng) for _ in range(guesses)]
    determinant = a * c - b * b
    deviations = []
    for figure, sigma in enumerate(sigmas):
        along = [one.get(figure, 0) * sigma**2 for one in sums]
        slope = ((along[0] * c - along[1] * b) / determinant, (along[1] * a - along[0] * b) / determinant)
        mean = slope[0] * means[0] + slope[1] * means[1]
        left = sigma**2 - slope[0] * along[0] - slope[1] * along[1]
        variance = left + sum(slope[i] * slope[j] * covariances[i][j] for i in (0, 1) for j in (0, 1))
        found = [[*one.likings, *one.quirks][figure] / MILLION for one in palates]
        assert fmean([(one - mean) ** 2 for one in found]) / variance == pytest.approx(
            1, abs=7 / guesses**0.5
        )
        deviations.append((fmean(found) - mean) / (variance / guesses) ** 0.5)
    assert max(map(abs, deviations)) < 5.0
    assert fmean([one * one for one in deviations]) < 2.0


def truncated(a: float, b: float, c: float, bounds: list[float]) -> tuple[list[float], list[list[float]]]:
    """Return means and covariances of two normal numbers above bounds; a, b, c are their variances and covariance."""
    step = 0.05
    determinant = a * c - b * b
    places = [
        [bound + step * (number + 0.5) for number in range(round((8 * v**0.5 - bound) / step))]
        for bound, v in zip(bounds, (a, c), strict=True)
    ]
    cells = [
        (x, y, exp(-(c * x * x - 2 * b * x * y + a * y * y) / (2 * determinant)))
        for x in places[0]
        for y in places[1]
    ]
    whole = sum([weight for _, _, weight in cells])
    x, y = (sum([cell[place] * cell[2] for cell in cells]) / whole for place in (0, 1))
    xx, xy, yy = (
        sum([(cell[i] - (x, y)[i]) * (cell[j] - (x, y)[j]) * cell[2] for cell in cells]) / whole
        for i, j in ((0, 0), (0, 1), (1, 1))
    )
    return [x, y], [[xx, xy], [xy, yy]]


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
        pytest.param("en", 4, {}, 2000, marks=pytest.mark.slow),
        pytest.param("fr", 3, {}, 1500, marks=pytest.mark.slow),
        pytest.param("fr", 4, {"tasting": "free"}, 1500, marks=pytest.mark.slow),
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

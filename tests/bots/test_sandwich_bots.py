"""The reference bots of Sandwich: they know the rules, and are as strong as they are said to be."""

import random
from collections import Counter
from itertools import combinations, permutations
from math import pi, sqrt
from statistics import fmean
from typing import Any

import pytest

from arena.core.chance import Chance, Stream
from arena.core.ruleset import ruleset
from arena.games.sandwich import GAME
from arena.games.sandwich.ingredients import NAMES
from arena.games.sandwich.palate_guessing import guess_palate
from arena.games.sandwich.state import Palate, Sandwich, State
from tests.support.bots.scripted_arena import START
from tests.support.bots.simulation import KitSeat, Meeting, Message, Seat, load_bot, play

NAME = "sandwich"
LEARNER, LEARNER_MODULE = load_bot(NAME, "learner")
NO_LEARNING, NO_LEARNING_MODULE = load_bot(NAME, "learner", "--no-learning")
GREEDY, GREEDY_MODULE = load_bot(NAME, "greedy")


class Random:
    """Plays the example: some legal move, all as likely as in random games."""

    def __init__(self) -> None:
        self.game: Any = None

    def move(self, ask: dict[str, Any]) -> Any:
        return ask["example"]


def start(seats: int = 4, seat: int = 0, **changes: Any) -> dict[str, Any]:
    """Return the message that starts a game, of which no more is played."""
    rules = GAME.resolve(ruleset(GAME.info, "en"), seats)
    state, _ = GAME.deal(seats, rules, Chance(b"start"))
    own = {"seat": seat, "seats": seats, "private": {**GAME.private(state, seat), **changes}}
    return {**START, "game": NAME, "options": dict(rules.options), **own}


def learner(**changes: Any) -> Any:
    """Return the learner at the start of a game."""
    seat = KitSeat(LEARNER)
    seat.start(start(**changes))
    return seat.bot


# What the bots know of the rules is what the rules are


def some_sandwiches(count: int) -> list[Sandwich]:
    rng = random.Random(3)
    return [(a, b, c) for a, b, c in (rng.sample(range(56), 3) for _ in range(count))]


def test_the_bots_reckon_worth_as_the_rules_do() -> None:
    palate = guess_palate([], Stream(b"worth", "own"))
    likings = dict(zip(start()["private"]["families"], [x / 1e6 for x in palate.likings], strict=True))
    quirks = dict(zip(NAMES, [x / 1e6 for x in palate.quirks], strict=True))
    bot = learner(likings=likings, quirks=quirks)
    private = bot.game.private
    pairs = GREEDY_MODULE.pair_figures(private)
    tastes = [figure / 1e6 for figure in palate.tastes]
    assert bot.kitchen.names == list(NAMES)
    for sandwich in some_sandwiches(200):
        names = [NAMES[card] for card in sandwich]
        assert bot.kitchen.worth(sandwich, tastes) == pytest.approx(palate.worth(sandwich) / 1e6)
        assert GREEDY_MODULE.own_worth(names, pairs, private) == pytest.approx(palate.worth(sandwich) / 1e6)


def test_sandwiches_are_ranked_by_the_own_palate_in_free_tasting() -> None:
    """Seats of greedy and learner, whose rankings are those of their palates."""
    now: list[tuple[State, int]] = []
    asked = 0

    class Watched(KitSeat):
        def ask(self, message: Message) -> Any:
            nonlocal asked
            raw = super().ask(message)
            if raw["type"] == "taste":
                state, seat = now[-1]
                asked += 1
                assert tuple(raw["ranking"]) == state.deal.palates[seat].ranking(state.read_out())
            return raw

    seats: list[Seat] = [Watched(made) for made in (GREEDY, LEARNER, GREEDY, LEARNER)]
    options = {"tasting": "free", "rounds": 2}
    play(NAME, seats, 5, "fr", options, lambda state, seat: now.append((state, seat)))
    assert asked == 8


# Making the best of a hand


def tastes_of_three(seed: int) -> list[list[float]]:
    rng = random.Random(seed)
    return [[rng.gauss(0, 1) for _ in range(56)] for _ in range(3)]


@pytest.mark.parametrize("seed", range(3))
def test_the_best_serving_of_nine_is_the_best_of_all(seed: int) -> None:
    kitchen = learner().kitchen
    hand = random.Random(seed).sample(range(56), 9)
    receivers = tastes_of_three(seed)

    def worth(sandwiches: Any) -> float:
        worths = [kitchen.worth(one, tastes) for one, tastes in zip(sandwiches, receivers, strict=True)]
        return float(sum(worths))

    best = max(
        worth(way)
        for first in combinations(hand, 3)
        for second in combinations([card for card in hand if card not in first], 3)
        for way in [(first, second, tuple(card for card in hand if card not in first + second))]
    )
    served = kitchen.best_serving(hand, receivers)
    assert sorted(card for one in served for card in one) == sorted(hand)
    assert worth(served) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(3))
def test_the_best_serving_of_twelve_is_better_than_what_is_found_fast(seed: int) -> None:
    """With three players two receivers get two each; no exchange and no other try makes it better."""
    kitchen = learner().kitchen
    rng = random.Random(seed)
    hand = rng.sample(range(56), 12)
    left, right, _ = tastes_of_three(seed)
    receivers = [left, left, right, right]
    served = kitchen.best_serving(hand, receivers)
    assert sorted(card for one in served for card in one) == sorted(hand)
    best = sum(kitchen.worth(one, tastes) for one, tastes in zip(served, receivers, strict=True))
    found = [kitchen.good_serving(rng.sample(hand, 12), receivers)[1] for _ in range(60)]
    assert best >= max(found) - 1e-9
    assert best == pytest.approx(max(found), abs=0.5)


@pytest.mark.parametrize("size", [9, 12])
def test_what_is_found_fast_is_no_exchange_short_of_better(size: int) -> None:
    kitchen = learner().kitchen
    hand = random.Random(size).sample(range(56), size)
    receivers = [*tastes_of_three(1), tastes_of_three(2)[0]][: size // 3]
    sandwiches, total = kitchen.good_serving(hand, receivers)

    def worth(ways: Any) -> float:
        worths = [kitchen.worth(one, tastes) for one, tastes in zip(ways, receivers, strict=True)]
        return float(sum(worths))

    assert sorted(card for one in sandwiches for card in one) == sorted(hand)
    assert worth(sandwiches) == pytest.approx(total)
    for i, j in permutations(range(size // 3), 2):
        for x in range(3):
            for y in range(3):
                changed = [list(one) for one in sandwiches]
                changed[i][x], changed[j][y] = changed[j][y], changed[i][x]
                assert worth(changed) <= total + 1e-6


# Learning


def test_one_comparison_gives_the_moments_of_half_a_normal_distribution() -> None:
    """Two sandwiches of equal pairs and unlike cards: the difference in worth was normal, and is now above 0.

    Ham, salami, bacon (0.4 each pair) against cards of two families make offsets; three of a family level out:
    brie, feta, gouda over lettuce, tomato, onion, 0.3 a pair both. The difference has the variance
    2 × 3² likings + 6 × 0.25 quirks = 19.5; half a normal distribution has mean σ√(2/π), variance σ²(1 − 2/π).
    """
    bot = learner()
    belief = bot.make_belief()
    better, worse = (
        bot.kitchen.cards(["brie", "feta", "gouda"]),
        bot.kitchen.cards(["lettuce", "tomato", "onion"]),
    )
    belief.learn([better, worse])
    tastes = belief.tastes()
    assert sum(tastes[card] for card in better) - sum(tastes[card] for card in worse) == pytest.approx(
        sqrt(19.5) * sqrt(2 / pi)
    )
    along = dict.fromkeys([2], 3.0) | dict.fromkeys([3], -3.0)
    along |= {8 + card: 1.0 for card in better} | {8 + card: -1.0 for card in worse}
    (vector,) = belief.learned
    taken_off = sum(weight * vector[figure] for figure, weight in along.items()) ** 2
    assert 19.5 - taken_off == pytest.approx(19.5 * (1 - 2 / pi))
    assert belief.mean[2] == -belief.mean[3] > 0
    assert belief.mean[0] == 0


@pytest.mark.slow
def test_beliefs_come_near_those_of_random_palates_that_agree() -> None:
    """Two rankings of three; the expected worth of single cards against random palates with these rankings."""
    bot = learner()
    belief = bot.make_belief()
    rankings = [[(0, 7, 14), (28, 42, 49), (21, 36, 29)], [(8, 9, 50), (20, 43, 30), (2, 35, 22)]]
    for ranking in rankings:
        belief.learn(ranking)
    rng = Stream(b"palates", "that agree")
    agreeing = [guess_palate(rankings, rng) for _ in range(400)]
    tastes = belief.tastes()
    for card in range(0, 56, 3):
        assert tastes[card] == pytest.approx(fmean([one.tastes[card] / 1e6 for one in agreeing]), abs=0.25)


def test_a_lover_of_fruit_is_found_out() -> None:
    bot = learner()
    fruit = Palate((0, 0, 0, 0, 3_000_000, 0, 0, 0), (0,) * 56)
    rng = random.Random(1)
    belief = bot.make_belief()
    for _ in range(6):
        cards = rng.sample(range(56), 9)
        plate: list[Sandwich] = [(cards[i], cards[i + 1], cards[i + 2]) for i in (0, 3, 6)]
        belief.learn([plate[place] for place in fruit.ranking(plate)])
    assert max(range(8), key=lambda family: belief.mean[family]) == 4


def tasted(taster: int) -> dict[str, Any]:
    sandwiches = [["apple", "pear", "fig"], ["ham", "tuna", "feta"], ["honey", "jam", "snail"]]
    return {
        "kind": "tasted",
        "taster": taster,
        "sandwiches": sandwiches,
        "makers": [3, 2, 1],
        "points": [3, 2, 0],
    }


def test_every_tasting_is_learned_from_and_without_learning_none() -> None:
    for made, learns in ((LEARNER, True), (NO_LEARNING, False)):
        seat = KitSeat(made)
        seat.start(start(seat=1))
        seat.bot.event(tasted(taster=2))
        assert any(seat.bot.beliefs[2].tastes()) == learns
        assert not any(seat.bot.beliefs[0].tastes())


@pytest.mark.slow
def test_the_same_belief_without_learning_serves_by_the_table_alone() -> None:
    """The two differ only in what they believe: as long as nobody has tasted, they make the same moves."""
    first, second = (
        play(NAME, [KitSeat(made) for _ in range(4)], 9, "en", {"rounds": 1})[1]
        for made in (LEARNER, NO_LEARNING)
    )
    assert first == second
    first, second = (
        play(NAME, [KitSeat(made) for _ in range(4)], 9, "en", {"rounds": 2})[1]
        for made in (LEARNER, NO_LEARNING)
    )
    assert first != second


# Trading


def trading(bot: Any, *hands: str, offers: Any = ()) -> dict[str, Any]:
    seats = len(hands)
    receivers = [(bot.game.seat + step) % seats for step in (1, 2, 3)]
    return {"hands": [hand.split() for hand in hands], "receivers": receivers, "offers": list(offers)}


OWN = "tuna salmon trout herring sardine anchovy mackerel apple pear"
SWEET = "honey jam chocolate caramel marshmallow maple-syrup melon mango lettuce"
OTHER = "ham bacon salami mustard pesto ketchup onion carrot tomato"


def test_an_exchange_that_helps_both_is_offered() -> None:
    """A hand of fish with two fruits against a hand of sweets with a lettuce: fruit for vegetable."""
    bot = learner()
    view = trading(bot, OWN, SWEET, OTHER, OTHER)
    move = bot.offer(view)
    assert move["type"] == "offer"
    give, want = bot.kitchen.cards([move["give"], move["want"]])
    assert bot.gain(bot.planned(view, 0), give, want) > LEARNER_MODULE.LEAST_GAIN
    assert bot.gain(bot.planned(view, move["to"]), want, give) > LEARNER_MODULE.LEAST_GAIN
    assert bot.offer(trading(bot, OTHER, OTHER, OTHER, OTHER)) == {"type": "no_offer"}


def test_gainful_offers_are_taken_the_dearest_first_and_others_not() -> None:
    bot = learner()

    def offer(number: int, give: str, want: str, to: int = 0) -> dict[str, Any]:
        return {"number": number, "seat": 1, "to": to, "give": give, "want": want}

    offers = [offer(0, "honey", "tuna"), offer(1, "lettuce", "apple"), offer(2, "lettuce", "pear", to=2)]
    view = trading(bot, OWN, SWEET, OTHER, OTHER, offers=offers)
    own = bot.planned(view, 0)
    cards = bot.kitchen.card_of
    gains = {
        one["number"]: bot.gain(own, cards[one["want"]], cards[one["give"]])
        for one in offers
        if one["to"] == 0
    }
    accept = bot.answer(view)["accept"]
    assert accept == sorted(
        (number for number, gain in gains.items() if gain > LEARNER_MODULE.LEAST_GAIN),
        key=lambda number: -gains[number],
    )
    assert 0 not in accept


# Strength

STRENGTH = [("en", 4, 60), ("fr", 4, 60), ("fr", 3, 40), ("fr", 6, 40)]


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "seats", "matches"), STRENGTH)
def test_learning_pays(rules: str, seats: int, matches: int) -> None:
    """Over 95 % sure: the whole interval of the share of matches won lies above a half."""
    meeting = Meeting(NAME, LEARNER, NO_LEARNING, seats, rules)
    meeting.play(matches)
    assert meeting.interval[0] > 0.5, meeting


@pytest.mark.slow
@pytest.mark.parametrize(
    ("better", "worse"), [(NO_LEARNING, GREEDY), (GREEDY, Random)], ids=["table", "greedy"]
)
def test_thinking_ahead_beats_greed_and_greed_beats_chance(better: Any, worse: Any) -> None:
    meeting = Meeting(NAME, better, worse, 4, "en")
    meeting.play(60)
    assert meeting.interval[0] > 0.5, meeting


class FamilyCounts:
    """What somebody likes, by counting families in the best and the worst sandwiches it was seen to rank."""

    def __init__(self, kitchen: Any) -> None:
        self.kitchen = kitchen
        self.counts: Counter[int] = Counter()

    def tastes(self) -> list[float]:
        return [0.35 * self.counts[family] for family in self.kitchen.family_of]

    def learn(self, ranking: list[list[int]]) -> None:
        self.counts.update(self.kitchen.family_of[card] for card in ranking[0])
        self.counts.subtract(self.kitchen.family_of[card] for card in ranking[-1])


@pytest.mark.slow
def test_counting_families_beats_the_table_alone_in_over_60_percent_of_300_matches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The check of the data file: with pair figures too large, the tasters would not matter."""
    for module in (LEARNER_MODULE, NO_LEARNING_MODULE):
        monkeypatch.setattr(module, "EVALUATIONS", 8)

    class FamilyCounter(LEARNER):  # type: ignore[misc, valid-type]  # the program is no module that mypy knows
        def make_belief(self) -> FamilyCounts:
            return FamilyCounts(self.kitchen)

    meeting = Meeting(NAME, FamilyCounter, NO_LEARNING, 4, "en")
    meeting.play(300)
    assert meeting.won > 0.6, meeting


# Bland, apprentice, caterer and trainee


def bot_of(name: str) -> Any:
    seat = KitSeat(load_bot(NAME, name)[0])
    seat.start(start())
    return seat.bot


def test_bland_keeps_a_family_apart() -> None:
    hand = "apple pear fig ham brie tuna pesto onion honey"
    view = {"hands": [hand.split()], "receivers": [1, 2, 3]}
    seat = KitSeat(load_bot(NAME, "bland")[0])
    seat.start(start())
    served = seat.ask({"kind": "serve", "view": view, "events": []})["sandwiches"]
    assert sorted(name for sandwich in served for name in sandwich) == sorted(hand.split())
    assert all(len({"apple", "pear", "fig"} & set(sandwich)) < 3 for sandwich in served)


def test_apprentice_learns_from_what_surprises_it_and_then_no_more() -> None:
    bot = bot_of("apprentice")
    before = [list(likings) for likings in bot.likings]
    surprise = tasted(taster=2)
    surprise["sandwiches"].reverse()  # by the table of families, the three fruits are the best
    for _ in range(12):
        bot.event(surprise)
    fruit, sweet = 4, 6
    assert bot.likings[2][sweet] > 0 > bot.likings[2][fruit]
    learned = [list(likings) for likings in bot.likings]
    bot.event(surprise)
    assert bot.likings == learned
    assert bot.likings[0] == before[0]


def test_caterer_imagines_palates_that_agree_with_the_tastings() -> None:
    bot = bot_of("caterer")
    bot.until = float("inf")
    bot.event(tasted(taster=2))
    worth = load_bot(NAME, "caterer")[1].worth
    plates = [[NAMES.index(name) for name in names] for names in tasted(taster=2)["sandwiches"]]
    for likings in bot.tastes(2):
        worths = [worth(plate, likings) for plate in plates]
        assert worths == sorted(worths, reverse=True)


def test_trainee_leaves_a_card_to_those_who_reach_for_it_sooner() -> None:
    """Of two fruits on the market, seats 1 and 2 want the same; as last of all, seat 0 reaches for the other."""
    bot = bot_of("trainee")
    bot.weights = dict.fromkeys(bot.weights, 0.0) | {"best pair": 1.0, "wanted before": -1.0}
    hands = ["brie gouda", "brie gouda", "brie gouda", "tuna trout"]
    view = {
        "hands": [hand.split() for hand in hands],
        "market": ["ham", "snail", "apple", "mustard"],
        "receivers": [1, 2, 3],
    }
    first = [
        bot.move({"kind": "grab", "view": {**view, "grab_order": order}})["order"][0]
        for order in ([0, 1, 2, 3], [1, 2, 3, 0])
    ]
    assert first == [2, 0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bland", "apprentice", "caterer", "trainee"])
def test_four_more_ways_beat_greed(name: str) -> None:
    meeting = Meeting(NAME, load_bot(NAME, name)[0], GREEDY, 4, "en")
    meeting.play(40)
    assert meeting.interval[0] > 0.5, meeting

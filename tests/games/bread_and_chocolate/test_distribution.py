"""Guesses are distributed as the histories that fit what was seen, each as likely as any other."""

from collections import Counter
from collections.abc import Hashable, Iterator
from itertools import pairwise

import pytest

from arena.core.chance import Chance, Rng, Stream
from arena.games.bread_and_chocolate import GAME
from arena.games.bread_and_chocolate.moves import PLAY, decisions
from arena.games.bread_and_chocolate.playout_policy import Guesser
from arena.games.bread_and_chocolate.rules import State
from tests.games.bread_and_chocolate.moments import Moment, moments
from tests.games.bread_and_chocolate.small import SmallHand, small_hands, told_history
from tests.games.bread_and_chocolate.tables import cards, resolved
from tests.support.ranks import GUESSES, Figures, Ranks, too_large

# Against every history


PAGAT = ("Ac Ad Ah As 2c 2d 2h 2s 3c 3h", "Ac Ad Ah As 2c 2d 2h 2s 3c Kh", "Kc Kd As Ad 2c 2h 3s 3d Qc")
SHRAM = ("2c 2d 3c 3d 4c 4d 4h 5c 5d 3h", "2c 2d 2h 3c 3d 3s 4c 4h")
OFTEN = 25
"""How often each history is told on average."""
THINNED = 8
"""Of so many histories in a row, one is counted: the next one may resemble it."""


def deviation(hand: SmallHand, rng: Rng, most: int) -> tuple[float, int]:
    """Return by how many standard deviations chi-squared is too large, and the number of histories.

    Fail if a history is told that is not among all, or one is never told. If there are more than `most`, do nothing.
    """
    every = hand.every_history()
    if not 2 <= len(every) <= most:
        return 0.0, len(every)
    histories = hand.histories()
    told: Counter[object] = Counter()
    for _ in range(OFTEN * len(every)):
        for _ in range(THINNED):
            histories.tell(rng)
        told[told_history(hand, histories)] += 1
    assert set(told) == set(every)
    return too_large(told.values(), len(every)), len(every)


def situations(name: str, seats: int, rng: Rng) -> Iterator[SmallHand]:
    """Yield moments of random hands of eight to ten cards, with at most seven that the seat can't see at first."""
    while True:
        choice = (SHRAM if name == "shram" else PAGAT)[rng.randrange(2 if name == "shram" else 3)]
        deck = cards(choice)
        size = {2: 2 + rng.randrange(2), 3: 2, 4: 1}[seats]
        rng.shuffle(deck)
        hands = [
            hand for hand in small_hands(name, deck[: size + 8], size, seats, rng) if len(hand.moves) > 2
        ]
        hidden = [hand for hand in hands if "discarded" in hand.kinds()]
        if rng.randrange(2) and hidden:
            hands = hidden
        if hands:
            yield hands[rng.randrange(len(hands))]


@pytest.mark.parametrize(
    ("name", "seats", "wanted"),
    [
        pytest.param(name, seats, 40, marks=pytest.mark.slow)
        for name, seats in (("pagat", 2), ("gamerules", 2), ("shram", 2), ("shram", 3), ("shram", 4))
    ],
)
def test_every_history_is_told_equally_often(name: str, seats: int, wanted: int) -> None:
    """Chi-squared against a list of all histories, made by the rules alone, at many moments of small hands."""
    rng = Stream(b"every", f"{name}/{seats}")
    found: list[float] = []
    met: Counter[str] = Counter()
    for hand in situations(name, seats, rng):
        worst, count = deviation(hand, rng, 400)
        if 2 <= count <= 400:
            assert worst < 6.0, hand
            found.append(worst)
            met.update(hand.kinds())
        if len(found) == wanted:
            break
    assert abs(sum(found) / wanted) < 4 / wanted**0.5
    assert met["stuck"] > wanted / 4
    assert met["refilled" if name == "shram" else "reset"] > wanted / 4
    if name != "shram":
        assert met["discarded"] > wanted / 8


def test_a_hand_with_a_hidden_discard_and_a_player_who_was_stuck() -> None:
    rng = Stream(b"every", "quick/3")
    for hand in situations("pagat", 2, rng):
        if hand.kinds() >= {"stuck", "discarded", "reset"}:
            worst, count = deviation(hand, rng, 20)
            if 4 < count <= 20:
                assert worst < 6.0
                return


# One after the other


def resemblance(moment: Moment, rng: Rng, count: int) -> float:
    """Return the correlation of whether a card is in a hand, in one history and in the next, over cards and hands."""
    seat = moment.state.to_move
    histories = moment.histories(seat, rng)
    told = []
    for _ in range(count):
        histories.tell(rng)
        told.append({(other, card) for other in range(moment.seats) for card in histories.hand(other)})
    both = spread = 0.0
    for held in set[tuple[int, int]]().union(*told):
        here = [held in one for one in told]
        mean = sum(here) / count
        both += sum([(one - mean) * (two - mean) for one, two in pairwise(here)]) / (count - 1)
        spread += mean * (1 - mean)
    return both / spread if spread else 0.0


@pytest.mark.parametrize(
    ("name", "seats", "games", "most"),
    [
        ("pagat", 2, 1, 0.15),
        *[
            pytest.param(name, seats, 12, 0.1, marks=pytest.mark.slow)
            for name, seats in (("pagat", 2), ("gamerules", 2), ("shram", 2), ("shram", 5))
        ],
    ],
)
def test_one_history_says_little_about_the_next(name: str, seats: int, games: int, most: float) -> None:
    """The mean correlation over moments of whole hands, early and late: at most 0.1."""
    rng = Stream(b"in a row", f"{name}/{seats}")
    found = []
    for number in range(games):
        every = max(1, sum(1 for _ in moments(name, seats, f"in a row/{number}", number % 3 / 2)) // 3)
        for place, moment in enumerate(moments(name, seats, f"in a row/{number}", number % 3 / 2)):
            if place % every == every - 1:
                found.append(resemblance(moment, rng, 200))
    assert sum(found) / len(found) < most


# At the first decisions of full deals


def ask_at(name: str, seats: int, rng: Rng) -> tuple[State, int, Guesser]:
    """Return the state at one of the first decisions of a random deal, the seat that decides, and what it knows.

    What others do tells nothing: of the cards that they may lay, a random one is laid; but the more there are, the more
    likely is the deal kept, in proportion. So each card that is laid was equally likely, whatever the rest of the hand.
    """
    rules = resolved(name, seats)
    while True:
        state, dealt = GAME.deal(seats, rules, Chance(b"%d" % rng.randrange(1 << 32)))
        seat, wait = rng.randrange(seats), 1 + rng.randrange(4)
        guesser = Guesser(rules, seats, seat, {})
        guesser.hear([event.seen_by(seat) for event in dealt])
        while state.hand_no == 0:
            one = decisions(state)[0]
            if one.seat == seat and one.kind != "opening":
                wait -= 1
                if not wait:
                    return state, seat, guesser
            laid = [move for move in one.legal or () if move[0] == PLAY]
            if one.seat != seat and laid and rng.randrange(len(state.held[one.seat])) >= len(laid):
                break
            move = GAME.sample_move(state, one.seat, rng)
            state, events = GAME.apply(state, {one.seat: move})
            guesser.hear([event.seen_by(seat) for event in events])


def figures(state: State, seat: int) -> Figures:
    """Return whether each card is in each hand that the seat can't see, and the top of the stock."""
    found: dict[Hashable, float] = {
        ((other - seat) % len(state.held), card): float(card in held)
        for other, held in enumerate(state.held)
        if other != seat
        for card in range(52)
    }
    if state.stock:
        found["stock"] = state.stock[-1]
    return found


def ranks(name: str, seats: int, deals: int) -> Ranks:
    rng = Stream(b"ranks", f"{name}/{seats}")
    found = Ranks(rng)
    for _ in range(deals):
        state, seat, guesser = ask_at(name, seats, rng)
        worlds = guesser.worlds(GAME.view(state, seat), GUESSES, rng)
        found.add(figures(state, seat), [figures(world, seat) for world in worlds])
    return found


@pytest.mark.parametrize(
    ("name", "seats", "deals"),
    [
        ("pagat", 2, 20),
        pytest.param("pagat", 2, 2000, marks=pytest.mark.slow),
        pytest.param("gamerules", 2, 1500, marks=pytest.mark.slow),
        pytest.param("shram", 3, 1500, marks=pytest.mark.slow),
    ],
)
def test_the_truth_has_every_rank_equally_often(name: str, seats: int, deals: int) -> None:
    """Chi-squared of 16 ranks for each card in each hand and for the top of the stock: 53 to 105 figures."""
    found = ranks(name, seats, deals)
    assert found.worst()[0] < 6.0
    assert abs(found.mean()) < 0.75

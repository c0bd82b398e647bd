"""Guessing (for bots that think ahead): all that a seat knows holds, all that it does not know varies."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from arena_conformance.random_games import GameSetup, played

from arena.core.chance import Chance, Stream
from arena.core.game import Seen
from arena.core.ruleset import ruleset
from arena.games.bread_basket import GAME
from arena.games.bread_basket.playout_policy import Guesser
from arena.games.bread_basket.state import NAMES, State, deck
from tests.games.bread_basket.tables import as_json
from tests.support.game_tables import TABLES

OURS = [table for table in TABLES if table.game_name == "bread-basket"]
QUICK = {"bread-basket.tens.6", "bread-basket.none.2", "bread-basket.extra.2"}
SOME = [
    pytest.param(table, id=str(table), marks=[pytest.mark.slow] * (str(table) not in QUICK)) for table in OURS
]


def unseen(state: State, seat: int) -> Counter[int]:
    """Return the cards in the other hands and in the stock."""
    others = [card for other, hand in enumerate(state.held) if other != seat for card in hand]
    return Counter(others) + Counter(state.stock[state.stock_at :])


@pytest.mark.parametrize("table", SOME)
def test_the_unseen_cards_are_those_of_the_truth(table: GameSetup) -> None:
    """At every decision of a game, in every hand: the same cards, only elsewhere."""
    rng = Stream(table.seed(0), "guess")
    for step_no, step in list(enumerate(played(table).steps))[::3]:
        seat = step.turn[0].seat
        state = GAME.guess(played(table).seen(step_no, seat), rng)
        assert unseen(state, seat) == unseen(step.state, seat)
        assert state.before == step.state.before
        assert state.dealer == step.state.dealer
        later = state.decks[state.hand_no + 1 :]
        assert len(later) == len(step.state.decks) - step.state.hand_no - 1
        whole = sorted(deck(table.rules.choice("chefs")))
        assert all(sorted(NAMES[card] for card in cards) == whole for cards in later)


@pytest.mark.parametrize("table", OURS, ids=str)
def test_the_events_of_the_hand_are_enough(table: GameSetup) -> None:
    """A bot may forget the hands before."""
    step_no = len(played(table).steps) - 1
    seat = played(table).steps[step_no].turn[0].seat
    seen = played(table).seen(step_no, seat)
    last_deal = max(i for i, event in enumerate(seen.events) if event["kind"] == "dealt")
    assert last_deal > 0
    short = replace(seen, events=seen.events[last_deal:])
    assert GAME.guess(short, Stream(b"guess", "")) == GAME.guess(seen, Stream(b"guess", ""))


class Story:
    """A dealt game of two hands of 12 and the moves made in it, as seat 0 sees it."""

    def __init__(self, own: str, other: str, first: str) -> None:
        mixed = [card for pair in zip(own.split(), other.split(), strict=True) for card in pair]
        rest = list((Counter(deck("tens")) - Counter([*mixed, first])).elements())
        self.rules = GAME.resolve(ruleset(GAME.info, None, {"hands": 1}), 2)
        chance = Chance(record={"deck/0": [*mixed, first, *rest]})
        self.state, events = GAME.deal(2, self.rules, chance)
        self.events = [event.seen_by(0) for event in events]

    def make(self, *moves: str) -> None:
        for move in moves:
            seat = self.state.to_move
            parsed = GAME.parse_move(self.state, seat, as_json(move))
            self.state, events = GAME.apply(self.state, {seat: parsed})
            self.events += [event.seen_by(0) for event in events]

    def seen(self) -> Seen:
        return Seen(self.rules, 2, 0, {}, GAME.view(self.state, 0), self.events)

    def always_held(self) -> set[str]:
        """Return the cards that seat 1 holds in each of many guesses."""
        rng = Stream(b"story", str(len(self.events)))
        hands = [{NAMES[card] for card in GAME.guess(self.seen(), rng).held[1]} for _ in range(60)]
        return set.intersection(*hands)


def test_a_fetched_card_is_with_its_player_until_it_is_played() -> None:
    story = Story("6 6 6 9 9 9 1 1 1 3 3 3", "C C 2 2 2 4 4 4 5 5 7 7", "8")
    story.make("9", "stop")
    assert story.always_held() == set()
    story.make("@0")
    assert story.state.to_move == 0
    assert story.always_held() == {"8"}
    story.make("6", "stop", "2", "stop")
    assert story.always_held() == {"8"}
    story.make("6", "stop", "8", "stop")
    assert story.always_held() == set()


def test_a_fetched_chef_is_known_until_it_is_used() -> None:
    story = Story("C 6 6 9 9 9 1 1 1 3 3 3", "C O 2 2 2 4 4 4 5 5 7 7", "8")
    story.make("C", "stop", "@1")
    assert story.always_held() == {"C"}
    story.make("9", "stop", "@0")
    assert story.always_held() == {"8"}
    assert "aside" in story.seen().view
    assert story.state.aside == 2


def test_ones_own_fetched_card_is_in_ones_own_hand() -> None:
    story = Story("C 6 6 9 9 9 1 1 1 3 3 3", "C O 2 2 2 4 4 4 5 5 7 7", "8")
    story.make("@0", "2", "stop")
    state = GAME.guess(story.seen(), Stream(b"own", ""))
    assert [NAMES[card] for card in state.held[0]][-1] == "8"
    assert story.always_held() == set()


def test_every_unseen_card_may_be_anywhere() -> None:
    story = Story("6 6 6 9 9 9 1 1 1 3 3 3", "C C 2 2 2 4 4 4 5 5 7 7", "8")
    rng = Stream(b"anywhere", "")
    held: set[int] = set()
    stock: set[int] = set()
    tops: set[int] = set()
    for _ in range(200):
        state = GAME.guess(story.seen(), rng)
        held.update(state.held[1])
        stock.update(state.stock)
        tops.add(state.stock[0])
    possible = set(unseen(story.state, 0))
    assert held == stock == tops == possible


def test_every_world_is_as_likely_as_its_deal() -> None:
    """Each unseen card is equally likely in every hidden place: hands and stock by the hypergeometric distribution."""
    story = Story("6 6 6 9 9 9 1 1 1 3 3 3", "C C 2 2 2 4 4 4 5 5 7 7", "8")
    story.make("9", "stop", "@0")
    seen, count = story.seen(), 3000
    guesser = Guesser(seen.ruleset, 2, 0, {})
    guesser.hear(seen.events)
    worlds = guesser.worlds(seen.view, count, Random(1))
    left = unseen(story.state, 0)
    left[NAMES.index("8")] -= 1  # the other seat has fetched it
    hidden, size = len(story.state.held[1]) - 1, sum(left.values())
    for card, copies in left.items():
        held = [world.held[1].count(card) - (NAMES[card] == "8") for world in worlds]
        mean = hidden * copies / size
        variance = mean * (1 - copies / size) * (size - hidden) / (size - 1)
        assert abs(sum(held) / count - mean) < 4 * (variance / count) ** 0.5, NAMES[card]
        spread = sum([(one - mean) ** 2 for one in held]) / count
        assert spread == pytest.approx(variance, rel=0.15), NAMES[card]
        for at in (0, -1):
            on_top = sum([world.stock[at] == card for world in worlds])
            chance = copies / size
            assert abs(on_top / count - chance) < 4 * (chance * (1 - chance) / count) ** 0.5, NAMES[card]


def test_a_guess_in_the_middle_of_a_turn_goes_on_with_the_second_card() -> None:
    story = Story("6 6 6 9 9 9 1 1 1 3 3 3", "C C 2 2 2 4 4 4 5 5 7 7", "8")
    story.make("9")
    state = GAME.guess(story.seen(), Stream(b"middle", ""))
    turn: Any = GAME.turn(state)
    assert (turn[0].kind, state.to_move, NAMES[state.played]) == ("second_card", 0, "9")


def test_guessing_needs_no_more_than_an_rng() -> None:
    """`random.Random` is as good as a stream."""
    story = Story("6 6 6 9 9 9 1 1 1 3 3 3", "C C 2 2 2 4 4 4 5 5 7 7", "8")
    assert GAME.guess(story.seen(), Random(1)) == GAME.guess(story.seen(), Random(1))


@pytest.mark.parametrize("lost", ["dealt", "played", "refilled"])
def test_lost_events_are_noticed(lost: str) -> None:
    story = Story("8 6 6 9 9 9 1 1 1 3 3 3", "O C 2 2 2 4 4 4 5 5 7 7", "8")
    story.make("9", "stop", "2", "4", "9", "stop", "5", "7", "3", "8", "2")
    events: Sequence[Any] = [event for event in story.events if event["kind"] != lost]
    if len(events) == len(story.events):
        pytest.fail(f"the story has no event {lost}")
    with pytest.raises(ValueError, match="events"):
        GAME.guess(replace(story.seen(), events=events), Stream(b"lost", ""))


def test_events_that_came_twice_are_noticed() -> None:
    story = Story("8 6 6 9 9 9 1 1 1 3 3 3", "O C 2 2 2 4 4 4 5 5 7 7", "8")
    story.make("9", "stop", "2", "stop", "9", "stop", "2", "stop", "6", "stop", "2", "stop")
    events = [*story.events, *story.events[1:]]
    with pytest.raises(ValueError, match="the deck has no 2 left to be seen: events came twice"):
        GAME.guess(replace(story.seen(), events=events), Stream(b"twice", ""))

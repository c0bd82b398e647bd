"""The reference bots of Bread Basket: they know the rules, and are as strong as they are said to be."""

import json
import shutil
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from arena import registry
from arena.games.bread_basket.state import NAMES, TEN, State
from tests.support.bots.simulation import KitSeat, ProcessSeat, Seat, load_bot, play

NAME = "bread-basket"
GAME = registry.game(NAME)
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="crumb is JavaScript: needs node")


def test_random_takes_the_example_where_moves_are_too_many_to_list(processes: Any) -> None:
    arena = processes(NAME, "random")
    bot = ProcessSeat(arena)
    bot.start({**json.loads(START_OF_ANOTHER_GAME)})
    move = {"type": "discard", "cards": ["2c", "9d"]}
    ask = {"type": "ask", "id": 5, "kind": "discard", "view": {}, "events": [], "time": {}, "example": move}
    assert bot.ask(ask) == move


START_OF_ANOTHER_GAME = """{"type": "start", "game": "bread-and-chocolate", "ruleset": "pagat", "options": {},
 "seat": 0, "seats": 2, "bot_seed": 1, "clock": {}, "limits": {}, "private": {}}"""


# What the bots know of the rules is what the rules are.


def names(cards: list[int]) -> list[str]:
    return [NAMES[card] for card in cards]


def test_the_bots_reckon_tricks_as_the_rules_do() -> None:
    """Every legal move of every decision of some random games."""
    greedy, counter, reader = (load_bot(NAME, name)[1] for name in ("greedy", "counter", "reader"))
    fetched = reader.turns.__globals__["fetched"]
    kinds: Counter[tuple[str, bool]] = Counter()

    def watch(state: State, seat: int) -> None:
        before = names(state.line)
        for raw in [GAME.format_move(move) for move in GAME.turn(state)[0].legal or ()]:  # type: ignore[index]
            after, events = GAME.apply(state, {seat: GAME.parse_move(state, seat, raw)})
            points = sum(event.data["points"] for event in events if event.kind == "taken")
            kinds[raw["type"], points != 0] += 1
            if any(event.kind in ("refilled", "dealt") for event in events):
                continue  # the line is then another
            if raw["type"] == "play":
                card = NAMES.index(raw["card"])
                assert greedy.after_playing(before, raw["card"]) == (points, names(after.line))
                assert counter.played(state.line, card) == (points, after.line)
                assert reader.played(state.line, card) == (points, after.line)
                assert counter.points_by_rank(state.line)[min(card, TEN)] == points
            elif raw["type"] == "chef":
                assert greedy.points_of_fetching(before, raw["position"]) == points
                assert counter.fetched(state.line, raw["position"]) == (points, after.line)
                assert fetched(state.line, raw["position"]) == (points, after.line)

    for seed, rules in enumerate(["tens", "none", "extra"] * 12):
        play(NAME, [KitSeat(load_bot(NAME, "random")[0]) for _ in range(3)], seed, rules, watch=watch)
    assert min(kinds["play", True], kinds["chef", True]) > 20


@pytest.mark.parametrize(
    ("seats", "rules"),
    [(2, "tens"), *(pytest.param(*table, marks=pytest.mark.slow) for table in ((3, "none"), (4, "extra")))],
)
def test_counter_knows_exactly_the_cards_it_has_not_seen(seats: int, rules: str) -> None:
    made = load_bot(NAME, "counter")[0]
    now: dict[str, State] = {}
    looked = 0

    class Checked(made):  # type: ignore[misc, valid-type]  # the program is no module that mypy knows
        def players_to_come(self, held: list[int]) -> Any:
            nonlocal looked
            looked += 1
            state = now["state"]
            hidden = Counter(state.stock[state.stock_at :])
            for other in range(1, seats):
                assert Counter(self.known[other]) <= Counter(state.held[other])
                hidden += Counter(state.held[other])
                hidden -= Counter(self.known[other])
            assert self.unseen == [hidden[card] for card in range(12)]
            return super().players_to_come(held)

    def watch(state: State, _seat: int) -> None:
        now["state"] = state

    others: list[Seat] = [KitSeat(load_bot(NAME, "random")[0]) for _ in range(seats - 1)]
    for seed in range(5):
        play(NAME, [KitSeat(Checked), *others], seed, rules, watch=watch)
    assert looked > 20


@pytest.mark.parametrize(
    ("seats", "rules"),
    [(2, "tens"), *(pytest.param(*table, marks=pytest.mark.slow) for table in ((3, "none"), (4, "extra")))],
)
def test_reader_knows_the_line_and_the_cards_it_has_not_seen(seats: int, rules: str) -> None:
    made = load_bot(NAME, "reader")[0]
    now: dict[str, State] = {}
    looked = 0

    class Checked(made):  # type: ignore[misc, valid-type]  # the program is no module that mypy knows
        def chances(self, seat: int, held: int) -> Any:
            nonlocal looked
            looked += 1
            state = now["state"]
            hidden = Counter(state.stock[state.stock_at :])
            for other in range(1, seats):
                hidden += Counter(state.held[other])
                hidden -= Counter(self.fetched[other])
            assert Counter(self.unseen) == hidden
            assert self.line == state.line
            chances = super().chances(seat, held)
            assert all(0.0 <= chance <= 1.0 for chance in chances)
            return chances

    def watch(state: State, _seat: int) -> None:
        now["state"] = state

    others: list[Seat] = [KitSeat(load_bot(NAME, "random")[0]) for _ in range(seats - 1)]
    for seed in range(3):
        play(NAME, [KitSeat(Checked), *others], seed, rules, watch=watch)
    assert looked > 20


def test_reader_doubts_that_a_player_holds_what_it_did_not_use() -> None:
    """The line 9 2 3 offers seven points to a 9. Seat 1 plays a 5 instead."""
    seat = KitSeat(load_bot(NAME, "reader")[0])
    seat.start({**json.loads(START_OF_ANOTHER_GAME), "game": "bread-basket", "options": {"chefs": "tens"}})
    bot = seat.bot
    bot.event({"kind": "dealt", "card": "9", "hand": ["4", "8"]})
    for card in ("2", "3"):
        bot.event({"kind": "played", "seat": 1, "card": card})
    before = bot.chances(1, 6)
    bot.event({"kind": "played", "seat": 1, "card": "5"})
    after = bot.chances(1, 5)
    assert after[9] < before[9] / 2
    assert after[8] > before[8] / 2
    bot.event({"kind": "dealt", "card": "1", "hand": ["4", "8"]})
    assert not any(bot.passed)


def first_card(name: str, line: str, hand: str, **view: Any) -> Any:
    """Return what a bot does at the start of its turn, the other player holding five unknown cards."""
    seat = KitSeat(load_bot(NAME, name)[0])
    seat.start({**json.loads(START_OF_ANOTHER_GAME), "game": "bread-basket", "options": {"chefs": "tens"}})
    cards = hand.split()
    table: dict[str, Any] = {
        "line": line.split(),
        "hand": cards,
        "held": [len(cards), 5],
        "played": [],
        **view,
    }
    legal: list[Any] = [{"type": "play", "card": card} for card in sorted(set(cards))]
    if "C" in cards:
        legal += [{"type": "chef", "position": position} for position in range(len(table["line"]))]
    return seat.ask({"kind": "first_card", "view": table, "legal": legal, "events": []})


@pytest.mark.parametrize("name", ["greedy", "counter", "worrier", "reader"])
def test_points_on_the_table_are_taken(name: str) -> None:
    assert first_card(name, "5 4 3", "9 5 8") == {"type": "play", "card": "5"}
    assert first_card(name, "8 6 7 C 8", "1 2 C") == {"type": "chef", "position": 3}


def test_counter_gives_no_nine_points_away_for_nothing() -> None:
    """5 4 and then a 3 would let any 5 take nine points; greedy sheds its lowest card all the same."""
    assert first_card("greedy", "5 4", "3 9 8") == {"type": "play", "card": "3"}
    assert first_card("counter", "5 4", "3 9 8") != {"type": "play", "card": "3"}
    assert first_card("worrier", "5 4", "3 9 8") != {"type": "play", "card": "3"}


def test_counter_alone_plans_to_the_end() -> None:
    """Alone with 7 2 7 on an empty-handed table: 7 2 now makes nothing, but 7 3 2 7 is worth 7."""
    alone = {"held": [3, 0]}
    assert first_card("counter", "7 3", "2 7 9", **alone) == {"type": "play", "card": "2"}


# Strength


def share(first: Callable[[], Seat], second: Callable[[], Seat], seats: int, deals: int) -> float:
    """Return the share of meetings that the first bot wins (ties half), each deal played from both sides.

    The bots sit in turn, so `seats` is even; a meeting is one seat of one against one seat of the other.
    """
    made = {0: [first() for _ in range(seats)], 1: [second() for _ in range(seats)]}
    won = met = 0.0
    for deal in range(deals):
        for side in (0, 1):
            owner = [(seat + side) % 2 for seat in range(seats)]
            outcome, _ = play(NAME, [made[who][seat] for seat, who in enumerate(owner)], seed=deal)
            for mine in range(seats):
                for theirs in range(seats):
                    if owner[mine] == 0 and owner[theirs] == 1:
                        difference = outcome.scores[mine] - outcome.scores[theirs]
                        won += 0.5 if difference == 0 else float(difference > 0)
                        met += 1
    return won / met


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize(
    ("better", "worse", "least"),
    [
        ("counter", "greedy", 0.6),
        ("greedy", "random", 0.85),
        ("counter", "random", 0.9),
        ("worrier", "greedy", 0.55),
        ("reader", "greedy", 0.55),
    ],
)
def test_the_order_of_strength(better: str, worse: str, least: float, seats: int) -> None:
    first, second = (load_bot(NAME, name)[0] for name in (better, worse))
    deals = 400 // (seats * seats)
    assert share(lambda: KitSeat(first), lambda: KitSeat(second), seats, deals) > least


@pytest.mark.slow
@needs_node
@pytest.mark.parametrize(
    ("other", "least", "most"), [("random", 0.9, 1.0), ("greedy", 0.5, 1.0), ("counter", 0.0, 0.5)]
)
def test_crumb_is_between_counter_and_random(other: str, least: float, most: float, processes: Any) -> None:
    against = load_bot(NAME, other)[0]
    assert (
        least < share(lambda: ProcessSeat(processes(NAME, "crumb")), lambda: KitSeat(against), 2, 60) <= most
    )

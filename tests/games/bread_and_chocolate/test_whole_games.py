"""Random games, told again by their events alone: cards are conserved, turns follow, scores add up."""

from collections import Counter
from statistics import median, quantiles
from typing import Any

import pytest
from arena_conformance.random_games import GameSetup, played

from arena.core.card_game_base import NOTHING
from arena.core.chance import Chance, Stream
from arena.core.game import Event, Outcome
from arena.games.bread_and_chocolate import GAME
from arena.games.bread_and_chocolate.rules import NAMES, State
from tests.games.bread_and_chocolate.tables import resolved
from tests.support.game_tables import TABLES

OURS = [table for table in TABLES if table.game_name == "bread-and-chocolate"]
COSTS = dict(zip("23456789TJQKA", range(2, 15), strict=True))


class Retold:
    """A game as it follows from its events, everybody's cards known, without the rules."""

    held: list[list[str]]
    up: list[str]
    down: list[str]
    turn: int
    owed: Any
    """What the last card laid asks for, as in its event."""

    def __init__(self, table: GameSetup) -> None:
        self.shram = table.ruleset_name == "shram"
        self.seats = table.seats
        self.scores = [0] * table.seats
        self.hands_ended = 0

    def tell(self, event: Event) -> None:
        data: Any = event.data
        match event.kind:
            case "dealt":
                self.deal(data, event.private)
            case "spread":
                assert data["seat"] == self.turn
                self.up += data["cards"]
                self.turn = (self.turn + 1) % self.seats
            case "flipped":
                assert data == {"seat": self.turn, "up": data["up"], "down": self.up[-1]}
                self.up[-1], self.down[-1] = data["up"], self.up[-1]
                self.turn = (self.turn + 1) % self.seats
            case "passed":
                assert data == {"seat": self.turn}
                self.turn = (self.turn + 1) % self.seats
            case "played":
                assert data["seat"] == self.turn
                assert (data["number"] > 0) == (data["effect"] in ("draw", "discard"))
                self.held[self.turn].remove(data["card"])
                self.up.append(data["card"])
                self.owed = data
            case "stuck":
                assert data == {"seat": self.turn}
                self.owed = {"effect": "draw", "number": 1}
            case "drew":
                self.draw(data, event.private)
            case "discarded":
                self.discard(data, event.private)
            case "reset":
                self.reset(data)
            case "refilled":
                assert data == {"up": self.up[-1], "stock": len(self.up) - 1}
                self.up = self.up[-1:]
            case "hand_ended":
                self.end(data)
            case _:
                raise AssertionError(event.kind)

    def deal(self, data: Any, private: Any) -> None:
        assert data["hand_no"] == self.hands_ended
        self.held = [list(private[seat]["hand"]) for seat in range(self.seats)]
        assert [len(hand) for hand in self.held] == data["held"] == [6] * self.seats
        self.up = [data["up"]]
        self.down = ["?"]
        self.turn = (data["dealer"] + 1) % self.seats
        self.owed = None

    def draw(self, data: Any, private: Any) -> None:
        assert data["seat"] == self.turn
        assert data["count"] == len(private[self.turn]["cards"]) > 0
        assert self.owed["effect"] == "draw"
        self.held[self.turn] += private[self.turn]["cards"]

    def discard(self, data: Any, private: Any) -> None:
        cards = private[self.turn]["cards"]
        assert data["seat"] == self.turn
        assert data["count"] == len(cards) == self.owed["number"]
        assert self.owed["effect"] == "discard"
        for card in cards:
            self.held[self.turn].remove(card)
        self.down += cards
        assert data["down_count"] == len(self.down)

    def reset(self, data: Any) -> None:
        assert data["up"] == self.down[0] or self.down[0] == "?"
        self.down[0] = data["up"]
        self.up, self.down = self.down[::-1], ["?"]
        assert data["up_count"] == len(self.up)
        assert data["down_count"] == len(self.down)

    def end(self, data: Any) -> None:
        winner = next((seat for seat in range(self.seats) if not self.held[seat]), None)
        worth = COSTS if self.shram else dict.fromkeys(COSTS, 1)
        points = [-sum(worth[card[0]] for card in hand) for hand in self.held]
        if winner is not None and not self.shram:
            points[winner] += 10
        self.scores = [sum(pair) for pair in zip(self.scores, points, strict=True)]
        assert data == {
            "hand_no": self.hands_ended,
            "winner": winner,
            "points": points,
            "scores": self.scores,
        }
        self.hands_ended += 1


def all_cards(state: State) -> list[int]:
    return sorted([*state.stock, *state.up, *state.down, *(card for hand in state.held for card in hand)])


@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize("table", OURS, ids=str)
def test_a_game_follows_from_its_events(table: GameSetup, number: int) -> None:
    original = played(table, number)
    retold = Retold(table)
    for event in original.dealt:
        retold.tell(event)
    hand_no, turns = 0, 0
    for step in original.steps:
        state = step.state
        if state.hand_no != hand_no:
            hand_no, turns = state.hand_no, 0
        assert all_cards(state) == list(range(52))
        assert state.up
        assert state.down
        assert all(state.held)
        assert state.turns == turns
        assert step.turn[0].seat == state.to_move
        assert [[NAMES[card] for card in hand] for hand in state.held] == retold.held
        assert [NAMES[card] for card in state.up[-1:]] == retold.up[-1:]
        assert len(state.up) == len(retold.up)
        assert len(state.down) == len(retold.down)
        for event in step.events:
            retold.tell(event)
        kind = step.turn[0].kind
        ended = step.events[0].data.get("effect") != "discard" and kind != "opening"
        turns += ended
        if ended:
            retold.turn = (state.to_move + 1) % table.seats
        if step.events[-1].kind == "dealt":
            retold.turn = (step.events[-1].data["dealer"] + 1) % table.seats
    assert original.end.to_move == NOTHING
    assert retold.hands_ended == table.rules.count("hands")
    assert tuple(retold.scores) == original.outcome.scores


def test_random_play_meets_everything_there_is() -> None:
    """These games would prove little if they did not show every kind of event and effect."""
    met: Counter[Any] = Counter()
    for table in OURS:
        for step in played(table).steps:
            for event in step.events:
                met[event.kind] += 1
                met[event.data.get("effect"), table.ruleset_name == "shram"] += 1
    assert set(met) >= {
        *(
            "spread",
            "flipped",
            "passed",
            "played",
            "stuck",
            "drew",
            "discarded",
            "reset",
            "refilled",
            "hand_ended",
        ),
        *((effect, False) for effect in ("draw", "discard", "spread", "none")),
        *((effect, True) for effect in ("draw", "none")),
    }


def test_who_begins_changes_from_hand_to_hand() -> None:
    table = next(table for table in OURS if str(table) == "bread-and-chocolate.shram.3")
    first = [step.turn[0].seat for step in played(table).steps if step.state.opening == 3]
    assert first == [0, 1, 2]


def turns_of_random_hands(name: str, hands: int) -> list[int]:
    """Return the number of turns of each hand of random play."""
    rng = Stream(b"turns", name)
    rules = resolved(name, hands=1)
    lengths = []
    for number in range(hands):
        state, _ = GAME.deal(2, rules, Chance(f"{name}/{number}".encode()))
        while not isinstance(turn := GAME.turn(state), Outcome):
            GAME.advance(state, {turn[0].seat: GAME.sample_move(state, turn[0].seat, rng)})
        lengths.append(state.turns)
    return lengths


@pytest.mark.slow
def test_a_random_hand_of_pagat_takes_about_38_turns() -> None:
    """The median is about 38, and 95 % of the hands take at most about 157; five standard errors are allowed."""
    lengths = turns_of_random_hands("pagat", 4000)
    assert 35 <= median(lengths) <= 41
    assert 143 <= quantiles(lengths, n=20)[-1] <= 171

"""Random games, told again by their events alone: cards are conserved, scores add up, turns follow."""

from collections import Counter
from typing import Any

import pytest
from arena_conformance.random_games import GameSetup, played

from arena.core.card_game_base import NOTHING
from arena.core.game import Event
from arena.games.bread_basket import GAME
from arena.games.bread_basket.state import NAMES, VALUES, deck
from tests.support.game_tables import TABLES

SECOND = GameSetup("bread-basket", "extra", 3, ("chef_second", True))
OURS = [*(table for table in TABLES if table.game_name == "bread-basket"), SECOND]
QUICK = {"bread-basket.tens.6", "bread-basket.none.2", "bread-basket.extra.2", str(SECOND)}
SOME = [
    pytest.param(table, id=str(table), marks=[pytest.mark.slow] * (str(table) not in QUICK)) for table in OURS
]


class Retold:
    """A game as it follows from its events, without the rules."""

    held: list[Counter[str]]
    line: list[str]
    taken: Counter[str]
    aside: int
    stock: int
    turn: int
    played: int
    points: list[int]

    def __init__(self, seats: int, chef_after: int) -> None:
        """Take the number of seats, and how many cards of a turn a Chef's ability may follow."""
        self.seats = seats
        self.chef_after = chef_after
        self.scores = [0] * seats
        self.hands_ended = 0

    def tell(self, event: Event) -> None:
        data: Any = event.data
        match event.kind:
            case "dealt":
                self.deal(data, event.private)
            case "played":
                assert data["seat"] == self.turn
                self.lose(data["card"])
                self.line.append(data["card"])
                self.played += 1
                if self.played == 2 or not self.held[self.turn].total():
                    self.played = -1
            case "stopped":
                assert (data["seat"], self.played) == (self.turn, 1)
                self.played = -1
            case "fetched":
                assert data["seat"] == self.turn
                assert 0 <= self.played <= self.chef_after
                assert self.line.pop(data["position"]) == data["card"]
                self.lose("C")
                self.held[self.turn][data["card"]] += 1
                self.aside += 1
                self.played = -1
            case "taken":
                self.take(data)
            case "refilled":
                assert self.line == []
                assert data["stock"] == self.stock - 1
                self.line, self.stock = [data["card"]], data["stock"]
            case "hand_ended":
                assert data == {"hand_no": self.hands_ended, "points": self.points, "scores": self.scores}
                assert not any(hand.total() for hand in self.held)
                self.hands_ended += 1
            case _:
                raise AssertionError(event.kind)

    def deal(self, data: Any, private: Any) -> None:
        assert data["hand_no"] == self.hands_ended
        self.held = [Counter(private[seat]["hand"]) for seat in range(self.seats)]
        assert [hand.total() for hand in self.held] == data["held"]
        self.line = [data["card"]]
        self.taken = Counter()
        self.aside = 0
        self.stock = data["stock"]
        self.turn = (data["dealer"] + 1) % self.seats
        self.played = 0
        self.points = [0] * self.seats

    def lose(self, card: str) -> None:
        self.held[self.turn][card] -= 1
        assert self.held[self.turn][card] >= 0

    def take(self, data: Any) -> None:
        end = data["position"] + len(data["cards"])
        assert data["seat"] == self.turn
        assert self.line[data["position"] : end] == data["cards"]
        del self.line[data["position"] : end]
        self.taken.update(data["cards"])
        front, *inside, back = [VALUES[NAMES.index(card)] for card in data["cards"]]
        assert front == back
        if data["trick"] == "sandwich":
            assert max(inside) < front
            assert data["points"] == sum(inside) + 2
        else:
            assert min(inside) > front
            assert data["points"] == len(inside) + 2
        self.points[self.turn] += data["points"]
        self.scores[self.turn] += data["points"]

    def pass_turn(self) -> None:
        """Go on to the next seat with cards, where the last event but tricks and refills ended a turn."""
        if self.played == -1:
            self.played = 0
            following = [(self.turn + after) % self.seats for after in range(1, self.seats + 1)]
            self.turn = next(seat for seat in following if self.held[seat].total())

    def cards(self) -> Counter[str]:
        """Return all cards but those of the stock."""
        chefs = Counter({"C": self.aside})
        return sum(self.held, Counter(self.line) + self.taken + chefs)


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("table", SOME)
def test_a_game_follows_from_its_events(table: GameSetup, number: int) -> None:
    original = played(table, number)
    whole = Counter(deck(table.rules.choice("chefs")))
    retold = Retold(table.seats, int(table.rules.flag("chef_second")))
    for event in original.dealt:
        retold.tell(event)
    for step in original.steps:
        retold.pass_turn()
        view = GAME.view(step.state, None)
        assert view["line"] == retold.line
        assert view["stock"] == retold.stock
        assert view["aside"] == retold.aside
        assert view["held"] == [hand.total() for hand in retold.held]
        assert view["scores"] == retold.scores
        assert view["turn"] == retold.turn
        assert len(view["played"]) == retold.played
        for seat in range(table.seats):
            assert Counter(GAME.view(step.state, seat)["hand"]) == +retold.held[seat]
        stock = Counter(NAMES[card] for card in step.state.stock[step.state.stock_at :])
        assert retold.cards() + stock == whole
        for event in step.events:
            retold.tell(event)
    assert original.end.to_move == NOTHING
    assert retold.hands_ended == table.rules.count("hands")
    assert tuple(retold.scores) == original.outcome.scores


def test_random_play_meets_everything_there_is() -> None:
    """These games would prove little if they did not show every kind of event and both kinds of trick."""
    met: Counter[str] = Counter()
    for table in OURS:
        for event in (event for step in played(table).steps for event in step.events):
            met[event.kind] += 1
            if event.kind == "taken":
                met[event.data["trick"]] += 1
                met["negative"] += event.data["points"] < 0
    for kind in ("played", "stopped", "fetched", "refilled", "hand_ended", "sandwich", "soup", "negative"):
        assert met[kind] > 0, kind

"""No peeking: what is sent to a seat stays the same when cards that it cannot know change places."""

from typing import Any

import pytest
from arena_conformance.random_games import GameSetup, Played, as_bytes, decision_json, played

from arena.core.chance import Chance, Stream
from arena.games.bread_basket import GAME
from arena.games.bread_basket.transitions import hand_size
from tests.support.game_tables import TABLES

OURS = [table for table in TABLES if table.game_name == "bread-basket"]
QUICK = {"bread-basket.tens.6", "bread-basket.none.2", "bread-basket.extra.2"}
SOME = [
    pytest.param(table, id=str(table), marks=[pytest.mark.slow] * (str(table) not in QUICK)) for table in OURS
]


class Sight:
    """Which places of the current deck one seat has seen, from the events as everybody's cards are known."""

    def __init__(self, table: GameSetup, seat: int, deck: list[str]) -> None:
        self.table = table
        self.seat = seat
        self.deck = deck

    def dealt(self, hand_no: int) -> None:
        seats, size = self.table.seats, hand_size(self.table.seats)
        begins = hand_no % seats
        self.held = [list(range((seat - begins) % seats, seats * size, seats)) for seat in range(seats)]
        self.line = [seats * size]
        self.next = seats * size + 1
        self.seen = {*self.held[self.seat], *self.line}

    def happened(self, kind: str, data: Any) -> None:
        if kind == "played":
            self.line.append(self.lay(data["seat"], data["card"]))
            self.seen.add(self.line[-1])
        elif kind == "fetched":
            self.seen.add(self.lay(data["seat"], "C"))
            self.held[data["seat"]].append(self.line.pop(data["position"]))
        elif kind == "taken":
            del self.line[data["position"] : data["position"] + len(data["cards"])]
        elif kind == "refilled":
            self.line.append(self.next)
            self.seen.add(self.next)
            self.next += 1

    def lay(self, seat: int, card: str) -> int:
        """Take the first card of that name out of a seat's hand; return its place in the deck."""
        place = next(place for place in self.held[seat] if self.deck[place] == card)
        self.held[seat].remove(place)
        return place

    def hidden(self) -> list[int]:
        return [place for place in range(len(self.deck)) if place not in self.seen]


def sight_at(original: Played, step_no: int, seat: int) -> Sight:
    """Return what a seat has seen of the deck of the hand that is played at a step."""
    hand_no = original.steps[step_no].state.hand_no
    sight = Sight(original.table, seat, list(original.chance[f"deck/{hand_no}"]))
    for event in [*original.dealt, *(event for step in original.steps[:step_no] for event in step.events)]:
        if event.kind == "dealt" and event.data["hand_no"] == hand_no:
            sight.dealt(hand_no)
        elif hasattr(sight, "held"):
            sight.happened(event.kind, event.data)
    return sight


def sent_to(table: GameSetup, seat: int, chance: Chance, original: Played, step_no: int) -> list[bytes]:
    """Play the moves of a game on some deal up to a step; return all that is sent to a seat."""
    state, events = GAME.deal(table.seats, table.rules, chance)
    sent = [as_bytes(GAME.private(state, seat)), *(as_bytes(event.seen_by(seat)) for event in events)]
    for step in original.steps[: step_no + 1]:
        sent.append(as_bytes(GAME.view(state, seat)))
        sent += [as_bytes(decision_json(GAME, one)) for one in GAME.turn(state) if one.seat == seat]  # type: ignore[union-attr]
        if step is original.steps[step_no]:
            break
        state, events = GAME.apply(state, step.moves)
        sent += [as_bytes(event.seen_by(seat)) for event in events]
    return sent


@pytest.mark.parametrize("table", SOME)
def test_exchanging_hidden_cards_changes_no_byte(table: GameSetup) -> None:
    """At moments of a game, shuffle what a seat has not seen: other hands, stock, and all later decks."""
    original = played(table)
    rng = Stream(table.seed(0), "hidden")
    moved = 0
    for step_no in range(0, len(original.steps), max(1, len(original.steps) // 12)):
        hand_no = original.steps[step_no].state.hand_no
        seat = rng.randrange(table.seats)
        changed = {name: list(drawn) for name, drawn in original.chance.items()}
        deck = changed[f"deck/{hand_no}"]
        hidden = sight_at(original, step_no, seat).hidden()
        cards = [deck[place] for place in hidden]
        rng.shuffle(cards)
        moved += sum(deck[place] != card for place, card in zip(hidden, cards, strict=True))
        for place, card in zip(hidden, cards, strict=True):
            deck[place] = card
        for later in range(hand_no + 1, table.rules.count("hands")):
            rng.shuffle(changed[f"deck/{later}"])
        truth = sent_to(table, seat, Chance(record=original.chance), original, step_no)
        assert sent_to(table, seat, Chance(record=changed), original, step_no) == truth
    assert moved > 100


def test_a_seat_does_see_its_own_cards_and_a_spectator_none() -> None:
    table = OURS[0]
    state = played(table).start
    assert GAME.view(state, 0)["hand"] != GAME.view(state, 1)["hand"]
    assert "hand" not in GAME.view(state, None)
    (event,) = played(table).dealt
    assert "hand" not in event.seen_by(None)
    assert event.seen_by(1)["hand"] == GAME.view(state, 1)["hand"]

"""Small games made up for tests: bids, with everything a referee has to deal with, and dice cast in mid-game.

In bids, each seat holds a few hidden cards. In every round all seats bid a card at once; the highest (of equal ones,
that of the lowest seat) scores a point and its owner says a number from 0 to 9, which is composed and scores nothing.
The seat that bids the lowest card sees one card that is in nobody's hand. The last card of a hand is a forced bid.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from arena.core.chance import Chance, Rng
from arena.core.errors import BadOption, IllegalMove
from arena.core.game import JSON, Decision, Draw, Drawn, Event, Outcome, Roll, Seen, Shuffle, ranks_of
from arena.core.game_defaults import BaseGame
from arena.core.ruleset import GameInfo, Option, Ruleset

SEATS = range(2, 7)


@dataclass(frozen=True)
class State:
    """Everything."""

    hands: tuple[tuple[int, ...], ...]
    rest: tuple[int, ...]
    speaker: int | None
    """Who is to say a number; None: all bid."""
    scores: tuple[int, ...]
    padding: int


class Bids:
    """The rules. A `Game`; moves are a card, or minus one minus the number said."""

    info = GameInfo(
        "bids",
        "Bids",
        1,
        "for tests",
        {"plain": {}},
        (
            Option("cards", "count", "in a hand", 3, high=8),
            Option(
                "padding", "number", "bytes that every view has beside what it shows", 0, low=0, high=10**6
            ),
        ),
    )

    def seats(self, ruleset: Ruleset) -> range:  # noqa: ARG002 - the same for all
        return SEATS

    def resolve(self, ruleset: Ruleset, seats: int) -> Ruleset:
        if seats not in SEATS:
            raise BadOption(f"not for {seats} seats")
        return ruleset

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        cards = ruleset.count("cards")
        deck = chance.permutation("deck", range(seats * cards + 10))
        hands = tuple(tuple(sorted(deck[seat * cards : (seat + 1) * cards])) for seat in range(seats))
        private = {seat: {"hand": list(hand)} for seat, hand in enumerate(hands)}
        state = State(hands, deck[seats * cards :], None, (0,) * seats, ruleset.count("padding"))
        return state, (Event("dealt", {"cards": cards}, private),)

    def turn(self, state: State) -> tuple[Decision[int], ...] | Outcome:
        if state.speaker is not None:
            return (Decision(state.speaker, "say", None),)
        if not state.hands[0]:
            return Outcome(state.scores, ranks_of(state.scores))
        return tuple(Decision(seat, "bid", hand) for seat, hand in enumerate(state.hands))

    def apply(self, state: State, moves: Mapping[int, int]) -> tuple[State, tuple[Event, ...]]:
        if state.speaker is not None:
            said = Event("said", {"seat": state.speaker, "number": -1 - moves[state.speaker]})
            return replace(state, speaker=None), (said,)
        for seat, hand in enumerate(state.hands):
            if moves[seat] not in hand:
                raise IllegalMove(f"seat {seat} does not hold {moves[seat]}")
        bids = [moves[seat] for seat in range(len(state.hands))]
        winner, loser = bids.index(max(bids)), bids.index(min(bids))
        events = [Event("bid", {"seat": seat, "card": card}) for seat, card in enumerate(bids)]
        events.append(Event("won", {"seat": winner}))
        events.append(Event("peeked", {"seat": loser}, {loser: {"card": state.rest[0]}}))
        hands = tuple(
            tuple(card for card in hand if card != bid) for hand, bid in zip(state.hands, bids, strict=True)
        )
        scores = tuple(score + (seat == winner) for seat, score in enumerate(state.scores))
        rest = (*state.rest[1:], state.rest[0])
        return replace(state, hands=hands, rest=rest, speaker=winner, scores=scores), tuple(events)

    def scores(self, state: State) -> tuple[int, ...]:
        return state.scores

    def private(self, state: State, seat: int) -> dict[str, JSON]:
        return {"first": state.hands[seat][0]}

    def view(self, state: State, seat: int | None) -> dict[str, JSON]:
        seen: dict[str, JSON] = {"left": len(state.hands[0]), "scores": list(state.scores)}
        if seat is not None:
            seen["hand"] = list(state.hands[seat])
        if state.padding:
            seen["padding"] = "x" * state.padding
        return seen

    def parse_move(self, state: State, seat: int, raw: JSON) -> int:
        speaks = state.speaker is not None
        word = "say" if speaks else "bid"
        if not isinstance(raw, dict) or set(raw) != {"type", "number"} or raw["type"] != word:
            raise IllegalMove(f"a move to {word} has a type and a number")
        number = raw["number"]
        if type(number) is not int or (speaks and not 0 <= number <= 9):
            raise IllegalMove("only 0 to 9 can be said")
        if not speaks and number not in state.hands[seat]:
            raise IllegalMove(f"only a card of one's own hand can be bid, and {number} is none")
        return -1 - number if speaks else number

    def format_move(self, move: int) -> JSON:
        return {"type": "say", "number": -1 - move} if move < 0 else {"type": "bid", "number": move}

    def sample_move(self, state: State, seat: int, rng: Rng) -> int:
        if state.speaker is not None:
            return -1 - rng.randrange(10)
        return state.hands[seat][rng.randrange(len(state.hands[seat]))]

    def advance(self, state: State, moves: Mapping[int, int]) -> None:
        raise AssertionError(f"nobody plays {moves} out from {state}")

    def copy(self, state: State) -> State:
        return state

    def guess(self, seen: Seen, rng: Rng) -> State:
        raise AssertionError(f"nobody thinks ahead from {seen} by {rng}")

    def draw(self, view: Mapping[str, JSON], width: int) -> str:
        return str(view)[:width]

    def describe(self, event: Mapping[str, JSON]) -> str:
        return str(event)


BIDS: Any = Bids()


@dataclass
class DiceState:
    """Who moves, what each seat has, and whether a die is to be cast until it is no one."""

    seat: int
    sums: tuple[int, ...]
    casting: bool
    cards: tuple[int, ...] = ()


class Dicey(BaseGame[DiceState, int]):
    """Each seat in turn has dice cast until one is no 1; the first with 10 points ends it."""

    info = GameInfo("dicey", "Dicey", 1, "A game of the tests.", {"plain": {}}, (), longest_decisions=40)

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[DiceState, tuple[Event, ...]]:  # noqa: ARG002
        return DiceState(0, (0,) * seats, True), (Event("begun", {}),)

    def due(self, state: DiceState) -> Draw | None:
        """Ask for the cards, then for dice; never once somebody has won."""
        if not state.cards:
            return Shuffle("cards", (1, 2, 3))
        return Roll("dice", 1, 1, 6) if state.casting and max(state.sums) < 10 else None

    def drawn(self, state: DiceState, values: Drawn) -> tuple[DiceState, tuple[Event, ...]]:
        if not state.cards:
            return replace(state, cards=values), (Event("shuffled", {"cards": list(values)}),)
        sums = list(state.sums)
        sums[state.seat] += values[0]
        return replace(state, sums=tuple(sums), casting=values[0] == 1), (Event("cast", {"die": values[0]}),)

    def turn(self, state: DiceState) -> tuple[Decision[int], ...] | Outcome:
        if max(state.sums) >= 10:
            return Outcome(state.sums)
        return (Decision(state.seat, "pass", (0, 1)),)

    def apply(self, state: DiceState, moves: Mapping[int, int]) -> tuple[DiceState, tuple[Event, ...]]:
        self.check(state, moves)
        return replace(state, seat=1 - state.seat, casting=moves[state.seat] == 0), (Event("passed", {}),)

    def scores(self, state: DiceState) -> tuple[int, ...]:
        return state.sums

    def view(self, state: DiceState, seat: int | None) -> dict[str, JSON]:  # noqa: ARG002 - all is open
        return {"sums": list(state.sums)}

    def format_move(self, move: int) -> JSON:
        return {"type": "pass", "dice": move}


DICEY: Any = Dicey()

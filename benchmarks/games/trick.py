"""A trick game so small that benchmarks measure the referee and not the rules.

Two seats hold 20 of 52 cards each. Any card may be played, and the higher rank takes the trick and leads the
next one. A game has 40 decisions. Implements only what leagues need of `Game`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from arena.core.chance import Chance, Rng
from arena.core.errors import IllegalMove
from arena.core.game import JSON, Decision, Event, Outcome, Seen, ranks_of
from arena.core.ruleset import GameInfo, Ruleset

CARDS = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]
HAND = 20
MOVES: list[JSON] = [{"type": "play", "card": card} for card in CARDS]
NUMBERS = {card: number for number, card in enumerate(CARDS)}


@dataclass(slots=True)
class State:
    """Both hands, the card that was led, the seat to play, and the score."""

    hands: tuple[tuple[int, ...], ...]
    led: int | None
    to_move: int
    scores: tuple[int, int]


class TrickGame:
    """The rules."""

    info = GameInfo("trick", "Trick", 1, "for measuring", {"plain": {}}, ())

    def seats(self, ruleset: Ruleset) -> range:  # noqa: ARG002 - always two
        return range(2, 3)

    def resolve(self, ruleset: Ruleset, seats: int) -> Ruleset:  # noqa: ARG002 - nothing is left open
        return ruleset

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[State, tuple[Event, ...]]:  # noqa: ARG002
        deck = chance.permutation("deck", range(len(CARDS)))
        hands = tuple(deck[seat * HAND : (seat + 1) * HAND] for seat in (0, 1))
        return State(hands, None, 0, (0, 0)), ()

    def turn(self, state: State) -> tuple[Decision[int], ...] | Outcome:
        hand = state.hands[state.to_move]
        return (
            (Decision(state.to_move, "play", hand),)
            if hand
            else Outcome(state.scores, ranks_of(state.scores))
        )

    def apply(self, state: State, moves: Mapping[int, int]) -> tuple[State, tuple[Event, ...]]:
        seat = state.to_move
        card = moves[seat]
        hands = list(state.hands)
        hands[seat] = tuple([held for held in hands[seat] if held != card])
        event = Event("played", {"seat": seat, "card": CARDS[card]})
        if state.led is None:
            return State(tuple(hands), card, 1 - seat, state.scores), (event,)
        winner = seat if card % 13 > state.led % 13 else 1 - seat
        scores = list(state.scores)
        scores[winner] += 1
        return State(tuple(hands), None, winner, (scores[0], scores[1])), (event,)

    def advance(self, state: State, moves: Mapping[int, int]) -> None:
        after, _ = self.apply(state, moves)
        state.hands, state.led, state.to_move, state.scores = (
            after.hands,
            after.led,
            after.to_move,
            after.scores,
        )

    def copy(self, state: State) -> State:
        return replace(state)

    def scores(self, state: State) -> tuple[int, ...]:
        return state.scores

    def private(self, state: State, seat: int) -> dict[str, JSON]:  # noqa: ARG002 - nothing
        return {}

    def view(self, state: State, seat: int | None) -> dict[str, JSON]:
        led = [] if state.led is None else [CARDS[state.led]]
        hand = [] if seat is None else [CARDS[card] for card in state.hands[seat]]
        return {"led": led, "scores": state.scores, "hand": hand}

    def parse_move(self, state: State, seat: int, raw: JSON) -> int:
        card = NUMBERS.get(raw["card"], -1) if isinstance(raw, dict) and raw.keys() == MOVES[0].keys() else -1
        if card not in state.hands[seat]:
            raise IllegalMove("play a card of your hand")
        return card

    def format_move(self, move: int) -> JSON:
        return MOVES[move]

    def sample_move(self, state: State, seat: int, rng: Rng) -> int:
        hand = state.hands[seat]
        return hand[rng.randrange(len(hand))]

    def guess(self, seen: Seen, rng: Rng) -> State:
        raise NotImplementedError("nobody thinks about this game")

    def draw(self, view: Mapping[str, JSON], width: int) -> str:
        return str(view)[:width]

    def describe(self, event: Mapping[str, JSON]) -> str:
        return str(event)


GAME = TrickGame()

"""What card games share: moves that change the state in place, decks of later hands, and words and rows of cards.

A game that inherits from `InPlace` or `OneAtATime` has states with `scores` and a method `copy`, and a guesser.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from arena.core.chance import Chance, Rng, shuffled
from arena.core.errors import IllegalMove
from arena.core.foresight import Guesser, Policy
from arena.core.game import JSON, Decision, Event, Outcome, Seen, ranks_of
from arena.core.ruleset import Ruleset

NOTHING = -1
"""No card, or no seat."""


class _State(Protocol):
    scores: list[int]

    def copy(self) -> Any:
        """Return an independent copy."""


class _StateOfOne(_State, Protocol):
    to_move: int
    """The seat that decides; NOTHING when the game is over."""
    hand_no: int
    """The current hand of the game, from 0."""
    decks: tuple[tuple[int, ...], ...]
    """One for each hand of the game."""


S = TypeVar("S", bound=_State)
One = TypeVar("One", bound=_StateOfOne)
M = TypeVar("M")


class InPlace(Generic[S, M]):
    """The members of `Game` that follow if a game makes moves in place."""

    guesser: Callable[[Ruleset, int, int, Mapping[str, JSON]], Guesser[S]]
    """Implement this; see `arena.core.foresight`."""

    def guess(self, seen: Seen, rng: Rng) -> S:
        """Return one guess of a new guesser. Raises ValueError if events and view are inconsistent."""
        guesser = self.guesser(seen.ruleset, seen.seats, seen.seat, seen.private)
        guesser.hear(seen.events)
        return guesser.worlds(seen.view, 1, rng)[0]

    def decisions(self, state: S) -> tuple[Decision[M], ...]:
        """Implement this: return the decisions to make now; none when the game is over."""
        raise NotImplementedError

    def check(self, state: S, moves: Mapping[int, M]) -> None:
        """Implement this: check the moves of a turn. Raises IllegalMove, naming the rule."""
        raise NotImplementedError

    def make_legal(self, state: S, moves: Mapping[int, M]) -> tuple[Event, ...]:
        """Implement this: make the legal moves of a turn in place, unchecked, and return what happened."""
        raise NotImplementedError

    def turn(self, state: S) -> tuple[Decision[M], ...] | Outcome:
        """Return the decisions to make now, or the outcome."""
        return self.decisions(state) or Outcome(tuple(state.scores), ranks_of(state.scores))

    def apply(self, state: S, moves: Mapping[int, M]) -> tuple[S, tuple[Event, ...]]:
        """Return the state after the moves of a turn and what happened. Raises IllegalMove, naming the rule."""
        self.check(state, moves)
        after = state.copy()
        return after, self.make_legal(after, moves)

    def copy(self, state: S) -> S:
        """Return an independent copy of the state, to be used with `advance`."""
        copied: S = state.copy()
        return copied

    def scores(self, state: S) -> tuple[int, ...]:
        """Return the points of each seat so far."""
        return tuple(state.scores)


class OneAtATime(InPlace[One, M]):
    """The members of `Game` that follow if besides only one seat moves at a time."""

    def check_move(self, state: One, seat: int, move: M) -> None:
        """Implement this: check a move. Raises IllegalMove, naming the rule."""
        raise NotImplementedError

    @staticmethod
    def make_move(state: Any, move: Any, log: list[Event] | None) -> None:
        """Implement this: make a legal move in place, unchecked, and append what happened to a log, if there is one."""
        raise NotImplementedError

    def check(self, state: One, moves: Mapping[int, M]) -> None:
        """Check that there is exactly one move and that it is legal. Raises IllegalMove."""
        if len(moves) != 1:
            raise IllegalMove(f"one seat moves at a time, and there are {len(moves)} moves")
        for seat, move in moves.items():
            self.check_move(state, seat, move)

    def advance(self, state: One, moves: Mapping[int, M]) -> None:
        """Make a legal move in place, unchecked and without events."""
        self.make_move(state, moves[state.to_move], None)

    def make_legal(self, state: One, moves: Mapping[int, M]) -> tuple[Event, ...]:
        """Make a legal move in place, unchecked, and return what happened."""
        log: list[Event] = []
        self.make_move(state, moves[state.to_move], log)
        return tuple(log)

    def stage(self, state: One) -> int:
        """Return how many hands have been scored."""
        return len(state.decks) if state.to_move == NOTHING else state.hand_no

    def play_on(self, state: One, policy: Policy[One], rng: Rng, most: int) -> One:
        """Make the moves of a policy, at most so many (−1: any number), until the hand is scored; return the state."""
        make_move, hand = self.make_move, state.hand_no
        while most != 0 and state.to_move != NOTHING and state.hand_no == hand:
            make_move(state, policy(state, state.to_move, rng), None)
            most -= 1
        return state

    def private(self, state: One, seat: int) -> dict[str, JSON]:  # noqa: ARG002 - nobody knows anything alone
        """Return nothing: a seat's own cards change, so they are in its view."""
        return {}


def draw_decks(
    chance: Chance, hands: int, cards: Mapping[str, int], names: Sequence[str]
) -> tuple[tuple[int, ...], ...]:
    """Return each hand's deck in draw order, from the streams `deck/0`, `deck/1` …; `names`: a deck's cards."""
    return tuple(
        tuple([cards[name] for name in chance.permutation(f"deck/{hand_no}", names)])
        for hand_no in range(hands)
    )


def deal_hands(held: list[list[int]], hand_no: int, deck: Sequence[int], size: int) -> int:
    """Deal `size` cards to each seat, clockwise from the dealer's left (seat hand_no); return how many."""
    seats = len(held)
    for place in range(seats):
        held[(hand_no + place) % seats] = list(deck[place : seats * size : seats])
    return seats * size


def guess_decks(view: Mapping[str, JSON], cards: Sequence[int], rng: Rng) -> tuple[tuple[int, ...], ...]:
    """Return random decks for the hands after the one in a view; those of past hands and of this one are empty."""
    past: int = view["hand_no"] + 1
    return ((),) * past + tuple([shuffled(cards, rng) for _ in range(view["hands"] - past)])


def last_deal(events: Sequence[Mapping[str, JSON]]) -> int | None:
    """Return the place of the last deal among events; None if there is none."""
    for place in range(len(events) - 1, -1, -1):
        if events[place]["kind"] == "dealt":
            return place
    return None


# For people


class HandWording:
    """The members of `Wording` that follow if a seat knows nothing from the start, and hides its `hand` in its view."""

    def known(self, private: Mapping[str, JSON]) -> Sequence[str]:  # noqa: ARG002 - it is empty
        """Return nothing."""
        return ()

    def secret(self, view: Mapping[str, JSON], public: Mapping[str, JSON]) -> str:  # noqa: ARG002 - only the hand
        """Return the hand."""
        return " ".join(view["hand"]) or "no cards"


def describe_other(event: Mapping[str, JSON]) -> str:
    """Return one sentence that describes an event which isn't the game's own."""
    if event["kind"] == "forfeit":
        return f"Seat {event['seat']} forfeits: {event['verdict']}."
    told = ", ".join(f"{key} {value}" for key, value in event.items() if key != "kind")
    return f"{str(event['kind']).replace('_', ' ').capitalize()}: {told}."


def deals(event: Mapping[str, JSON]) -> str:
    """Return who deals how many cards in a hand, and those that the seat gets, if it is told."""
    own = f"; you get {' '.join(event['hand'])}" if "hand" in event else ""
    return f"Seat {event['dealer']} deals hand {event['hand_no'] + 1}, {event['held'][0]} cards each{own}"


def gains(event: Mapping[str, JSON]) -> str:
    """Return what each seat has gained in a hand or round that ended, and its score now."""
    return ", ".join(
        f"seat {seat} {points:+d} (now {score})"
        for seat, (points, score) in enumerate(zip(event["points"], event["scores"], strict=True))
    )


def seat_row(view: Mapping[str, JSON], seat: int, cards: str, points: int, marks: Sequence[str]) -> str:
    """Return the row of a seat: its cards, its points in that many columns, who it is, and `marks`; `>` if it moves."""
    who = ["you"] * (seat == view.get("seat")) + ["dealer"] * (seat == view["dealer"])
    pointer = ">" if seat == view["turn"] else " "
    score = f"{view['scores'][seat]:{points}} points"
    return f"{pointer} seat {seat}  {cards}  {score}  {', '.join([*who, *marks])}".rstrip()


def card_rows(label: str, cards: Sequence[str], width: int, cell: int) -> list[str]:
    """Return cards of `cell` columns in as many rows as the width requires, with the label before the first."""
    each = max(1, (width - len(label)) // cell)
    rows = []
    for start in range(0, max(1, len(cards)), each):
        head = label if start == 0 else " " * len(label)
        part = "".join(f"{card:>{cell}}" for card in cards[start : start + each])
        rows.append(head + (part or " (no cards)"))
    return rows

"""The one abstraction that every game is behind.

A game is a stateless object with the functions below; all that changes lies in
the state it hands out. There is no base class: whatever has these members is a
game, and the conformance tests hold it to what is said here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from arena.core.chance import Chance, Rng
from arena.core.ruleset import GameInfo, Ruleset

JSON = Any
"""A JSON value: None, bool, int, float, str, or a list or dict of these."""

S = TypeVar("S")
"""A game's own state; the holder treats it as opaque."""
M = TypeVar("M")
"""A game's own move: small, immutable, hashable."""


@dataclass(frozen=True, slots=True)
class Decision(Generic[M]):
    """One seat has to choose (`legal` lists all its moves) or to compose a move (`legal` is None).

    A decision with exactly one legal move is forced: the referee makes it without asking.
    """

    seat: int
    kind: str
    legal: tuple[M, ...] | None
    """Every legal move once, in canonical order; None where there are too many to list."""

    @property
    def forced(self) -> bool:
        """Whether there is nothing to decide."""
        return self.legal is not None and len(self.legal) == 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a finished game."""

    scores: tuple[int, ...]
    """By seat; the highest is best."""
    ranks: tuple[int, ...] = ()
    """By seat; 1 is best, equal scores share a rank: 1, 2, 2, 4. They follow from the scores: leave them out."""

    def __post_init__(self) -> None:
        if not self.ranks:
            object.__setattr__(self, "ranks", ranks_of(self.scores))


@dataclass(frozen=True, slots=True)
class Event:
    """What happened: `data` for everybody, and what named seats see beyond that."""

    kind: str
    data: Mapping[str, JSON]
    private: Mapping[int, Mapping[str, JSON]] = field(default_factory=dict)

    def seen_by(self, seat: int | None) -> dict[str, JSON]:
        """Return the event as a seat sees it (None: a spectator), in the form of the wire."""
        seen = {"kind": self.kind, **self.data}
        if seat is not None and seat in self.private:
            seen.update(self.private[seat])
        return seen


@dataclass(frozen=True, slots=True)
class Seen:
    """All that one seat has been told in a game so far."""

    ruleset: Ruleset
    """Resolved for the number of seats."""
    seats: int
    seat: int
    private: Mapping[str, JSON]
    """Of the start message."""
    view: Mapping[str, JSON]
    """The latest."""
    events: Sequence[Mapping[str, JSON]]
    """All of this game, in order, in the form of the wire."""


class Game(Protocol[S, M]):
    """The rules of one game. All methods are pure but `advance`, which changes the state it is given."""

    info: GameInfo

    def seats(self, ruleset: Ruleset) -> range:
        """Return the numbers of seats that this ruleset can be played with."""

    def resolve(self, ruleset: Ruleset, seats: int) -> Ruleset:
        """Return the ruleset with every option that follows from the number of seats filled in.

        Raises BadOption where the number of seats or an option is out of range for the other.
        """

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[S, tuple[Event, ...]]:
        """Return the first state of a game and the events of the deal; the ruleset is resolved.

        Everything that chance decides in the whole game is drawn here, but for what is drawn later on purpose:
        `arena.core.late_chance` says how.
        """

    def turn(self, state: S) -> tuple[Decision[M], ...] | Outcome:
        """Return the decisions to be made now, in seat order, or the outcome. Several are simultaneous."""

    def apply(self, state: S, moves: Mapping[int, M]) -> tuple[S, tuple[Event, ...]]:
        """Return the state after the moves, one for each decision of the turn by seat, and what happened.

        The given state stays as it is. Raises IllegalMove, naming the rule.
        """

    def advance(self, state: S, moves: Mapping[int, M]) -> None:
        """Do the same in place, without events and without checking the moves: for playouts."""

    def copy(self, state: S) -> S:
        """Return a state of one's own to advance."""

    def scores(self, state: S) -> tuple[int, ...]:
        """Return the score of each seat so far."""

    def private(self, state: S, seat: int) -> dict[str, JSON]:
        """Return what only this seat knows and what never changes in a game; told at the start."""

    def view(self, state: S, seat: int | None) -> dict[str, JSON]:
        """Return what lies on the table or in the seat's hand now, scores and counts (None: a spectator)."""

    def parse_move(self, state: S, seat: int, raw: JSON) -> M:
        """Return the legal move that a JSON value means for this seat's decision.

        `raw` may be any JSON value whatever. Raises IllegalMove, naming the rule, for whatever is no legal
        move of a decision that the seat has now.
        """

    def format_move(self, move: M) -> JSON:
        """Return the move as a JSON object with a `type`."""

    def sample_move(self, state: S, seat: int, rng: Rng) -> M:
        """Return some legal move of the seat's decision."""

    def guess(self, seen: Seen, rng: Rng) -> S:
        """Return some full state that fits what a seat has seen; hidden cards are dealt at random."""

    def draw(self, view: Mapping[str, JSON], width: int) -> str:
        """Return a picture of a view in plain text, at most `width` columns wide, for a person to follow."""

    def describe(self, event: Mapping[str, JSON]) -> str:
        """Return one sentence that tells an event (in the form of the wire) to a person."""


AnyGame = Game[Any, Any]
"""A game whose state and moves are opaque to the holder."""


def ranks_of(scores: Sequence[int]) -> tuple[int, ...]:
    """Return the rank of each score: 1 for the highest, equal scores sharing a rank (1, 2, 2, 4)."""
    return tuple(1 + sum(other > score for other in scores) for score in scores)


def ranks_with_faults(scores: Sequence[int], faults: Mapping[int, int]) -> tuple[int, ...]:
    """Return the ranks where some seats were at fault: `faults` gives for each the decision it happened at.

    Faulted seats rank below all others, the earlier fault lower, those of the same decision tied.
    """
    standings = [(0, faults[seat]) if seat in faults else (1, score) for seat, score in enumerate(scores)]
    return tuple(1 + sum(other > own for other in standings) for own in standings)

"""The interface that every game implements.

A game is a stateless object with the methods below; everything that changes is in
the state it returns. There is no base class: any object with these members is a
game, and the conformance tests check that it behaves as described here.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

from arena.core.chance import Chance, Rng, picked, shuffled, whole_weights
from arena.core.errors import ArenaError
from arena.core.ruleset import GameInfo, Ruleset

JSON = Any
"""A JSON value: None, bool, int, float, str, or a list or dict of these."""

S = TypeVar("S")
"""A game's own state, opaque to its holder."""
M = TypeVar("M")
"""A game's own move: small, immutable, hashable."""


@dataclass(frozen=True, slots=True)
class Decision(Generic[M]):
    """One seat has to choose a move (`legal` lists all of them) or compose one (`legal` is None).

    A decision with exactly one legal move is forced: the referee makes the move without asking.
    """

    seat: int
    kind: str
    legal: tuple[M, ...] | None
    """Every legal move once, in canonical order; None if there are too many to list."""

    @property
    def forced(self) -> bool:
        """Whether there is only one legal move."""
        return self.legal is not None and len(self.legal) == 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a finished game."""

    scores: tuple[int, ...]
    """By seat; higher is better."""
    ranks: tuple[int, ...] = ()
    """By seat: 1 is best, equal scores share a rank (1, 2, 2, 4). Leave this out; it follows from the scores."""

    def __post_init__(self) -> None:
        if not self.ranks:
            object.__setattr__(self, "ranks", ranks_of(self.scores))


@dataclass(slots=True)  # not frozen, which takes three times as long; a game makes up to thousands
class Event:
    """What happened: `data` for everyone, plus what particular seats see beyond that. Events don't change."""

    kind: str
    data: Mapping[str, JSON]
    private: Mapping[int, Mapping[str, JSON]] = field(default_factory=dict)

    def seen_by(self, seat: int | None) -> dict[str, JSON]:
        """Return the event as a seat sees it (None: a spectator), in its wire format."""
        seen = {"kind": self.kind, **self.data}
        if seat is not None and seat in self.private:
            seen.update(self.private[seat])
        return seen


@dataclass(frozen=True, slots=True)
class Seen:
    """Everything that one seat has been told in a game so far."""

    ruleset: Ruleset
    """Resolved for the number of seats."""
    seats: int
    seat: int
    private: Mapping[str, JSON]
    """From the start message."""
    view: Mapping[str, JSON]
    events: Sequence[Mapping[str, JSON]]
    """All events of this game, in order, in their wire format."""


class Game(Protocol[S, M]):
    """The rules of one game. All methods are pure except `advance`, which changes the state you pass."""

    info: GameInfo

    def seats(self, ruleset: Ruleset) -> range:
        """Return the numbers of seats that this ruleset allows."""

    def resolve(self, ruleset: Ruleset, seats: int) -> Ruleset:
        """Return the ruleset with every option filled in that depends on the number of seats.

        Raises BadOption if the number of seats and an option don't fit together.
        """

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[S, tuple[Event, ...]]:
        """Return the first state of a game and the events of the deal; the ruleset is resolved.

        Draw everything that chance decides in the whole game here, except what the game draws later on purpose;
        see `arena.core.game`.
        """

    def turn(self, state: S) -> tuple[Decision[M], ...] | Outcome:
        """Return the decisions to make now, in seat order, or the outcome. Several decisions are simultaneous."""

    def apply(self, state: S, moves: Mapping[int, M]) -> tuple[S, tuple[Event, ...]]:
        """Return the state after the moves (one per decision of the turn, by seat) and what happened.

        Doesn't change the given state. Raises IllegalMove, naming the rule.
        """

    def advance(self, state: S, moves: Mapping[int, M]) -> None:
        """Do the same in place, without events and without checking the moves: for playouts."""

    def copy(self, state: S) -> S:
        """Return an independent copy of the state, to be used with `advance`."""

    def scores(self, state: S) -> tuple[int, ...]:
        """Return the score of each seat so far."""

    def private(self, state: S, seat: int) -> dict[str, JSON]:
        """Return what only this seat knows and what stays the same for the whole game; sent at the start."""

    def view(self, state: S, seat: int | None) -> dict[str, JSON]:
        """Return what is on the table or in the seat's hand now, scores and counts (None: a spectator)."""

    def parse_move(self, state: S, seat: int, raw: JSON) -> M:
        """Return the legal move that a JSON value stands for in this seat's decision.

        `raw` may be any JSON value. Raises IllegalMove, naming the rule, if it isn't a legal move of a decision
        that the seat has now.
        """

    def format_move(self, move: M) -> JSON:
        """Return the move as a JSON object with a `type`. Equal moves have the same, and it isn't changed later."""

    def sample_move(self, state: S, seat: int, rng: Rng) -> M:
        """Return some legal move of the seat's decision."""

    def guess(self, seen: Seen, rng: Rng) -> S:
        """Return a full state consistent with what a seat has seen; hidden cards are dealt at random."""

    def draw(self, view: Mapping[str, JSON], width: int) -> str:
        """Return a plain-text picture of a view for people, at most `width` columns wide."""

    def describe(self, event: Mapping[str, JSON]) -> str:
        """Return one sentence that describes an event (in its wire format) to people."""


AnyGame = Game[Any, Any]
"""A game whose state and moves are opaque to its holder."""


def ranks_of(scores: Sequence[int]) -> tuple[int, ...]:
    """Return the rank of each score: 1 for the highest, equal scores sharing a rank (1, 2, 2, 4)."""
    return tuple(1 + sum(other > score for other in scores) for score in scores)


Sides = tuple[int, ...]
"""The side of each seat, from 0; empty if every seat plays for itself."""


class Sided(Protocol):
    """The additional member of a game with partners, who always have equal scores. It is pure."""

    def sides(self, ruleset: Ruleset, seats: int) -> Sequence[int]:
        """Return a number for each seat, the same for partners: (0, 1, 0, 1). The ruleset is resolved.

        All sides have the same number of seats.
        """


def sides_of(game: Any, ruleset: Ruleset, seats: int) -> Sides:
    """Return the side of each seat, numbered in the order of seats. Raises ArenaError if they don't fit the seats."""
    sides = getattr(game, "sides", None)
    if sides is None:
        return ()
    given = sides(ruleset, seats)
    if wrong := wrong_sides(given, seats):
        raise ArenaError(f"the game {game.info.name!r} {wrong}", "correct its `sides`")
    numbers = list(dict.fromkeys(given))
    return () if len(numbers) == seats else tuple(map(numbers.index, given))


def wrong_sides(sides: Any, seats: int) -> str:
    """Return what is wrong with the sides of a table, as the rest of a sentence; empty if nothing is."""
    if not (isinstance(sides, Sequence) and all(type(side) is int for side in sides)):
        return f"has the sides {repr(sides)[:60]}, and these are a whole number for each seat, such as (0, 1, 0, 1)"
    if len(sides) != seats:
        return (
            f"has sides for {len(sides)} seats at a table of {seats}: {repr(sides)[:60]}; each seat has one"
        )
    sizes = sorted(set(Counter(sides).values()))
    if len(sizes) > 1:
        return (
            f"has a side of {sizes[0]} and one of {sizes[-1]} at a table of {seats}, and all sides have the same "
            "number of seats; a game of one against all has no `sides`, and a score for each seat"
        )
    return "has all seats on one side, and a game has at least two" if sizes == [seats] else ""


def forfeited_sides(sides: Sides, faults: Mapping[int, int], *, loses_side: bool) -> dict[int, int]:
    """Return the sides that are out, by the decision at which that happened. `faults` are those of seats.

    A side is out when all its seats are; with `loses_side`, when the first is.
    """
    found: dict[int, list[int]] = {}
    for seat, decision in faults.items():
        found.setdefault(sides[seat], []).append(decision)
    if loses_side:
        return {side: min(made) for side, made in found.items()}
    return {side: max(made) for side, made in found.items() if len(made) == sides.count(side)}


def is_decided(seats: int, faults: Mapping[int, int], sides: Sides, *, loses_side: bool) -> bool:
    """Return whether fewer than two sides are left that aren't out (`forfeited_sides`), so that the game is over."""
    if not sides:
        return seats - len(faults) < min(2, seats)
    return max(sides) + 1 - len(forfeited_sides(sides, faults, loses_side=loses_side)) < 2


def ranks_with_faults(
    scores: Sequence[int], faults: Mapping[int, int], sides: Sides = (), *, loses_side: bool = False
) -> tuple[int, ...]:
    """Return the ranks if some seats were at fault: `faults` maps each to the decision at which it happened.

    Faulted seats rank below all others: the earlier the fault, the lower. Faults at the same decision tie. With
    `sides`, those that are out do (`forfeited_sides`). Raises ArenaError if partners have different scores.
    """
    if sides:
        if len(set(zip(sides, scores, strict=True))) > len(set(sides)):
            raise ArenaError(
                f"partners have different scores: {list(scores)} with the sides {list(sides)}",
                "return the same score for all seats of a side",
            )
        out = forfeited_sides(sides, faults, loses_side=loses_side)
        faults = {seat: out[side] for seat, side in enumerate(sides) if side in out}
    standings = [(0, faults[seat]) if seat in faults else (1, score) for seat, score in enumerate(scores)]
    return tuple(1 + sum(other > own for other in standings) for own in standings)


def scores_with_faults(info: GameInfo, scores: Sequence[int], faults: Iterable[int]) -> tuple[int, ...]:
    """Return the scores if some seats were at fault: the lowest for those where only scores of tables are compared."""
    if not info.counts_tables(len(scores)):
        return tuple(scores)
    out = frozenset(faults)
    return tuple([info.lowest_score if seat in out else score for seat, score in enumerate(scores)])


DEFAULT_LONGEST = 20_000
"""After this many moves, a game without a cap counts as endless."""


class EndlessGame(ArenaError):
    """A game that didn't end and whose rules have no cap."""

    remedy = "set `longest_decisions` in its GameInfo, or add a rule that ends every game"


def capped(info: GameInfo, made: int) -> Event | None:
    """Return the event that ends a game which isn't over after `made` moves; None if it continues."""
    cap = info.longest_decisions
    return Event("cap", {"decisions": made}) if cap is not None and made >= cap else None


def refuse_endless(info: GameInfo, made: int) -> None:
    """Raise EndlessGame if a game without a cap isn't over after 20,000 moves."""
    if info.longest_decisions is None and made >= DEFAULT_LONGEST:
        raise EndlessGame(
            f"the game {info.name!r} had not ended after {made:,} moves and may never end", EndlessGame.remedy
        )


MOST_DRAWS_AT_ONCE = 100_000
"""Draws that may follow each other without a decision between them; a game that asks for more is endless."""


@dataclass(frozen=True, slots=True)
class Roll:
    """A request for whole numbers, all equally likely."""

    stream: str
    """The purpose of the draw, such as `dice`. Arena adds a number."""
    count: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Shuffle:
    """A request for a random order."""

    stream: str
    items: tuple[Any, ...]
    """JSON values."""


@dataclass(frozen=True, slots=True)
class Pick:
    """A request for one of several items, each as likely as its weight. Raises ValueError for a weight of 0 or less."""

    stream: str
    items: tuple[Any, ...]
    """JSON values."""
    weights: tuple[int | Fraction, ...]
    """One for each item, above 0. They need not sum to 1."""

    def __post_init__(self) -> None:
        whole_weights(self.items, self.weights)


Draw = Roll | Shuffle | Pick
Drawn = tuple[Any, ...]
"""The result of a draw: the numbers of a roll, the items of a shuffle in their new order, or the one item of a pick."""


class LateChance(Protocol[S]):
    """The additional members of a game that draws after the deal. Both are pure."""

    def due(self, state: S) -> Draw | None:
        """Return the draw to make before the next decision; None if it's a seat's turn or the game is over."""

    def drawn(self, state: S, values: Drawn) -> tuple[S, tuple[Event, ...]]:
        """Return the state after the due draw, and what happened. Doesn't change the given state."""


class EndlessDraws(ArenaError):
    """A game asks for one draw after another without end."""

    remedy = "make `due` return None eventually: it is called again after each draw"


def play_chance(game: Any, state: S, draw: Callable[[Draw], Drawn]) -> tuple[S, tuple[Event, ...]]:
    """Make all due draws; return the events and the state in which a seat decides or the game is over.

    Call this after `deal`, after every `apply` or `advance`, and after `guess`. For a game without late draws
    it returns the state unchanged. Raises EndlessDraws after 100,000 draws.
    """
    due = getattr(game, "due", None)
    if due is None:
        return state, ()
    events: list[Event] = []
    for _ in range(MOST_DRAWS_AT_ONCE):
        wanted = due(state)
        if wanted is None:
            return state, tuple(events)
        state, told = game.drawn(state, draw(wanted))
        events += told
    raise EndlessDraws(
        f"the game {game.info.name!r} asked for {MOST_DRAWS_AT_ONCE:,} draws without a decision between them",
        EndlessDraws.remedy,
    )


class Recorder:
    """Makes the late draws of one game from its `Chance`, each from its own stream, and so records them."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._made: Counter[str] = Counter()

    def __call__(self, draw: Draw) -> Drawn:
        """Return the result of a draw. Raises CorruptReplay if the record lacks it."""
        stream = f"{draw.stream}/{self._made[draw.stream]}"
        self._made[draw.stream] += 1
        if isinstance(draw, Roll):
            return self._chance.integers(stream, draw.count, draw.low, draw.high)
        if isinstance(draw, Pick):
            return (self._chance.pick(stream, draw.items, draw.weights),)
        return self._chance.permutation(stream, draw.items)


def at_random(rng: Rng) -> Callable[[Draw], Drawn]:
    """Return a function that draws from any source of random numbers, for bots that play on from a guess."""

    def make(draw: Draw) -> Drawn:
        if isinstance(draw, Roll):
            return tuple([draw.low + rng.randrange(draw.high - draw.low + 1) for _ in range(draw.count)])
        if isinstance(draw, Pick):
            return (picked(draw.items, draw.weights, rng),)
        return shuffled(draw.items, rng)

    return make

"""A table as one bot sees it, positions that can be played on, and views and moves as typed objects."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any, ClassVar, TypeVar

from arena.core.chance import Rng
from arena.core.errors import UsageError
from arena.core.game import JSON, AnyGame, Outcome, Seen, at_random, play_chance, ranks_of
from arena.core.ruleset import with_options

T = TypeVar("T", bound="Typed")


@dataclass(frozen=True)
class Typed:
    """A part of a message. Its fields have the names of the JSON keys; lists become tuples."""

    @classmethod
    def of(cls: type[T], data: dict[str, Any]) -> T:
        """Return the object for a JSON object; keys without a field are ignored. Raises KeyError if one is missing."""
        return cls(**{field.name: _tuples(data[field.name]) for field in fields(cls)})


@dataclass(frozen=True)
class HandView(Typed):
    """What a seat sees in a card game of several hands; each such game has more."""

    hand_no: int
    hands: int
    dealer: int
    turn: int | None
    held: tuple[int, ...]
    """Cards in hand, by seat."""
    scores: tuple[int, ...]
    seat: int
    hand: tuple[str, ...]


@dataclass(frozen=True)
class Move(Typed):
    """A move. `json()` is what a bot returns."""

    type: ClassVar[str]

    def json(self) -> dict[str, Any]:
        """Return the move as the protocol has it."""
        return {
            "type": self.type,
            **{field.name: _lists(getattr(self, field.name)) for field in fields(self)},
        }


def move_of(kinds: tuple[type[Move], ...], raw: dict[str, Any]) -> Move:
    """Return the typed form of a JSON move, which is one of these kinds. Raises KeyError for others."""
    return {kind.type: kind for kind in kinds}[raw["type"]].of(raw)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _lists(value: Any) -> Any:
    return list(map(_lists, value)) if isinstance(value, tuple) else value


Policy = Callable[["Position", int], JSON]
"""Chooses a move for a seat that has to decide: the position and the seat → the move, as JSON or typed."""


class NoSuchRules(UsageError):
    """The rules of a game from another package were not given."""


class ForwardModel:
    """One game as your bot sees it: `ForwardModel(game)`, with the kit's `game`."""

    def __init__(self, game: Any, rules: AnyGame | None = None) -> None:
        """Take the kit's `game`. Raises NoSuchRules if `rules`, a `GAME`, is left out for another package's game."""
        self.game = game
        self.rules = rules or rules_of(game.game)
        options = {
            name: tuple(value) if isinstance(value, list) else value for name, value in game.options.items()
        }
        self.ruleset = self.rules.resolve(with_options(self.rules.info, options), game.seats)

    def guess(self, ask: Mapping[str, Any]) -> "Position":
        """Return a position that looks to you like the present one, with all that you can't see dealt at random.

        `ask` is the message that asks for your decision. Each call deals again, with random numbers from `game.rng`.
        """
        game = self.game
        seen = Seen(self.ruleset, game.seats, game.seat, game.private, ask["view"], game.events)
        return Position(self.rules, self.rules.guess(seen, game.rng), game.seats, game.rng)


class Position:
    """A moment of a game with nothing hidden. Moves are JSON objects as in the protocol, or typed ones."""

    __slots__ = ("_outcome", "_turn", "rng", "rules", "seats", "state")

    def __init__(self, rules: AnyGame, state: Any, seats: int, rng: Rng) -> None:
        """Hold a state of the game; due dice and shuffles are drawn from `rng`."""
        self.rules = rules
        self.seats = seats
        self.rng = rng
        self.state = state
        self._settle()

    def _settle(self) -> None:
        """Draw what is due, and find who decides."""
        self.state, _ = play_chance(self.rules, self.state, at_random(self.rng))
        turn = self.rules.turn(self.state)
        self._outcome = turn if isinstance(turn, Outcome) else None
        self._turn = () if isinstance(turn, Outcome) else turn

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self._outcome is not None

    @property
    def to_move(self) -> tuple[int, ...]:
        """The seats that decide now, in order: usually one; several decide at the same time; none if it is over."""
        return tuple([decision.seat for decision in self._turn])

    @property
    def scores(self) -> tuple[int, ...]:
        """The score of each seat so far."""
        return self._outcome.scores if self._outcome else self.rules.scores(self.state)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The rank of each seat by the scores so far: 1 is best, equal seats share one."""
        return self._outcome.ranks if self._outcome else ranks_of(self.scores)

    def legal(self, seat: int | None = None) -> list[JSON] | None:
        """Return every legal move of a seat that decides now; None if there are too many to list.

        `seat` may be left out if only one seat decides. Raises ValueError for a seat that doesn't decide.
        """
        decision = self._decision(seat)
        return None if decision.legal is None else [self.rules.format_move(move) for move in decision.legal]

    def some_move(self, seat: int | None = None) -> JSON:
        """Return a random legal move of a seat that decides now."""
        mover = self._decision(seat).seat
        return self.rules.format_move(self.rules.sample_move(self.state, mover, self.rng))

    def view(self, seat: int) -> dict[str, JSON]:
        """Return what a seat would see."""
        return self.rules.view(self.state, seat)

    def copy(self) -> "Position":
        """Return an independent copy."""
        return Position(self.rules, self.rules.copy(self.state), self.seats, self.rng)

    def play(self, move: "JSON | Move | Mapping[int, JSON | Move]") -> None:
        """Make a move in place. If several seats decide at the same time, give moves by seat: `{0: …, 2: …}`.

        Random moves are made for the seats that are left out.
        Raises IllegalMove, naming the rule, and ValueError if the game is over or another seat decides.
        """
        moves = self._by_seat(move)
        parsed = {}
        for decision in self._turn:
            if decision.seat in moves:
                raw = moves[decision.seat]
                raw = raw.json() if isinstance(raw, Move) else raw
                parsed[decision.seat] = self.rules.parse_move(self.state, decision.seat, raw)
            else:
                parsed[decision.seat] = self.rules.sample_move(self.state, decision.seat, self.rng)
        self.rules.advance(self.state, parsed)
        self._settle()

    def simulate(self, policy: Policy | None = None, decisions: int | None = None) -> tuple[int, ...]:
        """Play on to the end and return the scores by seat. The position itself doesn't change.

        Without a `policy`, all seats make random moves, which is many times faster. After so many `decisions`, if
        given, the game is broken off, and the scores are those at that moment.
        """
        left = -1 if decisions is None else decisions
        rules, rng = self.rules, self.rng
        if policy is not None:
            position = self.copy()
            while not position.over and left != 0:
                position.play({seat: policy(position, seat) for seat in position.to_move})
                left -= 1
            return position.scores
        state, draw = rules.copy(self.state), at_random(rng)
        late = hasattr(rules, "due")
        while left != 0:
            turn = rules.turn(state)
            if isinstance(turn, Outcome):
                return turn.scores
            rules.advance(state, {one.seat: rules.sample_move(state, one.seat, rng) for one in turn})
            if late:
                state, _ = play_chance(rules, state, draw)
            left -= 1
        return rules.scores(state)

    def _decision(self, seat: int | None) -> Any:
        if seat is None and len(self._turn) == 1:
            return self._turn[0]
        for decision in self._turn:
            if decision.seat == seat:
                return decision
        raise ValueError(self._who_decides())

    def _by_seat(self, move: Any) -> Mapping[int, Any]:
        if isinstance(move, Mapping) and move and all(isinstance(seat, int) for seat in move):
            strangers = [seat for seat in move if seat not in self.to_move]
            if strangers or self.over:
                raise ValueError(
                    f"seat {', '.join(map(str, strangers))} has no decision now: {self._who_decides()}"
                )
            return move
        if len(self._turn) != 1:
            raise ValueError(self._who_decides())
        return {self._turn[0].seat: move}

    def _who_decides(self) -> str:
        if self.over:
            return "the game is over"
        if len(self._turn) == 1:
            return f"seat {self._turn[0].seat} decides now"
        return f"seats {', '.join(map(str, self.to_move))} decide at the same time: name the seat"


def rules_of(name: str) -> AnyGame:
    """Return the rules of one of Arena's own games, such as `bread-basket`. Raises NoSuchRules."""
    module = f"arena.games.{name.replace('-', '_')}"
    try:
        found: AnyGame = import_module(module).GAME
    except (ImportError, AttributeError):
        raise NoSuchRules(
            f"{name!r} is not one of Arena's own games",
            "import GAME from the game's package, and write ForwardModel(game, GAME)",
        ) from None
    return found

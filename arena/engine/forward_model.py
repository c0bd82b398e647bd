"""A table as one bot sees it, positions that can be played on, and views and moves as typed objects."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from importlib import import_module
from importlib.metadata import entry_points
from random import Random
from typing import Any, ClassVar, Literal, TypeVar

from arena.core.chance import Rng
from arena.core.errors import UsageError
from arena.core.foresight import Foresight, foresight, no_stage, turn_by_turn
from arena.core.game import JSON, AnyGame, Outcome, at_random, play_chance, ranks_of
from arena.core.game_defaults import can_guess
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
    """The rules of the game are not there."""


class ForwardModel:
    """One game as your bot sees it: `ForwardModel(game)`, with the kit's `game`. Make it as often as you like."""

    def __init__(self, game: Any, rules: AnyGame | None = None) -> None:
        """Take the kit's `game`. Raises NoSuchRules if its rules are not there and `rules`, a `GAME`, is left out."""
        self.game = game
        self.rules = rules or rules_of(game.game)
        options = {
            name: tuple(value) if isinstance(value, list) else value for name, value in game.options.items()
        }
        self.ruleset = self.rules.resolve(with_options(self.rules.info, options), game.seats)
        self.foresight: Foresight[Any, Any] = foresight(self.rules)
        """How playouts are made; `dataclasses.replace` gives one with a policy of your own."""

    @property
    def can_guess(self) -> bool:
        """Whether the game has what guesses need; if not, all methods below raise ArenaError."""
        return can_guess(self.rules)

    def guess(self, ask: Mapping[str, Any]) -> "Position":
        """Return a position that looks to you like the present one, with all that you can't see dealt at random.

        `ask` is the message that asks for your decision. Each call deals again, with random numbers from `game.rng`.
        """
        return self.guesses(ask, 1)[0]

    def guesses(self, ask: Mapping[str, Any], count: int) -> list["Position"]:
        """Return this many guesses, which takes less time than as many calls of `guess`.

        They may share what chance decides after the present hand or round.
        """
        rules, seats, rng = self.rules, self.game.seats, self.game.rng
        return [Position(rules, state, seats, rng, self.foresight) for state in self.worlds(ask, count)]

    def worlds(self, ask: Mapping[str, Any], count: int) -> Sequence[Any]:
        """Return this many guesses as states of the game, before due dice and shuffles.

        Raises ValueError if no state fits what you have seen.
        """
        game = self.game
        kept = vars(game).get("_guesser")
        if kept is None:  # it stays with the kit's `game`, and so knows what it has heard from ask to ask
            kept = [self.foresight.guesser(self.ruleset, game.seats, game.seat, game.private), 0]
            game._guesser = kept
        guesser, heard = kept
        kept[1] = len(game.events)
        guesser.hear(game.events[heard:])
        return guesser.worlds(ask["view"], count, game.rng)  # type: ignore[no-any-return]  # of any game


class Position:
    """A moment of a game with nothing hidden. Moves are JSON objects as in the protocol, or typed ones."""

    __slots__ = ("_foresight", "_outcome", "_turn", "rng", "rules", "seats", "state")

    def __init__(
        self, rules: AnyGame, state: Any, seats: int, rng: Rng, own: Foresight[Any, Any] | None = None
    ) -> None:
        """Hold a state of the game; due dice and shuffles are drawn from `rng`. `own` replaces the game's foresight."""
        self.rules = rules
        self._foresight = own or foresight(rules)
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
        return Position(self.rules, self.rules.copy(self.state), self.seats, self.rng, self._foresight)

    def play(self, move: "JSON | Move | Mapping[int, JSON | Move]") -> None:
        """Make a move in place. If several seats decide at the same time, give moves by seat: `{0: …, 2: …}`.

        Random moves are made for the seats that are left out.
        Raises IllegalMove, naming the rule, and ValueError if the game is over or another seat decides.
        """
        moves = self._by_seat(move)
        parsed = {}
        for decision in self._turn:
            if decision.seat in moves:
                parsed[decision.seat] = self.rules.parse_move(
                    self.state, decision.seat, _plain(moves[decision.seat])
                )
            else:
                parsed[decision.seat] = self.rules.sample_move(self.state, decision.seat, self.rng)
        self.rules.advance(self.state, parsed)
        self._settle()

    def simulate(
        self, policy: Policy | Literal["quick"] | None = None, decisions: int | None = None
    ) -> tuple[float, ...]:
        """Play on and return the scores by seat. The position itself doesn't change.

        Without a `policy`, all seats make random moves to the end of the game, which is many times faster than with
        one of your own. With `"quick"`, they make the sensible moves of the game's own policy, as fast, and only to
        the end of the present hand or round. After so many `decisions`, if given, the game is broken off, and the
        scores are those at that moment; with `"quick"` they include an estimate of the unfinished hand.
        """
        rules, rng = self.rules, self.rng
        if callable(policy):
            left = -1 if decisions is None else decisions
            position = self.copy()
            while not position.over and left != 0:
                position.play({seat: policy(position, seat) for seat in position.to_move})
                left -= 1
            return position.scores
        moves = self._foresight if policy == "quick" else _at_random(rules)
        return Playouts(rules, moves, decisions).from_here(
            rules.copy(self.state), moves.stage(self.state), rng
        )

    def values(
        self, moves: Sequence[JSON], times: int = 1, seat: int | None = None, decisions: int | None = None
    ) -> list[float]:
        """Return by how many points a seat leads after each of its moves, on average over `times` quick playouts.

        The lead is over the mean of the others. Every move meets the same chance: in each playout, dice, shuffles
        and what the policy leaves to chance come from the same random numbers. `seat` may be left out if only one
        seat decides; others that decide at the same time move by the policy. `decisions` limits each playout.
        Raises IllegalMove, naming the rule.
        """
        mover = self._decision(seat).seat
        parsed = [self.rules.parse_move(self.state, mover, _plain(move)) for move in moves]
        playouts = Playouts(self.rules, self._foresight, decisions)
        total = [0.0] * len(moves)
        for _ in range(times):
            for place, lead in enumerate(playouts.leads(self.state, mover, parsed, self.rng)):
                total[place] += lead
        return [one / times for one in total]

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


def _plain(move: "JSON | Move") -> JSON:
    return move.json() if isinstance(move, Move) else move


def _at_random(rules: AnyGame) -> Foresight[Any, Any]:
    """Return what makes random moves to the end of the game."""
    to_the_end = turn_by_turn(rules, no_stage)
    return replace(
        foresight(rules), policy=rules.sample_move, stage=no_stage, standing=rules.scores, play_on=to_the_end
    )


class Playouts:
    """Plays on from states of one game by its policy, without JSON."""

    def __init__(self, rules: AnyGame, moves: Foresight[Any, Any], decisions: int | None = None) -> None:
        """Take the rules and how to move; a playout ends after so many turns (`decisions`), if given."""
        self.rules = rules
        self.moves = moves
        self._most = -1 if decisions is None else decisions
        self._late = hasattr(rules, "due")
        self._unit: int = 10**rules.info.decimals
        self._rng = Random()  # noqa: S311 - for games

    def from_here(self, state: Any, stage: int, rng: Rng) -> tuple[float, ...]:
        """Play a state on, in place, until its stage is another or the game is over; return the scores by seat."""
        moves = self.moves
        if moves.stage(state) == stage:
            state = moves.play_on(state, moves.policy, rng, self._most)
        return moves.standing(state) if moves.stage(state) == stage else self.rules.scores(state)

    def leads(self, state: Any, seat: int, moves: Sequence[Any], rng: Rng) -> list[float]:
        """Return the lead after each of a seat's moves, as `lead_after`; all of them meet the same chance."""
        chance = rng.randrange(1 << 32)
        return [self.lead_after(state, seat, move, chance) for move in moves]

    def lead_after(self, state: Any, seat: int, move: Any, chance: int) -> float:
        """Return by how many points a seat leads the mean of the others once it makes a move and all play on.

        Where scores of tables are compared, that is the score itself.
        The state stays as it is. `chance`, from 0, is where all random numbers come from.
        """
        rng = self._rng
        rng.seed(chance)
        after, stage = self.rules.copy(state), self.moves.stage(state)
        turn: Any = self.rules.turn(after)
        made = {one.seat: self.moves.policy(after, one.seat, rng) for one in turn if one.seat != seat}
        made[seat] = move
        self.rules.advance(after, made)
        if self._late:
            after, _ = play_chance(self.rules, after, at_random(rng))
        scores = self.from_here(after, stage, rng)
        if self.rules.info.counts_tables(len(scores)):
            return scores[seat] / self._unit
        return (scores[seat] - (sum(scores) - scores[seat]) / (len(scores) - 1)) / self._unit


def rules_of(name: str) -> AnyGame:
    """Return the rules of a game, such as `bread-basket`: Arena's own, or of an installed package.

    Raises NoSuchRules.
    """
    module = f"arena.games.{name.replace('-', '_')}"
    try:
        found: AnyGame = import_module(module).GAME
    except (ImportError, AttributeError):
        try:
            (entry,) = entry_points(group="arena.games", name=name.partition(":")[0])
            loaded: Any = entry.load()
            (found,) = [one for one in loaded() if one.info.name == name] if ":" in name else [loaded]
        except (ValueError, ImportError, AttributeError) as error:
            raise NoSuchRules(
                f"the rules of {name!r} can't be imported: {error}",
                "import GAME from the game's package, and write ForwardModel(game, GAME)",
            ) from None
    return found

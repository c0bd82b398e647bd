"""Every game at every ruleset and number of seats, and random games of each to look at."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from arena.core.chance import Chance, Stream
from arena.core.game import AnyGame, Decision, Event, Outcome, Seen
from arena.core.ruleset import Ruleset, ruleset
from arena.registry import game, games

MOST_TURNS = 100_000
"""A random game that is longer is taken for endless."""


@dataclass(frozen=True)
class Table:
    """A game, a named ruleset of it and a number of seats."""

    game_name: str
    ruleset_name: str
    seats: int

    def __str__(self) -> str:
        return f"{self.game_name}.{self.ruleset_name}.{self.seats}"

    @property
    def game(self) -> AnyGame:
        return game(self.game_name)

    @property
    def rules(self) -> Ruleset:
        """The ruleset, resolved for the number of seats."""
        return self.game.resolve(ruleset(self.game.info, self.ruleset_name), self.seats)

    def seed(self, number: int) -> bytes:
        return f"{self}/{number}".encode()


@dataclass(frozen=True)
class Step:
    """One turn of a game: the decisions, the moves made, and what happened."""

    state: Any
    """Before the moves."""
    turn: tuple[Decision[Any], ...]
    moves: Mapping[int, Any]
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Played:
    """A random game from deal to result."""

    table: Table
    chance: Mapping[str, Sequence[Any]]
    start: Any
    dealt: tuple[Event, ...]
    steps: tuple[Step, ...]
    end: Any
    outcome: Outcome

    def seen(self, step_no: int, seat: int) -> Seen:
        """Return all that a seat has been told when it is asked at a step."""
        game = self.table.game
        events = [*self.dealt, *(event for step in self.steps[:step_no] for event in step.events)]
        return Seen(
            ruleset=self.table.rules,
            seats=self.table.seats,
            seat=seat,
            private=game.private(self.start, seat),
            view=game.view(self.steps[step_no].state, seat),
            events=[event.seen_by(seat) for event in events],
        )


def tables() -> list[Table]:
    """Return every table that can be played with the options of a named ruleset, by the name that it bears."""
    return [
        Table(name, ruleset_name, seats)
        for name, one in games().items()
        for ruleset_name in one.info.rulesets
        if ruleset(one.info, ruleset_name).name == ruleset_name
        for seats in one.seats(ruleset(one.info, ruleset_name))
    ]


TABLES = tables()


def quick(table: Table) -> bool:
    """Return whether a table is looked at every time: all of the default ruleset, the ends of the others."""
    info, seats = table.game.info, table.game.seats(ruleset(table.game.info, table.ruleset_name))
    return table.ruleset_name == next(iter(info.rulesets)) or table.seats in (min(seats), max(seats))


each_table = pytest.mark.parametrize(
    "table",
    [pytest.param(table, id=str(table), marks=() if quick(table) else pytest.mark.slow) for table in TABLES],
)
"""Runs a test once for every table; the less telling ones are slow."""


@cache
def played(table: Table, number: int = 0) -> Played:
    """Return the random game of that number at a table; the same one every time."""
    game = table.game
    chance = Chance(table.seed(number))
    start, dealt = game.deal(table.seats, table.rules, chance)
    steps = tuple(_steps(game, start, Stream(table.seed(number), "moves")))
    end, _ = game.apply(steps[-1].state, steps[-1].moves)
    outcome = game.turn(end)
    assert isinstance(outcome, Outcome)
    return Played(table, chance.record, start, dealt, steps, end, outcome)


def _steps(game: AnyGame, state: Any, rng: Stream) -> Iterator[Step]:
    for _ in range(MOST_TURNS):
        turn = game.turn(state)
        if isinstance(turn, Outcome):
            return
        moves = {decision.seat: game.sample_move(state, decision.seat, rng) for decision in turn}
        after, events = game.apply(state, moves)
        yield Step(state, turn, moves, events)
        state = after
    raise AssertionError(f"no end after {MOST_TURNS} turns")


def as_bytes(value: Any) -> bytes:
    """Return a JSON value as it would be sent; fails on what is no JSON."""
    return json.dumps(value, allow_nan=False).encode()


def turn_json(game: AnyGame, state: Any) -> Any:
    """Return the decisions or the outcome of a state as a JSON value."""
    turn = game.turn(state)
    if isinstance(turn, Outcome):
        return {"scores": turn.scores, "ranks": turn.ranks}
    return [decision_json(game, decision) for decision in turn]


def decision_json(game: AnyGame, decision: Decision[Any]) -> Any:
    """Return a decision as a JSON value."""
    legal = None if decision.legal is None else [game.format_move(move) for move in decision.legal]
    return {"seat": decision.seat, "kind": decision.kind, "legal": legal}


def all_told(game: AnyGame, state: Any, seats: int) -> bytes:
    """Return everything that a game tells of a state, as bytes to compare."""
    return as_bytes(
        {
            "turn": turn_json(game, state),
            "scores": game.scores(state),
            "views": [game.view(state, seat) for seat in (None, *range(seats))],
            "private": [game.private(state, seat) for seat in range(seats)],
        }
    )

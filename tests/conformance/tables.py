"""Every game at every ruleset and number of seats, and random games of each to look at."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from arena.core.chance import Chance, Stream
from arena.core.errors import BadOption
from arena.core.game import AnyGame, Decision, Event, Outcome, Seen
from arena.core.ruleset import Option, OptionValue, Ruleset, ruleset, show
from arena.registry import game, games

MOST_TURNS = 100_000
"""A random game that is longer is taken for endless."""


@dataclass(frozen=True)
class Table:
    """A game, a ruleset of it and a number of seats."""

    game_name: str
    ruleset_name: str
    seats: int
    change: tuple[str, OptionValue] | None = None
    """An option that is set differently from the named ruleset."""

    def __str__(self) -> str:
        changed = "" if self.change is None else f"+{self.change[0]}={show(self.change[1])}"
        return f"{self.game_name}.{self.ruleset_name}{changed}.{self.seats}"

    @property
    def game(self) -> AnyGame:
        return game(self.game_name)

    @property
    def rules(self) -> Ruleset:
        """The ruleset, resolved for the number of seats."""
        return self.game.resolve(changed(self.game, self.ruleset_name, self.change), self.seats)

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


def is_own(game: AnyGame) -> bool:
    """Return whether a game comes with Arena, and not from another package."""
    return type(game).__module__.startswith("arena.games.")


def changed(game: AnyGame, ruleset_name: str, change: tuple[str, OptionValue] | None) -> Ruleset:
    """Return a named ruleset, with one option changed where there is a change."""
    return ruleset(game.info, ruleset_name, dict([change] if change else []))


def names_borne(game: AnyGame) -> list[str]:
    """Return the named rulesets of a game; of several with equal options the first, whose name they bear."""
    return [name for name in game.info.rulesets if ruleset(game.info, name).name == name]


def named_tables() -> Iterator[Table]:
    """Yield every table of every named ruleset."""
    for name, one in games().items():
        for ruleset_name in names_borne(one):
            for seats in one.seats(ruleset(one.info, ruleset_name)):
                yield Table(name, ruleset_name, seats)


def other_values(option: Option, now: OptionValue) -> list[OptionValue]:
    """Return some values of an option other than the present one: all of few, or the least and one more."""
    match option.kind:
        case "flag":
            return [not now]
        case "choice":
            return [choice for choice in option.choices if choice != now]
        case "count" | "number":
            more = [now + 1] if isinstance(now, int) and now < option.high else []
            return [value for value in (option.low, *more) if value != now]
        case _:
            return []


def can_be_played(game: AnyGame, rules: Ruleset) -> bool:
    """Return whether a ruleset can be played at all: an option may be out of range for another."""
    seats = game.seats(rules)
    if not seats:
        return False
    try:
        game.resolve(rules, min(seats))
    except BadOption:
        return False
    return True


def changed_tables() -> Iterator[Table]:
    """Yield each named ruleset with each option changed by itself, at the fewest seats it can then have.

    Numbers are changed in the default ruleset only.
    """
    for name, one in games().items():
        for number, ruleset_name in enumerate(names_borne(one)):
            for option in one.info.options:
                if number and option.kind not in ("flag", "choice"):
                    continue
                for value in other_values(option, ruleset(one.info, ruleset_name)[option.name]):
                    rules = changed(one, ruleset_name, (option.name, value))
                    if rules.name not in one.info.rulesets and can_be_played(one, rules):
                        yield Table(name, ruleset_name, min(one.seats(rules)), (option.name, value))


TABLES = list(named_tables())
"""Every named ruleset at every number of seats."""
CHANGED = list(changed_tables())
"""Other rulesets: one option apart from a named one."""


def quick(table: Table) -> bool:
    """Return whether a table is looked at every time: all of the default ruleset, the ends of the others."""
    info, seats = table.game.info, table.game.seats(ruleset(table.game.info, table.ruleset_name))
    default = table.ruleset_name == next(iter(info.rulesets))
    return table.change is None and (default or table.seats in (min(seats), max(seats)))


each_table = pytest.mark.parametrize(
    "table",
    [
        pytest.param(table, id=str(table), marks=() if quick(table) else pytest.mark.slow)
        for table in (*TABLES, *CHANGED)
    ],
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

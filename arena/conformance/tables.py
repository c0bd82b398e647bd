"""Games at every ruleset and number of seats, and random games of each to look at."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import arena
from arena.core.chance import Chance, Stream
from arena.core.errors import BadOption
from arena.core.game import AnyGame, Decision, Event, Outcome, Seen
from arena.core.late_chance import Draw, Drawn, Recorder, Roll, play_chance
from arena.core.length import DEFAULT_LONGEST, capped
from arena.core.ruleset import Option, OptionValue, Ruleset, ruleset, show
from arena.registry import game

OWN_PLAYTHROUGHS = Path(arena.__file__).parents[1] / "tests" / "conformance" / "playthroughs"
"""Of Arena's own games, where the kit runs in a copy of the project."""
MOST_MOVES = 100_000
"""A random game of more moves is not looked at: the tests would take all day."""


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
    """Of the moves, then of what was drawn after them."""
    drawn: tuple[Drawn, ...]
    """What was drawn after the moves, draw by draw."""


@dataclass(frozen=True)
class Played:
    """A random game from deal to result."""

    table: Table
    chance: Mapping[str, Sequence[Any]]
    start: Any
    """After the deal, and what was drawn at once after it."""
    dealt: tuple[Event, ...]
    steps: tuple[Step, ...]
    end: Any
    outcome: Outcome
    capped: bool
    """Whether it ended by its cap, and not by its rules."""
    requests: Mapping[str, Draw]
    """What was asked for by each draw of whole numbers."""

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


def named_tables(games: Iterable[AnyGame]) -> Iterator[Table]:
    """Yield every table of every named ruleset."""
    for one in games:
        for ruleset_name in names_borne(one):
            for seats in one.seats(ruleset(one.info, ruleset_name)):
                yield Table(one.info.name, ruleset_name, seats)


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


def changed_tables(games: Iterable[AnyGame]) -> Iterator[Table]:
    """Yield each named ruleset with each option changed by itself, at the fewest seats it can then have.

    Numbers are changed in the default ruleset only.
    """
    for one in games:
        for number, ruleset_name in enumerate(names_borne(one)):
            for option in one.info.options:
                if number and option.kind not in ("flag", "choice"):
                    continue
                for value in other_values(option, ruleset(one.info, ruleset_name)[option.name]):
                    rules = changed(one, ruleset_name, (option.name, value))
                    if rules.name not in one.info.rulesets and can_be_played(one, rules):
                        yield Table(one.info.name, ruleset_name, min(one.seats(rules)), (option.name, value))


def kept(games: Iterable[AnyGame], elsewhere: Path | None) -> list[tuple[Table, Path]]:
    """Return the tables whose games are kept, each with its file.

    That is each ruleset with its fewest seats, the default one with one more.
    Those of Arena's own games lie in the project, others in the folder `elsewhere`, where one is named.
    """
    by_ruleset: dict[tuple[str, str], list[Table]] = {}
    for table in named_tables(games):
        by_ruleset.setdefault((table.game_name, table.ruleset_name), []).append(table)
    chosen: list[tuple[Table, Path]] = []
    for (_, name), same in by_ruleset.items():
        default = name == next(iter(same[0].game.info.rulesets))
        folder = OWN_PLAYTHROUGHS if is_own(same[0].game) and OWN_PLAYTHROUGHS.is_dir() else elsewhere
        if folder is not None:
            chosen += [(table, folder / f"{table}.txt") for table in same[: 2 if default else 1]]
    return chosen


def quick(table: Table) -> bool:
    """Return whether a table is looked at every time: the smallest and the largest of each named ruleset."""
    seats = table.game.seats(ruleset(table.game.info, table.ruleset_name))
    return table.change is None and table.seats in (min(seats), max(seats))


@cache
def _played(table: Table, number: int) -> "Played | AssertionError":
    """Return the random game of that number at a table, or why there is none: it is not looked for twice."""
    try:
        return play(table, number)
    except AssertionError as error:
        return error


def played(table: Table, number: int = 0) -> Played:
    """Return the random game of that number at a table; the same one every time."""
    found = _played(table, number)
    if isinstance(found, AssertionError):
        raise AssertionError(str(found))
    return found


def play(table: Table, number: int = 0) -> Played:
    """Play the random game of that number at a table. Raises AssertionError for one without an end."""
    game = table.game
    chance = Chance(table.seed(number))
    draw = Requests(Recorder(chance))
    start, dealt = game.deal(table.seats, table.rules, chance)
    start, more = play_chance(game, start, draw)
    rng = Stream(table.seed(number), "moves")
    steps: list[Step] = []
    state, made = start, 0
    while not isinstance(turn := game.turn(state), Outcome):
        if (cap := capped(game.info, made)) is not None:
            outcome = Outcome(game.scores(state))
            last = steps[-1]
            steps[-1] = Step(last.state, last.turn, last.moves, (*last.events, cap), last.drawn)
            return Played(
                table, chance.record, start, (*dealt, *more), tuple(steps), state, outcome, True, draw.all
            )
        most = DEFAULT_LONGEST if game.info.longest_decisions is None else MOST_MOVES
        assert made < most, (
            f"no end after {made:,} moves at random: give the game a rule by which it always ends, or set "
            "`longest_decisions` in its GameInfo"
        )
        moves = {decision.seat: game.sample_move(state, decision.seat, rng) for decision in turn}
        assert moves, "it is nobody's turn and the game is not over: `turn` gave no decision and no outcome"
        before, draw.drawn = state, []
        state, events = game.apply(before, moves)
        state, later = play_chance(game, state, draw)
        steps.append(Step(before, turn, moves, (*events, *later), tuple(draw.drawn)))
        made += len(moves)
    assert steps, "the game is over before anybody has decided anything"
    return Played(table, chance.record, start, (*dealt, *more), tuple(steps), state, turn, False, draw.all)


class Requests:
    """Keeps what a game asks of chance after the deal, and what came of it."""

    def __init__(self, draw: Callable[[Draw], Drawn]) -> None:
        self._draw = draw
        self._numbers: dict[str, int] = {}
        self.all: dict[str, Draw] = {}
        """By stream, with its number."""
        self.drawn: list[Drawn] = []
        """Since it was emptied last."""

    def __call__(self, draw: Draw) -> Drawn:
        number = self._numbers.get(draw.stream, 0)
        self._numbers[draw.stream] = number + 1
        self.all[f"{draw.stream}/{number}"] = draw
        values = self._draw(draw)
        self.drawn.append(values)
        return values


def again(drawn: Sequence[Drawn]) -> Callable[[Draw], Drawn]:
    """Return what gives a game what was drawn before, in order, and fails where it now asks for something else."""
    left = iter(drawn)

    def give(draw: Draw) -> Drawn:
        values = next(left, None)
        assert values is not None, f"{draw} is drawn, and the first time it was not"
        fits = len(values) == draw.count if isinstance(draw, Roll) else len(values) == len(draw.items)
        assert fits, f"{draw} is drawn, and the first time it was {values}"
        return values

    return give


def moved(
    game: AnyGame, state: Any, moves: Mapping[int, Any], draw: Callable[[Draw], Drawn]
) -> tuple[Any, tuple[Event, ...]]:
    """Return the state after some moves and the draws after them, and the events of both."""
    after, events = game.apply(state, moves)
    after, later = play_chance(game, after, draw)
    return after, (*events, *later)


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

"""Tables (a game, a ruleset and a number of seats), and random games to test at each."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import arena
from arena.core.chance import Chance, Stream
from arena.core.errors import ArenaError, BadOption, IllegalMove
from arena.core.game import (
    DEFAULT_LONGEST,
    AnyGame,
    Decision,
    Draw,
    Drawn,
    Event,
    Outcome,
    Pick,
    Recorder,
    Roll,
    Seen,
    capped,
    play_chance,
)
from arena.core.ruleset import Option, OptionValue, Ruleset, ruleset, show
from arena.registry import game
from arena_conformance import is_own

OWN_PLAYTHROUGHS = Path(arena.__file__).parents[1] / "tests" / "conformance" / "playthroughs"
"""Of Arena's own games, if the kit runs in a copy of the project."""
ENOUGH_TURNS, MOST_GAMES = 50, 20
"""Games shorter than that are tested together with others of their table, but not with more."""
MOST_MOVES = 100_000
"""Longer random games aren't tested: that would take too long."""


@dataclass(frozen=True)
class GameSetup:
    """A game, a ruleset of it and a number of seats."""

    game_name: str
    ruleset_name: str
    seats: int
    change: tuple[str, OptionValue] | None = None
    """An option that differs from the named ruleset."""

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
    """Those of the moves, then those of the draws after them."""
    drawn: tuple[Drawn, ...]
    """The results of the draws after the moves, in order."""

    def __repr__(self) -> str:
        kinds = ", ".join(f"{decision.kind} of seat {decision.seat}" for decision in self.turn)
        return f"<{kinds}; then made: {dict(self.moves)!r:.200}>"


@dataclass(frozen=True)
class Played:
    """A random game from deal to result."""

    table: GameSetup
    chance: Mapping[str, Sequence[Any]]
    start: Any
    """After the deal and any draws right after it."""
    dealt: tuple[Event, ...]
    steps: tuple[Step, ...]
    end: Any
    outcome: Outcome
    capped: bool
    """Whether it ended by its cap instead of its rules."""
    requests: Mapping[str, Draw]
    """The request behind each draw after the deal."""
    number: int = 0
    """Which random game of its table it is."""

    @property
    def events(self) -> list[Event]:
        """Everything that happened, in order."""
        return [*self.dealt, *(event for step in self.steps for event in step.events)]

    def seen(self, step_no: int, seat: int) -> Seen:
        """Return everything that a seat has been told when it is asked at a step."""
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


def changed(game: AnyGame, ruleset_name: str, change: tuple[str, OptionValue] | None) -> Ruleset:
    """Return a named ruleset, with one option changed if `change` is given."""
    return ruleset(game.info, ruleset_name, dict([change] if change else []))


def names_borne(game: AnyGame) -> list[str]:
    """Return the named rulesets of a game; of several with equal options only the first, whose name they share."""
    return [name for name in game.info.rulesets if ruleset(game.info, name).name == name]


def named_tables(games: Iterable[AnyGame]) -> Iterator[GameSetup]:
    """Yield every table of every named ruleset."""
    for one in games:
        for ruleset_name in names_borne(one):
            for seats in one.seats(ruleset(one.info, ruleset_name)):
                yield GameSetup(one.info.name, ruleset_name, seats)


def other_values(option: Option, now: OptionValue) -> list[OptionValue]:
    """Return other values of an option than the current one: all if there are few, or the smallest and one more."""
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
    """Return whether a ruleset can be played at all: one option may rule out values of another."""
    seats = game.seats(rules)
    if not seats:
        return False
    try:
        game.resolve(rules, min(seats))
    except BadOption:
        return False
    return True


def changed_tables(games: Iterable[AnyGame]) -> Iterator[GameSetup]:
    """Yield named rulesets with one option changed, at the fewest seats. Numbers change only in the default ruleset."""
    for one in games:
        for number, ruleset_name in enumerate(names_borne(one)):
            for option in one.info.options:
                if number and option.kind not in ("flag", "choice"):
                    continue
                for value in other_values(option, ruleset(one.info, ruleset_name)[option.name]):
                    rules = changed(one, ruleset_name, (option.name, value))
                    if rules.name not in one.info.rulesets and can_be_played(one, rules):
                        yield GameSetup(
                            one.info.name, ruleset_name, min(one.seats(rules)), (option.name, value)
                        )


def kept(games: Iterable[AnyGame], elsewhere: Path | None) -> list[tuple[GameSetup, Path]]:
    """Return the tables whose games are kept, each with its file.

    A file is named after its table, such as `nim.short+heaps=2.2.txt` if an option is changed, to keep a shorter game.
    A ruleset without any has its table with the fewest seats, and the default one also that with one more.
    Those of Arena's own games are in the project, others in the folder `elsewhere`, if given.
    """
    chosen: list[tuple[GameSetup, Path]] = []
    for one in games:
        folder = OWN_PLAYTHROUGHS if is_own(one) and OWN_PLAYTHROUGHS.is_dir() else elsewhere
        if folder is None:
            continue
        for number, name in enumerate(names_borne(one)):
            files = sorted(folder.glob(f"{one.info.name}.{name}[.+]*.txt"))
            tables = [table for path in files if (table := _named_by(path, one))]
            if not tables:
                seats = one.seats(ruleset(one.info, name))[: 1 if number else 2]
                tables = [GameSetup(one.info.name, name, count) for count in seats]
            chosen += [(table, folder / f"{table}.txt") for table in tables]
    return chosen


def _named_by(path: Path, game: AnyGame) -> GameSetup | None:
    """Return the table after which a file is named; None if it isn't named so. Raises BadOption and UnknownName."""
    named = re.fullmatch(r"[^.]+\.([^.+]+)(?:\+(\w+)=([^.]+))?\.(\d+)", path.stem)
    if named is None:
        return None
    name, option, value, seats = named.groups()
    change = (option, game.info.option(option).parse(value)) if option else None
    return GameSetup(game.info.name, name, int(seats), change)


def quick(table: GameSetup) -> bool:
    """Return whether a table is part of the quick tests: the smallest and the largest of each named ruleset."""
    seats = table.game.seats(ruleset(table.game.info, table.ruleset_name))
    return table.change is None and table.seats in (min(seats), max(seats))


@cache
def _played(table: GameSetup, number: int) -> "Played | AssertionError":
    """Return that random game of a table, or why there is none; computed only once."""
    try:
        return play(table, number)
    except AssertionError as error:
        return error


def played(table: GameSetup, number: int = 0) -> Played:
    """Return the random game with that number at a table; always the same one."""
    found = _played(table, number)
    if isinstance(found, AssertionError):
        raise AssertionError(str(found))
    return found


def several(table: GameSetup) -> list[Played]:
    """Return random games of a table with 50 turns in all, at most 20 games: one, unless games are short."""
    games = [played(table)]
    while len(games) < MOST_GAMES and sum(len(game.steps) for game in games) < ENOUGH_TURNS:
        games.append(played(table, len(games)))
    return games


def play(table: GameSetup, number: int = 0) -> Played:
    """Play the random game with that number at a table. Raises AssertionError if it doesn't end, or can't be played."""
    game = table.game
    chance = Chance(table.seed(number))
    draw = Requests(Recorder(chance))
    start, dealt = game.deal(table.seats, table.rules, chance)
    start, more = play_chance(game, start, draw)
    rng = Stream(table.seed(number), "moves")
    steps: list[Step] = []
    state, made, is_capped = start, 0, False
    while not isinstance(turn := game.turn(state), Outcome):
        if (cap := capped(game.info, made)) is not None:
            turn, is_capped = Outcome(game.scores(state)), True
            last = steps[-1]
            steps[-1] = Step(last.state, last.turn, last.moves, (*last.events, cap), last.drawn)
            break
        most = DEFAULT_LONGEST if game.info.longest_decisions is None else MOST_MOVES
        assert made < most, (
            f"no end after {made:,} moves at random: give the game a rule that always ends it, or set "
            "`longest_decisions` in its GameInfo"
        )
        assert isinstance(turn, tuple), f"`turn` returns a {type(turn).__name__}: return a tuple of decisions"
        assert turn, "it is nobody's turn and the game is not over: `turn` gave no decision and no outcome"
        for one in turn:
            assert one.legal is None or one.legal, (
                f"`turn` asks seat {one.seat} for a {one.kind!r} without a legal move: list one at least, or leave the "
                "decision out"
            )
        moves = {one.seat: game.sample_move(state, one.seat, rng) for one in turn}
        for move in moves.values():
            written = game.format_move(move)
            is_typed = isinstance(written, dict) and isinstance(written.get("type"), str)
            assert is_typed, (
                f"`format_move` of {move!r} returns {written!r}: return a dict with a `type`, such as "
                '{"type": "play", "card": 7}'
            )
        before, draw.drawn = state, []
        shown = game.view(before, None)
        state, events = game.apply(before, moves)
        state, later = play_chance(game, state, draw)
        assert (game.turn(before), game.view(before, None)) == (turn, shown), (
            f"`apply` or `drawn` changes the state it is given, with the moves {moves!r:.200}: change a copy, of "
            "nested lists too, and return that"
        )
        steps.append(Step(before, turn, moves, (*events, *later), tuple(draw.drawn)))
        made += len(moves)
    assert steps, "the game is over before anybody has decided anything"
    return Played(
        table, chance.record, start, (*dealt, *more), tuple(steps), state, turn, is_capped, draw.all, number
    )


class Requests:
    """Records what a game requests from chance after the deal, and the results."""

    def __init__(self, draw: Callable[[Draw], Drawn]) -> None:
        self._draw = draw
        self._numbers: dict[str, int] = {}
        self.all: dict[str, Draw] = {}
        """By stream and its number."""
        self.drawn: list[Drawn] = []
        """Since it was last cleared."""

    def __call__(self, draw: Draw) -> Drawn:
        number = self._numbers.get(draw.stream, 0)
        self._numbers[draw.stream] = number + 1
        self.all[f"{draw.stream}/{number}"] = draw
        values = self._draw(draw)
        self.drawn.append(values)
        return values


def draws(draw: Draw) -> int:
    """Return how many values a draw gives."""
    return draw.count if isinstance(draw, Roll) else 1 if isinstance(draw, Pick) else len(draw.items)


def again(drawn: Sequence[Drawn]) -> Callable[[Draw], Drawn]:
    """Return a function that repeats earlier draws in order, and fails if the game requests anything else."""
    left = iter(drawn)

    def give(draw: Draw) -> Drawn:
        values = next(left, None)
        assert values is not None, f"{draw} is drawn, and the first time it was not"
        fits = len(values) == draws(draw)
        assert fits, f"{draw} is drawn, and the first time it was {values}"
        return values

    return give


def moved(
    game: AnyGame, state: Any, moves: Mapping[int, Any], draw: Callable[[Draw], Drawn]
) -> tuple[Any, tuple[Event, ...]]:
    """Return the state after some moves and the draws that follow, and the events of both."""
    after, events = game.apply(state, moves)
    after, later = play_chance(game, after, draw)
    return after, (*events, *later)


def as_bytes(value: Any) -> bytes:
    """Return a JSON value as it would be sent; fails if it isn't JSON."""
    try:
        return json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise AssertionError(
            "views, events, moves and `private` are JSON, that is text, numbers, true, false, None, lists and dicts "
            f"with text as keys: {error}"
        ) from None


@contextmanager
def refused(words: str, error: type[ArenaError] = IllegalMove) -> Iterator[list[ArenaError]]:
    """Fail with these words unless the block raises that error; give a list that then holds it."""
    raised: list[ArenaError] = []
    try:
        yield raised
    except error as refusal:
        raised.append(refusal)
        return
    raise AssertionError(words)


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
    """Return everything that a game reveals about a state, as bytes to compare."""
    return as_bytes(
        {
            "turn": turn_json(game, state),
            "scores": game.scores(state),
            "views": [game.view(state, seat) for seat in (None, *range(seats))],
            "private": [game.private(state, seat) for seat in range(seats)],
        }
    )

"""Games whose rules are a program in any language, which speaks JSON lines. README.md describes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Raw, Struct

from arena.config.mistakes import in_file, parse_toml
from arena.config.toml import TomlBounds, read_text
from arena.core.chance import Chance, Rng
from arena.core.errors import ArenaError, IllegalMove
from arena.core.game import JSON, Decision, Draw, Drawn, Event, Outcome, Pick, Roll, Shuffle
from arena.core.game_defaults import BaseGame
from arena.core.move_parsing import shown
from arena.core.ruleset import MOST_DECIMALS, GameInfo, Option, OptionValue, Rotations, Ruleset
from arena_rules_program.process import RulesFailed, RulesProcess
from results.base.text import counted

__all__ = ["RulesFailed", "RulesProgram"]

_MANIFEST_BOUNDS = TomlBounds("a game.toml", file_bytes=65_536, items=2_000)
_canonical = msgspec.json.Encoder(order="sorted").encode


_BOUNDS = Meta(ge=-(10**11), le=10**11)
_Score = Annotated[int, _BOUNDS] | Annotated[float, _BOUNDS]


class _Option(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    kind: Literal["flag", "count", "number", "choice"]
    summary: str
    default: bool | int | str
    choices: tuple[str, ...] = ()
    low: int = 1
    high: int = 1_000_000


class _Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of game.toml."""

    name: str
    title: str
    version: int
    summary: str
    command: tuple[str, ...]
    players: tuple[int, int] = (2, 2)
    rulesets: Mapping[str, Mapping[str, bool | int | str]] = msgspec.field(
        default_factory=lambda: {"standard": {}}
    )
    options: tuple[_Option, ...] = ()
    rotations: Rotations = "cyclic"
    line_bytes: int = 65_536
    longest_decisions: int | None = None
    sides: Mapping[str, tuple[int, ...]] = {}
    """By the number of seats: the side of each."""
    forfeit_loses: Literal["seat", "side"] = "seat"
    shared_score: bool = False
    lowest_score: _Score = 0
    decimals: Annotated[int, Meta(ge=0, le=MOST_DECIMALS)] = 0


class _Asked(Struct, frozen=True, forbid_unknown_fields=True):
    seat: int
    kind: str
    legal: tuple[dict[str, JSON], ...] | None = None


class _Told(Struct, frozen=True, forbid_unknown_fields=True):
    kind: str
    data: dict[str, JSON] = {}
    private: dict[int, dict[str, JSON]] = {}


class _Roll(Struct, frozen=True, forbid_unknown_fields=True):
    roll: str
    low: int
    high: int
    count: int = 1


class _Items(Struct, frozen=True, forbid_unknown_fields=True):
    items: tuple[JSON, ...]
    shuffle: str = ""
    pick: str = ""
    weights: tuple[int | str, ...] = ()


class Position(Struct, frozen=True, forbid_unknown_fields=True):
    """What the program says about a moment of a game."""

    id: int
    state: Raw
    """The program's own; it gets it back as it is."""
    scores: tuple[_Score, ...]
    views: tuple[dict[str, JSON], ...]
    """By seat."""
    table: dict[str, JSON] = {}
    """What spectators see."""
    turn: tuple[_Asked, ...] = ()
    """Empty if a draw is due, or the game is over."""
    draw: dict[str, JSON] | None = None
    events: tuple[_Told, ...] = ()


class _Read(Struct, frozen=True, forbid_unknown_fields=True):
    id: int
    move: dict[str, JSON] | None = None
    illegal: str = ""


@dataclass
class Held:
    """A state of Arena's: the latest position."""

    position: Position


class RulesProgram(BaseGame[Held, bytes]):
    """A game by the folder with its `game.toml` and its program."""

    def __init__(self, folder: Path) -> None:
        """Read `game.toml`; the program isn't started yet. Raises ArenaError if the file is wrong."""
        self._folder = folder
        file = folder / "game.toml"
        text = read_text(file, _MANIFEST_BOUNDS)
        with in_file(str(file), text):
            found = parse_toml(text, _Manifest, str(file), _MANIFEST_BOUNDS)
        if not found.command:
            raise ArenaError(f"{file}: command is empty", 'name a program, such as ["node", "rules.js"]')
        self.players = range(found.players[0], found.players[1] + 1)
        self._sides = found.sides
        self._decimals = found.decimals
        self.info = GameInfo(
            name=found.name,
            title=found.title,
            version=found.version,
            summary=found.summary,
            rulesets=found.rulesets,
            options=tuple(Option(**msgspec.structs.asdict(one)) for one in found.options),
            rotations=found.rotations,
            line_bytes=found.line_bytes,
            longest_decisions=found.longest_decisions,
            forfeit_loses=found.forfeit_loses,
            shared_score=found.shared_score,
            lowest_score=self._units([found.lowest_score])[0],
            decimals=found.decimals,
        )
        self._rules = RulesProcess(folder, found.command, found.name, found.version)

    def sides(self, ruleset: Ruleset, seats: int) -> tuple[int, ...]:  # noqa: ARG002
        """Return the side of each seat by `game.toml`; each its own if it says nothing of so many seats."""
        return self._sides.get(str(seats), tuple(range(seats)))

    def _units(self, scores: Sequence[float]) -> tuple[int, ...]:
        """Return scores in units of the last decimal that `game.toml` states."""
        return tuple([round(score * 10**self._decimals) for score in scores])

    def _position(self, do: str, of_seats: int, /, **fields: Any) -> Position:
        """Return the position that the program answers with. Raises RulesFailed."""

        def wrong(found: Position) -> str:
            if len(found.scores) != of_seats or len(found.views) != of_seats:
                return f"{len(found.scores)} scores and {len(found.views)} views, of {of_seats} seats"
            if self.info.points(self._units(found.scores)) != found.scores:
                return (
                    f"the scores {[*found.scores]}, and game.toml states {counted(self._decimals, 'decimal')}"
                )
            asked = [one.seat for one in found.turn]
            if asked != sorted(set(asked)) or not all(0 <= seat < of_seats for seat in asked):
                return f"the turn of the seats {asked}, which are not different ones in order"
            if any(
                one.legal is not None and not all("type" in move for move in one.legal) for one in found.turn
            ):
                return "a legal move without a type"
            return "a decision without a legal move" * any(one.legal == () for one in found.turn)

        found: Position = self._rules.ask(do, Position, wrong, **fields)
        return found

    def _wrong(self, do: str, what: str) -> RulesFailed:
        return RulesFailed(f"the rules of {self.info.name}, asked for {do!r}, answered with {what}")

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[Held, tuple[Event, ...]]:  # noqa: ARG002
        """Return the first position; the program asks for its draws afterwards."""
        options: dict[str, OptionValue] = {one.name: ruleset[one.name] for one in self.info.options}
        held = Held(self._position("deal", seats, seats=seats, ruleset=ruleset.name, options=options))
        return held, _events(held)

    def due(self, state: Held) -> Draw | None:
        """Return the draw that the program asks for."""
        wanted = state.position.draw
        if wanted is None:
            return None
        try:
            if "roll" in wanted:
                roll = msgspec.convert(wanted, _Roll)
                return Roll(roll.roll, roll.count, roll.low, roll.high)
            found = msgspec.convert(wanted, _Items)
            if found.shuffle:
                return Shuffle(found.shuffle, found.items)
            return Pick(found.pick, found.items, tuple(map(_weight, found.weights)))
        except (msgspec.ValidationError, ValueError, ZeroDivisionError) as error:
            raise self._wrong("draw", f"a draw that can't be made: {error}") from None

    def drawn(self, state: Held, values: Drawn) -> tuple[Held, tuple[Event, ...]]:
        """Return the position after a draw."""
        return self._after("drawn", state, values=values)

    def _after(self, do: str, state: Held, **fields: Any) -> tuple[Held, tuple[Event, ...]]:
        before = state.position
        held = Held(self._position(do, len(before.scores), state=before.state, **fields))
        return held, _events(held)

    def turn(self, state: Held) -> tuple[Decision[bytes], ...] | Outcome:
        """Return the decisions of the position, or the outcome."""
        if not state.position.turn:
            return Outcome(self.scores(state))
        return tuple(
            Decision(one.seat, one.kind, None if one.legal is None else tuple(map(_canonical, one.legal)))
            for one in state.position.turn
        )

    def apply(self, state: Held, moves: Mapping[int, bytes]) -> tuple[Held, tuple[Event, ...]]:
        """Return the position after some moves. Raises IllegalMove for seats or moves that it doesn't list."""
        self.check(state, moves)
        return self._after("apply", state, moves={str(seat): Raw(move) for seat, move in moves.items()})

    def scores(self, state: Held) -> tuple[int, ...]:
        """Return the scores of the position."""
        return self._units(state.position.scores)

    def view(self, state: Held, seat: int | None) -> dict[str, JSON]:
        """Return the view of a seat, or the table."""
        return dict(state.position.table if seat is None else state.position.views[seat])

    def format_move(self, move: bytes) -> JSON:
        """Return the move as JSON."""
        return msgspec.json.decode(move)

    def parse_move(self, state: Held, seat: int, raw: JSON) -> bytes:
        """Return the legal move that a JSON value stands for; the program reads composed ones. Raises IllegalMove."""
        if self._lists(state, seat):
            return super().parse_move(state, seat, raw)
        found: _Read = self._rules.ask("read", _Read, state=state.position.state, seat=seat, move=raw)
        if found.move is None:
            raise IllegalMove(shown(found.illegal or "the move is not legal")[1:-1])
        return bytes(_canonical(found.move))

    def sample_move(self, state: Held, seat: int, rng: Rng) -> bytes:
        """Return a legal move; the program composes one from a random number."""
        if self._lists(state, seat):
            return super().sample_move(state, seat, rng)
        found: _Read = self._rules.ask(
            "sample", _Read, state=state.position.state, seat=seat, number=rng.randrange(1 << 31)
        )
        if found.move is None:
            raise self._wrong("sample", "no move")
        return bytes(_canonical(found.move))

    def _lists(self, state: Held, seat: int) -> bool:
        return not any(one.seat == seat and one.legal is None for one in state.position.turn)

    def copy(self, state: Held) -> Held:
        """Return another holder of the same position, which never changes."""
        return Held(state.position)

    def own_text(self, file_name: str) -> str | None:
        """Return the text of a file of the game's folder."""
        try:
            return (self._folder / file_name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None


def _events(held: Held) -> tuple[Event, ...]:
    return tuple(Event(one.kind, one.data, one.private) for one in held.position.events)


def _weight(given: int | str) -> int | Fraction:
    return given if isinstance(given, int) else Fraction(given)

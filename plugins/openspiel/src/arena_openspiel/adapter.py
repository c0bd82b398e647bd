"""One game of OpenSpiel as a game of Arena.

OpenSpiel knows the rules. Arena decides chance, and tells each seat what OpenSpiel says that it observes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import lcm
from textwrap import wrap
from typing import Any

from msgspec import json

from arena.core.chance import MOST_WEIGHT, Chance, Rng
from arena.core.errors import BadOption, IllegalMove
from arena.core.game import JSON, Decision, Draw, Drawn, Event, Outcome, Pick
from arena.core.game_defaults import BaseGame
from arena.core.move_parsing import read_shape, shown, whole_number
from arena.core.move_words import Asked, Group, PlainWording, numbered
from arena.core.ruleset import GameInfo, Option, Ruleset, players
from results.base.text import counted

Move = tuple[int, str]
"""An action: its number in OpenSpiel, and its text in the state in which it is legal."""

MOST_LISTED = 1000
"""A decision with more legal actions doesn't list them."""
_FINEST = 1_000_000
"""The largest denominator of odds that OpenSpiel gives as floats."""
_TOLD_CHARS = 300


@dataclass(slots=True)
class State:
    """A state of OpenSpiel's, and the lines that each seat was last told; nothing is kept where all is open."""

    engine: Any
    observed: list[list[str]] = field(default_factory=list)
    listed: dict[int, dict[int, Move]] = field(default_factory=dict, compare=False)
    """The legal actions of seats that have been asked for, by number; forgotten when the engine moves on."""


class OpenSpielWording(PlainWording):
    """Moves and secrets in OpenSpiel's words."""

    def choices(self, asked: Asked) -> Sequence[Group]:
        """Return the actions, numbered from 1."""
        return numbered([("Actions", move["text"], move) for move in asked.legal or ()])

    def secret(self, view: Mapping[str, JSON], public: Mapping[str, JSON]) -> str:
        """Return what a seat observes beyond what all see, on one line."""
        return "" if "text" in public else " / ".join(line for line in view.get("text", ()) if line)

    def learnt(self, private: Mapping[str, JSON]) -> str:  # noqa: ARG002 - all of it is in the picture
        """Return nothing: a seat sees its whole table anew, which `draw` shows."""
        return ""


class OpenSpielGame(BaseGame[State, Move]):
    """A game by its name in OpenSpiel, with what `games.json` says about it."""

    def __init__(self, name: str, found: Mapping[str, Any]) -> None:
        """Load nothing yet."""
        self.name, self.found = name, found
        self.open: bool = found["open"]
        """Whether nothing is hidden from anybody."""
        self.moves_are_public: bool = found["open"] or found["public_moves"]
        self.scale = 10 ** found["decimals"]
        low, high = found["seats"]
        self.players = range(low, high + 1)
        options = tuple(
            Option(name, "count", f"OpenSpiel's parameter {name}", default, low=low, high=high)
            for name, (low, default, high) in found.get("options", {}).items()
        )
        self.info = GameInfo(
            name=f"openspiel:{name}",
            title=found["title"],
            version=1,
            summary=f"{found['title']}, by the rules of OpenSpiel; {players(self.players)}.",
            rulesets={"standard": {}},
            options=options,
            line_bytes=found["line_bytes"],
            longest_decisions=found["most_moves"],
            shared_score="lowest" in found,
            lowest_score=found.get("lowest", 0),
            decimals=found["decimals"],
        )

    # The deal, and chance

    def resolve(self, ruleset: Ruleset, seats: int) -> Ruleset:
        """Return the ruleset unchanged. Raises BadOption for other seats, or options that OpenSpiel refuses."""
        super().resolve(ruleset, seats)
        if self.info.options:
            self._engine(ruleset, seats)
        return ruleset

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[State, tuple[Event, ...]]:  # noqa: ARG002
        """Return OpenSpiel's first state; what its chance decides is drawn later."""
        state = State(self._engine(ruleset, seats).new_initial_state())
        return state, (Event("began", {}, self._observed(state)),)

    def _engine(self, ruleset: Ruleset, seats: int) -> Any:
        """Return OpenSpiel's game for these options and seats."""
        chosen: dict[str, int | str | bool] = {
            name: ruleset.count(name) for name in self.found.get("options", {})
        }
        chosen |= self.found.get("parameters", {})
        if "players" in self.found:
            chosen[self.found["players"]] = seats
        return _game(self.name, tuple(sorted(chosen.items())))

    def due(self, state: State) -> Draw | None:
        """Ask for one of the outcomes that OpenSpiel names, with its odds."""
        if not state.engine.is_chance_node():
            return None
        outcomes = [(action, odds) for action, odds in state.engine.chance_outcomes() if odds > 0]
        items = tuple([action, _text(state.engine, -1, action)] for action, _ in outcomes)
        return Pick("chance", items, exact_odds([odds for _, odds in outcomes]))

    def drawn(self, state: State, values: Drawn) -> tuple[State, tuple[Event, ...]]:
        """Let OpenSpiel go on with the outcome; all see it if nothing is hidden."""
        ((action, text),) = values
        after = self.copy(state)
        after.engine.apply_action(action)
        if self.open:
            return after, (Event("drawn", {"outcome": text}),)
        observed = self._observed(after)
        return after, (Event("drawn", {}, observed),) if observed else ()

    # Moves

    def turn(self, state: State) -> tuple[Decision[Move], ...] | Outcome:
        """Return a decision for the seat to move, or for all that move at once."""
        engine = state.engine
        if engine.is_terminal():
            return Outcome(self.scores(state))
        decisions: list[Decision[Move]] = []
        for seat in _to_move(engine):
            actions = engine.legal_actions(seat)
            if len(actions) > MOST_LISTED:
                decisions.append(Decision(seat, "act", None))
            elif actions:
                listed = {one: (one, _text(engine, seat, one)) for one in actions}
                state.listed[seat] = listed
                decisions.append(Decision(seat, "act", tuple(listed.values())))
        return tuple(decisions)

    def parse_move(self, state: State, seat: int, raw: JSON) -> Move:
        """Return the action that a JSON object names. Raises IllegalMove."""
        _, fields = read_shape(raw, {"act": ("action",)}, {"act": ("text",)})
        action = whole_number(fields["action"], "an action")
        engine = state.engine
        move = state.listed.get(seat, {}).get(action)
        if move is None:
            if engine.is_terminal() or seat not in _to_move(engine):
                raise IllegalMove(f"seat {seat} has nothing to decide now")
            if action not in engine.legal_actions(seat):
                raise IllegalMove(f"the action {shown(action)} is not legal now")
            move = action, _text(engine, seat, action)
        if fields.get("text", move[1]) != move[1]:
            raise IllegalMove(f"the action {action} is {shown(move[1])}, not {shown(fields['text'])}")
        return move

    def format_move(self, move: Move) -> JSON:
        """Return number and text of an action."""
        return {"type": "act", "action": move[0], "text": move[1]}

    def sample_move(self, state: State, seat: int, rng: Rng) -> Move:
        """Return any legal action; all are equally likely."""
        actions = state.engine.legal_actions(seat)
        action = actions[rng.randrange(len(actions))]
        return action, _text(state.engine, seat, action)

    def apply(self, state: State, moves: Mapping[int, Move]) -> tuple[State, tuple[Event, ...]]:
        """Return the state after the actions, and who acted. Raises IllegalMove."""
        self.check(state, moves)
        for seat, move in moves.items():
            self.parse_move(state, seat, self.format_move(move))
        after = self.copy(state)
        return after, self.make_legal(after, moves)

    def make_legal(self, state: State, moves: Mapping[int, Move]) -> tuple[Event, ...]:
        """Do the same in place, unchecked."""
        self._make(state, moves)
        told = []
        for seat, (_, text) in sorted(moves.items()):
            open_move, own = ({"move": text}, {}) if self.moves_are_public else ({}, {seat: {"move": text}})
            told.append(Event("acted", {"seat": seat, **open_move}, own))
        if seen := self._observed(state):
            last = told[-1]
            own = {seat: {**last.private.get(seat, {}), **more} for seat, more in seen.items()}
            told[-1] = Event("acted", last.data, {**last.private, **own})
        return tuple(told)

    def advance(self, state: State, moves: Mapping[int, Move]) -> None:
        """Do the same in place, unchecked and without events."""
        self._make(state, moves)
        self._observed(state)

    def copy(self, state: State) -> State:
        """Return a clone."""
        return State(state.engine.clone(), state.observed[:])

    def _make(self, state: State, moves: Mapping[int, Move]) -> None:
        engine = state.engine
        state.listed = {}
        if engine.is_simultaneous_node():
            engine.apply_actions(
                [moves[seat][0] if seat in moves else 0 for seat in range(engine.num_players())]
            )
        else:
            ((action, _),) = moves.values()
            engine.apply_action(action)

    def scores(self, state: State) -> tuple[int, ...]:
        """Return OpenSpiel's returns so far, in units of the last decimal."""
        return tuple([round(one * self.scale) for one in state.engine.returns()])

    # What seats know

    def _observed(self, state: State) -> dict[int, dict[str, JSON]]:
        """Keep what each seat observes now, and return what has changed, by seat, for an event."""
        if self.open or state.engine.is_chance_node():
            return {}
        before = state.observed or [[]] * state.engine.num_players()
        state.observed = [self._lines(state.engine, seat) for seat in range(len(before))]
        return {seat: {"text": now} for seat, now in enumerate(state.observed) if now != before[seat]}

    def _lines(self, engine: Any, seat: int | None) -> list[str]:
        """Return what a seat observes, or anybody where all is open, in OpenSpiel's words."""
        if self.open or seat is None:
            text = str(engine)
        elif self.found["observation"]:
            text = engine.observation_string(seat)
        else:
            text = engine.information_state_string(seat)
        return [_plain(line) for line in text.rstrip().splitlines()]

    def view(self, state: State, seat: int | None) -> dict[str, JSON]:
        """Return who moves and what the seat observes; spectators see what all see."""
        engine = state.engine
        one = engine.current_player()
        seen: dict[str, JSON] = {"to_move": one if one >= 0 else None}
        if seat is not None:
            seen["seat"] = seat
        if seat is None and not self.open:
            return seen
        if self.found["struct"]:
            struct = engine.to_struct() if self.open else engine.to_observation_struct(seat)
            seen["observation"] = json.decode(struct.to_json())
        kept = state.observed[seat] if seat is not None and state.observed else self._lines(engine, seat)
        return seen | {"text": kept[:]}

    # For people

    def draw(self, view: Mapping[str, JSON], width: int) -> str:
        """Return OpenSpiel's own text of a view."""
        seat = view["to_move"]
        head = [] if seat is None else [f"Seat {seat} is to move."]
        text = [line for line in view.get("text", ()) if line]
        lines = [part for line in (*head, *text) for part in wrap(line, width, drop_whitespace=False)]
        return "\n".join(line.rstrip() for line in lines) or "All seats are to move."

    def describe(self, event: Mapping[str, JSON]) -> str:
        """Return an event as a sentence."""
        match event["kind"]:
            case "acted":
                told = _told(event.get("move", ""))
                return f"Seat {event['seat']}: {told}." if told else f"Seat {event['seat']} acts."
            case "drawn":
                return f"Chance: {_told(event.get('outcome', '')) or 'something was drawn'}."
            case "began":
                return "The game begins."
        return super().describe(event)

    wording = OpenSpielWording()

    def own_text(self, file_name: str) -> str | None:
        """Return the page or the drawn table of this game."""
        template = {"rules.md": "page.md", "table.js": "table.js"}.get(file_name)
        if template is None:
            return None
        options = "\n".join(
            f"| `{one.name}` | {one.low} to {one.high} | {one.default} |" for one in self.info.options
        )
        words = {
            "GAME": self.info.name,
            "NAME": self.name,
            "TITLE": self.info.title,
            "SEATS": players(self.players),
            "OPTIONS": f"| option | values | default |\n|---|---|---|\n{options}" if options else "None.",
            "DECIMALS": f"with {counted(decimals, 'decimal')}"
            if (decimals := self.info.decimals)
            else "whole numbers",
            "CAP": f"{self.info.longest_decisions:,}",
            "HIDDEN": _OPEN if self.open else _HIDDEN + (_TOLD_TO_ALL if self.moves_are_public else _UNTOLD),
        }
        text = _template(template)
        for word, value in words.items():
            text = text.replace(f"{{{{{word}}}}}", value)
        return text


_OPEN = "Nothing is hidden: every seat, and everybody who watches, sees the whole state."
_HIDDEN = "Each seat sees what OpenSpiel says that it observes; spectators see only whose turn it is. "
_TOLD_TO_ALL = "Everybody sees which action a seat takes."
_UNTOLD = "Nobody but the seat itself is told which action it takes, unless an observation shows it."


def exact_odds(odds: Iterable[float]) -> tuple[int | Fraction, ...]:
    """Return odds, which OpenSpiel gives as floats, as the simple fractions that they stand for.

    Where there are none with a common denominator below 2³², they are rounded to parts of 2³⁰.
    """
    given = list(odds)
    if max(given) - min(given) < 1e-12:
        return (1,) * len(given)
    simple = [Fraction(one).limit_denominator(_FINEST) for one in given]
    common = lcm(*(one.denominator for one in simple))
    near = all(abs(float(one) - exact) < 1e-12 for one, exact in zip(simple, given, strict=True))
    if near and min(simple) > 0 and sum(simple) * common <= MOST_WEIGHT:
        return tuple(simple)
    return tuple(max(1, round(one * (1 << 30))) for one in given)


def _to_move(engine: Any) -> Iterable[int]:
    """Return the seats that may have to decide."""
    if engine.is_simultaneous_node():
        return range(engine.num_players())
    return (engine.current_player(),)


def _text(engine: Any, seat: int, action: int) -> str:
    """Return an action in OpenSpiel's words, on one line."""
    text: str = engine.action_to_string(seat, action)
    return (text if text.isprintable() else _plain(text)).strip()


def _plain(line: str) -> str:
    """Return a line without characters that don't print."""
    if not line.isprintable():
        line = "".join(one if one.isprintable() else " " for one in line)
    return line.rstrip()


def _told(text: str) -> str:
    return (text if len(text) <= _TOLD_CHARS else f"{text[:_TOLD_CHARS]}…").strip().rstrip(".")


@cache
def _game(name: str, chosen: tuple[tuple[str, int | str | bool], ...]) -> Any:
    """Return OpenSpiel's game with these parameters. Raises BadOption if it takes no such values."""
    import pyspiel  # imported here because it loads slowly, and listing the games doesn't need it

    try:
        return pyspiel.load_game(name, dict(chosen))
    except pyspiel.SpielError as error:
        raise BadOption(
            f"OpenSpiel refuses {dict(chosen)}: {_plain(str(error))}", "set other values"
        ) from None


@cache
def _template(file_name: str) -> str:
    return (files("arena_openspiel") / file_name).read_text(encoding="utf-8")

"""A base class with default members for small games.

A game that inherits from `BaseGame` implements `info`, `deal`, `turn`, `apply`, `scores`, `view` and `format_move`,
and sets `players` unless it is for two. The other members follow from these, but more slowly than hand-written ones;
override a member if you can do better. Inheriting is optional: any object with the members of `Game` is a game.
"""

import copy
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from textwrap import wrap
from typing import Any, Generic, TypeVar

from arena.core.chance import Chance, Rng
from arena.core.errors import ArenaError, BadOption, IllegalMove
from arena.core.game import JSON, Decision, Event, Outcome, Seen
from arena.core.move_parsing import read_shape, shown
from arena.core.move_words import words
from arena.core.ruleset import GameInfo, Ruleset, players

S = TypeVar("S")
M = TypeVar("M")


class BaseGame(Generic[S, M]):
    """The members of `Game` that follow from those that every author has to write."""

    info: GameInfo
    players: range = range(2, 3)
    """The numbers of seats, the same for every ruleset."""

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[S, tuple[Event, ...]]:
        """Implement this; see `Game.deal`."""
        raise NotImplementedError

    def turn(self, state: S) -> tuple[Decision[M], ...] | Outcome:
        """Implement this; see `Game.turn`."""
        raise NotImplementedError

    def apply(self, state: S, moves: Mapping[int, M]) -> tuple[S, tuple[Event, ...]]:
        """Implement this; see `Game.apply`. Start with `self.check(state, moves)`."""
        raise NotImplementedError

    def scores(self, state: S) -> tuple[int, ...]:
        """Implement this; see `Game.scores`."""
        raise NotImplementedError

    def view(self, state: S, seat: int | None) -> dict[str, JSON]:
        """Implement this; see `Game.view`."""
        raise NotImplementedError

    def format_move(self, move: M) -> JSON:
        """Implement this; see `Game.format_move`."""
        raise NotImplementedError

    def check(self, state: S, moves: Mapping[int, M]) -> None:
        """Check that there is one move for each seat whose turn it is, and that every move is legal.

        A listed move is; a composed one is if `parse_move` accepts what `format_move` makes of it. Raises IllegalMove.
        """
        turn = self.turn(state)
        if isinstance(turn, Outcome):
            raise IllegalMove("the game is over")
        asked = [decision.seat for decision in turn]
        if sorted(moves) != sorted(asked):
            raise IllegalMove(f"it is the turn of the seats {asked}, and there are moves of {sorted(moves)}")
        for decision in turn:
            seat, move = decision.seat, moves[decision.seat]
            listed = decision.legal
            if listed is None:
                listed = (self.parse_move(state, seat, self.format_move(move)),)
            if move not in listed:
                raise IllegalMove(f"this move of seat {seat} is not among its legal ones now")

    def seats(self, ruleset: Ruleset) -> range:  # noqa: ARG002 - the same for every ruleset
        """Return `players`."""
        return self.players

    def resolve(self, ruleset: Ruleset, seats: int) -> Ruleset:
        """Return the ruleset unchanged. Raises BadOption if the number of seats is not in `players`."""
        if seats not in self.players:
            raise BadOption(
                f"{self.info.title} is for {players(self.players)}, not {seats}",
                "set another number of seats",
            )
        return ruleset

    def copy(self, state: S) -> S:
        """Return a deep copy (`copy.deepcopy`)."""
        return copy.deepcopy(state)

    def advance(self, state: S, moves: Mapping[int, M]) -> None:
        """Do what `apply` does, in place. The state must be an unfrozen dataclass, a list or a dict."""
        after, _ = self.apply(state, moves)
        become(state, after)

    def private(self, state: S, seat: int) -> dict[str, JSON]:  # noqa: ARG002 - no seat has secrets
        """Return nothing: no seat starts with a secret."""
        return {}

    def parse_move(self, state: S, seat: int, raw: JSON) -> M:
        """Return the listed move with this JSON form. Raises IllegalMove for any other JSON value."""
        legal = self._listed(state, seat, "parse_move")
        shapes: dict[str, tuple[str, ...]] = {}
        written = {}
        for move in legal:
            form = self.format_move(move)
            shapes[form["type"]] = tuple(key for key in form if key != "type")
            written[_canonical(form)] = move
        kind, _ = read_shape(raw, shapes)
        try:
            return written[_canonical(raw)]
        except (KeyError, ValueError, RecursionError):
            values = ", ".join(f"{key} {shown(raw[key])}" for key in shapes[kind])
            raise IllegalMove(f'"{kind}" is not legal now{f" with {values}" if values else ""}') from None

    def sample_move(self, state: S, seat: int, rng: Rng) -> M:
        """Return one of the listed moves; all are equally likely."""
        legal = self._listed(state, seat, "sample_move")
        return legal[rng.randrange(len(legal))]

    def _listed(self, state: S, seat: int, member: str) -> tuple[M, ...]:
        """Return the moves listed for a seat, which `member` needs. Raises IllegalMove if it has nothing to decide."""
        turn = self.turn(state)
        own = [] if isinstance(turn, Outcome) else [one for one in turn if one.seat == seat]
        if not own:
            raise IllegalMove(f"seat {seat} has nothing to decide now")
        if own[0].legal is None:
            raise NotImplementedError(
                f"{type(self).__name__} lists no moves, so it needs a {member} of its own"
            )
        return own[0].legal

    def guess(self, seen: Seen, rng: Rng) -> S:  # noqa: ARG002 - it doesn't guess
        """Refuse, because bots can't think ahead in this game. Raises ArenaError."""
        raise ArenaError(f"the game {self.info.name!r} has no guess", "write `guess` to let bots think ahead")

    def draw(self, view: Mapping[str, JSON], width: int) -> str:
        """Return the fields of a view, one per line."""
        lines: list[str] = []
        for key, value in view.items():
            lines += wrap(
                f"{words(key)}: {words(value)}", width, subsequent_indent="  ", break_on_hyphens=False
            )
        return "\n".join(line.rstrip() for line in lines) or "(nothing)"

    def describe(self, event: Mapping[str, JSON]) -> str:
        """Return an event's kind and fields as one sentence, `Seat 0 took: heap 1, count 2.`; long values are cut.

        A single field beside the seat goes without its name: `Seat 0 bid: 3.` says what event `bid` was.
        """
        kind = _told(event["kind"]).replace("-", " ").replace("_", " ")
        fields = {key: _told(value) for key, value in event.items() if key != "kind"}
        told = [f"{_told(key)} {value}" for key, value in fields.items()]
        if isinstance(event.get("seat"), int):
            kind = f"Seat {fields.pop('seat')} {kind.lower()}"
            told = list(fields.values()) if len(fields) == 1 else [one for one in told if one[:5] != "seat "]
        elif not (kind := kind.capitalize())[0].isupper():
            kind = f"Event {kind}"
        return f"{kind}: {', '.join(told)}." if told else f"{kind}."


_LONGEST_TOLD = 400
"""Words in sentences are cut to this many characters."""


def _told(value: JSON) -> str:
    text = words(value)
    return text if len(text) <= _LONGEST_TOLD else f"{text[: _LONGEST_TOLD - 1]}…"


_UNWRITTEN = ("apply", "deal", "format_move", "scores", "turn", "view")
"""The members without a default; `BaseGame` only says what to write. It has no `info` at all."""


def unwritten(game: object) -> list[str]:
    """Return the members that a game inherits from `BaseGame` but must write itself, in alphabetical order."""
    return [
        name
        for name in _UNWRITTEN
        if getattr(getattr(game, name, None), "__func__", None) is getattr(BaseGame, name)
    ]


def can_guess(game: object) -> bool:
    """Return whether a game implements `guess`, so that bots can think ahead in it."""
    guess = getattr(type(game), "guess", None)
    return guess is not None and guess is not BaseGame.guess


def become(state: Any, after: Any) -> None:
    """Move one state's content into another; don't use the first afterwards. May raise TypeError."""
    if isinstance(state, list):
        state[:] = after
    elif isinstance(state, dict):
        state.clear()
        state.update(after)
    elif is_dataclass(state) and not getattr(type(state), "__dataclass_params__").frozen:  # noqa: B009 - untyped
        for one in fields(state):
            setattr(state, one.name, getattr(after, one.name))
    else:
        raise TypeError(
            f"a state of the type {type(state).__name__} can't be changed in place: make it a dataclass that is not "
            "frozen, a list or a dict, or write `advance` yourself"
        )


def _canonical(value: JSON) -> str:
    """Return a JSON value as text that tells 1, 1.0 and true apart."""
    return json.dumps(value, sort_keys=True, allow_nan=False)

"""Read moves from JSON and check their shape, before any rule of a game applies."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from arena.core.errors import IllegalMove
from arena.core.game import JSON, AnyGame, Event

_SHOWN_CHARS = 40


def read_shape(
    raw: JSON, required: Mapping[str, tuple[str, ...]], optional: Mapping[str, tuple[str, ...]] | None = None
) -> tuple[str, Mapping[str, JSON]]:
    """Return the type of a move and its object, if it has the keys of that type and no others.

    `raw` is any JSON value. `required` maps each type of move to the keys it must have besides `type`,
    `optional` to those it may have. The values of the keys aren't checked.
    Raises IllegalMove, naming the part that is wrong.
    """
    if not isinstance(raw, dict):
        raise IllegalMove(f"a move is a JSON object, not {shown(raw)}")
    kind = raw.get("type")
    if not isinstance(kind, str) or kind not in required:
        types = _listed([f'"{name}"' for name in required], "or")
        told = shown(kind) if "type" in raw else "left out"
        raise IllegalMove(f"the type of a move is {types}; here it is {told}")
    needed = required[kind]
    for key in needed:
        if key not in raw:
            missing = [shown(key) for key in needed if key not in raw]
            raise IllegalMove(f'a move of type "{kind}" needs {_listed(missing, "and")}')
    if len(raw) > 1 + len(needed):
        allowed = {"type", *needed, *(optional or {}).get(kind, ())}
        unknown = [key for key in raw if key not in allowed]
        if unknown:
            raise IllegalMove(f'a move of type "{kind}" has no key {shown(unknown[0])}')
    return kind, raw


def whole_number(raw: JSON, what: str) -> int:
    """Return a JSON value that is a whole number. Raises IllegalMove, referring to it as `what`."""
    if type(raw) is not int:
        raise IllegalMove(f"{what} is a whole number, not {shown(raw)}")
    return raw


def shown(raw: JSON) -> str:
    """Format a JSON value for a message: one line of plain ASCII, cut if it is long."""
    if isinstance(raw, dict):
        return "an object"
    if isinstance(raw, list):
        return "a list"
    if raw is None or isinstance(raw, bool):
        return {None: "null", True: "true", False: "false"}[raw]
    if isinstance(raw, str):
        text = ascii(raw[:_SHOWN_CHARS])[1:-1]
        return f'"{text}…"' if len(raw) > _SHOWN_CHARS else f'"{text}"'
    if isinstance(raw, int):
        return str(raw) if abs(raw) < 10**_SHOWN_CHARS else "a very large number"
    return repr(raw)


def _listed(words: list[str], last: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


S_contra = TypeVar("S_contra", contravariant=True)
"""A game's own state."""
M_contra = TypeVar("M_contra", contravariant=True)
"""A game's own move."""

Made = tuple[Any, tuple[Event, ...]]
"""The state after some moves, and what happened."""


class MakesLegal(Protocol[S_contra, M_contra]):
    """The additional member of a game that makes legal moves faster than `apply`."""

    def make_legal(self, state: S_contra, moves: Mapping[int, M_contra]) -> tuple[Event, ...]:
        """Do what `apply` does, in place and without checking the moves. Return what happened.

        Later calls don't change the events or any view that was taken before.
        """


def maker_of(game: AnyGame) -> Callable[[Any, Mapping[int, Any]], Made]:
    """Return what makes the legal moves of a turn, and may change the state it is given: use only what it returns."""
    make_legal: Callable[[Any, Mapping[int, Any]], tuple[Event, ...]] | None
    make_legal = getattr(game, "make_legal", None)
    if make_legal is None:
        return game.apply

    def make(state: Any, moves: Mapping[int, Any]) -> Made:
        return state, make_legal(state, moves)

    return make

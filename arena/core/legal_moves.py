"""Making moves that are known to be legal, without checking them again.

The referee and the replay check have every move from `parse_move`, from the moves that `turn` lists or from
`sample_move`, so each has been judged. A game can have one more member than others, that of `MakesLegal`, which takes
such moves at their word. It is for speed alone: the conformance tests hold it equal to `apply`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from arena.core.game import AnyGame, Event

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

"""Chance after the deal: dice and other draws that happen during the game, any number of times.

A game that draws later has two more members than others, those of `LateChance`. The game asks for a draw and gets
the result. It never holds a source of chance, so no state reveals future draws. Each draw has its own stream, named
after its purpose and numbered: `dice/0`, `dice/1`. Draws are recorded like those of the deal, so a replay needs no
generator.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from arena.core.chance import Chance, Rng
from arena.core.errors import ArenaError
from arena.core.game import Event

S = TypeVar("S")
"""A game's own state."""

MOST_DRAWS_AT_ONCE = 100_000
"""Draws that may follow each other without a decision between them; a game that asks for more is endless."""


@dataclass(frozen=True, slots=True)
class Roll:
    """A request for whole numbers, all equally likely."""

    stream: str
    """The purpose of the draw, such as `dice`. Arena adds a number."""
    count: int
    low: int
    high: int
    """The highest possible number: 6 for a die."""


@dataclass(frozen=True, slots=True)
class Shuffle:
    """A request for a random order."""

    stream: str
    items: tuple[Any, ...]
    """JSON values."""


Draw = Roll | Shuffle
Drawn = tuple[Any, ...]
"""The result of a draw: the numbers of a roll, or the items of a shuffle in their new order."""


class LateChance(Protocol[S]):
    """The additional members of a game that draws after the deal. Both are pure."""

    def due(self, state: S) -> Draw | None:
        """Return the draw to make before the next decision; None if it's a seat's turn or the game is over."""

    def drawn(self, state: S, values: Drawn) -> tuple[S, tuple[Event, ...]]:
        """Return the state after the due draw, and what happened. Doesn't change the given state."""


class EndlessDraws(ArenaError):
    """A game asks for one draw after another without end."""

    remedy = "make `due` return None eventually: it is called again after each draw"


def play_chance(game: Any, state: S, draw: Callable[[Draw], Drawn]) -> tuple[S, tuple[Event, ...]]:
    """Make all due draws; return the events and the state in which a seat decides or the game is over.

    Call this after `deal`, after every `apply` or `advance`, and after `guess`. For a game without late draws
    it returns the state unchanged. Raises EndlessDraws after 100,000 draws.
    """
    due = getattr(game, "due", None)
    if due is None:
        return state, ()
    events: list[Event] = []
    for _ in range(MOST_DRAWS_AT_ONCE):
        wanted = due(state)
        if wanted is None:
            return state, tuple(events)
        state, told = game.drawn(state, draw(wanted))
        events += told
    raise EndlessDraws(
        f"the game {game.info.name!r} asked for {MOST_DRAWS_AT_ONCE:,} draws without a decision between them",
        EndlessDraws.remedy,
    )


class Recorder:
    """Makes the late draws of one game from its `Chance`, each from its own stream, and so records them."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._made: Counter[str] = Counter()

    def __call__(self, draw: Draw) -> Drawn:
        """Return the result of a draw. Raises CorruptReplay if the record lacks it."""
        stream = f"{draw.stream}/{self._made[draw.stream]}"
        self._made[draw.stream] += 1
        if isinstance(draw, Roll):
            return self._chance.integers(stream, draw.count, draw.low, draw.high)
        return self._chance.permutation(stream, draw.items)


def at_random(rng: Rng) -> Callable[[Draw], Drawn]:
    """Return a function that draws from any source of random numbers, for bots that play on from a guess."""

    def make(draw: Draw) -> Drawn:
        if isinstance(draw, Roll):
            return tuple([draw.low + rng.randrange(draw.high - draw.low + 1) for _ in range(draw.count)])
        items = list(draw.items)
        rng.shuffle(items)
        return tuple(items)

    return make

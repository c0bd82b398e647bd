"""Chance after the deal: dice, and whatever else is drawn when it happens and as often as it happens.

A game that draws later has two members more than others, those of `LateChance`. The game asks for a draw and is
given what came of it; it never holds a source of chance, so that no state tells what will be drawn. Each draw has
a stream of its own, named after what it is for and numbered: `dice/0`, `dice/1`. It is recorded like those of the
deal, and a replay needs no generator.
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
"""Draws that may follow each other before a seat decides something; a game that wants more is taken for endless."""


@dataclass(frozen=True, slots=True)
class Roll:
    """Asks for whole numbers, all equally likely."""

    stream: str
    """What it is for: `dice`. Arena adds a number."""
    count: int
    low: int
    high: int
    """The highest number there is: 6 for a die."""


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Asks for a random order."""

    stream: str
    items: tuple[Any, ...]
    """JSON values."""


Draw = Roll | Shuffle
Drawn = tuple[Any, ...]
"""What came of it: the numbers of a roll, the items of a shuffle in their new order."""


class LateChance(Protocol[S]):
    """What a game has beside the members of `Game` if it draws after the deal. Both are pure."""

    def due(self, state: S) -> Draw | None:
        """Return what is to be drawn before anybody decides anything; None where it is a seat's turn, or the end."""

    def drawn(self, state: S, values: Drawn) -> tuple[S, tuple[Event, ...]]:
        """Return the state after the draw that is due, and what happened. The given state stays as it is."""


class EndlessDraws(ArenaError):
    """A game that asks for one draw after the other, without end."""

    remedy = "have `due` return None in the end: after a draw it is asked again"


def play_chance(game: Any, state: S, draw: Callable[[Draw], Drawn]) -> tuple[S, tuple[Event, ...]]:
    """Make all draws that are due, and return the state in which a seat decides (or the game is over), and the events.

    To be called after `deal`, after every `apply` or `advance` and after `guess`. For a game that draws nothing later
    it returns the state as it is. Raises EndlessDraws after 100,000 draws.
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
        f"the game {game.info.name!r} wanted {MOST_DRAWS_AT_ONCE:,} draws of chance without a decision between them",
        EndlessDraws.remedy,
    )


class Recorder:
    """Makes the later draws of one game from its `Chance`, each from a stream of its own, and so records them."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._made: Counter[str] = Counter()

    def __call__(self, draw: Draw) -> Drawn:
        """Return what came of a draw. Raises CorruptReplay where the record does not have it."""
        stream = f"{draw.stream}/{self._made[draw.stream]}"
        self._made[draw.stream] += 1
        if isinstance(draw, Roll):
            return self._chance.integers(stream, draw.count, draw.low, draw.high)
        return self._chance.permutation(stream, draw.items)


def at_random(rng: Rng) -> Callable[[Draw], Drawn]:
    """Return what makes draws from any source of random numbers: for bots that play a guess on."""

    def make(draw: Draw) -> Drawn:
        if isinstance(draw, Roll):
            return tuple([draw.low + rng.randrange(draw.high - draw.low + 1) for _ in range(draw.count)])
        items = list(draw.items)
        rng.shuffle(items)
        return tuple(items)

    return make

"""The levels of isolation that bots are kept at, as the ledger writes them with every game."""

from collections.abc import Iterable
from enum import IntEnum
from typing import Literal

Wanted = Literal["require", "auto", "off"]
"""`require`: a sandbox or nothing · `auto`: the strongest level there is · `off`: processes of the user's own."""


class Level(IntEnum):
    """How well a bot is kept apart. Each level has all that the ones before it have."""

    NONE = 0
    PROCESS = 1
    NAMESPACES = 2
    CONFINED = 3
    FULL = 4

    @property
    def word(self) -> str:
        """The level as the ledger and the board write it."""
        return self.name.lower()

    @property
    def contains(self) -> str:
        """What the level adds to the one before it."""
        return _CONTAINS[self]


_CONTAINS = {
    Level.NONE: "nothing: the player is part of the arena itself",
    Level.PROCESS: "a session and a copy of its files of its own, a clean environment, bounded output, deadlines",
    Level.NAMESPACES: "no network, no foreign processes or files, a bounded scratch, bounds on each process",
    Level.CONFINED: "no system calls that a card game does not need",
    Level.FULL: "memory and processes of the whole bot bounded, frozen and ended by the kernel",
}


def weakest(words: Iterable[str]) -> str | None:
    """Return the weakest of these levels, None of none; a word that is no level is weaker than all."""
    strength = {level.word: level.value for level in Level}
    return min(words, key=lambda word: (strength.get(word, -1), word), default=None)

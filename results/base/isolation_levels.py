"""The levels of isolation for bots, as the ledger stores them with every game."""

from collections.abc import Iterable
from enum import IntEnum
from typing import Literal

Wanted = Literal["require", "auto", "off"]
"""`require`: a sandbox or nothing · `auto`: the strongest level available · `off`: plain processes of the user."""


class Level(IntEnum):
    """How well a bot is isolated. Each level includes all lower ones."""

    NONE = 0
    PROCESS = 1
    NAMESPACES = 2
    CONFINED = 3
    FULL = 4

    @property
    def word(self) -> str:
        """The name of the level in the ledger and in rankings."""
        return self.name.lower()

    @property
    def contains(self) -> str:
        """What the level adds to the one below it."""
        return _CONTAINS[self]


_CONTAINS = {
    Level.NONE: "nothing: the player is part of the arena itself",
    Level.PROCESS: "its own session and copy of its files, a clean environment, limited output, deadlines",
    Level.NAMESPACES: "no network, no other processes or files, a limited scratch folder, limits on each process",
    Level.CONFINED: "only the system calls a card game needs",
    Level.FULL: "memory and processes of the whole bot limited, frozen and ended by the kernel",
}


def weakest(words: Iterable[str]) -> str | None:
    """Return the weakest of these levels, or None if there are none. An unknown word counts as the weakest."""
    strength = {level.word: level.value for level in Level}
    return min(words, key=lambda word: (strength.get(word, -1), word), default=None)


def of_levels(word: str) -> str:
    """Return a level with how strong it is: `confined, level 3 of 4`; an unknown word as it is."""
    known = next((level for level in Level if level.word == word), None)
    return word if known is None else f"{word}, level {known.value} of {max(Level).value}"

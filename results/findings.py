"""What the verification of a store finds wrong, and what mends it."""

from enum import StrEnum

from msgspec import Struct


class Mend(StrEnum):
    """What mends something that is wrong in a store."""

    REBUILD = "rebuild"
    """Computing what is derived again."""
    BACKUP = "backup"
    """Going back to a backup; nothing else has what was lost."""
    RESUBMIT = "resubmit"
    """Submitting a bot's folder again."""
    NONE = "none"
    """Nothing in the store is wrong: something else is missing, and the text says what."""


class Finding(Struct, frozen=True):
    """Something that `verify` found wrong. As text it is a sentence without its full stop."""

    kind: str
    """file · row · missing · match · fingerprint · seat · rules · version · derived."""
    league: str | None
    """Name of the league; None for the store as a whole."""
    match_no: int | None
    rotation: int | None
    text: str
    """What is wrong, in words, with the table where it is one."""
    mend: Mend = Mend.BACKUP

    @property
    def place(self) -> str:
        """Where it is: the store, a league, a match or a game."""
        if self.league is None:
            return "the store"
        if self.match_no is None:
            return f"league {self.league}"
        if self.rotation is None:
            return f"match {self.league}/{self.match_no}"
        return f"game {self.league}/{self.match_no}.{self.rotation}"

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"

"""Problems found by verifying a store, and how to fix them."""

from enum import StrEnum

from msgspec import Struct


class Mend(StrEnum):
    """How to fix a problem in a store."""

    REBUILD = "rebuild"
    """Recompute the derived tables."""
    BACKUP = "backup"
    """Restore a backup; the lost data exists nowhere else."""
    RESUBMIT = "resubmit"
    """Submit a bot's folder again."""
    FIX = "fix"
    """Fix a package that failed, then verify again; without it, something could not be checked."""
    FETCH = "fetch"
    """Get the file of a segment from where it was shipped or backed up, then verify again."""
    AWAY = "away"
    """Nothing is known to be wrong, but a segment that was shipped and isn't here could not be checked."""
    INSTALL = "install"
    """Install a package, then verify again. Nothing is known to be wrong, but something could not be checked."""
    NONE = "none"
    """The store is fine, but something else is missing; the text says what."""


class Finding(Struct, frozen=True):
    """A problem found by `verify`. Its text form is a sentence without the full stop."""

    kind: str
    """file · segment · row · missing · match · fingerprint · seat · rules · version · derived."""
    league: str | None
    """Name of the league; None for the store as a whole."""
    match_no: int | None
    rotation: int | None
    text: str
    """What is wrong, in words, with the table if one is concerned."""
    mend: Mend = Mend.BACKUP

    @property
    def place(self) -> str:
        """Where the problem is: the store, a league, a match or a game."""
        if self.league is None:
            return "the store"
        if self.match_no is None:
            return f"league {self.league}"
        if self.rotation is None:
            return f"match {self.league}/{self.match_no}"
        return f"game {self.league}/{self.match_no}.{self.rotation}"

    @property
    def is_problem(self) -> bool:
        """Whether something is wrong; otherwise `text` is what could not be checked, and why."""
        return self.mend not in (Mend.INSTALL, Mend.AWAY)

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" if self.is_problem else f"not checked: {self.text}"

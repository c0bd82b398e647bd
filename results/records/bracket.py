"""The bracket of a knock-out, as its schedule draws it: rounds of tables, from the first to the last.

Whoever draws it needs to know nothing else of the schedule.
"""

from msgspec import Struct


class BracketTable(Struct, frozen=True, kw_only=True):
    """A table of a round, played or still to come."""

    entries: tuple[int | None, ...]
    """Entry numbers from the top down; None for those that aren't known yet. One alone has a bye."""
    scores: tuple[float, ...] = ()
    """What each of them has won here, such as matches; empty before the first result."""
    advancing: tuple[int, ...] = ()
    """Who goes on, best first, or has won the last table; empty until that is decided."""
    decided_by: str = ""
    """What decided between two that are level: `share` or `seed`."""
    name: str = ""
    """If it isn't that of its round, such as `third place`."""

    @property
    def is_bye(self) -> bool:
        """Whether nobody is met here."""
        return len(self.entries) == 1

    @property
    def players(self) -> frozenset[int]:
        """The entries that are known already."""
        return frozenset(entry for entry in self.entries if entry is not None)

    def state_of(self, place: int) -> str:
        """Return `on` if who is at a place from the top goes on, `out` if not; empty as long as that is open."""
        entry = self.entries[place]
        return "" if not self.advancing or entry is None else "on" if entry in self.advancing else "out"

    def score_of(self, place: int) -> float | None:
        """Return the score at a place from the top, from 0; None before the first result."""
        return self.scores[place] if self.scores else None


class BracketRound(Struct, frozen=True, kw_only=True):
    """A round of a knock-out."""

    name: str
    """In words that may stand in a sentence: `quarter-final`."""
    tables: tuple[BracketTable, ...]
    """From the top down."""
    is_tree: bool = True
    """Whether table `n` is fed by the tables `2n` and `2n + 1` of the round before. Otherwise anybody may come from
    anywhere, and no lines lead there."""

    @property
    def title(self) -> str:
        """The name with a capital letter."""
        return self.name[:1].upper() + self.name[1:]

    @property
    def is_decided(self) -> bool:
        """Whether it is known of all its tables who goes on."""
        return all(table.advancing for table in self.tables)

    def table_of(self, entries: frozenset[int]) -> int | None:
        """Return the number of the table, from 0, at which exactly these entries meet; None if there is none."""
        return next((place for place, table in enumerate(self.tables) if table.players == entries), None)

"""A schedule for Arena: the entries sit in a ring, and each table is a stretch of it."""

from typing import Annotated

from msgspec import Meta, Struct

from arena.core.errors import UsageError
from arena.schedules.base import Field, Pairing, Summary
from results.records import Traits


class RingSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The `[schedule]` table of a ring.

    Keys:
        laps: how often round the ring
    """

    laps: Annotated[int, Meta(ge=1)] = 1


class Ring:
    """Each entry begins a table once a lap, with those that follow it in the ring. A `Schedule`.

    Between two laps, entries can join and leave (`Open`).
    """

    name = "ring"
    settings: type[Struct] = RingSettings
    traits = Traits()

    def tally(self, field: Field, settings: RingSettings) -> None:
        """Return None: no results are needed."""

    def sees(self, field: Field, settings: RingSettings, planned: int) -> int:
        """Return 0: who meets whom does not depend on results."""
        return 0

    def total(self, field: Field, settings: RingSettings) -> int:
        """Return the number of matches: those before the field changed, and those of the laps that remain."""
        return field.from_match + max(0, settings.laps - field.from_round) * len(_lap(field))

    def check(self, field: Field, settings: RingSettings) -> None:
        """Raise UsageError for a field that does not fit in a ring."""
        if len(field.entries) < max(field.seats):
            raise UsageError(
                f"a ring of {len(field.entries)} bots is too small", "add bots, or set fewer seats"
            )
        if len(_lap(field)) < len(field.entries) * len(field.seats):
            raise UsageError(
                "bots of one author are neighbours in the ring", "list them farther apart from each other"
            )

    def next_matches(
        self, field: Field, settings: RingSettings, summary: Summary
    ) -> tuple[Pairing, ...] | None:
        """Return the tables of the next lap, or the rest of it; None after the last."""
        tables = _lap(field)
        if summary.planned >= self.total(field, settings):
            return None
        lap, begun = divmod(summary.planned - field.from_match, len(tables))
        return tuple(Pairing(field.from_round + lap, table) for table in tables[begun:])

    def changes_at(self, field: Field, settings: RingSettings, planned: int) -> int | None:
        """Return the first match of the next lap; None if this one is the last."""
        tables = len(_lap(field))
        laps = -(-(planned - field.from_match) // tables) if tables else 0
        return field.from_match + laps * tables if field.from_round + laps < settings.laps else None

    def rests(self, field: Field, settings: RingSettings, summary: Summary) -> str:
        """Return an empty text: every lap is worth playing."""
        return ""


def _lap(field: Field) -> list[tuple[int, ...]]:
    """Return the tables of one lap: of each size, one that begins with each entry. Leaves out what isn't allowed."""
    if len(field.entries) < max(field.seats):
        return []
    ring = field.entries * 2
    tables = [ring[first : first + seats] for first in range(len(field.entries)) for seats in field.seats]
    return [table for table in tables if len(table) < 3 or _apart(field, table)]


def _apart(field: Field, table: tuple[int, ...]) -> bool:
    """Return whether no two bots of a table are by one author."""
    authors = [field.authors[entry] for entry in table if entry in field.authors]
    return len(set(authors)) == len(authors)


SCHEDULE = Ring()

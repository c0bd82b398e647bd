"""A schedule for Arena: the entries sit in a ring, and each table is a stretch of it."""

from typing import Annotated

from msgspec import Meta, Struct

from arena.core.errors import UsageError
from arena.schedules.base import Field, Pairing, Summary


class RingSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The `[schedule]` table of a ring."""

    laps: Annotated[int, Meta(ge=1, description="how often round the ring")] = 1


class Ring:
    """Each entry begins a table once a lap, with those that follow it in the ring. A `Schedule`."""

    name = "ring"
    settings: type[Struct] = RingSettings

    def tally(self, field: Field, settings: RingSettings) -> None:
        """Return None: no results are needed."""

    def sees(self, field: Field, settings: RingSettings, planned: int) -> int:
        """Return 0: who meets whom does not depend on results."""
        return 0

    def total(self, field: Field, settings: RingSettings) -> int:
        """Return the number of matches."""
        return settings.laps * len(field.seats) * len(field.entries)

    def check(self, field: Field, settings: RingSettings) -> None:
        """Raise UsageError for a field that does not fit in a ring."""
        if len(field.entries) < max(field.seats):
            raise UsageError(
                f"a ring of {len(field.entries)} bots is too small", "add bots, or set fewer seats"
            )
        for table in _lap(field):
            authors = [field.authors[entry] for entry in table if entry in field.authors]
            if len(table) > 2 and len(set(authors)) < len(authors):
                raise UsageError(
                    "bots of one author are neighbours in the ring", "list them farther apart from each other"
                )

    def next_matches(
        self, field: Field, settings: RingSettings, summary: Summary
    ) -> tuple[Pairing, ...] | None:
        """Return the tables of the next lap; None after the last."""
        if summary.planned >= self.total(field, settings):
            return None
        lap = summary.planned // (len(field.seats) * len(field.entries))
        return tuple(Pairing(lap, table) for table in _lap(field))


def _lap(field: Field) -> list[tuple[int, ...]]:
    """Return the tables of one lap: of each size, one that begins with each entry."""
    ring = field.entries * 2
    return [ring[first : first + seats] for first in range(len(field.entries)) for seats in field.seats]


SCHEDULE = Ring()

"""Round robin: in every round, every table that can be set is set once."""

from collections.abc import Iterator
from itertools import combinations, islice
from math import comb
from typing import Annotated

from msgspec import Meta, Struct

from arena.core.errors import UsageError
from arena.schedules.base import Field, Pairing, Summary

BLOCK_MATCHES = 64
"""Matches planned at a time."""


class RoundRobinSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The `[schedule]` table of a round robin."""

    rounds: Annotated[int, Meta(ge=1, description="how often every table is set")] = 1


class RoundRobin:
    """Every table once a round: each entry meets each other equally often. A `Schedule`."""

    name = "round-robin"
    settings = RoundRobinSettings

    def total(self, field: Field, settings: RoundRobinSettings) -> int:
        """Return the number of matches: tables a round times rounds. Raises UsageError for too small a field."""
        for seats in field.seats:
            if len(field.entries) < seats:
                raise UsageError(
                    f"{len(field.entries)} bots cannot fill a table of {seats} seats",
                    "add bots, or set fewer seats",
                )
        return settings.rounds * _tables_a_round(field)

    def next_matches(
        self, field: Field, settings: RoundRobinSettings, summary: Summary
    ) -> tuple[Pairing, ...] | None:
        """Return the next block of matches, by round, table size and order of the entries; None after the last."""
        a_round = _tables_a_round(field)
        total = settings.rounds * a_round
        if summary.planned >= total:
            return None
        most = min(BLOCK_MATCHES, total - summary.planned)
        return tuple(islice(_from(field, summary.planned, a_round), most))


def _tables_a_round(field: Field) -> int:
    return sum(comb(len(field.entries), seats) for seats in field.seats)


def _from(field: Field, match_no: int, a_round: int) -> Iterator[Pairing]:
    round_no, skipped = divmod(match_no, a_round)
    while True:
        tables = (table for seats in field.seats for table in combinations(field.entries, seats))
        for table in islice(tables, skipped, None):
            yield Pairing(round_no, table)
        round_no, skipped = round_no + 1, 0


SCHEDULE = RoundRobin()

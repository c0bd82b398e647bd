"""Round robin: in every round, every table that can be set is set once."""

from collections.abc import Iterator
from itertools import islice
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
    reads_results = False

    def sees(self, field: Field, settings: RoundRobinSettings, planned: int) -> int:  # noqa: ARG002 - needs no results
        """Return 0: who meets whom does not depend on results."""
        return 0

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
    """Yield the matches from a number on, without end."""
    round_no, skipped = divmod(match_no, a_round)
    while True:
        for seats in field.seats:
            tables = comb(len(field.entries), seats)
            if skipped >= tables:
                skipped -= tables
                continue
            for table in _tables(field.entries, seats, skipped):
                yield Pairing(round_no, table)
            skipped = 0
        round_no += 1


def _tables(entries: tuple[int, ...], seats: int, skipped: int) -> Iterator[tuple[int, ...]]:
    """Yield the tables of one size in the order of `itertools.combinations`, from the given place on."""
    chosen = _nth(len(entries), seats, skipped)
    while True:
        yield tuple([entries[i] for i in chosen])
        last = seats - 1
        while last >= 0 and chosen[last] == len(entries) - seats + last:
            last -= 1
        if last < 0:
            return
        chosen[last:] = range(chosen[last] + 1, chosen[last] + 1 + seats - last)


def _nth(entries: int, seats: int, place: int) -> list[int]:
    """Return which of the entries sit at the table of that place, without going through those before it."""
    chosen: list[int] = []
    i = 0
    while len(chosen) < seats:
        with_i = comb(entries - i - 1, seats - len(chosen) - 1)
        if place < with_i:
            chosen.append(i)
        else:
            place -= with_i
        i += 1
    return chosen


SCHEDULE = RoundRobin()

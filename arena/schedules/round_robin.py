"""Round robin: every round has every possible table once, or a balanced sample of them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from math import comb
from typing import Annotated

from msgspec import Meta, Struct

from arena.schedules.base import Field, Pairing, Remark, Summary, table_rules
from arena.schedules.base.balance import Rounds, balanced_tables, count_pairs, pairs_before, turns
from results.base.text import counted
from results.records import Traits

BLOCK_MATCHES = 64
"""Matches to plan at a time if all tables are played."""


class RoundRobinSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The `[schedule]` table of a round robin.

    Keys:
        rounds: how often every table is played
        tables: number of tables of each size per round: a balanced sample; all if there are fewer; default:
            all
    """

    rounds: Annotated[int, Meta(ge=1, le=1_000_000)] = 1
    tables: Annotated[int, Meta(ge=1, le=100_000)] | None = None


class RoundRobin(Rounds):
    """Every table once per round, so that each pair meets equally often. A `Schedule`.

    Tables with two bots of one author are left out, unless nobody else plays. With `tables`, a round is a sample in
    which the entries' numbers of matches differ by at most one, and every pair meets as equally often as a search can
    find, over all rounds so far. At tables of two, the bots of an author who has more than half of them share one
    side of each table, and all others the other side.
    """

    name = "round-robin"
    words = "Everybody meets everybody equally often."
    settings: type[Struct] = RoundRobinSettings
    traits = Traits(even=True, in_rounds=True)

    def check(self, field: Field, settings: RoundRobinSettings) -> None:
        """Raise BadValue if the field is too small, or bots of one author can't be kept apart."""
        table_rules.check_filled(field)
        for seats in field.seats:
            if not _AllTables(field, seats).count():
                raise table_rules.cannot_keep_apart(
                    f"the bots are by {len(set(field.authors.values()))} authors, too few for tables of {seats}"
                )
            if settings.tables is not None and (too_many := _too_many_of_one(field, seats)) is not None:
                author, bots = too_many
                raise table_rules.cannot_keep_apart(
                    f"{bots} of the {len(field.entries)} bots are by {author}: at tables of {seats} they cannot be "
                    "kept apart and play as often as the others"
                )

    def remarks(self, field: Field, settings: RoundRobinSettings) -> list[Remark]:
        """Return a line for each table size of which there aren't as many tables as a round is to have."""
        asked = settings.tables or 0
        return [
            Remark(
                ("schedule", "tables"),
                f"{field.named(len(field.entries))} make {counted(tables, 'table')} of {seats}, so a round has "
                f"{tables}, not {asked:,}",
            )
            for seats, tables in self.a_round(field, settings).items()
            if 0 < tables < asked
        ]

    def a_round(self, field: Field, settings: RoundRobinSettings) -> dict[int, int]:
        """Return the number of tables of each size per round."""
        every = {seats: _AllTables(field, seats).count() for seats in field.seats}
        if settings.tables is None:
            return every
        return {
            seats: min(settings.tables, tables) if _too_many_of_one(field, seats) is None else 0
            for seats, tables in every.items()
        }

    def next_matches(
        self, field: Field, settings: RoundRobinSettings, summary: Summary
    ) -> tuple[Pairing, ...] | None:
        """Return the next block of matches in order, samples in complete rounds; None if there is none."""
        a_round = self.a_round(field, settings)
        matches = sum(a_round.values())
        left = self.total(field, settings) - summary.planned
        if left <= 0 or not matches:
            return None
        played = summary.planned - field.from_match
        if settings.tables is not None:
            round_no, begun = divmod(played, matches)
            pairs = pairs_before(summary.pairs, summary.latest_tables(begun) if begun else ())
            return _sample(field, a_round, round_no, pairs)[begun:]
        return tuple(islice(_from(field, played, matches), min(BLOCK_MATCHES, left)))


def _too_many_of_one(field: Field, seats: int) -> tuple[object, int] | None:
    """Return the author because of whom a sample can't be played, and how many bots that one has; None if it can."""
    return _dominant_author(field, seats) if seats >= table_rules.STRICT_FROM else None


def _dominant_author(field: Field, seats: int) -> tuple[object, int] | None:
    """Return the author who has too many bots for all to play equally often, and how many; None if there is none."""
    if not table_rules.kept_apart(field, seats) or not field.entries:
        return None
    author, bots = Counter(table_rules.groups(field, seats).values()).most_common(1)[0]
    return (author, bots) if bots * seats > len(field.entries) else None


def _taking(field: Field, round_no: int, tables: int, seats: int) -> dict[int, int]:
    """Return how many seats each entry takes in a round of a sample, which counts from 0."""
    group_of = table_rules.groups(field, seats)
    if (dominant := _dominant_author(field, seats)) is None:
        return turns(field.entries, round_no * tables * seats, tables, seats, group_of)
    own = [entry for entry in field.entries if group_of[entry] == dominant[0]]
    others = [entry for entry in field.entries if group_of[entry] != dominant[0]]
    each_alone = {entry: entry for entry in own}
    return turns(own, round_no * tables, tables, 1, each_alone) | turns(
        others, round_no * tables, tables, 1, group_of
    )


def _sample(
    field: Field, a_round: Mapping[int, int], round_no: int, met: Mapping[tuple[int, int], int]
) -> tuple[Pairing, ...]:
    """Return a round of a sample, balanced with the meetings before it. Rounds of the field count from 0."""
    pairs = dict(met)
    pairings = []
    for seats, tables in a_round.items():
        group_of = table_rules.groups(field, seats)
        taking = _taking(field, round_no, tables, seats)
        name = f"{seats}/{field.from_round + round_no}"
        for table in balanced_tables(taking, tables, group_of, pairs, name):
            pairings.append(Pairing(field.from_round + round_no, table))
            count_pairs(pairs, table)
    return tuple(pairings)


def _from(field: Field, played: int, a_round: int) -> Iterator[Pairing]:
    """Yield the matches after those that the field has played, endlessly."""
    round_no, skipped = divmod(played, a_round)
    while True:
        for seats in field.seats:
            tables = _AllTables(field, seats)
            if skipped >= (count := tables.count()):
                skipped -= count
                continue
            for table in tables.following(skipped):
                yield Pairing(field.from_round + round_no, table)
            skipped = 0
        round_no += 1


class _AllTables:
    """All tables of one size in the order of `itertools.combinations`, without those that aren't allowed."""

    def __init__(self, field: Field, seats: int) -> None:
        self._entries = field.entries
        self._seats = seats
        self._apart = table_rules.kept_apart(field, seats)
        group_of = table_rules.groups(field, seats)
        self._groups = [group_of[entry] for entry in field.entries]

    def count(self) -> int:
        return self._ways(0, [])

    def following(self, place: int) -> Iterator[tuple[int, ...]]:
        return self._completed(0, [], place)

    def _ways(self, first: int, chosen: list[int]) -> int:
        """Return in how many ways the chosen entries can be completed with entries from the given one on."""
        needed = self._seats - len(chosen)
        if not self._apart:
            return comb(len(self._groups) - first, needed)
        taken = {self._groups[i] for i in chosen}
        ways = [1] + [0] * needed
        for members in Counter(group for group in self._groups[first:] if group not in taken).values():
            for k in range(needed, 0, -1):
                ways[k] += members * ways[k - 1]
        return ways[needed]

    def _completed(self, first: int, chosen: list[int], skipped: int) -> Iterator[tuple[int, ...]]:
        """Yield the tables with the chosen entries and others from the given one on, without the first so many."""
        if len(chosen) == self._seats:
            yield tuple([self._entries[i] for i in chosen])
            return
        for i in range(first, len(self._groups)):
            if not self._fits(i, chosen):
                continue
            with_i = [*chosen, i]
            if skipped >= (ways := self._ways(i + 1, with_i)):
                skipped -= ways  # none of them is enumerated
            else:
                yield from self._completed(i + 1, with_i, skipped)
                skipped = 0

    def _fits(self, i: int, chosen: list[int]) -> bool:
        return not self._apart or all(self._groups[i] != self._groups[j] for j in chosen)


SCHEDULE = RoundRobin()

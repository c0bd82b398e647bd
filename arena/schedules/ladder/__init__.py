"""Ladder: each match is chosen to reveal most about the order, based on results a fixed number of matches back.

The entry that would learn most is seated first, followed by those that teach the table
most (`information`). Rules of fairness take precedence (`turns`). As long
as the field has not changed, no entry's number of matches falls below half the mean.
After a change, every entry plays at least a quarter of the mean at any time: it never
waits longer than four mean intervals. Newcomers get up to half of the tables until they
are placed.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.core.chance import Stream
from arena.core.errors import BadValue
from arena.core.ruleset import Rotations
from arena.schedules.base import MOST_AT_ONCE, Field, Pairing, Summary
from arena.schedules.base.pairing_rules import check_filled
from arena.schedules.ladder.information import Information
from arena.schedules.ladder.turns import BLOCK_MATCHES, FinalTurns, turns
from results.base.text import counted
from results.records import Traits

_SEED = b"arena/schedules/ladder"
LEAST_LAG = 32
"""The lag of small leagues on a few cores."""
MOST_LAG = 1 << 17
SLOT_LAG = 4
"""Matches of lag for each game that can be played at the same time. Two of them are in flight: one plays, one waits."""
ENTRIES_PER_LAG = 64
"""In a field of so many entries, a match of lag makes no difference, and many chosen at once take less time each."""
SHRINKS = 4
"""The lag shrinks only if it is so many times what is needed, so that it doesn't change back and forth."""


class LadderSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The `[schedule]` table of a ladder."""

    lag: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=MOST_LAG,
                description="a match uses results at least this many matches back; with more, workers wait less. "
                "`auto` follows how many games are in flight",
            ),
        ]
        | Annotated[
            Literal["auto"],
            Meta(description="32, and more if more games are in flight or there are many bots"),
        ]
    ) = "auto"
    block: Annotated[
        int, Meta(ge=1, le=MOST_AT_ONCE, description="number of matches chosen from the same results")
    ] = BLOCK_MATCHES
    enough: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000,
            description="without `[stop]`, the league rests once every bot has played this many matches, until the "
            "bots change",
        ),
    ] = 1000


class Ladder:
    """Endless matchmaking by how much a table would reveal. A `Schedule`."""

    name = "ladder"
    words = "Runs until you stop it; bots of similar strength meet, and new ones may join at any time."
    settings = LadderSettings
    traits = Traits(chooses=True)
    rotations: Rotations = "off"
    """Another deal reveals more about the order than the same deal from another seat: docs/adr/0013."""

    def tally(self, field: Field, settings: LadderSettings) -> None:
        """Return None: no results are needed."""

    def sees(self, field: Field, settings: LadderSettings, planned: int) -> int:  # noqa: ARG002 - the same for every field
        """Return how many results a match is based on: those `lag` before the first match of its block."""
        return max(0, planned - planned % settings.block - _lag(settings))

    def follows(self, settings: LadderSettings) -> bool:
        """Return whether the lag follows what is in flight."""
        return settings.lag == "auto"

    def following(self, field: Field, settings: LadderSettings, slots: int) -> Mapping[str, int]:
        """Return another lag, a power of two, if what is in flight has changed much; and blocks of half of it."""
        wanted = max(LEAST_LAG, SLOT_LAG * slots, len(field.entries) // ENTRIES_PER_LAG)
        lag = min(MOST_LAG, 1 << (wanted - 1).bit_length())
        now = _lag(settings)
        if now < lag or now >= SHRINKS * lag:
            return {"lag": lag, "block": min(MOST_AT_ONCE, lag * BLOCK_MATCHES // LEAST_LAG)}
        return {}

    def total(self, field: Field, settings: LadderSettings) -> None:
        """Return None: a ladder continues until it is stopped."""

    def check(self, field: Field, settings: LadderSettings) -> None:  # noqa: ARG002 - the same for all settings
        """Raise BadValue if the field is too small."""
        check_filled(field)
        for seats in field.seats:
            if (authors := _authors(field)) < seats:
                raise BadValue(
                    ("same_author",),
                    f"{counted(authors, 'author')} cannot fill a table of {seats} seats",
                    "bots of one author share no table on a ladder; same_author = true allows it",
                )

    def changes_at(self, field: Field, settings: LadderSettings, planned: int) -> int | None:  # noqa: ARG002 - at once
        """Return `planned`: another field can play from the next match. None in a final, whose field is fixed."""
        return planned if field.final is None else None

    def rests(self, field: Field, settings: LadderSettings, summary: Summary) -> str:
        """Return why no match is worth playing: all have played enough."""
        if field.final is None and all(summary.matches.get(e, 0) >= settings.enough for e in field.entries):
            return f"every bot has played {settings.enough} matches; more would hardly change the order"
        return ""

    def next_matches(
        self, field: Field, settings: LadderSettings, summary: Summary
    ) -> tuple[Pairing, ...] | None:
        """Return the rest of the block; None after the last match of a final, or if no table can be filled."""
        sizes = _sizes_that_fit(field)
        if not sizes:
            return None
        if sizes != field.seats:
            field = replace(field, seats=sizes)
        round_no = summary.planned // BLOCK_MATCHES
        end = (summary.planned // settings.block + 1) * settings.block
        information = Information(field, summary, round_no)
        rule = turns(field, summary, information, end - summary.planned)
        pairings = []
        for match_no in range(summary.planned, end):
            if isinstance(rule, FinalTurns) and rule.is_over():
                break
            seats = _table_size(field.seats, match_no)
            first, why = rule.first(match_no, seats)
            table = [first]
            while len(table) < seats:
                may_join = _may_join(field, table)
                found = (
                    information.best_joining(table, tier, may_join)
                    for tier in chain(rule.tiers(table, seats), (field.entries,))
                )
                table.append(next(entry for entry in found if entry is not None))
            information.count(table)
            rule.count(match_no, table)
            pairings.append(Pairing(round_no, tuple(table), why.replace("{them}", _named(table[1:]))))
        return tuple(pairings) or None


def _lag(settings: LadderSettings) -> int:
    return LEAST_LAG if settings.lag == "auto" else settings.lag


def _may_join(field: Field, table: Sequence[int]) -> Callable[[int], bool]:
    """Return whether an entry may join a table: only once, and not with others of its author."""
    if not field.authors:
        return lambda entry: entry not in table
    authors = {_author(field, member) for member in table}
    return lambda entry: _author(field, entry) not in authors


def _sizes_that_fit(field: Field) -> tuple[int, ...]:
    """Return the table sizes that the field can fill."""
    authors = _authors(field, max(field.seats))
    return tuple(seats for seats in field.seats if authors >= seats)


def _authors(field: Field, enough: int | None = None) -> int:
    """Return how many authors the entries have; it counts no further than `enough`."""
    if not field.authors:
        return len(field.entries)
    authors = set()
    for entry in field.entries:
        authors.add(_author(field, entry))
        if len(authors) == enough:
            break
    return len(authors)


def _author(field: Field, entry: int) -> str:
    """Return an entry's author, or a unique one if none is named."""
    return field.authors.get(entry, f"#{entry}")


def _named(entries: Sequence[int]) -> str:
    names = [f"#{entry}" for entry in entries]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" and {names[-1]}"


def _table_size(sizes: Sequence[int], match_no: int) -> int:
    """Return the size of a match's table: each run of as many matches as sizes has every size once, in random order."""
    turn, place = divmod(match_no, len(sizes))
    order = list(sizes)
    Stream(_SEED, f"sizes/{turn}").shuffle(order)
    return order[place]


SCHEDULE = Ladder()

"""The tables of a store, with those of what is derived from games; docs/ledger.md is generated from their comments.

These are the tables of the newest version, which make new files. Statements are plain SQL: who reads a store doesn't
load this package. `upgrade` upgrades older files; a test checks that both agree.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import fields
from sqlalchemy import Column, Index, String, Table
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.schema import CreateIndex, CreateTable

from results.records.ratings_and_totals_fold import EntryTotal, LuckTotal, PairTotal, SeatTotal
from results.store.database import columns_of
from results.store.schema import games, leagues
from results.store.schema.base import METADATA, integer, key, real, table
from results.store.sqlite_file import Connection, other_tables

# What is derived from matches and games


def of_entry() -> Iterator[Column[Any]]:
    """Yield the key of an entry, with which the keys of what is derived of it begin."""
    yield key("league_id", "the league")
    yield key("entry_no", "the entry")


def sums_of(total: type[Struct]) -> Iterator[Column[Any]]:
    """Yield a column for each sum of the fold's totals."""
    for one in fields(total):
        yield integer(one.name, one.type.__metadata__[0].description)


PROGRESS = table(
    "progress",
    "The progress of a league, and of the fold of its games.",
    key("league_id", "the league"),
    integer(
        "next_match_no",
        "all matches below are finished and, in a rated league, folded; the fold continues here",
    ),
    integer("matches_planned", "matches written so far, of any state"),
    integer("matches_done", "matches with all their games"),
    integer("matches_void", "matches given up"),
    integer("games_planned", "games of all matches written so far"),
    integer("games_done", "games in the ledger"),
    integer("games_unrated", "games of matches with all their games that aren't rated", default=0),
    compact=True,
)

RATING = table(
    "rating",
    "The rating of an entry that has played a match.",
    *of_entry(),
    real("mu", "estimate of its strength"),
    real("sigma", "its standard deviation; 0 if the rating system has none"),
    integer("last_match_no", "the last match it played"),
    real("last_change", "how that match changed the value that rankings are ordered by"),
    compact=True,
)

RATING_POINT = table(
    "rating_point",
    "The rating of an entry after a match that it played.",
    key("league_id", "the league"),
    key("match_no", "the match"),
    key("entry_no", "the entry"),
    real("mu", "estimate after the match"),
    real("sigma", "standard deviation after the match; 0 if the rating system has none"),
    Index("rating_point_entry", "league_id", "entry_no", "match_no"),
    compact=True,
)

ENTRY_TOTAL = table(
    "entry_total",
    "Sums over all games of one entry.",
    *of_entry(),
    *sums_of(EntryTotal),
    compact=True,
)

SEAT_TOTAL = table(
    "seat_total",
    "Sums over the games of one entry at one seat of tables of one size.",
    *of_entry(),
    key("seats", "seats at the table"),
    key("seat", "the seat, from 0"),
    *sums_of(SeatTotal),
    compact=True,
)

FAULT_TOTAL = table(
    "fault_total",
    "How often an entry was forfeited, by verdict.",
    *of_entry(),
    key("verdict", "the verdict", kind=String),
    integer("games", "games forfeited with this verdict"),
    compact=True,
)

PAIR_TOTAL = table(
    "pair_total",
    "How two entries did at the same table; each pair has one row, with the lower number as `entry_a`.",
    key("league_id", "the league"),
    key("entry_a", "one entry"),
    key("entry_b", "the other entry, with a higher number"),
    *sums_of(PairTotal),
    compact=True,
)

LUCK_TOTAL = table(
    "luck_total",
    "Sums of one entry over one kind of match, from which the spread between games of one deal is computed.\n\n"
    "A point is a share in units of 1/(2(seats − 1)): 2 for each seat ranked below, 1 for each tied.",
    *of_entry(),
    key("seats", "seats at the table"),
    key("games", "games per match"),
    *sums_of(LuckTotal),
    compact=True,
)

STANDING = """
    CREATE VIEW standing AS
    SELECT league.name AS league, entry.label AS entry, rating.mu AS mu, rating.sigma AS sigma,
        entry_total.matches AS matches, entry_total.games AS games, entry_total.wins / 1441440.0 AS wins,
        entry_total.share / 1441440.0 / entry_total.games AS share, entry_total.faults AS faults
    FROM rating
    JOIN league ON league.id = rating.league_id
    JOIN entry ON entry.league_id = rating.league_id AND entry.entry_no = rating.entry_no
    JOIN entry_total ON entry_total.league_id = rating.league_id AND entry_total.entry_no = rating.entry_no
    """
"""A view of the rankings, for people who ask the store in SQL."""

# All of them

DECLARED_IN = (games, leagues)
"""The others; imported here, so that all are known."""

TABLES: dict[str, Table] = dict(METADATA.tables)
"""All tables by name."""


def refuse_other_tables(connection: Connection, path: Path) -> None:
    """Raise StoreFailed if a file lacks columns, as one of a program in between two versions does."""
    found = set(columns_of(connection))
    own = sorted(f"{one.name}.{column.name}" for one in TABLES.values() for column in one.columns)
    if missing := [column for column in own if column not in found]:
        raise other_tables(path, f"there is no column {missing[0]}")


def definitions() -> Iterator[str]:
    """Yield the statements that make all tables, indexes and views."""
    for one in METADATA.sorted_tables:
        yield str(CreateTable(one).compile(dialect=dialect()))
        for index in sorted(one.indexes, key=lambda index: str(index.name)):
            yield str(CreateIndex(index).compile(dialect=dialect()))
    yield STANDING

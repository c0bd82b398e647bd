"""The tables of a store; docs/ledger.md is generated from their comments.

These are the tables of the newest version, which make new files. Statements are plain SQL: who reads a store doesn't
load this package. `upgrade` upgrades older files; a test checks that both agree.
"""

from collections.abc import Iterator

from sqlalchemy import Table
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.schema import CreateIndex, CreateTable

from results.store.tables import derived, games, leagues
from results.store.tables.base import METADATA

DECLARED_IN = (derived, games, leagues)
"""Imported here, so that all tables are known."""

TABLES: dict[str, Table] = dict(METADATA.tables)
"""All tables by name."""


def definitions() -> Iterator[str]:
    """Yield the statements that make all tables, indexes and views."""
    for table in METADATA.sorted_tables:
        yield str(CreateTable(table).compile(dialect=dialect()))
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            yield str(CreateIndex(index).compile(dialect=dialect()))
    yield derived.STANDING

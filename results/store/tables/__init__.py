"""The tables of a store; docs/ledger.md is generated from their comments.

These are the tables of the newest version. `upgrade` makes them and upgrades older files; a test checks that both
agree. `rows` adds and changes rows, with their checksums.
"""

from sqlalchemy import Table

from results.store.tables.base import COUNTED, COUNTED_BY_LEAGUE, METADATA
from results.store.tables.derived import DERIVED
from results.store.tables.games import MATCH, SEGMENT
from results.store.tables.leagues import LEAGUE

__all__ = ["COUNTED", "COUNTED_BY_LEAGUE", "DERIVED", "LEAGUE", "MATCH", "METADATA", "SEGMENT", "TABLES"]

TABLES: dict[str, Table] = dict(METADATA.tables)
"""All tables by name."""

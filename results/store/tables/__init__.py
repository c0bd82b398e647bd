"""The tables of a store, as SQLModel classes; each field's description becomes its line in docs/ledger.md.

What is here is the newest form; `migrations` brings a file to it, and a test
holds the two together. Bulk writes go through `TABLES`, not through objects.
"""

from sqlalchemy import Table

from results.store.tables.base import LedgerTable
from results.store.tables.derived import DERIVED, ProgressRow
from results.store.tables.file import COUNTED, COUNTED_BY_LEAGUE
from results.store.tables.games import MatchRow
from results.store.tables.leagues import (
    AuthorRow,
    BotRow,
    EntryRow,
    LeagueEventRow,
    LeagueRow,
    RulesetRow,
    VersionRow,
)

__all__ = [
    "COUNTED",
    "COUNTED_BY_LEAGUE",
    "DERIVED",
    "TABLES",
    "AuthorRow",
    "BotRow",
    "EntryRow",
    "LeagueEventRow",
    "LeagueRow",
    "LedgerTable",
    "MatchRow",
    "ProgressRow",
    "RulesetRow",
    "VersionRow",
]

TABLES: dict[str, Table] = dict(LedgerTable.metadata.tables)
"""Every table by name, for bulk work."""

"""The tables of a store as SQLModel classes; docs/ledger.md is generated from the fields' descriptions.

These are the tables of the newest version. `migrations` upgrades older files, and a test
checks that both agree. Bulk writes use `TABLES` instead of objects.
"""

from sqlalchemy import Table

from results.store.tables.base import LedgerTable
from results.store.tables.derived import DERIVED, ProgressRow
from results.store.tables.file import COUNTED, COUNTED_BY_LEAGUE
from results.store.tables.games import MatchRow
from results.store.tables.leagues import (
    AuthorRow,
    BotRow,
    CommandRow,
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
    "CommandRow",
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
"""All tables by name, for bulk work."""

"""The base class of all tables of a store."""

from typing import Any

from sqlalchemy import MetaData
from sqlmodel import SQLModel

COMPACT: dict[str, Any] = {"sqlite_with_rowid": False}
"""A table stored in primary-key order."""


class LedgerTable(SQLModel):
    """Base of all tables of the ledger; separates them from other tables in the process."""

    metadata = MetaData()

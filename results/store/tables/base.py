"""What all tables of a store have in common."""

from typing import Any

from sqlalchemy import MetaData
from sqlmodel import SQLModel

COMPACT: dict[str, Any] = {"sqlite_with_rowid": False}
"""A table kept in the order of its primary key."""


class LedgerTable(SQLModel):
    """Base of all tables of the ledger; keeps them apart from any others in the process."""

    metadata = MetaData()

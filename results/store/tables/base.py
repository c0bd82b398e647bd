"""What all tables of a store have in common."""

from typing import Any

from sqlalchemy import MetaData

COMPACT: dict[str, Any] = {"sqlite_with_rowid": False}
"""A table stored in primary-key order."""

METADATA = MetaData()
"""The tables of the ledger, apart from other tables in the process."""

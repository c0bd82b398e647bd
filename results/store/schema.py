"""What a store's file defines: tables, indexes and views. A file from elsewhere may define more, such as triggers."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path

from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

from results.errors import NotAStore
from results.store.upgrade import create_tables

_OF_SQLITE = "sqlite_"
"""Names that only SQLite itself can give."""


def check_schema(path: Path, known_as: Path) -> None:
    """Raise NotAStore if a store's file of the newest version defines anything that no Arena has put there.

    `known_as`: the file in messages. Triggers and changed tables would act whenever Arena writes.
    """
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        found = frozenset(defined(connection))
    for kind, name, _ in sorted(found - _expected()):
        raise NotAStore(
            f"{known_as} has a {kind} {name!r} that Arena hasn't made", "restore only backups that you made"
        )


def defined(connection: sqlite3.Connection) -> Iterator[tuple[str, str, str]]:
    """Yield what a file defines: the kind, the name, and the SQL without differences in spaces and quotes."""
    rows = connection.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master")
    for kind, name, table, sql in rows:
        if not (name.startswith(_OF_SQLITE) and (kind == "index" or table == name)):
            yield kind, name, "".join(sql.translate(_QUOTES).split()).lower()


_QUOTES = str.maketrans("", "", "\"`'")


@cache
def _expected() -> frozenset[tuple[str, str, str]]:
    """Return what a file of the newest version defines."""
    engine = create_engine("sqlite+pysqlite://", poolclass=StaticPool)
    try:
        with engine.begin() as connection:
            create_tables(connection)
            raw = connection.connection.driver_connection
            assert isinstance(raw, sqlite3.Connection)  # noqa: S101 - by the engine's address
            return frozenset(defined(raw))
    finally:
        engine.dispose()

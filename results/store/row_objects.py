"""Sessions that write rows as objects, with their checksums and counts.

Imported only by what writes such rows: the classes take longer to build than most commands take to read.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Table, event
from sqlalchemy.orm import UOWTransaction
from sqlmodel import Session

from results.store.row_checksums import count, raw, seal
from results.store.tables import COUNTED, COUNTED_BY_LEAGUE, TABLES
from results.store.tables.rows import StoredRow


@contextmanager
def session_on(connection: Connection) -> Iterator[Session]:
    """Yield a session that writes in the transaction of a connection; at the end, everything in it is written."""
    with Session(connection) as session:
        event.listen(session, "after_flush", _seal_flushed)
        yield session
        session.flush()


def _seal_flushed(session: Session, _: UOWTransaction) -> None:
    """Set the checksum of rows just written as objects, and count new ones. Listens to `after_flush`."""
    connection = session.connection()
    fresh = [row for row in session.new if isinstance(row, StoredRow)]
    changed = [row for row in session.dirty if isinstance(row, StoredRow)]
    by_table: dict[str, list[StoredRow]] = {}
    for row in (*fresh, *changed):
        by_table.setdefault(_table_of(row), []).append(row)
    for name, rows in by_table.items():
        if "checksum" in TABLES[name].columns:
            seal(connection, TABLES[name], [_values(TABLES[name], row) for row in rows])
    counts: Counter[tuple[str, int]] = Counter()
    for row in fresh:
        name = _table_of(row)
        if name in COUNTED:
            counts[name, 0] += 1
        elif name in COUNTED_BY_LEAGUE:
            counts[name, row.league_id] += 1  # type: ignore[attr-defined]  # all of these tables have it
    for (name, league), rows_added in counts.items():
        count(connection, name, league, rows_added)


def _table_of(row: StoredRow) -> str:
    return str(row.__table__.name)  # type: ignore[attr-defined]  # every class of rows has it


def _values(table: Table, row: StoredRow) -> dict[str, Any]:
    return {column.name: raw(column.type, getattr(row, column.name)) for column in table.columns}

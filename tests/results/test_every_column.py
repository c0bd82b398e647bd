"""Whatever value of whatever table is damaged, `verify` names the table, the row and what is wrong."""

import math
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from results.store import Store, open_store
from results.store.schema.all_tables import TABLES
from results.store.schema.checked_rows import COUNTED, COUNTED_BY_LEAGUE
from results.store.updating_derived_tables import DERIVED
from results.store.verification.verify import verify
from tests.results.every_row import store_of_every_row

COLUMNS = [(table.name, column.name) for table in TABLES.values() for column in table.columns]

OF_MATCH = ("match", "game", "seat", "replay", "log")
"""Tables in whose findings the row is named by its match."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Return a store with rows in every table, opened for reading; each test leaves it as it was."""
    folder = tmp_path_factory.mktemp("sound")
    with store_of_every_row(folder, segments=True) as made:
        made.backup(folder / "sound.sqlite")
    with open_store(folder / "sound.sqlite", readonly=True) as opened:
        assert verify(opened) == []
        yield opened
        assert verify(opened) == []


def test_every_table_in_the_file_is_gone_through(store: Store) -> None:
    raw = sqlite3.connect(store.path)
    tables = [name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    there = [(table, row[1]) for table in tables for row in raw.execute(f"PRAGMA table_info({table})")]
    raw.close()
    assert sorted(there) == sorted(COLUMNS)


ONE_OF_EACH_TABLE = dict(COLUMNS).items()


@pytest.mark.parametrize(
    ("table", "column"),
    [pytest.param(*each, marks=[pytest.mark.slow] * (each not in ONE_OF_EACH_TABLE)) for each in COLUMNS],
)
def test_a_damaged_value_is_found(store: Store, table: str, column: str) -> None:
    row = list(rows_of(store, table))[-1]
    value = next(value for value in damages(table, column, row) if value is not None)
    check(store, table, column, row, value)


@pytest.mark.slow
@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_every_damage_of_every_row_is_found(store: Store, table: str, column: str) -> None:
    for row in rows_of(store, table):
        for value in damages(table, column, row):
            check(store, table, column, row, value)


@pytest.mark.parametrize("table", list(TABLES))
def test_a_missing_row_is_found(store: Store, table: str) -> None:
    for row in rows_of(store, table):
        with changed(store, f"DELETE FROM {table} WHERE {where(table)}", key_of(table, row)):  # noqa: S608
            findings = verify(store)
        assert any(f"table {table}" in str(finding) for finding in findings), (row, findings)
        if table in (*COUNTED, *COUNTED_BY_LEAGUE):
            assert any(finding.mend == "backup" for finding in findings)
        if table in DERIVED:
            assert {finding.mend for finding in findings} == {"rebuild"}


def check(store: Store, table: str, column: str, row: dict[str, Any], value: Any) -> None:
    """Change a value, and look whether `verify` names table and row; a key that is taken is moved further away."""
    keys = key_of(table, row)
    update = f"UPDATE {table} SET {column} = ? WHERE {where(table)}"  # noqa: S608
    try:
        with changed(store, update, [value, *keys]):
            findings = verify(store)
    except sqlite3.IntegrityError:
        with changed(store, update, [value + 1000, *keys]):
            findings = verify(store)
    named = [finding for finding in findings if f"table {table}" in str(finding)]
    assert named, f"{table}.{column} {row[column]!r} became {value!r}: {findings}"
    if not TABLES[table].c[column].primary_key:
        assert any(names(str(finding), finding.match_no, row, table) for finding in named), named
    assert "Finding(" not in " ".join(str(finding) for finding in findings)


@contextmanager
def changed(store: Store, statement: str, values: list[Any]) -> Iterator[None]:
    """Have the file changed behind the program's back for the time of the context."""
    before = store.path.read_bytes()
    raw = sqlite3.connect(store.path)
    try:
        raw.execute("PRAGMA ignore_check_constraints = ON")
        raw.execute(statement, values)
        raw.commit()
        yield
    finally:
        raw.close()
        store.close()
        for suffix in ("-wal", "-shm"):
            store.path.with_name(store.path.name + suffix).unlink(missing_ok=True)
        store.path.write_bytes(before)


def key_of(table: str, row: dict[str, Any]) -> list[Any]:
    return [row[key.name] for key in TABLES[table].primary_key]


def where(table: str) -> str:
    return " AND ".join(f"{key.name} = ?" for key in TABLES[table].primary_key)


def rows_of(store: Store, table: str) -> Iterator[dict[str, Any]]:
    """Return the first and the last row of a table by its key."""
    raw = sqlite3.connect(store.path)
    raw.row_factory = sqlite3.Row
    order = ", ".join(key.name for key in TABLES[table].primary_key)
    rows = [dict(row) for row in raw.execute(f"SELECT * FROM {table} ORDER BY {order}")]  # noqa: S608
    raw.close()
    yield from {len(rows): rows[-1], 1: rows[0]}.values()


def damages(table: str, column: str, row: dict[str, Any]) -> Iterator[Any]:
    """Return other values of a column's type, and null where it may be."""
    value, kind = row[column], TABLES[table].c[column]
    if value is not None and kind.nullable:
        yield None
    yield from damaged(value, str(kind.type))


def damaged(value: Any, kind: str) -> Iterator[Any]:
    """Return other values of a type."""
    if kind == "BOOLEAN":
        yield 1 - (value or 0)
    elif kind == "INTEGER":
        yield (value or 0) + 1
    elif kind == "FLOAT":
        yield math.nextafter(value or 1.0, 100.0)
    elif kind == "VARCHAR":
        yield (value or "") + "x"
        if value:
            yield chr(ord(value[0]) ^ 1) + value[1:]
    elif kind == "BLOB":
        for at in {0, len(value) // 2, len(value) - 1} if value else ():
            yield value[:at] + bytes([value[at] ^ 4]) + value[at + 1 :]
        yield (value or b"") + b"x"
    else:
        raise AssertionError(kind)


def names(text: str, match_no: int | None, row: dict[str, Any], table: str) -> bool:
    """Whether a finding names the row that was changed."""
    if table in OF_MATCH:
        return bool(match_no == row["match_no"]) and ("seat" not in row or f"seat {row['seat']}" in text)
    if table == "rating_point":
        return bool(match_no == row["match_no"])
    if table in ("progress", "row_count"):
        return True
    keys = [key.name for key in TABLES[table].primary_key if key.name != "league_id"]
    return all(f"{key} {row[key]}" in text for key in keys)

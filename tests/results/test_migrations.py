"""Bringing a store to a newer form: forward, whole or not at all, after a backup."""

import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from results.base.errors import LedgerError, StoreDamaged, StoreTooOld
from results.store import open_store
from results.store.database import VERSION, value
from results.store.sqlite_file import Connection
from results.store.updating_derived_tables import DERIVED
from results.store.upgrade import MIGRATIONS, Migration, create_tables
from results.store.verification.verify import verify
from tests.support.ledgers import add_version, new_league, new_store, plan, played


def add_motto(connection: Connection) -> None:
    """Add a column and fill it from what is there, as a later version may."""
    connection.execute("ALTER TABLE author ADD COLUMN motto VARCHAR")
    connection.execute("UPDATE author SET motto = name || ' plays'")


def rebuild_bot(connection: Connection) -> None:
    """Make a table anew that others refer to."""
    connection.execute("CREATE TABLE bot_new (id INTEGER PRIMARY KEY, author_id INTEGER, name VARCHAR)")
    connection.execute("INSERT INTO bot_new SELECT id, author_id, name FROM bot")
    connection.execute("DROP TABLE bot")
    connection.execute("ALTER TABLE bot_new RENAME TO bot")


def empty_derived(connection: Connection) -> None:
    """Empty what is derived, to be folded again."""
    for table in DERIVED:
        connection.execute(f"DELETE FROM {table}")  # noqa: S608  # names of our own tables
    connection.execute("UPDATE progress SET next_match_no = 0")


def break_off(connection: Connection) -> None:
    """Fail when half of it is done."""
    add_motto(connection)
    connection.execute("DROP TABLE rating")
    connection.execute("INSERT INTO no_such_table VALUES (1)")


def lose_bots(connection: Connection) -> None:
    """Leave versions without their bot."""
    connection.execute("DELETE FROM bot")


LAST = VERSION
FIRST_FORM = Path(__file__).parent / "store-1.sql"
_WRITTEN = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND type != 'view'"
NEXT = (*MIGRATIONS, Migration(LAST + 1, "mottos", add_motto))
BACKUP = f"arena.v{LAST}.backup.sqlite"


def old_store(folder: Path) -> Path:
    """Make a store of the last form with a bot and a league of two matches; return its path."""
    with new_store(folder) as store:
        add_version(store, "ann", "crumb", "a" * 64, {}, {})
        league = new_league(store)
        store.append([played(match) for match in plan(store, league, (0, 1), (2, 3))])
        return store.path


def asked(path: Path, query: str) -> list[Any]:
    raw = sqlite3.connect(path)
    try:
        return raw.execute(query).fetchall()
    finally:
        raw.close()


def content(path: Path) -> list[str]:
    """Return everything in the file, as SQL."""
    raw = sqlite3.connect(path)
    try:
        return list(raw.iterdump())
    finally:
        raw.close()


def test_a_new_store_is_recorded_as_such(tmp_path: Path) -> None:
    path = old_store(tmp_path)
    rows = asked(path, "SELECT number, name, at, backup FROM migration")
    assert rows == [(LAST, "new store", "2026-01-31T12:00:00Z", None)]
    assert asked(path, "PRAGMA user_version") == [(LAST,)]


def test_an_older_store_is_brought_up_to_date_after_a_backup(tmp_path: Path) -> None:
    path = old_store(tmp_path)
    before = content(path)
    with open_store(path, migrations=NEXT) as store:
        assert store.ratings.standings("spring")[0].matches == 1
    assert asked(path, "SELECT motto FROM author") == [("ann plays",)]
    assert asked(path, "SELECT number, name, backup FROM migration") == [
        (LAST, "new store", None),
        (LAST + 1, "mottos", BACKUP),
    ]
    assert content(tmp_path / BACKUP) == before
    with open_store(tmp_path / BACKUP) as backup:
        assert verify(backup) == []


@pytest.mark.parametrize("failing", [break_off, lose_bots])
def test_a_step_that_fails_leaves_the_store_as_it_was(tmp_path: Path, failing: Any) -> None:
    path = old_store(tmp_path)
    before = content(path)
    with pytest.raises(LedgerError) as caught:
        open_store(path, migrations=(*MIGRATIONS, Migration(LAST + 1, "broken", failing)))
    assert isinstance(caught.value, StoreDamaged) == (failing is lose_bots)
    assert content(path) == before
    with open_store(path) as store:
        assert verify(store) == []
        assert store.versions.find("crumb").number == 1


def test_steps_before_the_failing_one_are_kept(tmp_path: Path) -> None:
    path = old_store(tmp_path)
    steps = (*NEXT, Migration(LAST + 2, "broken", lose_bots))
    with pytest.raises(StoreDamaged):
        open_store(path, migrations=steps)
    assert asked(path, "PRAGMA user_version") == [(LAST + 1,)]
    open_store(path, migrations=NEXT).close()
    assert asked(tmp_path / BACKUP, "SELECT max(number) FROM migration") == [(LAST,)]


def test_a_table_that_others_refer_to_can_be_rebuilt(tmp_path: Path) -> None:
    path = old_store(tmp_path)
    with open_store(path, migrations=(*MIGRATIONS, Migration(LAST + 1, "bots", rebuild_bot))) as store:
        assert store.versions.find("ann/crumb").number == 1
        with store.changing() as connection:
            assert value(connection, "PRAGMA foreign_keys") == 1


def test_derived_tables_that_a_step_empties_are_folded_again(tmp_path: Path) -> None:
    path = old_store(tmp_path)
    with open_store(path) as store:
        before = store.ratings.digest("spring"), store.ratings.standings("spring")
    with open_store(path, migrations=(*MIGRATIONS, Migration(LAST + 1, "derived", empty_derived))) as store:
        assert (store.ratings.digest("spring"), store.ratings.standings("spring")) == before
        assert verify(store) == []


def test_reading_does_not_bring_a_store_up_to_date(tmp_path: Path) -> None:
    path = old_store(tmp_path)
    before = content(path)
    with pytest.raises(StoreTooOld, match=rf"version {LAST}.*version {LAST + 1}") as caught:
        open_store(path, readonly=True, migrations=NEXT)
    assert "backup" in caught.value.hint
    assert content(path) == before


def test_steps_are_numbered_from_two_to_the_version_without_gaps() -> None:
    assert [migration.number for migration in MIGRATIONS] == list(range(2, VERSION + 1))


def described(statements: Sequence[str]) -> dict[str, Any]:
    """Return the structure that statements make: columns, keys, references and indexes of every table."""
    raw = sqlite3.connect(":memory:")
    for statement in statements:
        raw.execute(statement)
    tables = {}
    for name, sql in raw.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"):
        indexes = []
        for _, index, unique, origin, partial in raw.execute(f"PRAGMA index_list({name!r})"):
            columns = raw.execute(f"PRAGMA index_info({index!r})").fetchall()
            (written,) = raw.execute(
                "SELECT max(sql) FROM sqlite_master WHERE type = 'index' AND name = ?", (index,)
            ).fetchone()
            where = written.partition(" WHERE ")[2] if written else ""
            indexes.append((unique, origin, partial, [column for _, _, column in columns], where))
        tables[name] = {
            "columns": [row[1:] for row in raw.execute(f"PRAGMA table_info({name!r})")],
            "references": sorted(row[2:5] for row in raw.execute(f"PRAGMA foreign_key_list({name!r})")),
            "indexes": sorted(indexes),
            "checks": sorted(re.findall(r"CHECK \((.+)\)", sql)),
            "compact": "WITHOUT ROWID" in sql,
        }
    raw.close()
    return tables


def test_the_steps_make_exactly_the_tables_of_the_program() -> None:
    """Of the first form, which is written down: stores of it exist, and a change goes into a new step."""
    with closing(Connection(":memory:")) as connection:
        create_tables(connection)
        made = [sql for (sql,) in connection.execute(_WRITTEN)]
    with closing(Connection(":memory:")) as connection:
        for statement in FIRST_FORM.read_text().split(";\n"):
            connection.execute(statement)
        for migration in MIGRATIONS:
            migration.apply(connection)
        stepped = [sql for (sql,) in connection.execute(_WRITTEN)]
    assert described(stepped) == described(made)

"""Bringing a store to a newer form: forward, whole or not at all, after a backup."""

import re
import sqlite3
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine

from results.errors import LedgerError, StoreDamaged, StoreTooOld
from results.store import open_store
from results.store.migrations import first_tables
from results.store.migrations.upgrade import MIGRATIONS, Migration
from results.store.tables import DERIVED, METADATA
from tests.results.ledgers import all_games, copy_rows, new_league, new_store, plan, played


def add_motto(connection: Connection) -> None:
    """Add a column and fill it from what is there, as a later version may."""
    connection.exec_driver_sql("ALTER TABLE author ADD COLUMN motto VARCHAR")
    connection.exec_driver_sql("UPDATE author SET motto = name || ' plays'")


def rebuild_bot(connection: Connection) -> None:
    """Make a table anew that others refer to."""
    connection.exec_driver_sql(
        "CREATE TABLE bot_new (id INTEGER PRIMARY KEY, author_id INTEGER, name VARCHAR)"
    )
    connection.exec_driver_sql("INSERT INTO bot_new SELECT id, author_id, name FROM bot")
    connection.exec_driver_sql("DROP TABLE bot")
    connection.exec_driver_sql("ALTER TABLE bot_new RENAME TO bot")


def empty_derived(connection: Connection) -> None:
    """Empty what is derived, to be folded again."""
    for table in DERIVED:
        connection.exec_driver_sql(f"DELETE FROM {table}")  # noqa: S608  # names of our own tables
    connection.exec_driver_sql("UPDATE progress SET next_match_no = 0")


def break_off(connection: Connection) -> None:
    """Fail when half of it is done."""
    add_motto(connection)
    connection.exec_driver_sql("DROP TABLE rating")
    connection.exec_driver_sql("INSERT INTO no_such_table VALUES (1)")


def lose_bots(connection: Connection) -> None:
    """Leave versions without their bot."""
    connection.exec_driver_sql("DELETE FROM bot")


LAST = len(MIGRATIONS)
NEXT = (*MIGRATIONS, Migration(LAST + 1, "mottos", add_motto))
BACKUP = f"arena.v{LAST}.backup.sqlite"
NOT_DERIVED = ("ruleset", "league", "entry", "match", "progress")


def old_store(folder: Path) -> Path:
    """Make a store of the last form with a bot and a league of two matches; return its path."""
    with new_store(folder) as store:
        store.versions.add("ann", "crumb", "a" * 64, {}, {})
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


def test_every_step_is_recorded(tmp_path: Path) -> None:
    path = old_store(tmp_path)
    rows = asked(path, "SELECT number, name, at, backup FROM migration")
    assert rows == [(step.number, step.name, "2026-01-31T12:00:00Z", None) for step in MIGRATIONS]
    assert asked(path, "PRAGMA user_version") == [(LAST,)]


def test_a_store_of_the_first_form_is_counted_anew(tmp_path: Path) -> None:
    """What the second form adds is filled from the ledger, and all else comes out the same."""
    with new_store(tmp_path, "made.sqlite") as store:
        league = new_league(store)
        matches = plan(store, league, (0, 1), (2, 3), games=2)
    open_store(tmp_path / "old.sqlite", create=True, migrations=MIGRATIONS[:1]).close()
    copy_rows(tmp_path / "made.sqlite", tmp_path / "old.sqlite", NOT_DERIVED)
    raw = sqlite3.connect(tmp_path / "old.sqlite")
    for table in ("rating", "entry_total", "seat_total", "pair_total"):
        columns = asked(tmp_path / "old.sqlite", f"PRAGMA table_info({table})")
        raw.execute(f"INSERT INTO {table} VALUES ({', '.join('1' for _ in columns)})")  # noqa: S608  # our own tables
    raw.commit()
    raw.close()
    with open_store(tmp_path / "old.sqlite") as store:
        assert store.verify() == [], "what was derived has been dropped"
        store.append(all_games(matches))
        assert store.verify() == []
    assert asked(tmp_path / "old.sqlite", "SELECT sum(matches), sum(games) FROM luck_total") == [(4, 8)]
    assert asked(tmp_path / "old.v1.backup.sqlite", "PRAGMA user_version") == [(1,)]


def test_leagues_of_the_second_form_with_a_seed_keep_the_first_derivation(tmp_path: Path) -> None:
    with new_store(tmp_path, "made.sqlite") as store:
        seeded, sealed = new_league(store), new_league(store, name="sealed", secret=None)
    open_store(tmp_path / "old.sqlite", create=True, migrations=MIGRATIONS[:2]).close()
    copy_rows(tmp_path / "made.sqlite", tmp_path / "old.sqlite", NOT_DERIVED)
    with open_store(tmp_path / "old.sqlite") as store:
        assert store.leagues.get(seeded.uuid).seed_derivation == 1
        assert store.leagues.get(sealed.uuid).seed_derivation is None
        assert store.verify() == []


def test_an_older_store_is_brought_up_to_date_after_a_backup(tmp_path: Path) -> None:
    path = old_store(tmp_path)
    before = content(path)
    with open_store(path, migrations=NEXT) as store:
        assert store.ratings.standings("spring")[0].matches == 1
    assert asked(path, "SELECT motto FROM author") == [("ann plays",)]
    assert asked(path, "SELECT number, name, backup FROM migration") == [
        *((step.number, step.name, None) for step in MIGRATIONS),
        (LAST + 1, "mottos", BACKUP),
    ]
    assert content(tmp_path / BACKUP) == before
    with open_store(tmp_path / BACKUP) as backup:
        assert backup.verify() == []


def test_a_new_store_takes_all_steps_without_a_backup(tmp_path: Path) -> None:
    open_store(tmp_path / "new.sqlite", create=True, migrations=NEXT).close()
    rows = asked(tmp_path / "new.sqlite", "SELECT number, backup FROM migration")
    assert rows == [(step.number, None) for step in NEXT]
    assert sorted(path.name for path in tmp_path.glob("*backup*")) == []


@pytest.mark.parametrize("failing", [break_off, lose_bots])
def test_a_step_that_fails_leaves_the_store_as_it_was(tmp_path: Path, failing: Any) -> None:
    path = old_store(tmp_path)
    before = content(path)
    with pytest.raises(LedgerError) as caught:
        open_store(path, migrations=(*MIGRATIONS, Migration(LAST + 1, "broken", failing)))
    assert isinstance(caught.value, StoreDamaged) == (failing is lose_bots)
    assert content(path) == before
    with open_store(path) as store:
        assert store.verify() == []
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
        with store.database.writing() as session:
            assert session.connection().exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_derived_tables_that_a_step_empties_are_folded_again(tmp_path: Path) -> None:
    path = old_store(tmp_path)
    with open_store(path) as store:
        before = store.ratings.digest("spring"), store.ratings.standings("spring")
    with open_store(path, migrations=(*MIGRATIONS, Migration(LAST + 1, "derived", empty_derived))) as store:
        assert (store.ratings.digest("spring"), store.ratings.standings("spring")) == before
        assert store.verify() == []


def test_reading_does_not_bring_a_store_up_to_date(tmp_path: Path) -> None:
    path = old_store(tmp_path)
    before = content(path)
    with pytest.raises(StoreTooOld, match=rf"version {LAST}.*version {LAST + 1}") as caught:
        open_store(path, readonly=True, migrations=NEXT)
    assert "backup" in caught.value.hint
    assert content(path) == before


def test_steps_are_numbered_from_one_without_gaps() -> None:
    assert [migration.number for migration in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


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
    made: list[str] = []
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        METADATA.create_all(connection)
        rows = connection.exec_driver_sql("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
        made += [sql for (sql,) in rows]
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        for migration in MIGRATIONS:
            migration.apply(connection)
        rows = connection.exec_driver_sql(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND type != 'view'"
        )
        stepped = [sql for (sql,) in rows]
    assert described(stepped) == described(made)


def test_the_first_form_never_changes() -> None:
    """Stores of this form exist: a change goes into a new step."""
    assert sha256("\n".join(first_tables.STATEMENTS).encode()).hexdigest() == (
        "e73d13f6995e349d5fbbd9f0faece99be327cc75527876ec1e1a716063dbf2c9"
    )


def test_versions_of_an_older_store_keep_their_hash_and_its_scheme(tmp_path: Path) -> None:
    open_store(tmp_path / "old.sqlite", create=True, migrations=MIGRATIONS[:2]).close()
    raw = sqlite3.connect(tmp_path / "old.sqlite")
    raw.execute("INSERT INTO author VALUES (1, 'ann', 'then')")
    raw.execute("INSERT INTO bot VALUES (1, 1, 'crumb')")
    raw.execute(
        "INSERT INTO version VALUES (1, 1, 1, ?, NULL, '{}', '{\"passed\": true}', 1, 'then')", ("a" * 64,)
    )
    raw.commit()
    raw.close()
    with open_store(tmp_path / "old.sqlite") as store:
        old = store.versions.find("ann/crumb")
        assert (old.sha256, old.hash_scheme, old.deterministic) == ("a" * 64, 1, True)
        assert store.versions.of_content("ann", "crumb", [(1, "a" * 64), (2, "b" * 64)]) == old
        assert store.versions.of_content("ann", "crumb", [(2, "a" * 64)]) is None
        new = store.versions.add("ann", "crumb", "b" * 64, {}, {})
        assert (new.number, new.hash_scheme) == (2, 2)

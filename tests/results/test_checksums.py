"""Rows are given checksums as they are written, and again as they are changed."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from results.records import EntrySpec
from results.store import Store
from results.store.schema.checked_rows import (
    GameChecksums,
    match_checksum,
    of_row,
    packed,
    seal_rows,
    state_of_match,
    unpacked,
)
from results.store.verification.verify import verify
from tests.results.every_row import store_of_every_row
from tests.support.ledgers import RULES, add_version

SEALED = ("author", "bot", "version", "ruleset", "league", "entry", "league_event", "attempt", "migration")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a store with rows in every table of the ledger."""
    return store_of_every_row(tmp_path)


def checksums(store: Store) -> dict[str, list[tuple[object, ...]]]:
    """Return every stored checksum and count."""
    raw = sqlite3.connect(store.path)
    found = {
        table: raw.execute(f"SELECT rowid, checksum FROM {table}").fetchall()  # noqa: S608  # our own tables
        for table in ("author", "bot", "version", "ruleset", "league", "command", "migration")
    }
    found |= {
        table: raw.execute(f"SELECT checksum FROM {table} ORDER BY 1").fetchall()  # noqa: S608  # our own tables
        for table in ("entry", "league_event", "attempt", "match")
    }
    found["game"] = raw.execute("SELECT match_no, rotation, checksums FROM game ORDER BY 1, 2").fetchall()
    found["row_count"] = raw.execute("SELECT * FROM row_count ORDER BY 1, 2").fetchall()
    raw.close()
    return found


def test_every_row_that_is_written_has_its_checksum_and_is_counted(store: Store) -> None:
    written = checksums(store)
    assert all(rows and None not in row for rows in written.values() for row in rows)
    assert verify(store) == []


def test_a_migration_can_seal_the_rows_that_it_has_changed(store: Store) -> None:
    written = checksums(store)
    with store.changing() as connection:
        for table in SEALED:
            connection.execute(f"UPDATE {table} SET checksum = NULL")  # noqa: S608  # our own tables
            seal_rows(connection, table)
    assert checksums(store) == written


def test_what_adding_rows_takes_is_loaded_before_others_have_to_wait(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = []

    def load() -> None:
        with closing(sqlite3.connect(store.path, timeout=0, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")  # nobody holds the lock
        loaded.append(True)

    monkeypatch.setattr("results.store.schema.checked_rows.prepare_adding", load)
    version = add_version(store, "cy", "heel", "12" * 32, {}, {})
    store.leagues.create("autumn", config={}, ruleset=RULES, entries=[EntrySpec("a", version.id)])
    store.leagues.casual()
    store.leagues.add_event("autumn", 0, "paused")
    store.entries.add("autumn", [EntrySpec("b", None)], 0)
    store.entries.replace("autumn", EntrySpec("c", None, predecessor=0), 0)
    store.entries.casual(EntrySpec("d", None))
    store.entries.retire("autumn", 1, 0)
    store.commands.add("7" * 36, "pause", "ann", "now", "done", "paused")
    with store.together():
        pass
    assert len(loaded) == 10


def test_changes_of_a_league_are_sealed_again(store: Store) -> None:
    before = checksums(store)["league"]
    store.leagues.set_state("spring", "stopped")
    stopped = checksums(store)["league"]
    store.leagues.reveal("spring")
    revealed = checksums(store)["league"]
    assert len({tuple(rows) for rows in (before, stopped, revealed)}) == 3


def test_every_table_of_the_ledger_has_rows_here(tmp_path: Path) -> None:
    store = store_of_every_row(tmp_path, segments=True)
    raw = sqlite3.connect(store.path)
    names = [name for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    empty = [name for name in names if not raw.execute(f"SELECT count(*) FROM {name}").fetchone()[0]]  # noqa: S608
    raw.close()
    assert empty == []


def test_a_row_has_another_checksum_when_a_value_or_its_type_differs() -> None:
    rows = [(1, "a"), (2, "a"), (1, "b"), (1, b"a"), (1.0, "a"), (1, None), ("1", "a"), (1, "a", None)]
    assert len({of_row(row) for row in rows}) == len(rows)


def test_checksums_of_a_game_come_back_whole_or_not_at_all() -> None:
    stored = packed(1, 0, [3, 4], [0, 6])
    assert unpacked(stored) == GameChecksums(1, 0, (3, 4), (0, 6))
    for at in range(len(stored)):
        assert unpacked(stored[:at] + bytes([stored[at] ^ 1]) + stored[at + 1 :]) is None
    assert unpacked(stored[:-1]) is unpacked(b"") is unpacked(None) is None


def test_the_checksum_of_a_match_tells_its_state() -> None:
    for step, state in enumerate(("planned", "done", "void")):
        assert match_checksum((1, 2, state), 2) == match_checksum((1, 2, "planned"), 2) + step
        assert state_of_match(match_checksum((1, 2, state), 2)) == state
    assert state_of_match(3) is None

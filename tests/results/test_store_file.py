"""Opening and making the file, and every way in which it may not be what was expected."""

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from results.base.errors import (
    LedgerError,
    NameRefused,
    NotAStore,
    StoreBusy,
    StoreDamaged,
    StoreFailed,
    StoreMissing,
    StoreTooNew,
)
from results.store import database, open_store, sqlite_file
from results.store.database import VERSION, has_columns, value
from results.store.verification.verify import verify
from tests.support.ledgers import new_league, new_store, plan, played


def test_a_store_is_made_only_when_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"
    for readonly in (False, True):
        with pytest.raises(StoreMissing, match="no store at") as caught:
            open_store(path, readonly=readonly)
        assert caught.value.exit_code == 2
    with pytest.raises(StoreMissing):
        open_store(path, create=True, readonly=True)
    assert list(tmp_path.iterdir()) == []
    open_store(path, create=True).close()
    open_store(path).close()
    open_store(path, create=True).close()


def test_its_folder_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing, match="no folder"):
        open_store(tmp_path / "none" / "arena.sqlite", create=True)


def test_it_is_an_ordinary_sqlite_file_in_wal_mode(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        new_league(store)
        raw = sqlite3.connect(store.path)
        assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert raw.execute("SELECT name FROM league").fetchall() == [("spring",)]
        raw.close()


def test_settings_of_every_connection(tmp_path: Path) -> None:
    with new_store(tmp_path) as store, store.changing() as connection:

        def pragma(name: str) -> object:
            return value(connection, f"PRAGMA {name}")

        assert pragma("foreign_keys") == 1
        assert pragma("synchronous") == 1
        assert pragma("busy_timeout") == 10_000


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize("readonly", [False, True])
def test_a_file_of_another_kind_is_refused_and_left_alone(
    tmp_path: Path, create: bool, readonly: bool
) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no database at all, and long enough to look like one of sixteen bytes\n" * 20)
    other = tmp_path / "other.sqlite"
    raw = sqlite3.connect(other)
    raw.execute("CREATE TABLE league (name TEXT)")
    raw.commit()
    raw.close()
    for path in (text, other, tmp_path):
        before = path.read_bytes() if path.is_file() else None
        with pytest.raises(NotAStore) as caught:
            open_store(path, create=create, readonly=readonly)
        assert str(path) in str(caught.value)
        assert caught.value.hint
        assert before is None or path.read_bytes() == before


def test_an_empty_file_is_a_store_only_when_one_is_to_be_made(tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"
    path.touch()
    with pytest.raises(NotAStore, match="empty"):
        open_store(path, readonly=True)
    open_store(path, create=True).close()
    open_store(path, readonly=True).close()


def test_a_file_whose_making_was_interrupted_is_made_on(tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA journal_mode = WAL")
    raw.close()
    with pytest.raises(NotAStore, match="no tables"):
        open_store(path)
    open_store(path, create=True).close()


def test_a_newer_store_is_refused_with_both_versions(tmp_path: Path) -> None:
    new_store(tmp_path).close()
    path = tmp_path / "arena.sqlite"
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA user_version = 99")
    raw.close()
    for readonly in (False, True):
        with pytest.raises(StoreTooNew, match=rf"version 99.*knows {VERSION}"):
            open_store(path, readonly=readonly)


def test_a_store_that_becomes_newer_while_open_is_written_to_no_more(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        raw = sqlite3.connect(store.path)
        raw.execute(f"PRAGMA user_version = {VERSION + 1}")
        raw.close()
        with pytest.raises(StoreTooNew):
            new_league(store)
        with pytest.raises(StoreTooNew):
            store.leagues.all()


def test_a_damaged_file_is_told_as_such(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        league = new_league(store)
        matches = plan(store, league, *[(0, 1)] * 200)
        store.append([played(match) for match in matches])
    path = tmp_path / "arena.sqlite"
    content = bytearray(path.read_bytes())
    for page in range(1, len(content) // 4096):
        content[page * 4096 : page * 4096 + 200] = os.urandom(200)
    path.write_bytes(content)
    with pytest.raises(StoreDamaged, match="damaged") as caught:
        open_store(path, readonly=True)
    assert "backup" in caught.value.hint


def test_nothing_is_written_through_a_store_opened_for_reading(tmp_path: Path) -> None:
    new_store(tmp_path).close()
    with (
        open_store(tmp_path / "arena.sqlite", readonly=True) as store,
        pytest.raises(LedgerError, match="for reading only"),
    ):
        new_league(store)


@pytest.mark.parametrize(
    ("name", "kind", "word"),
    [
        ("SQLITE_BUSY_SNAPSHOT", StoreBusy, "locked"),
        ("SQLITE_READONLY", StoreFailed, "can't be written to"),
        ("SQLITE_CANTOPEN", StoreFailed, "can't be opened"),
        ("SQLITE_IOERR_WRITE", StoreFailed, "disk failed"),
        ("SQLITE_ERROR", LedgerError, "no such table"),
    ],
)
def test_what_sqlite_refuses_is_told_in_words(name: str, kind: type[LedgerError], word: str) -> None:
    error = sqlite3.OperationalError("no such table: x")
    error.sqlite_errorname = name
    with pytest.raises(kind, match=word) as caught, database.translated(Path("a.sqlite")):
        raise error
    assert "a.sqlite" in str(caught.value)
    assert caught.value.hint


def test_a_store_of_another_version_is_named_as_one(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        league = new_league(store)
        plan(store, league, (0, 1))
        with store.changing() as connection:
            connection.execute("ALTER TABLE match DROP COLUMN deal_no")
        path = store.path
        for uses in (lambda: store.matches.all(league.uuid), lambda: verify(store), lambda: open_store(path)):
            with pytest.raises(StoreFailed, match=r"was made by another version of Arena.*deal_no") as caught:
                uses()
            assert "bug" not in str(caught.value.hint)


def test_who_opens_a_store_of_this_version_loads_no_declarations(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        assert has_columns(store.connections, store.path), "say the new hash in results/store/database.py"
    program = "import sys; from results.store import open_store; open_store(sys.argv[1]).close(); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program, store.path], check=True, capture_output=True, text=True
    )
    assert not {"sqlalchemy", "sqlmodel", "pydantic"} & set(done.stdout.split())


def test_a_full_disk_is_told_and_leaves_all_as_it_was(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        league = new_league(store)
        matches = plan(store, league, *[(0, 1)] * 40)
        with store.changing() as connection:
            pages = value(connection, "PRAGMA page_count")
            connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(StoreFailed, match="disk is full"):
            store.append([played(match) for match in matches])
        assert store.games.all(league.uuid) == []
        assert store.leagues.progress(league.uuid).games_done == 0
        with store.changing() as connection:
            connection.execute("PRAGMA max_page_count = 1000000")
        store.append([played(match) for match in matches])
        assert verify(store) == []


def test_a_writer_that_does_not_get_its_turn_is_told_who_to_wait_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_store(tmp_path).close()
    monkeypatch.setattr(sqlite_file, "BUSY_TIMEOUT_MS", 50)
    with open_store(tmp_path / "arena.sqlite") as store:
        raw = sqlite3.connect(store.path)
        raw.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy, match="locked by another process"):
            new_league(store)
        raw.rollback()
        raw.close()
        new_league(store)


def test_a_backup_is_a_whole_store_and_overwrites_nothing(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        league = new_league(store)
        matches = plan(store, league, (0, 1), (2, 3))
        store.append([played(match) for match in matches])
        store.backup(tmp_path / "copy.sqlite")
        with pytest.raises(NameRefused, match="exists already"):
            store.backup(tmp_path / "copy.sqlite")
        before = store.games.fingerprint(league.uuid)
    assert sorted(path.name for path in tmp_path.glob("copy*")) == ["copy.sqlite"]
    with open_store(tmp_path / "copy.sqlite", readonly=True) as copied:
        assert copied.games.fingerprint("spring") == before
        assert verify(copied) == []


def test_the_folder_beside_the_store(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        assert store.files == tmp_path / "arena.files"


def test_several_threads_may_read_while_one_writes(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        league = new_league(store)
        matches = plan(store, league, *[(0, 1)] * 60)

        def read(_: int) -> list[int]:
            return [store.leagues.progress("spring").matches_counted for _ in range(40)]

        with ThreadPoolExecutor(3) as threads:
            reading = [threads.submit(read, number) for number in range(3)]
            for match in matches:
                store.append([played(match)])
            for counts in (future.result() for future in reading):
                assert counts == sorted(counts)
        assert store.leagues.progress("spring").matches_counted == 60

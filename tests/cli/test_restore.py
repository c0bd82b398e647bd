"""`arena db restore`: a backup takes the place of a store, which is kept; what is no backup changes nothing."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from results.store import open_store
from results.store.store_lock import server_file, serving
from tests.support.holders import held_elsewhere
from tests.support.leagues import arena_here, write_league


@pytest.fixture(scope="module")
def backed_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a league that has not begun, and a backup of its store."""
    folder: Path = tmp_path_factory.mktemp("made")
    write_league(folder, rounds=1)
    assert arena_here("league", "create", "league.toml", cwd=folder).returncode == 0
    assert arena_here("db", "backup", "backup.sqlite", cwd=folder).returncode == 0
    return folder


@pytest.fixture
def folder(backed_up: Path, tmp_path: Path) -> Path:
    shutil.copytree(backed_up, tmp_path / "copy")
    return tmp_path / "copy"


def change(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as raw:
        for statement in statements:
            raw.execute(statement)
        raw.commit()


def labels(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as raw:
        return [label for (label,) in raw.execute("SELECT label FROM entry ORDER BY entry_no")]


def test_a_backup_into_a_folder_that_is_missing_is_refused_by_its_name(folder: Path) -> None:
    done = arena_here("db", "backup", "nowhere/backup.sqlite", cwd=folder)
    assert done.returncode == 2
    assert done.stderr == f"error: there is no folder {folder / 'nowhere'}\n  hint: create it first\n"


def test_the_store_is_as_the_backup_and_the_old_one_is_beside_it(folder: Path) -> None:
    change(folder / "arena.sqlite", "UPDATE entry SET label = 'nobody' WHERE entry_no = 1")
    done = arena_here("db", "restore", "backup.sqlite", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "check the restored store with: arena db verify\n")
    assert done.stdout == (
        "arena.sqlite: restored from backup.sqlite\nthe previous store is now arena.sqlite.before-restore-1\n"
    )
    assert labels(folder / "arena.sqlite") == ["pick0", "pick1", "pick2"]
    assert labels(folder / "arena.sqlite.before-restore-1") == ["pick0", "nobody", "pick2"]
    assert arena_here("db", "verify", cwd=folder).returncode == 0


def test_no_store_that_was_laid_aside_is_ever_overwritten(folder: Path) -> None:
    (folder / "arena.sqlite.before-restore-1").write_text("of old")
    (folder / "arena.sqlite.before-restore-2-wal").write_text("of old")
    for number in (3, 4):
        assert (
            f"arena.sqlite.before-restore-{number}\n"
            in arena_here("db", "restore", "backup.sqlite", cwd=folder).stdout
        )
    assert (folder / "arena.sqlite.before-restore-1").read_text() == "of old"
    assert (folder / "arena.sqlite.before-restore-2-wal").read_text() == "of old"


def test_changes_in_a_log_beside_the_store_stay_with_the_old_one(folder: Path) -> None:
    store = folder / "arena.sqlite"
    with closing(sqlite3.connect(store)) as other:  # open meanwhile, so that the log is not cleared up
        assert other.execute("SELECT count(*) FROM league").fetchone() == (1,)
        change(store, "UPDATE entry SET label = 'nobody' WHERE entry_no = 1")
        assert (folder / "arena.sqlite-wal").stat().st_size
        assert arena_here("db", "restore", "backup.sqlite", cwd=folder).returncode == 0
        assert labels(store) == ["pick0", "pick1", "pick2"]
        assert labels(folder / "arena.sqlite.before-restore-1")[1] == "nobody"


def test_a_file_that_is_no_store_any_more_or_gone_can_be_replaced(folder: Path) -> None:
    store = folder / "arena.sqlite"
    store.write_text("all is lost")
    (folder / "arena.sqlite-wal").write_text("this too")
    assert arena_here("db", "restore", "backup.sqlite", cwd=folder).returncode == 0
    assert (folder / "arena.sqlite.before-restore-1").read_text() == "all is lost"
    assert (folder / "arena.sqlite.before-restore-1-wal").read_text() == "this too"
    store.unlink()
    done = arena_here("db", "restore", "backup.sqlite", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "arena.sqlite: restored from backup.sqlite\n")
    assert labels(store) == ["pick0", "pick1", "pick2"]


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (None, "there is no file FILE"),
        ("", "FILE is empty"),
        ("no store" * 200, "FILE is not a store"),
        ("CREATE TABLE t (a)", "FILE is an SQLite file of another program"),
        ("PRAGMA user_version = 1000", "FILE was written by a newer program"),
        ("arena.sqlite", "FILE is the store itself"),
    ],
)
def test_what_is_no_backup_is_refused_and_nothing_changes(folder: Path, made: str | None, said: str) -> None:
    file = folder / "FILE"
    if made == "arena.sqlite":
        file.symlink_to(made)
    elif made and made.startswith("PRAGMA"):
        shutil.copy(folder / "backup.sqlite", file)
        change(file, made)
    elif made and made.startswith("CREATE"):
        change(file, made)
    elif made is not None:
        file.write_text(made)
    there = {path.name for path in folder.iterdir()}
    before = (folder / "arena.sqlite").read_bytes()
    done = arena_here("db", "restore", "FILE", cwd=folder)
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert "hint:" in done.stderr
    assert "Traceback" not in done.stderr
    assert (folder / "arena.sqlite").read_bytes() == before
    assert {path.name for path in folder.iterdir()} == there


def test_it_is_refused_while_a_league_runs(folder: Path) -> None:
    with held_elsewhere(folder / "arena.sqlite", "runs league test") as runner:
        done = arena_here("db", "restore", "backup.sqlite", cwd=folder)
    assert done.returncode == 1
    assert f"arena.sqlite is in use: process {runner.pid} runs league test" in done.stderr
    assert not list(folder.glob("*.before-restore-*"))
    assert arena_here("db", "restore", "backup.sqlite", cwd=folder).returncode == 0


def test_it_is_refused_while_a_server_is_there(folder: Path) -> None:
    with serving(folder / "arena.sqlite"):
        done = arena_here("db", "restore", "backup.sqlite", cwd=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"error: arena.sqlite is in use: process {os.getpid()} serves it\n"
        f"  hint: stop that first: end it with Ctrl-C or `kill {os.getpid()}`\n"
    )
    assert not list(folder.glob("*.before-restore-*"))
    assert not server_file(folder / "arena.sqlite").exists()
    assert arena_here("db", "restore", "backup.sqlite", cwd=folder).returncode == 0


def test_a_reader_of_the_store_leaves_no_more_files_beside_the_old_one(folder: Path) -> None:
    with open_store(folder / "arena.sqlite", readonly=True) as store:
        store.leagues.all()
        assert arena_here("db", "restore", "backup.sqlite", cwd=folder).returncode == 0
    assert [path.name for path in folder.glob("*.before-restore-*")] == ["arena.sqlite.before-restore-1"]


def test_the_command_that_checks_it_names_the_store(folder: Path) -> None:
    done = arena_here("db", "restore", "backup.sqlite", "--store", "an other.sqlite", cwd=folder)
    assert done.stderr == "check the restored store with: arena db verify --store 'an other.sqlite'\n"


def test_a_text_file_is_no_backup_and_a_backup_overwrites_nothing(folder: Path) -> None:
    done = arena_here("db", "restore", "league.toml", cwd=folder)
    assert done.returncode == 2
    assert "league.toml is not" in done.stderr
    assert "hint: name a file that `arena db backup` wrote" in done.stderr
    done = arena_here("db", "backup", "backup.sqlite", cwd=folder)
    assert (done.returncode, "backup.sqlite exists already" in done.stderr) == (2, True)


def test_a_league_whose_runner_was_killed_is_interrupted(folder: Path) -> None:
    change(folder / "arena.sqlite", "UPDATE league SET state = 'running' WHERE rated")
    done = arena_here("league", "list", cwd=folder)
    assert "interrupted" in done.stdout
    assert "go on with: arena run " in done.stderr
    assert '"state": "interrupted"' in arena_here("league", "list", "--format", "json", cwd=folder).stdout
    status = " ".join(arena_here("status", cwd=folder).stdout.split())
    assert "no runner plays it" in status
    assert "killed" not in status

"""Backups of everything: store, accounts and files of bots, together in a folder and back again."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.core.errors import UsageError
from arena.web.site_file import accounts
from arena.web.site_file.site_database import SiteFileError
from arena.web.upkeep.backups import NOTE, back_up, backups_in, restore_all
from results.base.errors import NotAStore
from tests.support.leagues import arena_here, write_league
from tests.support.web.visitors import browser, member, site_at


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("made")
    assert arena_here("league", "create", write_league(folder, rounds=1), cwd=folder).returncode == 0
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "here")
    return tmp_path / "here"


def test_a_whole_backup_brings_everything_back_and_ends_sessions(folder: Path) -> None:
    site = site_at(folder)
    client, _ = member(site, "ada")
    with site.file.writing() as db:
        token = accounts.invite(db, "bob", "author", "a test", site.file.now())
    backup = folder / "kept"
    done = arena_here("db", "backup", "--all", backup, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (backup / "arena.site.sqlite").stat().st_mode & 0o777 == 0o600
    assert backup.stat().st_mode & 0o777 == 0o700
    with site.file.writing() as db:
        accounts.close_account(db, "bob", site.file.now())
    shutil.rmtree(folder / "arena.files" / "versions")
    done = arena_here("db", "restore", backup, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "the previous accounts are now arena.site.sqlite.before-restore-1" in done.stdout
    assert arena_here("db", "verify", cwd=folder).returncode == 0
    with site.file.reading() as db:
        now = site.file.now()
        assert accounts.owner_of(db, token, now) is not None
        assert accounts.open_sessions(db, "ada", now) == []
    assert client.get("/account").status_code == 303
    assert browser(site).get("/").status_code == 200
    site.close()


def test_a_backup_can_go_to_another_place(folder: Path, tmp_path: Path) -> None:
    back_up(folder / "arena.sqlite", tmp_path / "kept")
    (tmp_path / "there").mkdir()
    done = arena_here("db", "restore", tmp_path / "kept", "--store", "other.sqlite", cwd=tmp_path / "there")
    assert done.returncode == 0, done.stderr
    assert arena_here("db", "verify", "--store", "other.sqlite", cwd=tmp_path / "there").returncode == 0


def test_two_backups_share_the_files_of_bots(folder: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "one", tmp_path / "two"
    store = folder / "arena.sqlite"
    assert back_up(store, first) > back_up(store, second)
    file = next((first / "arena.files" / "versions").glob("*/bot.toml"))
    assert file.samefile(second / file.relative_to(first))
    assert backups_in(tmp_path) == [first, second]


def test_a_backup_that_failed_leaves_nothing_and_what_is_none_changes_nothing(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "arena.site.sqlite").write_text("not a database, but long enough to be one" * 99)
    done = arena_here("db", "backup", "--all", tmp_path / "kept", cwd=folder)
    assert done.returncode == 1
    assert "is not an SQLite file" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here"]
    (tmp_path / "empty").mkdir()
    before = (folder / "arena.sqlite").read_bytes()
    for there in ("empty", "here"):
        assert arena_here("db", "restore", tmp_path / there, cwd=folder).returncode == 2
    assert arena_here("db", "backup", "--all", tmp_path / "empty", cwd=folder).returncode == 2
    (tmp_path / "empty" / NOTE).write_text('{"store": "../here/arena.sqlite"}')
    assert arena_here("db", "restore", tmp_path / "empty", cwd=folder).returncode == 2
    assert (folder / "arena.sqlite").read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("what", ["link", "note"])
def test_a_backup_that_somebody_prepared_is_refused_in_words(folder: Path, tmp_path: Path, what: str) -> None:
    made = tmp_path / "prepared"
    back_up(folder / "arena.sqlite", made)
    if what == "link":
        shutil.rmtree(made / "arena.files" / "versions", ignore_errors=True)
        (tmp_path / "private").mkdir()
        (tmp_path / "private" / "key").write_text("secret")
        (made / "arena.files").mkdir(exist_ok=True)
        (made / "arena.files" / "versions").symlink_to(tmp_path / "private")
    else:
        (made / NOTE).write_text("[" * 200_000)
        assert backups_in(tmp_path) == []
    with pytest.raises(UsageError, match="is a link" if what == "link" else "is not a backup"):
        restore_all(tmp_path / "new" / "arena.sqlite", made)
    assert not list(tmp_path.glob("new/**/key"))


HOSTILE = {
    "trigger": "CREATE TRIGGER more AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END",
    "view": "CREATE VIEW more AS SELECT * FROM {table}",
    "table": "CREATE TABLE more (a)",
    "index": "CREATE INDEX more ON {table} (1)",
}


@pytest.mark.parametrize(
    "kind", ["trigger", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("view", "table", "index"))]
)
@pytest.mark.parametrize(("name", "table"), [("arena.sqlite", "league"), ("arena.site.sqlite", "accounts")])
def test_a_backup_that_defines_more_than_arena_does_is_refused_before_anything_is_replaced(
    folder: Path, tmp_path: Path, kind: str, name: str, table: str
) -> None:
    site_at(folder).file.prepare()
    back_up(folder / "arena.sqlite", tmp_path / "kept")
    with closing(sqlite3.connect(tmp_path / "kept" / name)) as prepared:
        prepared.execute(HOSTILE[kind].format(table=table))
    before = {path: path.read_bytes() for path in folder.glob("*.sqlite")}
    with pytest.raises(
        (NotAStore, SiteFileError), match=rf"kept/{name} has a {kind} 'more' that Arena hasn't"
    ):
        restore_all(folder / "arena.sqlite", tmp_path / "kept")
    assert all(path.read_bytes() == content for path, content in before.items())
    assert not list(folder.glob("*restor*"))


def test_a_changed_table_in_a_backup_is_refused(folder: Path, tmp_path: Path) -> None:
    back_up(folder / "arena.sqlite", tmp_path / "kept")
    with closing(sqlite3.connect(tmp_path / "kept" / "arena.sqlite")) as prepared:
        prepared.execute("ALTER TABLE author ADD COLUMN more DEFAULT 1")
    with pytest.raises(NotAStore, match="a table 'author' that Arena hasn't made"):
        restore_all(folder / "arena.sqlite", tmp_path / "kept")


def test_a_server_refuses_accounts_with_a_trigger(tmp_path: Path) -> None:
    file = site_at(tmp_path).file
    file.prepare()
    with closing(sqlite3.connect(file.path)) as prepared:
        prepared.execute(HOSTILE["trigger"].format(table="accounts"))
    with pytest.raises(SiteFileError, match="a trigger 'more'"):
        file.prepare()


def test_programs_in_a_backup_never_run_as_whoever_restores_it(folder: Path, tmp_path: Path) -> None:
    back_up(folder / "arena.sqlite", tmp_path / "kept")
    place = tmp_path / "kept" / "arena.files" / "versions" / "0123"
    place.mkdir(parents=True)
    (place / "bot").touch()
    (place / "bot").chmod(0o6777)
    restore_all(folder / "arena.sqlite", tmp_path / "kept")
    assert (folder / "arena.files" / "versions" / "0123" / "bot").stat().st_mode & 0o7777 == 0o700

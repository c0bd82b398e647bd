"""Versions of SQLite with the WAL-reset bug are told from those without."""

import sqlite3
from pathlib import Path

import pytest

from results.store import bug_warning, new_bug_warning
from results.store.sqlite_file import has_wal_reset_bug
from tests.support.leagues import arena_here, write_league


@pytest.mark.parametrize(
    ("version", "has_bug"),
    [
        ((3, 6, 23), False),
        ((3, 7, 0), True),
        ((3, 44, 5), True),
        ((3, 44, 6), False),
        ((3, 45, 0), True),
        ((3, 50, 6), True),
        ((3, 50, 7), False),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 52, 0), False),
        ((4, 0, 0), False),
    ],
)
def test_the_versions_with_the_bug(version: tuple[int, int, int], has_bug: bool) -> None:
    assert has_wal_reset_bug(version) is has_bug


@pytest.mark.parametrize(("version", "warned"), [((3, 51, 2), True), ((3, 51, 3), False)])
def test_a_warning_is_new_once_for_each_store_and_each_sqlite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int], warned: bool
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    monkeypatch.setattr(sqlite3, "sqlite_version", ".".join(map(str, version)))
    assert (bug_warning() is not None) is warned
    assert [new_bug_warning(tmp_path) is not None for _ in range(2)] == [warned, False]
    monkeypatch.setattr(sqlite3, "sqlite_version", "3.51.1")
    assert (new_bug_warning(tmp_path) is not None) is warned


@pytest.mark.slow
def test_only_the_doctor_and_a_server_warn_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 51, 2))
    monkeypatch.setattr(sqlite3, "sqlite_version", "3.51.2")
    monkeypatch.setattr("arena.web.http.server.Server.answer", lambda _: None)
    warning = "has a bug that can damage a file"
    assert arena_here("doctor", "--format", "json", cwd=tmp_path).stdout.count(warning) == 1
    write_league(tmp_path, rounds=1)
    for words in (
        ["league", "create", "league.toml"],
        ["run", "test", "--executor", "serial", "--sandbox", "off"],
    ):
        done = arena_here(*words, cwd=tmp_path)
        assert done.returncode == 0
        assert warning not in done.stderr, "a runner alone is the only writer"
    served = [
        arena_here("serve", "--port", "0", "--no-run", "--no-uploads", cwd=tmp_path).stderr for _ in range(2)
    ]
    assert [text.count(warning) for text in served] == [1, 0], served

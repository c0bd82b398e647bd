"""Versions of SQLite with the WAL-reset bug are told from those without."""

import sqlite3
from pathlib import Path

import pytest

from results.store import bug_warning, new_bug_warning
from results.store.sqlite_bug import has_wal_reset_bug
from tests.league.running import arena_here, write_league


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "warned"), [((3, 51, 2), True), pytest.param((3, 51, 3), False, marks=pytest.mark.slow)]
)
def test_a_runner_and_doctor_warn_of_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int], warned: bool
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
    monkeypatch.setattr(sqlite3, "sqlite_version", ".".join(map(str, version)))
    assert (bug_warning() is not None) is warned
    doctor = " ".join(arena_here("doctor", cwd=tmp_path).stdout.split())
    assert doctor.count("has a bug that can damage a file") == warned
    write_league(tmp_path, rounds=1)
    created = arena_here("league", "create", "league.toml", cwd=tmp_path)
    run = arena_here("league", "run", "--executor", "serial", "--sandbox", "off", cwd=tmp_path)
    assert "has a bug" not in created.stderr, "only runners warn"
    assert " ".join(run.stderr.split()).count("has a bug that can damage a file") == warned, run.stderr
    again = arena_here("league", "run", "--executor", "serial", "--sandbox", "off", cwd=tmp_path)
    assert "has a bug" not in again.stderr, "once for each store"
    with monkeypatch.context() as other:
        other.setattr(sqlite3, "sqlite_version", "3.51.1")
        assert (new_bug_warning(tmp_path / "arena.files") is not None) is warned, "and for each SQLite"

"""Commands on a store with damaged settings or missing versions say so, and end without a traceback."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.support.leagues import arena_here, write_league

COMMANDS = (
    ("rankings",),
    ("league", "list"),
    ("league", "show", "test"),
    ("run", "test"),
    ("stats",),
    ("matrix",),
    ("history",),
    ("faults",),
    ("bots",),
    ("replay", "list"),
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a league that has not begun."""
    folder: Path = tmp_path_factory.mktemp("sound")
    write_league(folder, rounds=1)
    assert arena_here("league", "create", "league.toml", cwd=folder).returncode == 0
    return folder


@pytest.fixture
def created(sound: Path, tmp_path: Path) -> Path:
    """Return a copy of the folder that may be damaged."""
    shutil.copytree(sound, tmp_path, dirs_exist_ok=True)
    return tmp_path


def damage(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "arena.sqlite")) as raw:
        raw.execute(statement)
        raw.commit()


def told(folder: Path, *command: str) -> CompletedProcess[str]:
    """Run a command, which must not raise."""
    done = arena_here(*command, cwd=folder)
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert "hint:" in done.stderr, done.stderr
    return done


@pytest.mark.parametrize(
    "config",
    ["no json", *(pytest.param(text, marks=pytest.mark.slow) for text in ("{}", "[]", '{"game": 5}'))],
)
def test_a_damaged_league_file_is_named(created: Path, config: str) -> None:
    damage(created, f"UPDATE league SET config = '{config}'")  # noqa: S608  # our own texts
    for command in COMMANDS:
        done = told(created, *command)
        if command == ("run", "test"):
            assert done.returncode in (1, 2)
            assert "db verify" in done.stderr
    assert "table league" in arena_here("db", "verify", cwd=created).stderr


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE league SET name = CAST(x'ff' AS TEXT)",
        "UPDATE entry SET args = 'no json'",
        *(
            pytest.param(change, marks=pytest.mark.slow)
            for change in (
                "UPDATE version SET manifest = 'no json'",
                "UPDATE version SET manifest = '{}'",
                "UPDATE version SET manifest = '[]'",
                "UPDATE league SET rating_options = ''",
                "UPDATE ruleset SET options = '{'",  # which does not stop a run
            )
        ),
    ],
)
def test_other_damage_is_told_too(created: Path, change: str) -> None:
    damage(created, change)
    for command in COMMANDS:
        told(created, *command)
    assert arena_here("db", "verify", cwd=created).returncode == 1


def test_a_version_that_is_gone_stops_a_run_with_the_entry_named(created: Path) -> None:
    damage(created, "DELETE FROM version WHERE id = 2")
    done = told(created, "run", "test")
    assert done.returncode == 2
    assert "the version of pick1 is missing from the store" in done.stderr
    assert (
        "table version has 2 rows, and 3 by table row_count; missing: 2"
        in arena_here("db", "verify", cwd=created).stderr
    )

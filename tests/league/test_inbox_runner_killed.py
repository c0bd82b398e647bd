"""A runner that is killed while it takes commands up: each takes effect once, none is lost."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from arena.league.changes.submitted_versions import Submit
from arena.league.inbox.dispatch import command_for
from arena.league.inbox.files import inbox_folder, leave
from arena.submissions.entering import submission_of
from arena.submissions.kept_version_files import versions_folder
from results.store import open_store
from tests.support.leagues import arena_here, create_here, kill_9, simple, start, write_bot, write_league
from tests.support.submissions import take_in


def submitted(folder: Path, name: str) -> None:
    """Leave a submission in the inbox, as `arena submit` does once the bot has passed its check."""
    with open_store(folder / "arena.sqlite", readonly=True) as store:
        candidate = take_in(write_bot(folder, name, simple(1)), store)
        submission = submission_of(candidate, versions_folder(store), {"any": {}}, deterministic=True)
        leave(store.files, command_for(Submit.of(submission, ())))


def taken_up(folder: Path) -> int:
    with closing(sqlite3.connect(f"file:{folder / 'arena.sqlite'}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM command").fetchone()[0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kills", "executor"),
    [
        pytest.param(1, "serial", marks=pytest.mark.gate),
        pytest.param(12, "processes", marks=pytest.mark.slow),
    ],
)
def test_each_submission_is_entered_once_though_the_runner_is_killed(
    tmp_path: Path, kills: int, executor: str
) -> None:
    create_here(write_league(tmp_path, rounds=10_000, pause_ms=1))
    options = ("--executor", executor, *(("--workers", "1") if executor == "processes" else ()))
    random, left = Random(3), 0
    for _ in range(kills):
        running = start("run", "test", *options, "--sandbox", "off", cwd=tmp_path)
        before = taken_up(tmp_path)
        while taken_up(tmp_path) < before + 2:
            assert running.poll() is None
            if left < before + 8:
                submitted(tmp_path, f"new{left}")
                left += 1
            time.sleep(random.random() / 50)
        kill_9(running)
    done = arena_here("bots", "--format", "json", cwd=tmp_path)  # reading takes nothing up
    assert done.returncode == 0
    write_bot(tmp_path, "last", simple(2), game="bread-basket")
    assert arena_here("submit", "last", "--sandbox", "off", cwd=tmp_path).returncode == 0, (
        "who writes takes up the rest"
    )
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        names = [version.reference for version in store.versions.all(author="tests")]
        assert sorted(name for name in names if "/new" in name) == sorted(
            f"tests/new{n}@1" for n in range(left)
        )
        records = store.commands.newest(1_000)
        assert [record.outcome for record in records] == ["done"] * left
        assert not [path for path in inbox_folder(store.files).iterdir() if path.is_file()]
    assert arena_here("db", "verify", cwd=tmp_path).returncode == 0

"""The file in which a runner notes what it does is untrusted: whatever is in it, readers take it or leave it."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from results.base.runner_notes import MOST_BYTES
from results.store import files_beside, holding, runner_of
from results.store.beside_store import FILE_NAME, read_notes, write_notes
from tests.support.ledgers import AT, notes


def as_json(**changed: Any) -> bytes:
    return json.dumps(
        {"version": 1, "pid": 1, "does": "", "since": AT, "written_at": AT, "league": None, **changed}
    ).encode()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "arena.sqlite"
    files_beside(path).mkdir()
    return path


def test_what_is_written_is_read_again(store: Path) -> None:
    assert write_notes(files_beside(store), notes())
    assert read_notes(files_beside(store)) == notes()
    assert [path.name for path in files_beside(store).iterdir()] == [FILE_NAME]


def test_fields_of_a_newer_version_are_ignored(store: Path) -> None:
    (files_beside(store) / FILE_NAME).write_bytes(as_json(added_later=1))
    assert read_notes(files_beside(store)) is not None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"\xff\xfe",
        b'{"version": 1',
        b"[" * 100_000,
        b'{"a":' * 50_000,
        as_json(version=2),
        as_json(pid="1"),
        as_json(pid=-1),
        as_json(since="yesterday"),
        as_json(since=AT + "\n"),
        as_json(does="x" * 100_000),
        as_json(games=-1),
        as_json(games_per_s=1e300),
        b'{"games_per_s": NaN, ' + as_json()[1:],
        as_json(playing=[{}]),
        as_json(errors=[{"what": "x", "at": AT}] * 1000),
        as_json(padding="x" * MOST_BYTES),
    ],
    ids=lambda content: repr(content[:20]),
)
def test_anything_else_is_no_notes(store: Path, content: bytes) -> None:
    (files_beside(store) / FILE_NAME).write_bytes(content)
    assert read_notes(files_beside(store)) is None


def test_what_is_no_plain_file_is_not_opened(store: Path, tmp_path: Path) -> None:
    place = files_beside(store) / FILE_NAME
    os.mkfifo(place)
    assert read_notes(files_beside(store)) is None
    place.unlink()
    place.mkdir()
    assert read_notes(files_beside(store)) is None
    place.rmdir()
    target = tmp_path / "elsewhere"
    target.write_bytes(as_json())
    place.symlink_to(target)
    assert read_notes(files_beside(store)) is None


def test_a_link_where_the_file_grows_is_not_followed(store: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.write_bytes(b"mine")
    (files_beside(store) / f".{FILE_NAME}.part").symlink_to(target)
    assert write_notes(files_beside(store), notes())
    assert target.read_bytes() == b"mine"


def test_the_notes_are_those_of_the_process_that_holds_the_lock(store: Path) -> None:
    store.touch()
    write_notes(files_beside(store), notes(pid=os.getpid() + 1))
    runner = runner_of(store)
    assert runner.was_killed
    assert runner.notes is not None
    with holding(store, "serves leagues"):
        assert runner_of(store).is_running
        assert runner_of(store).notes is None, "an earlier runner's"
        write_notes(files_beside(store), notes())
        assert runner_of(store).notes == notes()
    with holding(store):
        runner = runner_of(store)
        assert runner.was_killed
        assert not runner.is_running


def test_without_a_lock_and_notes_there_is_no_runner(store: Path) -> None:
    runner = runner_of(store)
    assert (runner.holder, runner.notes, runner.is_running, runner.was_killed) == (None, None, False, False)
    assert list(files_beside(store).iterdir()) == [], "looking creates nothing"


def test_a_dead_holder_whose_notes_are_old_is_no_runner(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.touch()
    write_notes(files_beside(store), notes())
    with holding(store, "serves leagues"):
        monkeypatch.setattr("results.store.beside_store.has_ended", lambda _: True)
        assert runner_of(store).is_running, "in a container, processes have other numbers"
        os.utime(files_beside(store) / FILE_NAME, (time.time() - 60,) * 2)
        assert runner_of(store).was_killed

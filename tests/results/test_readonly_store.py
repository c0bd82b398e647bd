"""A store that can't be written to can be read: by an ordinary user, and on a read-only file system."""

import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from results.base.errors import StoreBusy, StoreFailed
from results.store import open_store
from results.store.verification.verify import verify
from tests.results.every_row import store_of_every_row
from tests.support.leagues import arena_here, write_league
from tests.support.sandbox import as_ordinary_user

COMMANDS = (
    ("rankings",),
    ("league", "list"),
    ("stats",),
    ("matrix",),
    ("history",),
    ("faults",),
    ("faults", "--platform"),
    ("bots",),
    ("replay", "list"),
    ("db", "digest"),
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder that everybody may look into, with a store; its files and itself are read-only."""
    place = Path(tempfile.mkdtemp(prefix="arena-readonly-"))
    try:
        store_of_every_row(place).close()
        assert [path.name for path in place.iterdir()] == ["arena.sqlite"]
        close_to_writing(place)
        yield place
    finally:
        place.chmod(0o755)
        shutil.rmtree(place)


def close_to_writing(place: Path) -> None:
    for path in place.iterdir():
        path.chmod(0o444)
    place.chmod(0o555)


def read_all(path: Path) -> list[Any]:
    with open_store(path, readonly=True) as store:
        return [
            store.ratings.standings("spring"),
            store.games.all("spring"),
            store.leagues.all(),
            verify(store),
        ]


def test_every_reading_command_works_in_a_folder_of_somebody_else(folder: Path) -> None:
    def run_all() -> list[tuple[int, str, str]]:
        done = [arena_here(*command, cwd=folder) for command in COMMANDS]
        return [(one.returncode, one.stdout, one.stderr) for one in done]

    before = run_all()  # as whoever we are, which also loads what the commands need
    assert {code for code, _, _ in before} == {0}
    for left in folder.glob("arena.sqlite-*"):
        left.unlink()
    assert as_ordinary_user(run_all) == before
    assert [path.name for path in folder.iterdir()] == ["arena.sqlite"]


def test_what_is_read_is_the_same(folder: Path) -> None:
    before = read_all(folder / "arena.sqlite")
    assert before[-1] == []
    assert as_ordinary_user(lambda: read_all(folder / "arena.sqlite")) == before


def test_a_writer_elsewhere_is_seen(folder: Path) -> None:
    """Where somebody has the store open and his files are there, they are read; locks work as ever."""
    folder.chmod(0o755)
    (folder / "arena.sqlite").chmod(0o644)
    with open_store(folder / "arena.sqlite") as writer:
        writer.leagues.set_state("spring", "stopped")
        folder.chmod(0o555)
        assert (folder / "arena.sqlite-wal").stat().st_size > 0

        def state() -> str:
            with open_store(folder / "arena.sqlite", readonly=True) as store:
                return store.leagues.get("spring").state

        assert as_ordinary_user(state) == "stopped"
        folder.chmod(0o755)


def test_changes_that_are_not_in_the_file_yet_are_never_passed_over(folder: Path) -> None:
    folder.chmod(0o755)
    (folder / "arena.sqlite").chmod(0o644)
    raw = sqlite3.connect(folder / "arena.sqlite")
    raw.execute("UPDATE league SET name = 'autumn' WHERE name = 'spring'")
    raw.commit()
    log = (folder / "arena.sqlite-wal").read_bytes()
    raw.close()
    (folder / "arena.sqlite-wal").write_bytes(log)
    close_to_writing(folder)
    with pytest.raises(StoreFailed, match=r"arena\.sqlite-wal next to it holds changes") as caught:
        as_ordinary_user(lambda: read_all(folder / "arena.sqlite"))
    assert "arena db backup" in caught.value.hint


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can write where the reader can't")
def test_a_file_that_is_written_to_meanwhile_is_not_believed(folder: Path) -> None:
    path = folder / "arena.sqlite"
    (asked, ask), (answered, answer) = os.pipe(), os.pipe()

    def disturbed() -> None:
        with open_store(path, readonly=True) as store:
            assert store.leagues.get("spring").name == "spring"
            with store.reading():
                os.write(ask, b"x")
                os.read(answered, 1)

    writer = os.fork()
    if not writer:
        os.read(asked, 1)
        path.write_bytes(path.read_bytes())
        os.write(answer, b"x")
        os._exit(0)
    with pytest.raises(StoreBusy, match="changed while it was being read"):
        as_ordinary_user(disturbed)
    os.waitpid(writer, 0)


def test_a_file_that_may_not_be_read_is_told(folder: Path) -> None:
    (folder / "arena.sqlite").chmod(0o000)
    with pytest.raises(StoreFailed, match=r"can't be opened|can't be read"):
        as_ordinary_user(lambda: read_all(folder / "arena.sqlite"))
    (folder / "arena.sqlite").chmod(0o444)
    folder.chmod(0o000)
    with pytest.raises(StoreFailed, match="can't be opened"):
        as_ordinary_user(lambda: read_all(folder / "arena.sqlite"))


def test_writing_is_refused_in_words(folder: Path) -> None:
    def write() -> None:
        with open_store(folder / "arena.sqlite") as store:
            store.leagues.set_state("spring", "stopped")

    with pytest.raises(StoreFailed, match="you have no write permission for this file") as caught:
        as_ordinary_user(write)
    assert f"chmod u+w {folder / 'arena.sqlite'}" in caught.value.hint
    assert "copy arena.sqlite and arena.files" in caught.value.hint
    (folder / "arena.sqlite").chmod(0o666)
    with pytest.raises(StoreFailed, match=f"you have no write permission for the folder {folder}"):
        as_ordinary_user(write)
    with pytest.raises(
        StoreFailed, match=f"new.sqlite can't be made: you have no write permission for the folder {folder}"
    ):
        as_ordinary_user(lambda: open_store(folder / "new.sqlite", create=True))
    assert [path.name for path in folder.iterdir()] == ["arena.sqlite"]


def on_read_only_file_system(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a command in a folder whose file system is read-only: root may write into any other folder."""
    mounted = 'mount --bind . . && mount -o remount,ro,bind . && cd . && cd "$PWD"'
    if (
        os.geteuid()
        or subprocess.run(
            ["unshare", "--mount", "sh", "-c", mounted], cwd=folder, capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("this machine lets nobody mount a folder read-only here")
    return subprocess.run(
        [
            "unshare",
            "--mount",
            "sh",
            "-c",
            f"{mounted} && ! touch probe && {shlex.join([sys.executable, '-m', 'arena', *arguments])}",
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.slow
def test_a_store_on_a_read_only_file_system(folder: Path) -> None:
    done = on_read_only_file_system(folder, "rankings")
    assert done.returncode == 0, done.stderr
    assert "spring" in done.stdout
    with closing(sqlite3.connect(folder / "arena.sqlite")) as raw:
        assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.slow
def test_what_writes_says_that_the_file_system_is_read_only(folder: Path) -> None:
    for command in (["run", "test"], ["db", "rebuild"]):
        done = on_read_only_file_system(folder, *command)
        assert done.returncode == 1
        told = " ".join(done.stderr.split())
        assert f"the file system of {folder / 'arena.sqlite'} is mounted read-only" in told
        assert "commands that only read still work; to continue, copy arena.sqlite and arena.files" in told


@pytest.mark.slow
def test_a_league_is_refused_there_before_its_bots_are_copied(folder: Path) -> None:
    folder.chmod(0o755)
    write_league(folder, rounds=1)
    close_to_writing(folder)
    done = on_read_only_file_system(folder, "league", "create", "league.toml")
    assert "arena.sqlite can't be written to: the file system of" in done.stderr
    done = on_read_only_file_system(folder, "league", "create", "league.toml", "--store", "new.sqlite")
    assert "new.sqlite can't be made: the file system of" in done.stderr
    assert "pass a writable path with --store" in done.stderr

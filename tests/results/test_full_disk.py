"""A full disk is called full, with the place, and loses nothing; after room is made the league goes on."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from results.base.errors import StoreFailed, StoreFull
from results.store import open_store
from results.store.database import translated, value
from results.store.verification.verify import verify
from tests.support.leagues import arena, arena_here, write_league
from tests.support.ledgers import new_league, new_store, plan, played

MAY_MOUNT = (
    shutil.which("unshare") is not None
    and os.geteuid() == 0
    and subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, check=False
    ).returncode
    == 0
)


def failed(name: str) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorname = name
    return error


@pytest.mark.parametrize("name", ["SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_WRITE", "SQLITE_CANTOPEN"])
def test_a_failing_write_is_for_lack_of_room_where_a_little_more_can_not_be_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arena.sqlite"
    with pytest.raises(StoreFailed) as caught, translated(path):
        raise failed(name)
    assert not isinstance(caught.value, StoreFull)
    monkeypatch.setattr("results.store.sqlite_file._is_full", lambda folder: folder == tmp_path)
    with pytest.raises(StoreFull, match="the disk is full") as caught, translated(path):
        raise failed(name)
    assert str(path) in str(caught.value)
    assert "on the file system /" in str(caught.value)
    assert "make room" in caught.value.hint or "quota" in str(caught.value)


def test_a_full_folder_for_temporary_files_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    monkeypatch.setattr("results.store.sqlite_file._is_full", lambda folder: folder == tmp_path / "scratch")
    with (
        pytest.raises(StoreFull, match=r"where temporary files are made \(TMPDIR\)"),
        translated(tmp_path / "a"),
    ):
        raise failed("SQLITE_FULL")


def test_what_is_half_written_when_the_disk_is_full_is_not_there(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        league = new_league(store)
        matches = plan(store, league, *[(0, 1)] * 40)
        store.append([played(matches[0])])
        with store.changing() as connection:
            pages = value(connection, "PRAGMA page_count")
            connection.execute(f"PRAGMA max_page_count = {pages}")
        for _ in range(2):
            with pytest.raises(
                StoreFull, match=r"the disk is full, though .* MB are free on the file system /"
            ):
                store.append([played(match) for match in matches[1:]])
        assert [game.match_no for game in store.games.all(league.uuid)] == [0]
        assert verify(store) == []
        with store.changing() as connection:
            connection.execute("PRAGMA max_page_count = 1000000")
        store.append([played(match) for match in matches])
        assert store.leagues.progress(league.uuid).games_done == 40
        assert verify(store) == []


def within(folder: Path, size: str, script: str) -> subprocess.CompletedProcess[str]:
    """Run a shell script in a small file system in memory that ends with it; what is in the folder is copied there."""
    return subprocess.run(
        [
            *("unshare", "--mount", "sh", "-c"),
            f"set -e; mount -t tmpfs -o size={size} tmpfs /mnt; cp -r . /mnt; cd /mnt; {script}",
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path.cwd()), "arena": f"{sys.executable} -m arena"},
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )


@pytest.mark.skipif(not MAY_MOUNT, reason="only root can make a small file system")
@pytest.mark.slow
def test_a_store_on_a_full_disk_can_be_read_and_says_so_when_written_to(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        new_league(store)
    fill = "dd if=/dev/zero of=filler bs=1k 2>/dev/null || true"
    done = within(tmp_path, "2m", f"{fill}; $arena league list; $arena db rebuild || echo code $?")
    assert "spring" in done.stdout, done.stderr
    assert "code 1" in done.stdout
    assert "error: arena.sqlite: the disk is full: 0.0 MB are free on the file system /mnt" in done.stderr
    assert "make room there" in done.stderr
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        assert store.leagues.get("spring")


@pytest.mark.slow
@pytest.mark.skipif(not MAY_MOUNT, reason="only root can make a small file system")
def test_a_league_goes_on_once_there_is_room_and_comes_to_the_same(tmp_path: Path) -> None:
    write_league(tmp_path, rounds=30)
    assert arena_here("league", "create", "league.toml", cwd=tmp_path).returncode == 0
    run = "$arena run test --sandbox off --workers 1"
    done = within(
        tmp_path,
        "900k",
        f"{run} 2>first || echo code $?; $arena db verify; mount -o remount,size=40m /mnt; {run} >table; "
        "$arena db verify; $arena db digest; cat first >&2",
    )
    assert done.returncode == 0, done.stderr
    assert "code 5" in done.stdout
    assert "the disk is full" in done.stderr
    assert "continue with: arena run test" in done.stderr
    first, second = [
        line for line in done.stdout.splitlines() if "verified: everything matches the ledger" in line
    ]
    assert 0 < int(first.split("(")[1].split()[0]) < 90
    assert second.endswith("(90 games)")
    arena("run", "test", "--sandbox", "off", cwd=tmp_path)
    undisturbed = json.loads(arena("db", "digest", cwd=tmp_path).stdout)
    assert json.loads(done.stdout[done.stdout.index("{") :]) == undisturbed


@pytest.mark.slow
@pytest.mark.skipif(not MAY_MOUNT, reason="only root can make a small file system")
def test_a_runner_of_all_leagues_stops_on_a_full_disk_and_so_does_the_next(tmp_path: Path) -> None:
    file = write_league(tmp_path, rounds=30)
    (tmp_path / "other.toml").write_text(file.read_text().replace('"test"', '"other"'))
    for name in ("league.toml", "other.toml"):
        assert arena_here("league", "create", name, cwd=tmp_path).returncode == 0
    run = "$arena run --sandbox off --workers 1"
    done = within(
        tmp_path,
        "1200k",
        f"{run} 2>first || echo code $?; {run} 2>/dev/shm/arena-second-$$ || echo code $?; $arena db verify; "
        # What a stopped run leaves of a WAL has room for a command: it goes when the next run has ended.
        f"mount -o remount,size=40m /mnt; {run} other >table; cat /dev/zero >rest 2>/dev/null || true; "
        "$arena league pause test 2>/dev/null || echo refused; rm rest; "
        f"{run} test >table; $arena db verify; $arena db digest test; "
        "cat first /dev/shm/arena-second-$$ >&2; rm /dev/shm/arena-second-$$",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("code 5") == 2, done.stdout + done.stderr
    assert done.stderr.count("the disk is full") == 2
    assert "Traceback" not in done.stderr
    assert "continue with: arena run" in done.stderr
    assert "refused" in done.stdout
    first, second = [
        line for line in done.stdout.splitlines() if "verified: everything matches the ledger" in line
    ]
    assert second.endswith("(180 games)")
    assert 0 < int(first.split("(")[1].split()[0]) < 180
    arena("run", "test", "--sandbox", "off", cwd=tmp_path)
    undisturbed = json.loads(arena("db", "digest", "test", cwd=tmp_path).stdout)
    assert json.loads(done.stdout[done.stdout.index("{") :]) == undisturbed

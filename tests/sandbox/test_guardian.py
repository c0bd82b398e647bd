"""The guardian ends what a runner left that could not clear up itself, and is gone then."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.sandbox.guardian import Guardian
from arena.sandbox.survivors import find_marked
from tests.players.bench import new_token
from tests.sandbox.inside import DAEMON, marked
from tests.waiting import eventually


def test_told_that_all_is_well_it_goes_and_touches_nothing(tmp_path: Path) -> None:
    token = new_token()
    child = marked(f"{token}/1")
    try:
        (tmp_path / "file").touch()
        with Guardian(token, tmp_path) as guardian:
            assert guardian._process is not None
            assert guardian._process.poll() is None
        assert guardian._process.returncode == 0
        assert child.poll() is None
        assert (tmp_path / "file").exists()
    finally:
        child.kill()
        child.wait()


def test_no_list_of_processes_shows_the_token(tmp_path: Path) -> None:
    token = new_token()
    with Guardian(token, tmp_path) as guardian:
        assert guardian._process is not None
        place = Path(f"/proc/{guardian._process.pid}")
        assert eventually(lambda: b"arena.sandbox.guardian" in (place / "cmdline").read_bytes())
        for shown in ("cmdline", "environ"):
            assert token.encode() not in (place / shown).read_bytes()


def test_without_a_token_it_ends_nobody(tmp_path: Path) -> None:
    child = marked(f"{new_token()}/1")
    try:
        guardian = [sys.executable, "-m", "arena.sandbox.guardian", str(tmp_path)]
        assert subprocess.run(guardian, stdin=subprocess.DEVNULL, check=False).returncode == 0
        assert child.poll() is None
        assert tmp_path.exists()
    finally:
        child.kill()
        child.wait()


def test_it_does_the_same_after_an_error_as_the_runner_lives(tmp_path: Path) -> None:
    def fail(guardian: Guardian) -> None:
        with guardian:
            raise ZeroDivisionError

    guardian = Guardian(new_token(), tmp_path)
    with pytest.raises(ZeroDivisionError):
        fail(guardian)
    assert guardian._process is not None
    assert guardian._process.returncode == 0
    assert tmp_path.exists()


def test_when_the_pipe_ends_without_a_word_it_ends_everything(tmp_path: Path) -> None:
    token, folder = new_token(), tmp_path / "run"
    (folder / "deep" / "er").mkdir(parents=True)
    guardian = Guardian(token, folder)
    daemon = marked(f"{token}/3", DAEMON)
    daemon.wait()
    assert eventually(lambda: find_marked(token))
    os.close(guardian._pipe)  # as the kernel does for a runner that is killed
    assert guardian._process is not None
    assert guardian._process.wait() == 0
    assert find_marked(token) == []
    assert not folder.exists()


def test_what_it_holds_is_held_until_everything_is_ended(tmp_path: Path) -> None:
    def is_free() -> bool:
        with (tmp_path / "lock").open() as again:
            try:
                fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        guardian = Guardian(new_token(), tmp_path / "run", (lock.fileno(),))
    assert not is_free()
    os.close(guardian._pipe)
    assert guardian._process is not None
    assert guardian._process.wait() == 0
    assert is_free()


def test_it_finds_the_packages_where_this_process_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path, str(Path(__file__).parents[2])])
    guardian = Guardian(new_token(), tmp_path / "run")
    (tmp_path / "run").mkdir()
    os.close(guardian._pipe)
    assert guardian._process is not None
    assert guardian._process.wait() == 0
    assert not (tmp_path / "run").exists()


def test_it_holds_no_descriptor_of_the_runners_and_its_pipe_is_handed_to_nobody(tmp_path: Path) -> None:
    with Guardian(new_token(), tmp_path) as guardian:
        child = subprocess.Popen(["sleep", "600"], close_fds=False)
        try:
            assert guardian._process is not None
            mine = Path(f"/proc/self/fd/{guardian._pipe}").readlink()
            held = [descriptor.readlink() for descriptor in Path(f"/proc/{child.pid}/fd").iterdir()]
            assert mine not in held
        finally:
            child.kill()
            child.wait()


def test_a_guardian_that_cannot_be_started_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    with pytest.raises(OSError, match="no-python"):
        Guardian("token", tmp_path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before

"""The guardian ends what a runner left that could not clear up itself, and is gone then."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.sandbox.run_folder import Guardian
from arena.sandbox.survivors import find_marked
from tests.support.sandbox import DAEMON, guardians, marked
from tests.support.tables import new_token
from tests.support.waiting import eventually


class Runner:
    """A process with a guardian, which the test kills."""

    def __init__(self, token: str, folder: Path, held: tuple[int, ...] = ()) -> None:
        ready, tells = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            try:
                with Guardian(token, folder, held):
                    os.write(tells, b"ready")
                    signal.pause()
            finally:
                os._exit(1)
        os.close(tells)
        with os.fdopen(ready, "rb") as told:
            assert told.read(5) == b"ready"
        (self.guardian,) = guardians(folder)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def test_told_that_all_is_well_it_goes_and_touches_nothing(tmp_path: Path) -> None:
    token = new_token()
    child = marked(f"{token}/1")
    try:
        (tmp_path / "file").touch()
        with Guardian(token, tmp_path):
            assert guardians(tmp_path)
        assert not guardians(tmp_path)
        assert child.poll() is None
        assert (tmp_path / "file").exists()
    finally:
        child.kill()
        child.wait()


def test_no_list_of_processes_shows_the_token(tmp_path: Path) -> None:
    token = new_token()
    with Guardian(token, tmp_path):
        assert eventually(lambda: guardians(tmp_path))
        (pid,) = guardians(tmp_path)
        for shown in ("cmdline", "environ"):
            assert token.encode() not in Path(f"/proc/{pid}/{shown}").read_bytes()


def test_without_a_token_it_ends_nobody(tmp_path: Path) -> None:
    child = marked(f"{new_token()}/1")
    try:
        guardian = [sys.executable, "-m", "arena.sandbox.run_folder", str(tmp_path)]
        assert subprocess.run(guardian, stdin=subprocess.DEVNULL, check=False).returncode == 0
        assert child.poll() is None
        assert tmp_path.exists()
    finally:
        child.kill()
        child.wait()


def test_it_does_the_same_after_an_error_as_the_runner_lives(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), Guardian(new_token(), tmp_path):
        raise ZeroDivisionError
    assert not guardians(tmp_path)
    assert tmp_path.exists()


def test_when_the_runner_is_killed_it_ends_everything(tmp_path: Path) -> None:
    token, folder = new_token(), tmp_path / "run"
    (folder / "deep" / "er").mkdir(parents=True)
    runner = Runner(token, folder)
    daemon = marked(f"{token}/3", DAEMON)
    daemon.wait()
    assert eventually(lambda: find_marked(token))
    runner.kill()
    assert eventually(lambda: not guardians(folder))
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
        runner = Runner(new_token(), tmp_path / "run", (lock.fileno(),))
    os.kill(runner.guardian, signal.SIGSTOP)
    runner.kill()
    assert not is_free()
    os.kill(runner.guardian, signal.SIGCONT)
    assert eventually(lambda: not guardians(tmp_path / "run"))
    assert eventually(is_free)  # its command line goes before its open files


def test_it_finds_the_packages_where_this_process_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path, str(Path(__file__).parents[2])])
    (tmp_path / "run").mkdir()
    Runner(new_token(), tmp_path / "run").kill()
    assert eventually(lambda: not (tmp_path / "run").exists())


def test_it_holds_no_descriptor_of_the_runners_and_its_pipe_is_handed_to_nobody(tmp_path: Path) -> None:
    with Guardian(new_token(), tmp_path):
        (guardian,) = guardians(tmp_path)
        pipe = Path(f"/proc/{guardian}/fd/0").readlink()
        child = subprocess.Popen(["sleep", "600"], close_fds=False)
        try:
            held = [descriptor.readlink() for descriptor in Path(f"/proc/{child.pid}/fd").iterdir()]
            assert pipe not in held
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

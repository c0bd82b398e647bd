"""Runners that end in any way leave no process and no file behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from arena.core.errors import UsageError
from arena.sandbox.bot_program import Bounds
from arena.sandbox.cgroups import PREFIX, BotGroup, Delegation, find_delegation, hand_on
from arena.sandbox.confinement import choose
from arena.sandbox.survivors import find_marked
from tests.support.matches import bots_running
from tests.support.sandbox import guardians
from tests.support.waiting import PATIENCE_S, eventually

ROOT = Path(__file__).parents[2]
EITHER = ["processes", pytest.param("serial", marks=pytest.mark.slow)]


@contextmanager
def runner(how: str, folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a runner in a process group of its own, with its temporary files below the folder."""
    (folder / "tmp").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.executors.runner", how, str(folder)],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder / "tmp")},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def token_of(folder: Path) -> str:
    """Return the token of the run, without the worker's part."""
    (told,) = folder.glob("0-*")
    return told.read_text().partition("/")[0]


@pytest.mark.parametrize("how", EITHER)
def test_a_killed_runner_leaves_nothing_behind(how: str, tmp_path: Path) -> None:
    with runner(how, tmp_path) as process:
        assert eventually((tmp_path / "ready").exists)
        token = token_of(tmp_path)
        children = [child.pid for child in psutil.Process(process.pid).children(recursive=True)]
        assert eventually(lambda: len(find_marked(token)) == 2), "the child and the daemon"
        assert len(guardians(tmp_path / "tmp")) == 1
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert eventually(lambda: not find_marked(token))
        assert eventually(lambda: not guardians(tmp_path / "tmp"))
        assert eventually(lambda: not [pid for pid in children if is_running(pid)])
        assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("how", [pytest.param("processes", marks=pytest.mark.gate), "serial"])
def test_what_a_runner_leaves_that_was_killed_with_its_guardian_the_next_run_sweeps(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with runner(how, tmp_path) as process:
        assert eventually((tmp_path / "ready").exists)
        token = token_of(tmp_path)
        (guardian,) = guardians(tmp_path / "tmp")
        os.kill(guardian, signal.SIGSTOP)  # so that it does not begin while the runner dies
        process.send_signal(signal.SIGKILL)
        process.wait()
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
        choose("off", Bounds())
        assert list((tmp_path / "tmp").iterdir()), "the guardian still holds it"
        os.kill(guardian, signal.SIGKILL)
        assert eventually(lambda: not guardians(tmp_path / "tmp"))
        assert list((tmp_path / "tmp").iterdir())
        assert find_marked(token)
        assert eventually(lambda: choose("off", Bounds()) and not list((tmp_path / "tmp").iterdir()))
        assert find_marked(token) == []


@pytest.mark.gate
@pytest.mark.slow
def test_a_runner_killed_among_real_games_leaves_no_bot_behind(tmp_path: Path) -> None:
    with runner("league", tmp_path) as process:
        assert eventually((tmp_path / "ready").exists)
        assert len(bots_running(tmp_path)) > 3, "bots, and daemons of theirs"
        processes = [child.pid for child in psutil.Process(process.pid).children(recursive=True)]
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert eventually(lambda: not bots_running(tmp_path))
        assert eventually(lambda: not [pid for pid in processes if is_running(pid)])
        assert eventually(lambda: not list((tmp_path / "tmp").iterdir()))


@pytest.mark.slow
@pytest.mark.parametrize("killed", ["a worker", "the runner", "the runner and its guardian"])
def test_no_control_group_of_a_bot_is_left(
    killed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        delegation = find_delegation()
        hand_on(delegation)
        BotGroup(delegation, f"test-{os.getpid()}", Bounds()).remove()
    except (OSError, UsageError) as error:
        pytest.skip(f"no group of version 2 can be made here: {error}")
    with runner("grouped", tmp_path) as process:
        assert eventually((tmp_path / "ready").exists)
        outer = psutil.Process(process.pid)
        ours = [child for child in outer.children() if "spawn_main" in " ".join(child.cmdline())]
        assert len(ours) == 2
        (folder,) = (tmp_path / "tmp").iterdir()
        token = (folder / "lock").read_text()
        assert eventually(lambda: groups_of(delegation, f"{token}-0-"))
        if killed == "a worker":
            ours[0].kill()
            assert eventually(lambda: groups_of(delegation, f"{token}-2-")), "another one in its place"
            assert groups_of(delegation, f"{token}-1-")
            assert eventually(
                lambda: not groups_of(delegation, f"{token}-0-") or not groups_of(delegation, f"{token}-1-")
            )
            assert process.poll() is None
        elif killed == "the runner and its guardian":
            (guardian,) = guardians(tmp_path / "tmp")
            os.kill(guardian, signal.SIGSTOP)
            process.kill()
            os.kill(guardian, signal.SIGKILL)
            process.wait()
            assert eventually(lambda: not guardians(tmp_path / "tmp"))
            assert groups_of(delegation, token)
            monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
            assert eventually(lambda: choose("off", Bounds()) and not list((tmp_path / "tmp").iterdir()))
            assert not groups_of(delegation, token)
        process.kill()
        process.wait()
        assert eventually(lambda: not groups_of(delegation, token))
        assert eventually(lambda: not bots_running(tmp_path))


def groups_of(delegation: Delegation, token: str) -> list[Path]:
    """Return the groups of bots whose token begins so."""
    return list(delegation.folder.glob(f"{PREFIX}{token}*"))


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.slow
def test_an_error_of_whoever_takes_results_ends_the_run(tmp_path: Path) -> None:
    with runner("fail", tmp_path) as process:
        _, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 1
        assert b"the taker of results failed" in said
        token = (tmp_path / "0").read_text().partition("/")[0]
        assert eventually(lambda: not find_marked(token))
        assert eventually(lambda: not guardians(tmp_path / "tmp"))
        assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.slow
def test_interrupts_are_left_to_the_runner(tmp_path: Path) -> None:
    with runner("deaf", tmp_path) as process:
        assert eventually((tmp_path / "ready").exists)
        while process.poll() is None:  # all the way through, the start of the workers above all
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                os.killpg(process.pid, number)
            time.sleep(0.01)
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.returncode == 0
    assert (tmp_path / "results").read_text() == "100"
    assert int((tmp_path / "heard").read_text()) > 3


@pytest.mark.slow
def test_ends_of_children_that_nobody_is_told_of_are_seen_all_the_same(tmp_path: Path) -> None:
    with runner("childless", tmp_path) as process:
        assert process.wait(PATIENCE_S) == 0
    assert (tmp_path / "results").read_text() == "Done Lost Done Done"

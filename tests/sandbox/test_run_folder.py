"""Folders of killed runs are swept; nothing else is, whatever it is called."""

import fcntl
import gc
import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from arena.sandbox.run_folder import LOCK, PROBE, RUN, RunFolder, sweep_dead
from arena.sandbox.survivors import find_marked
from tests.support.sandbox import DAEMON, marked, needs_root
from tests.support.waiting import eventually

TOKEN = secrets.token_hex(8)
HOLD = """
import sys
from arena.sandbox.run_folder import RunFolder
folder = RunFolder("0" * 16)
print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder for temporary files of its own."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def left(place: Path, name: str = f"{RUN}left", token: str = TOKEN) -> Path:
    """Make a folder as a killed run leaves it."""
    folder = place / name
    folder.mkdir(mode=0o700)
    (folder / LOCK).write_text(token)
    (folder / "0" / "arena-bots-1").mkdir(parents=True)
    return folder


def test_what_a_killed_run_has_left_is_removed(place: Path) -> None:
    left(place)
    left(place, f"{PROBE}left", token="")
    assert sweep_dead() == 2
    assert list(place.iterdir()) == []


def test_what_lives_is_left_alone(place: Path) -> None:
    with RunFolder(TOKEN) as folder, RunFolder("", PROBE) as other:
        assert sweep_dead() == 0
        assert folder.path.is_dir()
        assert other.path.is_dir()
    assert list(place.iterdir()) == []


def test_the_lock_ends_with_its_process_and_not_before(place: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        env={**os.environ, "TMPDIR": str(place), "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert owner.stdout is not None
    folder = Path(owner.stdout.readline().decode().strip())
    assert sweep_dead() == 0
    owner.kill()
    owner.communicate()
    assert folder.is_dir()
    assert sweep_dead() == 1
    assert not folder.exists()


def test_what_still_bears_the_runs_token_is_killed(place: Path) -> None:
    left(place)
    daemon = marked(f"{TOKEN}/0/x", DAEMON)
    daemon.wait()
    assert eventually(lambda: find_marked(TOKEN))
    sweep_dead()
    assert find_marked(TOKEN) == []


@pytest.mark.parametrize(
    "token",
    ["", TOKEN[:4], "g" * 16, TOKEN + "0", f"{TOKEN[:-1]}\n"],
    ids=["none", "short", "letters", "long", "newline"],
)
def test_what_is_no_token_of_a_run_kills_nobody(place: Path, token: str) -> None:
    stranger = marked(f"{TOKEN}/0/x")
    try:
        folder = left(place, token=token)
        sweep_dead()
        assert not folder.exists()
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_link_is_not_followed(place: Path, tmp_path: Path) -> None:
    victim = left(tmp_path, "victim")
    (place / f"{RUN}link").symlink_to(victim)
    assert sweep_dead() == 0
    assert (victim / LOCK).exists()


def test_links_within_are_removed_and_what_they_lead_to_stays(place: Path, tmp_path: Path) -> None:
    victim = left(tmp_path, "victim")
    (left(place) / "0" / "link").symlink_to(victim)
    assert sweep_dead() == 1
    assert (victim / LOCK).exists()


@pytest.mark.parametrize("mode", [0o755, 0o777, 0o1777, 0o500])
def test_a_folder_that_is_not_closed_to_others_is_none_of_ours(place: Path, mode: int) -> None:
    folder = left(place)
    folder.chmod(mode)
    assert sweep_dead() == 0
    assert (folder / LOCK).exists()
    folder.chmod(0o700)


@needs_root
def test_another_users_folder_is_none_of_ours(place: Path) -> None:
    folder = left(place)
    os.chown(folder, 65534, 65534)
    assert sweep_dead() == 0
    os.chown(folder, 0, 0)
    os.chown(folder / LOCK, 65534, 65534)
    assert sweep_dead() == 0
    assert (folder / LOCK).exists()


def test_a_folder_without_a_lock_file_stays(place: Path) -> None:
    folder = left(place)
    (folder / LOCK).unlink()
    assert sweep_dead() == 0
    (folder / LOCK).symlink_to(place / "elsewhere")
    assert sweep_dead() == 0
    (folder / LOCK).unlink()
    (folder / LOCK).mkdir()
    assert sweep_dead() == 0
    (folder / LOCK).rmdir()
    os.mkfifo(folder / LOCK)
    assert sweep_dead() == 0
    assert folder.is_dir()


def test_files_and_other_names_stay(place: Path) -> None:
    (place / f"{RUN}file").touch()
    other = left(place, "arena-else")
    assert sweep_dead() == 0
    assert other.is_dir()


def test_of_two_that_sweep_one_does(place: Path) -> None:
    folder = left(place)
    with (folder / LOCK).open() as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert sweep_dead() == 0
    assert sweep_dead() == 1


def test_no_folder_no_trouble(tmp_path: Path) -> None:
    assert sweep_dead(tmp_path / "nowhere") == 0


def test_a_folder_that_cannot_be_made_whole_is_not_left(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.write", full)
    gc.collect()  # what other tests left open
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(OSError, match="No space left"):
        RunFolder(TOKEN)
    assert list(place.iterdir()) == []
    assert len(list(Path("/proc/self/fd").iterdir())) <= before

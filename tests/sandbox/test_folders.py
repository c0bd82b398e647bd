"""Folders are emptied and removed whatever a bot left in them, and nothing outside them is touched."""

import os
import subprocess
import sys
from math import inf
from pathlib import Path
from typing import Any

import psutil
import pytest

from arena.sandbox import folder_removal
from arena.sandbox.folder_removal import empty, remove_tree

PROCESS = psutil.Process()
DEEP = 1_200
"""Levels: more than Python recurses, and a path longer than any system call takes."""


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir(mode=0o750)
    (folder / "precious").write_text("mine")
    return folder


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def dig(folder: Path, levels: int) -> None:
    """Nest folders below one, each with a file in it."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("below", dir_fd=here)
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
        below = os.open("below", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


def test_files_and_folders_go(scratch: Path) -> None:
    (scratch / "a").write_text("x")
    (scratch / "b" / "c" / "d").mkdir(parents=True)
    (scratch / "b" / "c" / "e").write_text("y")
    os.mkfifo(scratch / "pipe")
    inode = scratch.stat().st_ino
    empty(scratch)
    assert list(scratch.iterdir()) == []
    assert scratch.stat().st_ino == inode, "the folder itself stays: a bot may be at home in it"


def test_what_links_lead_to_stays(scratch: Path, outside: Path) -> None:
    (scratch / "folder").symlink_to(outside)
    (scratch / "file").symlink_to(outside / "precious")
    (scratch / "in").mkdir()
    (scratch / "in" / "deeper").symlink_to(outside)
    (scratch / "hard").hardlink_to(outside / "precious")
    empty(scratch)
    assert list(scratch.iterdir()) == []
    assert (outside / "precious").read_text() == "mine"
    assert outside.stat().st_mode & 0o777 == 0o750


def test_a_link_in_place_of_the_folder_is_replaced_by_a_folder(scratch: Path, outside: Path) -> None:
    scratch.rmdir()
    scratch.symlink_to(outside)
    empty(scratch)
    assert scratch.is_dir()
    assert not scratch.is_symlink()
    assert (outside / "precious").exists()


def test_a_missing_folder_and_a_file_in_its_place_are_mended(scratch: Path) -> None:
    scratch.rmdir()
    empty(scratch)
    assert scratch.is_dir()
    scratch.rmdir()
    scratch.write_text("no folder")
    empty(scratch)
    assert scratch.is_dir()


def test_depth_costs_nothing(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is: the folders opened are counted, not the seconds."""
    opened, most_at_once, before = 0, 0, PROCESS.num_fds()
    opens = os.open

    def counted(*arguments: Any, **named: Any) -> int:
        nonlocal opened, most_at_once
        descriptor = opens(*arguments, **named)
        opened += 1
        if opened % 100 == 0:
            most_at_once = max(most_at_once, PROCESS.num_fds() - before)
        return descriptor

    monkeypatch.setattr(folder_removal, "EMPTY_S", inf)
    monkeypatch.setattr(folder_removal, "REMOVE_S", inf)
    for remove in (empty, remove_tree):
        dig(scratch, DEEP)
        opened = 0
        with monkeypatch.context() as patch:
            patch.setattr(os, "open", counted)
            remove(scratch)
        assert DEEP < opened <= 2 * DEEP + 10, "once on the way down, once on the way up"
        assert list(scratch.parent.rglob("below")) == []
    assert not scratch.exists()
    assert 0 < most_at_once < 10


LOCKED = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from arena.sandbox.folder_removal import empty, remove_tree
scratch = Path(sys.argv[1])
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
(scratch / "a" / "b").mkdir(parents=True)
(scratch / "a" / "b" / "c").write_text("x")
for path, mode in (("a/b", 0), ("a", 0o500), (".", 0)):
    (scratch / path).chmod(mode)
empty(scratch)
assert list(scratch.iterdir()) == []
(scratch / "d").mkdir(mode=0)
scratch.chmod(0)
remove_tree(scratch)
assert not scratch.exists()
"""


def test_permissions_taken_away_are_no_obstacle_to_a_plain_user() -> None:
    # In a process of its own that is nobody: the superuser is stopped by no permission.
    place = Path("/tmp") / f"arena-test-{os.getpid()}"  # noqa: S108 - where nobody may go
    scratch = place / "scratch"
    scratch.mkdir(parents=True)
    place.chmod(0o777)
    scratch.chmod(0o777)
    if os.getuid() == 0:
        os.chown(scratch, 65534, 65534)
    root = Path(__file__).parents[2]
    try:
        done = subprocess.run(
            [sys.executable, "-c", LOCKED, str(scratch), str(root)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    finally:
        remove_tree(place)


def test_a_bot_that_makes_files_for_ever_is_not_waited_for(
    scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed = os.unlink

    def remove_and_make_another(name: str, *, dir_fd: int) -> None:
        removed(name, dir_fd=dir_fd)
        os.close(os.open(f"{name}x", os.O_CREAT | os.O_WRONLY, dir_fd=dir_fd))
        if len(name) > 100:
            os.rename(f"{name}x", "a", src_dir_fd=dir_fd, dst_dir_fd=dir_fd)

    monkeypatch.setattr(folder_removal, "EMPTY_S", 0.05)
    monkeypatch.setattr(os, "unlink", remove_and_make_another)
    (scratch / "a").write_text("x")
    with pytest.raises(OSError, match="created as fast"):
        empty(scratch)


def test_removing_what_is_not_there_is_nothing(tmp_path: Path, outside: Path) -> None:
    remove_tree(tmp_path / "nothing")
    (tmp_path / "link").symlink_to(outside)
    remove_tree(tmp_path / "link")
    assert not (tmp_path / "link").is_symlink()
    assert (outside / "precious").exists()

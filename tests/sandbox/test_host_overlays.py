"""Folders of the host through overlays: which can be had, and what becomes of them when something goes wrong."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from msgspec.structs import replace

from arena.sandbox.bot_program import Bounds
from arena.sandbox.shared_folder_overlays import PATH, Overlays, OverlayTools
from tests.support.sandbox import (
    IS_ROOT,
    PATIENCE_S,
    SLOT,
    Sandbox,
    needs_bwrap,
    open_folder,
    overlaid,
    sandbox,
)

pytestmark = needs_bwrap
LOCKS = "import fcntl\nfcntl.flock(open('/usr/bin/env'), fcntl.LOCK_EX | fcntl.LOCK_NB)\nprint('locked')"


@pytest.fixture
def inside() -> Iterator[Sandbox]:
    with (
        open_folder() as place,
        overlaid(sandbox(place, "root" if IS_ROOT else "ordinary user")) as inside,
    ):
        yield inside


def overlays_of(inside: Sandbox) -> Overlays:
    assert inside.overlays is not None
    return inside.overlays


def test_when_the_namespaces_are_gone_the_next_bot_has_new_ones(inside: Sandbox) -> None:
    overlays = overlays_of(inside)
    assert inside.run(LOCKS) == "locked"
    first = overlays.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    psutil.Process(first).wait(PATIENCE_S)
    assert inside.run(LOCKS) == "locked"
    assert overlays.pid not in (None, first)


def test_a_folder_with_other_file_systems_in_it_has_no_overlay(inside: Sandbox) -> None:
    """It would not show them."""
    overlays = overlays_of(inside)
    assert overlays.folder(SLOT, Path("/dev")) is None
    assert overlays.folder(SLOT, Path("/nowhere")) is None
    assert overlays.folder(SLOT, Path("/usr")) is not None


@pytest.mark.parametrize("name", ["with space", "a,b:c", "it's", 'a"b', "a\nb", "$(touch x)", "-o", "a\\b"])
def test_names_of_folders_are_only_names(inside: Sandbox, name: str) -> None:
    overlays = overlays_of(inside)
    folder = inside.place / name
    folder.mkdir()
    (folder / "file").write_text("contents")
    shown = overlays.folder(SLOT, folder)
    assert shown is not None
    seen = Path(f"/proc/{overlays.pid}/root") / shown.relative_to("/") / "file"
    assert seen.read_text() == "contents"


BY_MOUNT = """
mount -t tmpfs -o mode=0755,size=1m tmpfs "$PLACE" && cd "$PLACE" && mkdir empty devices
for name in full null random tty urandom zero; do
    touch devices/$name && mount --bind /dev/$name devices/$name && mount -o remount,bind,ro devices/$name
done
mkdir scratch-1 scratch-1/own scratch-1/shared
mount -t tmpfs -o mode=1777,nosuid,nodev,size=4096k,nr_inodes=50 tmpfs scratch-1/own
mount -t tmpfs -o mode=1777,nosuid,nodev,size=2048k,nr_inodes=50 tmpfs scratch-1/shared
mkdir 0 && mount --bind /usr 0 && mkdir 0-1 && mount -t overlay -o ro,lowerdir=empty:0 overlay 0-1
mkdir workshop-2 && mount -t tmpfs -o mode=0755,nosuid,nodev,size=8192k,nr_inodes=40 tmpfs workshop-2
cat /proc/self/mountinfo
"""


def mounts_below(place: Path, mountinfo: str) -> dict[str, tuple[str, ...]]:
    """Return, by path below a place, what a mount is: its root, its options, its file system and that one's options."""
    found = {}
    for line in mountinfo.splitlines():
        own, _, system = line.partition(" - ")
        _, _, _, root, target, options, *_ = own.split()
        if Path(target).is_relative_to(place):
            found[str(Path(target).relative_to(place))] = (root, options, *system.split())
    return found


def test_mounts_are_those_that_mount_makes(inside: Sandbox) -> None:
    overlays = overlays_of(inside)
    assert overlays.folder(1, Path("/usr")) is not None
    overlays.scratch(1, replace(Bounds(), scratch_bytes=4 << 20, shared_bytes=2 << 20, scratch_files=50))
    overlays.workshop(8 << 20, 40)
    tools, other = overlays._tools, inside.place / "by-mount"
    other.mkdir()
    user = () if tools.as_root else ("--user", "--map-current-user", "--keep-caps")
    by_mount = subprocess.run(
        [tools.unshare, "--mount", "--propagation", "private", *user, "--", "/bin/sh", "-ec", BY_MOUNT],
        env={"PATH": PATH, "PLACE": str(other)},
        capture_output=True,
        text=True,
        check=True,
    )
    own = mounts_below(inside.place / "overlays", Path(f"/proc/{overlays.pid}/mountinfo").read_text())
    assert own == mounts_below(other, by_mount.stdout)
    assert len(own) == 12


def test_a_slot_keeps_its_overlay_and_another_has_another(inside: Sandbox) -> None:
    overlays = overlays_of(inside)
    usr = Path("/usr")
    assert overlays.folder(SLOT, usr) == overlays.folder(SLOT, usr)
    assert overlays.folder(SLOT, usr) != overlays.folder(SLOT + 1, usr)


def test_nothing_is_left(inside: Sandbox) -> None:
    overlays = overlays_of(inside)
    holder = overlays.pid
    assert holder is not None
    inside.run(LOCKS)
    overlays.close()
    overlays.close()
    assert overlays.pid is None
    assert not psutil.pid_exists(holder)
    assert not (inside.place / "overlays").exists()
    assert str(inside.place) not in Path("/proc/self/mountinfo").read_text()


def test_a_machine_without_the_programs_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="namespaces"):
        Overlays(
            OverlayTools("/bin/false", "/bin/false", sys.executable, as_root=True), tmp_path / "overlays"
        )

"""Folders of the host through overlays: which can be had, and what becomes of them when something goes wrong."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from arena.sandbox.overlays import Overlays, OverlayTools
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
        Overlays(OverlayTools("/bin/false", "/bin/false", as_root=True), tmp_path / "overlays")

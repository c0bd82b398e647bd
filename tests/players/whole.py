"""A delegated group with all controllers, for tests of level `full`: one of our own where we are root."""

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.core.errors import UsageError
from arena.sandbox.cgroups import NEEDED, OWN_GROUP, Delegation, find_delegation
from tests.support.waiting import eventually


@contextmanager
def whole_delegation() -> Iterator[Delegation]:
    """Be in a group that was delegated to this process and has controllers for memory and processes; else skip."""
    with contextlib.suppress(UsageError):
        found = find_delegation()
        if found.is_whole:
            yield found
            return
    if os.geteuid() != 0:
        pytest.skip("the tests were not started by: systemd-run --user --scope -p Delegate=yes")
    with _made_by_root() as folder:
        found = find_delegation()
        assert found.folder == folder
        assert found.is_whole
        yield found


@contextmanager
def _made_by_root() -> Iterator[Path]:
    """Move this process into a new group at the root of all groups, marked as systemd marks what it delegates."""
    mount = next((line.split()[4] for line in _lines("/proc/self/mountinfo") if " - cgroup2 " in line), None)
    if mount is None:
        pytest.skip("there are no control groups of version 2 here")
    root = Path(mount)
    if lacking := set(NEEDED) - set((root / "cgroup.controllers").read_text().split()):
        pytest.skip(f"the control groups of version 2 have no controller for {', '.join(sorted(lacking))}")
    before = next(line[3:] for line in _lines("/proc/self/cgroup") if line.startswith("0::"))
    folder = root / f"arena-test-{os.getpid()}"
    try:
        (root / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in NEEDED))
        folder.mkdir()
        os.setxattr(folder, "trusted.delegate", b"1")
        (folder / "cgroup.procs").write_text(str(os.getpid()))
    except OSError as error:
        with contextlib.suppress(OSError):
            folder.rmdir()
        pytest.skip(f"no group can be delegated here: {error}")
    try:
        yield folder
    finally:
        (root / before.lstrip("/") / "cgroup.procs").write_text(str(os.getpid()))
        own = folder / OWN_GROUP
        assert eventually(lambda: not own.exists() or not (own / "cgroup.procs").read_text())
        if own.exists():
            own.rmdir()
        folder.rmdir()  # fails where a test has left a group


def _lines(file: str) -> list[str]:
    return Path(file).read_text().splitlines()

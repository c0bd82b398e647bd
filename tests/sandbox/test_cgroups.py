"""Groups of a bot's processes: found, bounded, frozen and ended. The kernel's own where this process may make some."""

import contextlib
import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from arena.core.errors import UsageError
from arena.sandbox import cgroups
from arena.sandbox.bot_program import Bounds, Program
from arena.sandbox.cgroups import BotGroup, Delegation, find_delegation, hand_on, slow_mount
from arena.sandbox.confinement import Confinement
from arena.sandbox.start import start
from results.base.isolation_levels import Level
from tests.support.sandbox import PATIENCE_S, SLOT, TOKEN, needs_bwrap, open_folder, sandbox
from tests.support.waiting import eventually

MOUNTS = """22 1 8:1 / / rw - ext4 /dev/sda rw
30 22 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
31 22 0:26 {root} {place} rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder like that of a group with the usual controllers."""
    monkeypatch.setattr(cgroups, "_SYSTEMD", tmp_path / "no systemd")
    group = tmp_path / "user.slice" / "arena.scope"
    group.mkdir(parents=True)
    (group / "cgroup.procs").write_text("")
    (group / "cgroup.subtree_control").write_text("")
    (group / "cgroup.type").write_text("domain\n")
    (group / "cgroup.controllers").write_text("cpu io memory pids\n")
    return group


def test_the_group_of_this_process_is_found(folder: Path, tmp_path: Path) -> None:
    for root, inside in (("/", "/user.slice/arena.scope"), ("/docker/1", "/docker/1/user.slice/arena.scope")):
        found = find_delegation(MOUNTS.format(root=root, place=tmp_path), f"4:memory:/x\n0::{inside}\n")
        assert found == Delegation(folder, frozenset({"cpu", "memory", "pids"}))
        assert found.is_whole


@pytest.mark.parametrize("controllers", ["", "memory", "pids cpu"])
def test_a_group_without_memory_or_processes_is_not_whole(
    folder: Path, tmp_path: Path, controllers: str
) -> None:
    (folder / "cgroup.controllers").write_text(controllers)
    found = find_delegation(MOUNTS.format(root="/", place=tmp_path), "0::/user.slice/arena.scope")
    assert not found.is_whole


def test_a_mount_whose_groups_are_joined_slowly_is_named(tmp_path: Path) -> None:
    mounts = MOUNTS.format(root="/", place=tmp_path)
    assert slow_mount(tmp_path / "user.slice", mounts) == str(tmp_path)
    quick = mounts.replace("nsdelegate", "nsdelegate,favordynmods")
    assert slow_mount(tmp_path / "user.slice", quick) == ""
    assert slow_mount(tmp_path.parent, mounts) == ""


def test_there_may_be_no_group_for_us(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = MOUNTS.format(root="/", place=tmp_path)
    for mounted, inside, reason in (
        ("22 1 8:1 / / rw - ext4 /dev/sda rw", "0::/", "no cgroup v2"),
        (mounts, "4:memory:/x", "no cgroup v2"),
        (MOUNTS.format(root="/other", place=tmp_path), "0::/user.slice", "no cgroup v2"),
        (mounts, "0::/elsewhere", "not writable"),
    ):
        with pytest.raises(UsageError, match=reason) as caught:
            find_delegation(mounted, inside)
        assert "systemd" in caught.value.hint
    monkeypatch.setattr(cgroups, "_SYSTEMD", tmp_path)
    answer_as_systemd(tmp_path, monkeypatch, "no")
    with pytest.raises(UsageError, match="belongs to systemd"):
        find_delegation(mounts, "0::/user.slice/arena.scope")
    monkeypatch.setattr(os, "getxattr", lambda *_: b"1")
    assert find_delegation(mounts, "0::/user.slice/arena.scope").folder == folder


def answer_as_systemd(place: Path, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    """Have a `systemctl` that gives an answer and writes down what it was asked."""
    program = place / "systemctl"
    program.write_text(f'#!/bin/sh\necho "$@" >> {place}/asked\necho {answer}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(place), prepend=":")


def test_systemd_is_asked_where_it_leaves_no_mark_at_a_group(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the managers of users do up to systemd 252."""
    monkeypatch.setattr(cgroups, "_SYSTEMD", tmp_path)
    answer_as_systemd(tmp_path, monkeypatch, "yes")
    below = folder.parent / "user@1000.service" / "run-1.scope"
    below.parent.mkdir()
    folder.rename(below)
    found = find_delegation(
        MOUNTS.format(root="/", place=tmp_path), "0::/user.slice/user@1000.service/run-1.scope"
    )
    assert found.folder == below
    assert (tmp_path / "asked").read_text() == "--user show --property=Delegate --value -- run-1.scope\n"
    cgroups._systemd_delegates.cache_clear()
    monkeypatch.setattr(cgroups.subprocess, "run", refuse_to_start)  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="belongs to systemd"):
        find_delegation(
            MOUNTS.format(root="/", place=tmp_path), "0::/user.slice/user@1000.service/run-1.scope"
        )


def refuse_to_start(*_: object, **__: object) -> None:
    raise FileNotFoundError("systemctl")


def test_who_was_moved_out_of_the_way_finds_the_group_again(folder: Path, tmp_path: Path) -> None:
    """As a shell is whose second command is an arena too."""
    (folder / "arena").mkdir()
    (folder / "arena" / "cgroup.procs").write_text("")
    (folder / "arena" / "cgroup.controllers").write_text("")
    mounts, inside = MOUNTS.format(root="/", place=tmp_path), "0::/user.slice/arena.scope/arena"
    assert find_delegation(mounts, inside).folder == folder / "arena", "it may be called so by somebody else"
    (folder / "cgroup.subtree_control").write_text("cpu memory pids\n")
    assert find_delegation(mounts, inside) == Delegation(folder, frozenset({"cpu", "memory", "pids"}))


def test_processes_at_the_root_of_all_groups_stay_there(folder: Path) -> None:
    (folder / "cgroup.type").unlink()
    hand_on(Delegation(folder, frozenset({"memory", "pids"})))
    assert not (folder / "arena").exists()
    assert (folder / "cgroup.subtree_control").read_text() == "+memory +pids"


@pytest.mark.parametrize("refused", ["once", "cpu", "always"])
def test_controllers_that_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch, refused: str) -> None:
    """Once: a process was started meanwhile. The one for processor time is done without."""
    (folder / "arena").mkdir()
    (folder / "arena" / "cgroup.procs").write_text("")
    write, written = Path.write_text, []

    def write_or_refuse(path: Path, text: str) -> int:
        if path.name == "cgroup.subtree_control":
            written.append(text)
            if refused == "always" or (len(written) == 1 if refused == "once" else text == "+cpu"):
                raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        return write(path, text)

    monkeypatch.setattr(Path, "write_text", write_or_refuse)
    delegation = Delegation(folder, frozenset({"cpu", "memory", "pids"}))
    if refused == "always":
        with pytest.raises(OSError, match="busy"):
            hand_on(delegation)
        return
    hand_on(delegation)
    assert "+memory +pids" in written
    assert written[-1] == "+cpu"


def test_controllers_are_handed_on_and_the_arena_moves_out_of_the_way(folder: Path) -> None:
    (folder / "cgroup.procs").write_text("123\n")
    hand_on(Delegation(folder, frozenset({"memory", "pids"})))
    assert (folder / "arena" / "cgroup.procs").read_text() == "123"
    assert (folder / "cgroup.subtree_control").read_text() == "+memory +pids"


def test_bounds_are_written_and_figures_read(folder: Path) -> None:
    group = BotGroup(
        Delegation(folder, frozenset({"memory", "pids"})), "bot-1", Bounds(memory_bytes=99, processes=5)
    )
    written = {file.name: file.read_text() for file in group.folder.iterdir()}
    assert written == {"memory.max": "99", "memory.oom.group": "1", "memory.swap.max": "0", "pids.max": "5"}
    assert (group.memory_kills(), group.cpu_ns(), group.memory_bytes()) == (0, 0, 0)
    (group.folder / "memory.events").write_text("low 0\noom 2\noom_kill 3\noom_group_kill 1\n")
    (group.folder / "cpu.stat").write_text("usage_usec 1500\nuser_usec 1000\n")
    (group.folder / "memory.current").write_text("4096\n")
    assert (group.memory_kills(), group.cpu_ns(), group.memory_bytes()) == (3, 1_500_000, 4096)
    assert group.outside_memory_kills() == 0


def test_who_is_killed_below_the_groups_limit_is_not_killed_for_it(folder: Path) -> None:
    group = BotGroup(Delegation(folder, frozenset({"memory"})), "bot-1", Bounds())
    assert not group.counts_memory
    (group.folder / "memory.events").write_text("low 0\noom 0\noom_kill 3\noom_group_kill 1\n")
    assert group.counts_memory
    assert (group.memory_kills(), group.outside_memory_kills()) == (0, 3)


def test_what_systemd_oomd_leaves_at_a_group_is_read(real: BotGroup) -> None:
    assert real.oomd_kills() == 0
    try:
        os.setxattr(real.folder, cgroups.OOMD_KILLS, b"2")
    except OSError as error:
        pytest.skip(f"groups have no attributes here: {error}")
    assert real.oomd_kills() == 2


@pytest.fixture
def real() -> Iterator[BotGroup]:
    """Have a group of the kernel's."""
    try:
        delegation = find_delegation()
        group = BotGroup(Delegation(delegation.folder, frozenset()), f"arena-test-{os.getpid()}", Bounds())
    except (OSError, UsageError) as error:
        pytest.skip(f"no group of version 2 can be made here: {error}")
    try:
        yield group
    finally:
        assert group.remove()


BUSY = (
    "read go; for i in 1 2 3; do setsid sh -c 'while :; do :; done' & done; echo started; while :; do :; done"
)


def test_a_real_group_is_frozen_thawed_and_ended_with_all_that_left_the_session(real: BotGroup) -> None:
    with subprocess.Popen(("sh", "-c", BUSY), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        real.add(process.pid)
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"started\n"
        assert eventually(lambda: len((real.folder / "cgroup.procs").read_text().split()) == 4)
        members = [psutil.Process(int(pid)) for pid in (real.folder / "cgroup.procs").read_text().split()]
        assert process.pid in {member.pid for member in members}
        assert real.freeze(60)
        used = [member.cpu_times().user for member in members]
        assert [member.cpu_times().user for member in members] == used
        real.thaw()
        assert eventually(lambda: sum(member.cpu_times().user for member in members) > sum(used))
        assert real.cpu_ns() > 0
        assert real.freeze(60)
        real.kill()
        assert process.wait(60) == -9
        assert real.remove()
        assert not real.folder.exists()


@needs_bwrap
def test_a_sandbox_is_in_its_group_before_the_program_begins(real: BotGroup) -> None:
    """Whatever the program does first, such as leaving others behind, is done within the group."""
    source = "setsid sleep 600 & setsid sleep 600 & echo started; exec sleep 600"
    with open_folder() as place:
        inside = sandbox(place, "root" if os.geteuid() == 0 else "ordinary user")
        program = Program(inside.staged, ("sh", "-c", source))
        confinement = Confinement(Level.CONFINED, inside.tools, Delegation(real.folder, frozenset()))
        scratch = place / "scratch"
        for _ in range(3):
            started = start(confinement, program, inside.staged, scratch, slot=SLOT, token=TOKEN, engine=None)
            try:
                with open(started.stdout, "rb", closefd=False) as output:
                    assert output.readline() == b"started\n"
                assert started.status is not None
                assert started.group is not None
                members = set(started.status.members())
                assert len(members) == 3
                assert members < set(map(int, (started.group.folder / "cgroup.procs").read_text().split()))
            finally:
                started.popen.kill()
                started.popen.wait()
                assert started.status is not None
                assert started.status.wait_ended(PATIENCE_S)
                started.status.close()
                assert started.group is not None
                assert started.group.remove()
                for descriptor in (started.stdin, started.stdout, started.stderr):
                    os.close(descriptor)


def test_a_group_that_is_gone_is_removed_already(real: BotGroup) -> None:
    with contextlib.suppress(OSError):
        real.folder.rmdir()
    assert real.remove()

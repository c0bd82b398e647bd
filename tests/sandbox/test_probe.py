"""The probe finds out what bots can have, and is not to be deceived."""

import ctypes
import errno
import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import arena.sandbox.probe as probing
from arena.core.errors import MachineRefuses
from arena.sandbox import bubblewrap_remedies as containers
from arena.sandbox import cgroups, kept_probe
from arena.sandbox.bot_program import Bounds
from arena.sandbox.bubblewrap import Tools
from arena.sandbox.bubblewrap_remedies import Container, remedy
from arena.sandbox.bubblewrap_remedies import container as detect
from arena.sandbox.cgroups import Delegation, try_out
from arena.sandbox.confinement import choose
from arena.sandbox.probe import FORBIDDEN, REQUIRED, Check, ProbeReport, probe
from results.base.isolation_levels import Level
from tests.support.sandbox import (
    as_ordinary_user,
    be_of_a_python_for_all,
    needs_bwrap,
    needs_ordinary_user,
    needs_root,
)

FOUND = Tools("bwrap", (0, 8), "prlimit", "", b"filter", b"filter", None, ())
CLONE_NEWNS = 0x20000
UID_MAP = "bwrap: setting up uid map: Permission denied"


@pytest.fixture(autouse=True)
def _outside_of_a_container(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (probing, containers):
        monkeypatch.setattr(module, "container", lambda: None)


def names(report: ProbeReport) -> list[str]:
    return [check.name for check in report.checks]


@pytest.fixture(autouse=True)
def nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))


def test_levels_are_ordered_and_each_says_what_it_contains() -> None:
    assert [level.word for level in sorted(Level)] == ["none", "process", "namespaces", "confined", "full"]
    assert Level.NONE < Level.PROCESS < Level.NAMESPACES < REQUIRED <= Level.CONFINED < Level.FULL
    assert all(level.contains for level in Level)
    assert len({level.contains for level in Level}) == len(Level)


@needs_bwrap
def test_bots_are_confined_here() -> None:
    report = probe()
    assert report.level >= REQUIRED, report.lines()
    assert names(report) == ["tools", "start", "interpreter", "forbidden", "seccomp", "file locks", "cgroup"]
    assert all(check.passed for check in report.checks[:6])
    assert report.tools is not None
    assert report.lines()[0].startswith(f"bots run at level '{report.level.word}'")


@needs_ordinary_user
def test_bots_of_an_ordinary_user_are_confined_here() -> None:
    def outcome() -> str:
        be_of_a_python_for_all()
        report = probe()
        return report.level.word if report.level >= REQUIRED else str(report.lines())

    assert as_ordinary_user(outcome) in ("confined", "full")


@needs_ordinary_user
@needs_root
def test_bots_can_lock_files_where_files_are_mounted_in_etc() -> None:
    """As containers do, whose mounts an ordinary user can't leave out of a namespace of its own."""

    def outcome() -> str:
        be_of_a_python_for_all()
        return ", ".join(check.name for check in probe().checks if check.passed)

    def mounted() -> None:
        assert ctypes.CDLL(None).unshare(CLONE_NEWNS) == 0
        for step in (["--make-rprivate", "/"], ["--bind", "/etc/hosts", "/etc/hosts"]):
            subprocess.run(["mount", *step], check=True)

    assert "file locks" in as_ordinary_user(outcome, mounted)


def test_outside_of_a_sandbox_all_that_is_forbidden_works(tmp_path: Path) -> None:
    (tmp_path / "canary").touch()
    with socket.create_server(("127.0.0.1", 0)) as server:
        told = subprocess.run(
            [sys.executable, "-c", FORBIDDEN, str(tmp_path / "canary"), str(server.getsockname()[1]), "strict"],
            capture_output=True, check=True,
        ).stdout  # fmt: skip
    assert len(json.loads(told)) == 4


def fake(place: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Have a `bwrap` on the PATH that is the script."""
    bwrap = place / "bwrap"
    bwrap.write_text(f'#!/bin/sh\ncase "$1" in --version) echo bubblewrap 0.8.0; exit;; esac\n{script}\n')
    bwrap.chmod(0o755)
    monkeypatch.setenv("PATH", str(place), prepend=":")


def test_one_that_lets_everything_through_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It drops all that is before the program: bounds, accounts and walls."""
    fake(
        tmp_path,
        monkeypatch,
        'while [ "$1" != prlimit ]; do case "$1" in */prlimit) break;; esac; shift; done\n'
        'for word do shift; case "$word" in /python/bin/*) word=python3;; esac; set -- "$@" "$word"; done; exec "$@"',
    )
    report = probe()
    assert report.level is Level.PROCESS
    assert report.tools is None
    found = next(check for check in report.checks if check.name == "forbidden")
    assert "read a file of the host, connected to the host, saw other processes" in found.trouble


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        (UID_MAP, "AppArmor"),
        ("bwrap: No permissions to create new namespace, likely because …", "user.max_user_namespaces"),
        ("bwrap: Unknown option --size", "0.8"),
        ("something new", "by hand"),
    ],
)
def test_what_forbids_it_is_told_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, message: str, advice: str
) -> None:
    fake(tmp_path, monkeypatch, f'echo "{message}" >&2; exit 1')
    report = probe()
    assert report.level is Level.PROCESS
    assert report.missing[0].name == "start"
    assert "interpreter" not in names(report), "what follows is not even tried"
    assert any(line.startswith(f"start: {message}") and advice in line for line in report.lines())
    assert advice in remedy(message)


@pytest.mark.parametrize(
    ("message", "more"),
    [
        ("bwrap: No permissions to create new namespace, likely because …", ""),
        ("bwrap: Can't set hostname to bot: Operation not permitted", ""),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", ""),
        ("bwrap: Failed to make / slave: Permission denied", " --security-opt apparmor=unconfined"),
        ("bwrap: Failed to mount tmpfs: Permission denied", " --security-opt label=disable"),
        ("bwrap: Unexpected capabilities but not setuid, old file caps config?", " --cap-drop ALL"),
    ],
)
def test_in_a_container_the_remedy_is_how_to_start_it(
    monkeypatch: pytest.MonkeyPatch, message: str, more: str
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1_000)
    for engine, command in (
        ("podman", "podman run --security-opt seccomp=unconfined --security-opt unmask='/proc/*'"),
        ("docker", "docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined"),
    ):
        monkeypatch.setattr(containers, "container", lambda engine=engine: Container(engine, "a sign"))
        assert remedy(message) == f"start this container with: {command}{more} …"
    monkeypatch.setattr(containers, "container", lambda: Container("kubernetes", "a sign"))
    assert remedy(message).startswith("let this container make namespaces")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert "another user" in remedy(message)
    assert "AppArmor" in remedy(UID_MAP), "which the machine around the container has to allow"


def test_a_container_is_known_by_its_signs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PODMAN_FILE", "DOCKER_FILE", "MANAGER_FILE"):
        monkeypatch.setattr(containers, name, tmp_path / name)
    for name in ("container", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    assert detect() is None
    (tmp_path / "MANAGER_FILE").write_text("systemd-nspawn\n")
    assert detect() == Container("systemd-nspawn", str(tmp_path / "MANAGER_FILE"))
    monkeypatch.setenv("container", "lxc")
    assert detect() == Container("lxc", "container=lxc")
    (tmp_path / "DOCKER_FILE").touch()
    assert detect() == Container("docker", str(tmp_path / "DOCKER_FILE"))
    for told, engine in (("", "podman"), ('engine="buildah-1.28.2"\n', "buildah")):
        (tmp_path / "PODMAN_FILE").write_text(told)
        assert detect() == Container(engine, str(tmp_path / "PODMAN_FILE"))


def test_a_container_is_never_told_to_start_a_service_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "container", lambda: Container("podman", "a sign"))
    monkeypatch.setattr(probing, "try_out", lambda _: "it does not hold")
    (cgroup,) = (check for check in probe().checks if check.name == "cgroup")
    assert cgroup.trouble
    assert "systemd-run" not in cgroup.remedy


@pytest.mark.slow
def test_one_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch, "exec sleep 600")
    monkeypatch.setattr(probing, "TRY_S", 0.3)
    report = probe()
    assert (report.level, report.missing[0].name) == (Level.PROCESS, "start")


def test_without_bubblewrap_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    which = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda name, **more: None if name == "bwrap" else which(name, **more)
    )
    report = probe()
    assert report.level is Level.PROCESS
    assert report.missing[0] == Check(
        "tools", "the program bwrap is missing", "install the package bubblewrap"
    )


def test_elsewhere_than_on_linux_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "IS_LINUX", False)
    report = probe()
    assert (report.level, names(report)) == (Level.PROCESS, ["system"])


@needs_bwrap
def test_on_an_unknown_machine_type_the_filter_is_missing_and_said_to_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    report = probe()
    assert report.level is Level.NAMESPACES
    assert report.missing[0].name == "seccomp"
    assert report.tools is not None
    assert report.tools.seccomp is None


@needs_bwrap
def test_an_interpreter_among_private_files_is_not_shown() -> None:
    if sys.base_prefix.startswith("/usr"):
        pytest.skip("this Python is below /usr, where nothing is private")
    report = probe((Path(sys.base_prefix) / "ledger",))
    assert report.level is Level.PROCESS
    assert report.missing[0].name == "interpreter"
    assert "private" in report.missing[0].trouble


def test_the_whole_level_needs_a_group_with_its_controllers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probing, "_trials", lambda _: iter([Check("start")]))
    monkeypatch.setattr(probing, "find_tools", lambda _: FOUND)
    for controllers, level in (({"memory", "pids"}, Level.FULL), ({"memory"}, Level.CONFINED)):
        found = Delegation(tmp_path, frozenset(controllers))
        monkeypatch.setattr(probing, "find_delegation", lambda found=found: found)
        monkeypatch.setattr(probing, "try_out", lambda _: "")
        report = probe()
        assert (report.level, report.delegation) == (level, found)
    found = Delegation(tmp_path, frozenset({"memory", "pids"}))
    monkeypatch.setattr(probing, "find_delegation", lambda: found)
    monkeypatch.setattr(probing, "try_out", lambda _: "it does not hold")
    report = probe()
    assert (report.level, report.delegation) == (Level.CONFINED, None)
    assert any(line.startswith("cgroup: it does not hold; start Arena with") for line in report.lines())


def test_a_group_that_does_not_hold_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that looks like one of control groups bounds nobody."""
    monkeypatch.setattr(cgroups, "_remove", lambda *_: True)
    (tmp_path / "cgroup.subtree_control").write_text("")
    trouble = try_out(Delegation(tmp_path, frozenset({"memory", "pids"})))
    assert trouble == "the kernel does not count out-of-memory kills of a group"
    missing = Delegation(tmp_path / "nowhere", frozenset({"memory", "pids"}))
    assert (
        try_out(missing) == f"cannot make a group with limits in {missing.folder}: No such file or directory"
    )


@needs_bwrap
def test_bots_are_not_confined_less_because_the_disk_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/somewhere")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    with pytest.raises(
        MachineRefuses, match=r"how bots can be confined.*No space left on device: /somewhere"
    ):
        choose("auto", Bounds())
    assert choose("off", Bounds())[0].tools is None


def trials(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that grows with every trial from now on."""
    made: list[str] = []
    run = probing._run

    def noting(name: str, *more: Any, **how: Any) -> Any:
        made.append(name)
        return run(name, *more, **how)

    monkeypatch.setattr(probing, "_run", noting)
    return made


@needs_bwrap
def test_what_succeeded_is_not_tried_again_but_for_the_first_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = trials(monkeypatch)
    first = probe()
    assert sorted(made) == ["file locks", "forbidden", "interpreter", "start"]
    made.clear()
    assert probe() == first
    assert made == ["start"]
    made.clear()
    assert probe(anew=True) == first
    assert len(made) == 4
    kept = tmp_path / "caches" / "arena" / "sandbox.json"
    assert kept.stat().st_mode & 0o077 == 0


@needs_bwrap
def test_what_is_kept_never_stands_for_another_machine_tool_or_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = probe().tools
    assert tools is not None
    key = kept_probe.key_of(tools, tmp_path)
    kept_probe.keep(key)
    assert kept_probe.is_kept(key)
    script = tmp_path / "bwrap"
    script.write_bytes(Path(tools.bwrap).read_bytes())
    assert kept_probe.key_of(replace(tools, bwrap=str(script)), tmp_path) != key
    assert kept_probe.key_of(replace(tools, seccomp=None), tmp_path) != key
    monkeypatch.setattr(kept_probe, "_SETTINGS", ())
    assert kept_probe.key_of(tools, tmp_path) != key
    monkeypatch.setattr("arena.sandbox.kept_probe.time.time", lambda: 4e9)
    assert not kept_probe.is_kept(key)


@needs_bwrap
@pytest.mark.parametrize("how", ["open to others", "a link", "damaged"])
def test_what_others_may_have_written_counts_for_nothing(tmp_path: Path, how: str) -> None:
    kept_probe.keep("key")
    assert kept_probe.is_kept("key")
    kept = tmp_path / "caches" / "arena" / "sandbox.json"
    if how == "open to others":
        kept.parent.chmod(0o777)
    elif how == "a link":
        kept.rename(tmp_path / "elsewhere")
        kept.symlink_to(tmp_path / "elsewhere")
    else:
        kept.write_text('{"key": "key", "at_s": [')
    assert not kept_probe.is_kept("key")


@needs_bwrap
def test_a_machine_that_forbids_sandboxes_meanwhile_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert probe().level >= Level.CONFINED
    monkeypatch.setattr(kept_probe, "key_of", lambda *_: "the same")
    kept_probe.keep("the same")
    monkeypatch.setattr(probing, "is_kept", lambda _: True)
    fake(tmp_path, monkeypatch, "exit 1")
    report = probe()
    assert (report.level, report.tools) == (Level.PROCESS, None)

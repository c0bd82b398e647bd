"""What set-up does and says on machines of every kind, played with stand-ins for Python."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.tree import copy_of

TOOLS = ("sh", "dirname", "touch", "rm", "mkdir", "cat", "chmod")
LOCKS = ("requirements-build.lock", "requirements.lock", "requirements-dev.lock")

STAND_IN = """#!/bin/sh
# A Python {version}: answers what set-up asks, and makes virtual environments of itself.
case "$1 $2" in
"--version "*) echo "Python {version}" ;;
"-c import sys; sys.exit(sys.version_info < (3, 11))") exit {old} ;;
"-c import platform"*) echo "{version}" ;;
"-c import sys; print"*) echo "{short}" ;;
"-c import venv, ensurepip") exit {lacking} ;;
"-m venv") rm -rf .venv && mkdir -p .venv/bin && cat "$0" >.venv/bin/python && chmod +x .venv/bin/python ;;
"-m pip")
    shift 2
    echo "$*" >>{log}
    case "$*" in *"${{FAIL_ON:-nothing}}"*) echo "ERROR: no such hash" >&2; exit 1 ;; esac ;;
"-m compileall") shift 5; echo "$*" >>{log}.compiled ;;
*) echo "unexpected: $*" >&2; exit 9 ;;
esac
"""


class Machine:
    """A copy of what set-up needs, on a PATH with nothing but a few tools and the given stand-ins."""

    def __init__(self, folder: Path) -> None:
        self.tree = copy_of(
            (
                "Makefile",
                "scripts",
                "pyproject.toml",
                "plugins/cluster/pyproject.toml",
                "plugins/conformance/pyproject.toml",
                "plugins/fair-play/pyproject.toml",
                "plugins/lottery/pyproject.toml",
                "plugins/webhooks/pyproject.toml",
                *LOCKS,
            ),
            folder / "tree",
        )
        self.path = folder / "bin"
        self.path.mkdir()
        self.log = folder / "pip.log"
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found
            (self.path / tool).symlink_to(found)

    def add_python(self, name: str, version: str, *, lacking: bool = False) -> None:
        """Put a stand-in for a Python on the PATH, `lacking` the module ensurepip."""
        short = ".".join(version.split(".")[:2])
        old = tuple(map(int, short.split("."))) < (3, 11)
        text = STAND_IN.format(version=version, short=short, old=int(old), lacking=int(lacking), log=self.log)
        (self.path / name).write_text(text)
        (self.path / name).chmod(0o755)

    def set_up(self, kind: str = "runtime", **variables: str) -> subprocess.CompletedProcess[str]:
        """Run set-up; return how it ended."""
        return subprocess.run(
            ["sh", "scripts/set-up", kind],
            cwd=self.tree,
            env={"PATH": str(self.path), **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def installed(self) -> list[str]:
        """What pip was told to install, a line each."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [line for line in lines if line.startswith("install")]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_newest_python_is_taken(machine: Machine) -> None:
    for name, version in (("python3", "3.11.2"), ("python3.12", "3.12.9"), ("python3.13", "3.13.1")):
        machine.add_python(name, version)
    done = machine.set_up()
    assert done.returncode == 0, done.stderr
    assert f"Making .venv with Python 3.13.1 ({machine.path}/python3.13)" in done.stderr


def test_plain_python3_will_do(machine: Machine) -> None:
    machine.add_python("python3", "3.15.0")
    assert "Python 3.15.0" in machine.set_up().stderr


def test_python_can_be_named(machine: Machine) -> None:
    machine.add_python("python3.14", "3.14.0")
    machine.add_python("mine", "3.11.9")
    assert "Python 3.11.9" in machine.set_up(PYTHON="mine").stderr


def test_no_python_at_all(machine: Machine) -> None:
    done = machine.set_up()
    assert done.returncode == 1
    assert "it needs Python 3.11 or newer." in done.stderr
    assert "make PYTHON=" in done.stderr


def test_a_python_too_old_is_told(machine: Machine) -> None:
    machine.add_python("python3", "3.9.2")
    done = machine.set_up()
    assert done.returncode == 1
    assert f"it needs Python 3.11 or newer, and {machine.path}/python3 is Python 3.9.2." in done.stderr
    assert not (machine.tree / ".venv").exists()


def test_a_shim_without_a_python_is_passed_over(machine: Machine) -> None:
    (machine.path / "python3.14").write_text("#!/bin/sh\necho 'no such version' >&2\nexit 127\n")
    (machine.path / "python3.14").chmod(0o755)
    machine.add_python("python3.11", "3.11.4")
    done = machine.set_up()
    assert done.returncode == 0
    assert "Python 3.11.4" in done.stderr
    assert "no such version" not in done.stderr


def test_missing_ensurepip_names_the_package(machine: Machine) -> None:
    machine.add_python("python3", "3.11.2", lacking=True)
    done = machine.set_up()
    assert done.returncode == 1
    assert f"{machine.path}/python3 has no ensurepip" in done.stderr
    assert "apt install python3-venv" in done.stderr
    assert "python3.11-venv" in done.stderr


def test_an_older_python_with_ensurepip_is_better_than_a_newer_without(machine: Machine) -> None:
    machine.add_python("python3.13", "3.13.1", lacking=True)
    machine.add_python("python3.12", "3.12.1")
    done = machine.set_up()
    assert done.returncode == 0
    assert "Python 3.12.1" in done.stderr


def test_what_builds_comes_first_and_all_is_pinned(machine: Machine) -> None:
    machine.add_python("python3", "3.12.0")
    assert machine.set_up("dev").returncode == 0
    build, dev, project = machine.installed
    assert build.endswith("--require-hashes --no-build-isolation -r requirements-build.lock")
    assert dev.endswith("--require-hashes --no-build-isolation -r requirements-dev.lock")
    assert project.endswith(
        "--no-deps --no-build-isolation --editable . --editable plugins/cluster --editable plugins/conformance "
        "--editable plugins/fair-play --editable plugins/lottery --editable plugins/webhooks"
    )


def test_modules_are_compiled(machine: Machine) -> None:
    machine.add_python("python3", "3.12.0")
    assert machine.set_up().returncode == 0
    compiled = machine.log.with_name("pip.log.compiled").read_text()
    assert compiled == "arena results protocol\n"


def test_running_needs_no_tools_and_tools_include_running(machine: Machine) -> None:
    machine.add_python("python3", "3.12.0")
    assert machine.set_up("runtime").returncode == 0
    ready, ready_dev = (machine.tree / ".venv" / f".ready-{kind}" for kind in ("runtime", "dev"))
    assert ready.exists()
    assert not ready_dev.exists()
    assert "requirements-dev.lock" not in "".join(machine.installed)
    assert machine.set_up("dev").returncode == 0
    assert ready_dev.exists()


def test_a_failing_installation_is_told_and_tried_again(machine: Machine) -> None:
    machine.add_python("python3", "3.12.0")
    done = machine.set_up(FAIL_ON="requirements.lock")
    assert done.returncode == 1
    assert "ERROR: no such hash" in done.stderr
    assert "pip could not install" in done.stderr
    assert not (machine.tree / ".venv/.ready-runtime").exists()
    assert machine.set_up().returncode == 0


def test_a_broken_environment_is_made_anew(machine: Machine) -> None:
    machine.add_python("python3", "3.12.0")
    assert machine.set_up().returncode == 0
    (machine.tree / ".venv/bin/python").unlink()
    (machine.tree / ".venv/bin/python").symlink_to("/no/such/python")
    done = machine.set_up()
    assert done.returncode == 0
    assert "Making .venv" in done.stderr


def test_an_environment_that_works_is_kept(machine: Machine) -> None:
    machine.add_python("python3", "3.12.0")
    machine.set_up()
    assert "Making .venv" not in machine.set_up("dev").stderr


def test_an_unknown_kind_is_a_usage_error(machine: Machine) -> None:
    assert machine.set_up("everything").returncode == 2


def make(tree: Path, *arguments: str) -> str:
    """Return what make says, without this run's own make in its environment."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", *arguments], cwd=tree, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_make_alone_lists_every_target(machine: Machine) -> None:
    listed = make(machine.tree)
    phony = (machine.tree / "Makefile").read_text().partition(".PHONY: ")[2].partition("\n")[0].split()
    assert [line.split()[1] for line in listed.splitlines()] == phony


def test_demo_needs_the_runtime_lock_only(machine: Machine) -> None:
    planned = make(machine.tree, "-n", "demo")
    assert "scripts/set-up runtime" in planned
    assert "scripts/set-up dev" not in planned
    assert planned.splitlines()[-1] == ".venv/bin/arena demo"
    assert "scripts/set-up dev" in make(machine.tree, "-n", "test")


def test_setup_installs_the_runtime_and_says_how_to_activate_it(machine: Machine) -> None:
    planned = make(machine.tree, "-n", "setup")
    assert "scripts/set-up runtime" in planned
    assert "scripts/set-up dev" not in planned
    machine.add_python("python3", "3.12.0")
    machine.set_up()
    assert make(machine.tree, "setup").endswith(": . .venv/bin/activate\n")


def test_set_up_runs_again_only_after_a_change(machine: Machine) -> None:
    machine.add_python("python3", "3.12.0")
    machine.set_up()
    assert "set-up" not in make(machine.tree, "-n", "demo")
    later = (machine.tree / ".venv/.ready-runtime").stat().st_mtime + 10
    os.utime(machine.tree / "requirements.lock", (later, later))
    assert "set-up runtime" in make(machine.tree, "-n", "demo")

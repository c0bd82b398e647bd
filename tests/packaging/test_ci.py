"""What .ci/run does on machines of every kind, played with stand-ins for the system's programs."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.tree import ROOT, copy_of

PROGRAMS = ("bwrap", "node", "cc", "rustc", "go", "chromium", "nginx")
"""What the optional packages bring."""

MADE = ["make test", "make lint", "make test-gate"]
TOOLS = ("bash", "dirname", "env", "cat", "chmod")


class Machine:
    """A copy of .ci/run and a PATH of stand-ins that note how they were called."""

    def __init__(self, folder: Path) -> None:
        self.tree = copy_of((".ci",), folder / "tree")
        self.path = folder / "bin"
        self.path.mkdir()
        self.log = folder / "calls.log"
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found
            (self.path / tool).symlink_to(found)
        self.add("make", f'echo "make $*" >>{self.log}')
        self.add("python3", "exit 0")

    def add(self, name: str, script: str) -> None:
        """Put a program on the PATH."""
        (self.path / name).write_text(f"#!{shutil.which('bash')}\n{script}\n")
        (self.path / name).chmod(0o755)

    def add_apt(self, *, works: bool = True) -> None:
        """Put a packager on the PATH, which installs every program there is a package for."""
        programs = " ".join(str(self.path / name) for name in PROGRAMS)
        install = f"[[ $* != *install* ]] || for one in {programs}; do cat $0 >$one && chmod +x $one; done"
        self.add("apt-get", f'echo "apt-get $*" >>{self.log}\n{install if works else "exit 100"}')

    def run(self) -> tuple[int, list[str], str]:
        """Run .ci/run; return its exit code, the calls noted, and what it said."""
        done = subprocess.run(
            [str(self.tree / ".ci/run")],
            env={"PATH": str(self.path)},
            capture_output=True,
            text=True,
            check=False,
        )
        calls = self.log.read_text().splitlines() if self.log.exists() else []
        return done.returncode, calls, done.stderr


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_with_everything_there_it_only_tests_and_lints(machine: Machine) -> None:
    for program in PROGRAMS:
        machine.add(program, "exit 0")
    machine.add("id", "echo 0")
    machine.add_apt()
    assert machine.run() == (0, MADE, "")


def test_root_has_what_is_missing_installed(machine: Machine) -> None:
    machine.add("id", "echo 0")
    machine.add_apt()
    code, calls, said = machine.run()
    assert code == 0
    assert calls == ["apt-get install -qq --yes --no-install-recommends bubblewrap", *MADE]
    assert "Without" not in said


@pytest.mark.parametrize(
    ("user", "apt", "works"), [("1000", True, True), ("0", False, True), ("0", True, False)]
)
def test_a_machine_without_the_optional_packages_passes_too(
    machine: Machine, user: str, apt: bool, works: bool
) -> None:
    machine.add("id", f"echo {user}")
    if apt:
        machine.add_apt(works=works)
    code, calls, said = machine.run()
    assert code == 0
    assert calls[-3:] == MADE
    assert "Without the system package nodejs: the bots written in JavaScript cannot play" in said
    assert works is False or not any(call.startswith("apt-get") for call in calls)


def test_a_failing_test_fails_it(machine: Machine) -> None:
    for program in PROGRAMS:
        machine.add(program, "exit 0")
    machine.add("make", f'echo "make $*" >>{machine.log}; exit 2')
    code, calls, _ = machine.run()
    assert code != 0
    assert calls == ["make test"]


def test_the_readme_names_the_packages_that_are_installed() -> None:
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    packages = re.findall(r"^package (\S+)", script, re.MULTILINE)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert packages
    assert [name for name in packages if f"`{name}`" not in readme] == []

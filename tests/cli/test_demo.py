"""`arena demo`: what it says works where the user stands, and what it makes is the user's alone."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.commands.run import arena_command


def test_the_program_is_named_as_it_can_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "a b" / "arena"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "argv", [str(program)])
    assert arena_command() == f"'{program}'"
    monkeypatch.setenv("PATH", str(program.parent))
    assert arena_command() == "arena"
    monkeypatch.setattr(sys, "argv", ["arena/__main__.py"])
    assert arena_command() == "arena"


@pytest.mark.slow
def test_what_a_demo_makes_is_closed_and_its_words_name_the_program(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("arena")
    done = subprocess.run(
        [program, "demo", "--rounds", "2"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert f"{program} serve --store arena-demo/arena.sqlite" in done.stderr
    more = f"more: {program} rankings demo --explain --store arena-demo/arena.sqlite"
    assert more in " ".join(done.stdout.split()), "a demo itself has no --explain"
    assert "--explain says more" not in done.stdout
    folder = tmp_path / "arena-demo"
    for path in (folder, folder / "arena.sqlite", folder / "arena.files"):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path

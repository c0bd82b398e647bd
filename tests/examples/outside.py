"""The package examples/goofspiel as its users have it: installed, and used from the command line."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "goofspiel"
MODULE = EXAMPLE / "src" / "goofspiel" / "game.py"
LEAVINGS = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", "dist")


def rules() -> Any:
    """Return the module of the rules, from the example's own folder."""
    spec = importlib.util.spec_from_file_location("goofspiel_of_the_examples", MODULE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def install(place: Path) -> Path:
    """Build and install the package below a folder, from a copy; return what goes on PYTHONPATH."""
    source = place / "source"
    shutil.copytree(EXAMPLE, source, ignore=LEAVINGS)
    target = place / "installed"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    alone = ["--no-deps", "--no-index", "--no-build-isolation", "--target", str(target), str(source)]
    done = subprocess.run([*pip, *alone], cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return target


def environment(installed: Path | None) -> dict[str, str]:
    """Return the environment of a user who has installed the package, or has not."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LANG") if name in os.environ}
    more = {} if installed is None else {"PYTHONPATH": str(installed)}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "100", **more}


def arena(
    *arguments: str | Path, cwd: Path, installed: Path | None, check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a command of Arena's to its end."""
    done = subprocess.run(
        [sys.executable, "-m", "arena", *map(str, arguments)],
        cwd=cwd,
        env=environment(installed),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


def arena_json(*arguments: str | Path, cwd: Path, installed: Path) -> Any:
    """Return what a listing of Arena's holds."""
    return json.loads(arena(*arguments, "--format", "json", cwd=cwd, installed=installed).stdout)


def write_bot(place: Path, program: str) -> Path:
    """Write a bot on the kit, named like its folder, that may think ahead; return the folder."""
    place.mkdir()
    about = (
        f'name = "{place.name}"\nauthor = "tests"\ncommand = ["python3", "bot.py"]\ngames = ["goofspiel"]\n'
    )
    (place / "bot.toml").write_text(about + "kit = true\nengine = true\n")
    (place / "bot.py").write_text(program)
    return place


def conformance(installed: Path, *arguments: str, test: str = "") -> subprocess.CompletedProcess[str]:
    """Run the conformance tests, or that one of a file (`test_secrets.py::test_name`), for the installed game."""
    return subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"),
            *("-k", "goofspiel", *arguments, f"tests/conformance/{test}"),
        ],
        cwd=ROOT,
        env=environment(installed),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )

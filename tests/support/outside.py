"""The package examples/goofspiel as its users have it: installed, and used from the command line."""

import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena import registry
from results.ratings import rating_systems
from tests.support import forking

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "goofspiel"
MODULE = EXAMPLE / "src" / "goofspiel" / "game.py"
LEAVINGS = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", "dist")


def rules() -> Any:
    """Return the module of the rules of Goofspiel, from the example's own folder."""
    return load("goofspiel", "goofspiel/game.py")


def install(place: Path, example: Path = EXAMPLE) -> Path:
    """Build and install a package below a folder, from a copy; return what goes on PYTHONPATH."""
    source = place / "source"
    shutil.copytree(example, source, ignore=LEAVINGS)
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
    done = forking.run([*map(str, arguments)], cwd, environment(installed))
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


def arena_json(*arguments: str | Path, cwd: Path, installed: Path) -> Any:
    """Return what a listing of Arena's holds."""
    return json.loads(arena(*arguments, "--format", "json", cwd=cwd, installed=installed).stdout)


def write_bot(place: Path, program: str, game: str = "goofspiel") -> Path:
    """Write a bot on the kit, named like its folder, that may think ahead; return the folder."""
    place.mkdir()
    about = f'name = "{place.name}"\nauthor = "tests"\ncommand = ["python3", "bot.py"]\ngames = ["{game}"]\n'
    (place / "bot.toml").write_text(about + "kit = true\nengine = true\n")
    (place / "bot.py").write_text(program)
    return place


def conformance(installed: Path, *arguments: str, test: str = "") -> subprocess.CompletedProcess[str]:
    """Run the conformance kit, or one test of it by name, on the installed game."""
    return kit(installed, "--game", "goofspiel", *arguments, *(("--all", "--", "-k", test) if test else ()))


def kit(installed: Path | None, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the conformance kit as authors do, wherever they are."""
    return subprocess.run(
        [sys.executable, "-m", "arena_conformance", *arguments],
        cwd=ROOT,
        env=environment(installed),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def beside(place: Path, *names: str) -> Path:
    """Make packages of the examples look installed without building them; return what goes on PYTHONPATH."""
    place.mkdir(parents=True, exist_ok=True)
    for name in names:
        project = tomllib.loads((ROOT / "examples" / name / "pyproject.toml").read_text())["project"]
        about = place / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
        about.mkdir()
        head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        (about / "METADATA").write_text(head)
        lines = [
            line
            for group, points in project.get("entry-points", {}).items()
            for line in (f"[{group}]", *(f"{point} = {value}" for point, value in points.items()))
        ]
        (about / "entry_points.txt").write_text("\n".join(lines))
        copied = shutil.copytree(ROOT / "examples" / name / "src", place, ignore=LEAVINGS, dirs_exist_ok=True)
        assert copied == place
        record = [f"{path.relative_to(place)},," for path in sorted(place.rglob("*")) if path.is_file()]
        (about / "RECORD").write_text("\n".join(one for one in record if one.startswith((name, about.name))))
    return place


def load(name: str, file: str) -> Any:
    """Return a module of an example, from its own folder: `load("nim", "nim/game.py")`."""
    path = ROOT / "examples" / name / "src" / file
    spec = importlib.util.spec_from_file_location(f"{name}_of_the_examples", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@contextmanager
def installed(site: Path | None) -> Iterator[None]:
    """Have what is in a folder be installed, for commands within this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        if site is not None:
            patch.syspath_prepend(site)
        importlib.invalidate_caches()
        _look_anew()
        yield
    for name in ("elo", "arena_openskill"):
        sys.modules.pop(name, None)
    _look_anew()


def _look_anew() -> None:
    """Forget which plug-ins are installed."""
    for found in (rating_systems, registry.games, registry.schedules, registry.executors):
        found.cache_clear()

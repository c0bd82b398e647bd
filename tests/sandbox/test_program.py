"""What of a bot is started, where, and what it gets to see of the machine."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.sandbox.bot_program import TOKEN_VARIABLE, environment, stage, stage_engine, stage_python
from arena.sandbox.runtimes import PATH, own_python


def test_a_bot_gets_nothing_of_the_arenas_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "the league's")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("PATH", "/home/organiser/bin")
    variables = environment("token/1", tmp_path, None)
    assert set(variables) == {
        "PATH", "LANG", "HOME", "TMPDIR", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED",
        "PYTHONFAULTHANDLER",
        TOKEN_VARIABLE,
    }  # fmt: skip
    assert variables["HOME"] == variables["TMPDIR"] == str(tmp_path)
    assert variables["PYTHONHASHSEED"] == "0"
    assert variables["PATH"] == PATH
    assert environment("t", tmp_path, Path("/engine"))["PYTHONPATH"] == "/engine"
    assert environment("t", tmp_path, None, Path("/opt/x/bin"))["PATH"] == f"/opt/x/bin:{PATH}"


def test_regular_files_are_copied_read_only_and_nothing_else(tmp_path: Path) -> None:
    source, target = tmp_path / "version", tmp_path / "place" / "bot"
    (source / "data").mkdir(parents=True)
    (source / "bot.py").write_text("print()")
    (source / "data" / "book").write_bytes(bytes(1000))
    (source / "run").write_text("#!/bin/sh")
    (source / "run").chmod(0o700)
    (source / "link").symlink_to("/etc/passwd")
    (source / "folder").symlink_to("/etc")
    os.mkfifo(source / "pipe")
    stage(source, target)
    found = {
        str(path.relative_to(target)): path.stat().st_mode & 0o777
        for path in target.rglob("*")
        if path.is_file()
    }
    assert found == {"bot.py": 0o444, "data/book": 0o444, "run": 0o555}
    assert not (target / "folder").exists()
    (target / "bot.py").chmod(0o644)
    (target / "bot.py").write_text("changed")
    assert (source / "bot.py").read_text() == "print()", "a copy, not a link"


def test_a_hard_link_in_a_version_is_copied_like_any_file(tmp_path: Path) -> None:
    source, secret = tmp_path / "version", tmp_path / "tool"
    source.mkdir()
    secret.write_text("the organiser's")
    os.link(secret, source / "tool")
    stage(source, tmp_path / "staged")
    assert (tmp_path / "staged" / "tool").stat().st_nlink == 1
    assert not (tmp_path / "staged" / "tool").samefile(secret)
    assert secret.stat().st_nlink == 2


def test_a_version_that_is_gone_is_not_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="gone"):
        stage(tmp_path / "gone", tmp_path / "place")


def test_the_python_of_bots_has_the_standard_library_and_no_packages(tmp_path: Path) -> None:
    programs = stage_python(tmp_path / "python", own_python())
    told = subprocess.run(
        [programs / "python3", "-c", PACKAGES],
        env=environment("t", tmp_path, None),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    modules, executable, paths = json.loads(told.stdout)
    assert modules == [], "msgspec and pytest are what these tests run with, pip comes with an interpreter"
    assert executable == str(programs / "python3")
    assert not any("-packages" in path for path in paths)


PACKAGES = """
import json, sys
import ctypes, sqlite3, ssl
from importlib.util import find_spec
exit  # a name that `site` provides
modules = [name for name in ("msgspec", "pytest", "pip", "arena") if find_spec(name)]
print(json.dumps([modules, sys.executable, sys.path]))
"""


def test_the_engine_is_core_and_games_and_works_alone(tmp_path: Path) -> None:
    path = stage_engine(tmp_path / "engine")
    assert sorted(child.name for child in (path / "arena").iterdir()) == ["__init__.py", "core", "games"]
    told = subprocess.run(
        [sys.executable, "-S", "-s", "-c", ENGINE_USER],
        env=environment("t", tmp_path, path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(told.stdout) == [str(path / "arena" / "__init__.py"), 2]


ENGINE_USER = """
import json
import arena
from arena.core.chance import Chance
from arena.core.ruleset import ruleset
from arena.games.bread_basket import GAME
rules = GAME.resolve(ruleset(GAME.info), 2)
state, _ = GAME.deal(2, rules, Chance(bytes(32)))
print(json.dumps([arena.__file__, len(GAME.scores(state))]))
"""

"""Bots with `engine = true` see the files of the distribution that brings their game, and nothing beside them."""

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path, PurePosixPath

import pytest

from arena.sandbox import bot_program
from arena.sandbox.bot_program import TooLarge, game_files, stage_engine

Installed = Callable[..., Distribution]


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    """Return what makes a distribution that lists these files; those that are not there yet are written."""

    def make(*listed: str) -> Distribution:
        site = tmp_path / "site"
        about = site / "quoits-1.0.dist-info"
        about.mkdir(parents=True, exist_ok=True)
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: quoits\nVersion: 1.0\n")
        (about / "RECORD").write_text("".join(f"{name},,\n" for name in [*listed, f"{about.name}/METADATA"]))
        for name in listed:
            path = site / name
            if ".." not in name and not name.startswith("/") and not os.path.lexists(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("text\n")
        return PathDistribution(about)

    return make


def shown(distribution: Distribution) -> list[str]:
    return [str(place) for place in game_files("quoits.game", distribution)]


def test_all_files_of_the_distribution_are_shown(installed: Installed) -> None:
    files = ("quoits/__init__.py", "quoits/game.py", "quoits/boards/large.json", "quoits_rules.py")
    assert shown(installed(*files)) == list(files)


def test_what_others_installed_is_not(installed: Installed, tmp_path: Path) -> None:
    distribution = installed("quoits/game.py")
    for name in ("quoits/other_distribution.py", "secret.py"):
        (tmp_path / "site" / name).write_text("text\n")
    assert shown(distribution) == ["quoits/game.py"]


@pytest.mark.parametrize(
    "name",
    [
        "../secret.py",
        "quoits/../../secret.py",
        "/etc/passwd",
        "../../../bin/quoits",
        "arena/core/game.py",
        "arena_engine/forward_model.py",
        "json.py",
        "json/__init__.py",
        "sitecustomize.py",
        "usercustomize/__init__.py",
        "arena_kit.py",
        "quoits-1.0.dist-info/direct_url.json",
        "quoits-1.0.data/scripts/quoits",
        "quoits/__pycache__/game.cpython-311.pyc",
        "quoits.pth",
        "__editable___quoits_1_0_finder.py",
    ],
)
def test_what_is_outside_or_takes_the_place_of_another_module_is_not(
    installed: Installed, tmp_path: Path, name: str
) -> None:
    (tmp_path / "secret.py").write_text("secret\n")
    assert shown(installed("quoits/game.py", name)) == ["quoits/game.py"]


def test_the_engine_finds_a_game_by_the_entry_points_of_its_package(
    installed: Installed, tmp_path: Path
) -> None:
    about = tmp_path / "site" / "quoits-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "entry_points.txt").write_text("[arena.games]\nquoits = quoits.game:GAME\n")
    (tmp_path / "site" / "quoits").mkdir()
    (tmp_path / "site" / "quoits" / "game.py").write_text("GAME = 'the rules of quoits'\n")
    files = game_files("quoits.game", installed("quoits/game.py", f"{about.name}/entry_points.txt"))
    path = stage_engine(tmp_path / "engine", files)
    program = (
        f"import sys; sys.path.insert(0, {str(path)!r})\n"
        "from arena_engine.forward_model import rules_of, NoSuchRules\n"
        "print(rules_of('quoits'))\n"
        "try: rules_of('darts')\nexcept NoSuchRules as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.stdout.startswith("the rules of quoits\nthe rules of 'darts' can't be imported"), done.stderr


def test_links_are_not_followed(installed: Installed, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.py").write_text("secret\n")
    (tmp_path / "site" / "quoits").mkdir(parents=True)
    (tmp_path / "site" / "quoits" / "link.py").symlink_to(tmp_path / "secret" / "key.py")
    (tmp_path / "site" / "quoits" / "folder").symlink_to(tmp_path / "secret")
    (tmp_path / "site" / "quoits" / "pipe.py").unlink(missing_ok=True)
    os.mkfifo(tmp_path / "site" / "quoits" / "pipe.py")
    listed = ("quoits/game.py", "quoits/link.py", "quoits/folder/key.py", "quoits/pipe.py")
    assert shown(installed(*listed)) == ["quoits/game.py"]


def test_a_package_installed_in_place_shows_its_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: Installed
) -> None:
    folder = tmp_path / "work" / "quoits"
    (folder / ".git").mkdir(parents=True)
    for name in ("__init__.py", "game.py", "boards.toml", ".env", "notes.txt", ".git/config.toml"):
        (folder / name).write_text("X = 1\n")
    (folder / "secret.py").symlink_to("/etc/passwd")
    (folder.parent / "password.py").write_text("secret\n")
    monkeypatch.syspath_prepend(folder.parent)
    __import__("quoits")
    try:
        for distribution in (installed(), None):
            assert sorted(map(str, game_files("quoits.game", distribution))) == [
                "quoits/__init__.py",
                "quoits/boards.toml",
                "quoits/game.py",
            ]
    finally:
        del sys.modules["quoits"]


def test_arenas_own_games_bring_nothing_more() -> None:
    assert game_files("arena.games.bread_basket", None) == {}


def test_too_much_is_refused(installed: Installed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_program, "MOST_BYTES", 4)
    with pytest.raises(TooLarge, match=r"the package of quoits\.game has"):
        game_files("quoits.game", installed("quoits/game.py"))


def test_what_is_staged_is_a_copy_that_cannot_be_written_to(installed: Installed, tmp_path: Path) -> None:
    files = game_files("quoits.game", installed("quoits/boards/large.json", "quoits/game.py"))
    path = stage_engine(tmp_path / "engine", files)
    copied = path / "quoits" / "game.py"
    assert copied.read_text() == "text\n"
    assert copied.stat().st_mode & 0o777 == 0o444
    assert not copied.samefile(files[PurePosixPath("quoits/game.py")])
    assert (path / "quoits" / "boards" / "large.json").exists()
    assert sorted(child.name for child in path.iterdir()) == ["arena", "arena_engine", "quoits"]

"""`arena new`: what it writes, what it refuses, and a bot in Python that plays as it is."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.cli.commands.new import check_bot_name as check_new_name
from arena.core.errors import UsageError
from arena.submissions.manifest import read_manifest
from arena.templates.new_folder import TOOLCHAINS, BotDraft, Language, drafted, write_new_folder
from tests.support.leagues import arena, arena_here

GAMES = ("bread-basket", "bread-and-chocolate", "sandwich", "*", "goofspiel")
"""The games with programs of their own, all games, and a game of another package."""


def draft(language: Language = Language.PYTHON, game: str = "bread-basket", name: str = "first") -> BotDraft:
    return BotDraft(name, "me", language, game, "a game", ("bots/any_game/random",), "./first")


def test_a_new_bot_in_python_passes_its_test_and_plays(tmp_path: Path) -> None:
    made = arena_here("new", "first", "--game", "bread-basket", "--author", "me", cwd=tmp_path)
    files = ["README.md", "arena_kit.py", "bot.py", "bot.toml", "test_bot.py"]
    assert made.stdout.splitlines() == [
        f"made first: {', '.join(files)}",
        "next:",
        "  (cd ./first && python3 -m unittest)",
        "  arena check ./first",
        "  arena match ./first bots/bread_basket/greedy --rotate",
        "  arena submit ./first",
    ]
    assert sorted(path.name for path in (tmp_path / "first").iterdir()) == files
    test = [sys.executable, "-m", "unittest"]
    done = subprocess.run(test, cwd=tmp_path / "first", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Ran 3 tests" in done.stderr
    played = arena("match", ".", "bots/any_game/random", "--format", "json", cwd=tmp_path / "first")
    assert [row["verdict"] for row in json.loads(played.stdout)] == ["", ""]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", Language)
def test_every_language_has_a_whole_bot_for_every_game(language: Language, game: str, tmp_path: Path) -> None:
    files = drafted(draft(language, game))
    toolchain = TOOLCHAINS[language]
    assert {toolchain.program, toolchain.test, toolchain.kit, "bot.toml", "README.md"} <= set(files)
    for name in ("bot.toml", "README.md"):
        assert b"{{" not in files[name]
    write_new_folder(tmp_path / "first", files)
    manifest = read_manifest(tmp_path / "first")
    assert (manifest.name, manifest.author, manifest.games) == ("first", "me", (game,))
    assert {toolchain.program, toolchain.needs, "./bot"} & {*manifest.command, *(manifest.build or ())}


@pytest.mark.parametrize(
    ("title", "description"),
    [
        ('The "Best" \\ Game', 'The "Best" \\ Game'),
        ('x"\nbuild = ["./evil"]', 'x"⏎build = ["./evil"]'),
        ("{{commands}} 🥪\x7f\udce9", "{{commands}} 🥪\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}"),
        ("long " * 100, ("long " * 100)[:160]),
    ],
    ids=["quotes", "a line of its own", "invisible", "long"],
)
def test_the_title_of_a_game_is_only_text(title: str, description: str, tmp_path: Path) -> None:
    files = drafted(replace(draft(), title=title))
    write_new_folder(tmp_path / "first", files)
    manifest = read_manifest(tmp_path / "first")
    assert (manifest.description, manifest.build) == (f"a first bot for {description}", ())
    assert len(files["README.md"].splitlines()) == len(drafted(draft())["README.md"].splitlines())


def test_languages_of_one_game_have_the_same_tests() -> None:
    """Names of tests in camel case, with underscores and in sentences say the same."""
    for game, words in (
        ("bread-basket", "lowest"),
        ("bread-and-chocolate", "discard"),
        ("sandwich", "palate"),
    ):
        for language in Language:
            content = drafted(draft(language, game))[TOOLCHAINS[language].test]
            assert words in content.decode().lower(), (language, game)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["My Bot", "--game", "sandwich"], "name: 'My Bot' is not a valid name: use up to 40 lower-case"),
        (["ok", "--game", "sandwich", "--author", "A"], "author: 'A' is not a valid name"),
        (["ok", "--game", "sandwhich"], "there is no game 'sandwhich'; did you mean 'sandwich'?"),
        (["ok"], "which game does it play?"),
        (["ok", "--game", "sandwich", "--language", "ruby"], "'ruby' is not a possible value"),
        (["ok", "--game", "sandwich", "--folder", "missing/ok"], "can't make the folder missing/ok: No such"),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_written(
    arguments: list[str], words: str, tmp_path: Path
) -> None:
    refused = arena_here("new", *arguments, cwd=tmp_path)
    assert refused.returncode == 2
    assert words in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_is_filled_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    write_new_folder(tmp_path / "empty", {"a": b"1"})
    assert (tmp_path / "empty/a").read_bytes() == b"1"
    with pytest.raises(UsageError, match="isn't empty; nothing was written"):
        write_new_folder(tmp_path / "empty", {"b": b"2"})
    assert [path.name for path in (tmp_path / "empty").iterdir()] == ["a"]
    with pytest.raises(UsageError, match="is no folder"):
        write_new_folder(tmp_path / "empty/a", {"b": b"2"})


def test_the_commands_name_the_folder_from_above_it(tmp_path: Path) -> None:
    (tmp_path / "my bots").mkdir()
    made = arena_here("new", "ok", "--game", "sandwich", "--folder", "my bots/first", cwd=tmp_path)
    assert made.stdout.splitlines()[-1] == "  arena submit './my bots/first'"
    assert "arena submit ./first " in (tmp_path / "my bots/first/README.md").read_text(encoding="utf-8")
    (tmp_path / "here").mkdir()
    made = arena_here("new", "ok", "--game", "sandwich", "--folder", ".", cwd=tmp_path / "here")
    assert made.stdout.splitlines()[2] == "  cd .."
    assert made.stdout.splitlines()[-1] == "  arena submit ./here"


def test_links_are_never_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    for link, target in (("link", "elsewhere"), ("dangling", "nowhere")):
        (tmp_path / link).symlink_to(target)
        with pytest.raises(UsageError, match="is a link"):
            write_new_folder(tmp_path / link, {"a": b"1"})
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("exists", [False, True])
def test_all_files_are_written_or_none(exists: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "new"
    if exists:
        folder.mkdir()
    opened = os.fdopen

    def full(descriptor: int, mode: str) -> object:
        if len(written) == 2:
            os.close(descriptor)
            raise KeyboardInterrupt
        written.append(descriptor)
        return opened(descriptor, mode)

    written: list[int] = []
    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(KeyboardInterrupt):
        write_new_folder(folder, {"a": b"1", "b": b"2", "c": b"3"})
    assert written
    assert [path.name for path in tmp_path.rglob("*")] == (["new"] if exists else [])


def test_a_name_that_is_refused_is_written_as_the_command_takes_it() -> None:
    with pytest.raises(UsageError, match="'Bad' is not a valid name") as refused:
        check_new_name("Bad")
    assert refused.value.hint == "arena new bad …"

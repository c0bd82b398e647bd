"""What makes a version: its files by content; what is no bot is refused in words."""

from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

from arena.core.errors import BadFile
from arena.submissions.entering import enter_kept
from arena.submissions.folder import File, content_hash, keep
from arena.submissions.kept_version_files import versions_folder
from arena.submissions.manifest import bundled_bots
from arena.submissions.read_source import KIT_NAME, is_bundled, kit_source, read_source
from tests.support.ledgers import new_store

MANIFEST = 'name = "mine"\nauthor = "me"\ncommand = ["python3", "bot.py"]\ngames = ["bread-basket"]\n'


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "bot.toml").write_text(MANIFEST)
    (folder / "bot.py").write_text("print('hello')\n")
    return folder


def test_the_same_content_is_the_same_version(bot: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere"
    copytree(bot, copy)
    (copy / "__pycache__").mkdir()
    (copy / "__pycache__" / "bot.pyc").write_bytes(b"left out")
    assert read_source(copy).sha256 == read_source(bot).sha256


def test_any_change_of_path_mode_or_content_is_another_version(bot: Path) -> None:
    hashes = {read_source(bot).sha256}
    (bot / "bot.py").write_text("print('hello!')\n")
    hashes.add(read_source(bot).sha256)
    (bot / "bot.py").chmod(0o755)
    hashes.add(read_source(bot).sha256)
    (bot / "bot.py").rename(bot / "bot2.py")
    hashes.add(read_source(bot).sha256)
    (bot / "sub").mkdir()
    (bot / "sub" / "data").write_text("")
    hashes.add(read_source(bot).sha256)
    assert len(hashes) == 5


def test_the_kit_is_added_where_asked_for_and_not_over_the_bots_own(bot: Path) -> None:
    assert KIT_NAME not in {file.path for file in read_source(bot).files}
    (bot / "bot.toml").write_text(MANIFEST + "kit = true\n")
    assert {file.path: file.content for file in read_source(bot).files}[KIT_NAME] == kit_source()
    (bot / KIT_NAME).write_text("# my own\n")
    assert {file.path: file.content for file in read_source(bot).files}[KIT_NAME] == b"# my own\n"


def test_a_folder_in_the_place_of_the_kit_is_refused(bot: Path) -> None:
    (bot / "bot.toml").write_text(MANIFEST + "kit = true\n")
    (bot / KIT_NAME).mkdir()
    (bot / KIT_NAME / "x").write_text("")
    with pytest.raises(BadFile, match=r"the bot 'mine' has `kit = true`, but .*/arena_kit\.py is a folder"):
        read_source(bot)
    (bot / KIT_NAME).rename(bot / "Arena_Kit.py")
    with pytest.raises(
        BadFile, match=r"/Arena_Kit\.py and 'arena_kit\.py' are the same name on some systems"
    ):
        read_source(bot)


def test_a_file_in_the_place_of_a_bot_is_refused_with_its_folder(bot: Path) -> None:
    with pytest.raises(BadFile, match=r"bot\.toml is a file; a bot is a folder") as caught:
        read_source(bot / "bot.toml")
    assert caught.value.hint == f"name its folder: {bot}"


@pytest.mark.parametrize("bits", [0o500, 0o550, 0o555])
def test_kept_files_are_read_only_and_written_once(bot: Path, tmp_path: Path, bits: int) -> None:
    (bot / "run.sh").write_text("#!/bin/sh\n")
    (bot / "run.sh").chmod(0o755)
    place = tmp_path / "versions" / "one"
    place.parent.mkdir()
    place.parent.chmod(bits | 0o200)
    keep(read_source(bot).files, place)
    assert {path.name: path.stat().st_mode & 0o777 for path in place.iterdir()} == {
        "bot.toml": bits & 0o444,
        "bot.py": bits & 0o444,
        "run.sh": bits,
    }
    before = (place / "bot.py").stat().st_ino
    keep(read_source(bot).files, place)
    assert (place / "bot.py").stat().st_ino == before
    assert [path.name for path in (tmp_path / "versions").iterdir()] == [place.name]


def test_what_is_no_bot_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="no such file or folder"):
        read_source(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadFile, match=r"has no bot\.toml"):
        read_source(tmp_path / "empty")


NAMES_OF_ARENA = (
    "arena",
    "arena-",
    "arena_",
    "a-rena",
    "4rena",
    "ar3na",
    "aren4",
    "arena2",
    "arena-team",
    "gue5t",
)


@pytest.mark.parametrize("author", NAMES_OF_ARENA)
def test_nobody_else_is_the_author_arena_or_looks_like_it(bot: Path, author: str) -> None:
    (bot / "bot.toml").write_text(MANIFEST.replace('"me"', f'"{author}"'))
    with pytest.raises(
        BadFile, match=rf"bot\.toml:2: author: '{author}' can't be the author of a bot"
    ) as caught:
        read_source(bot)
    assert caught.value.hint == 'write your own name there, such as author = "ada"'


@pytest.mark.parametrize("author", ["arens", "marena", "ar-en-a1ex", "karena", "houses", "rena", "me"])
def test_others_are_who_they_are(bot: Path, author: str) -> None:
    (bot / "bot.toml").write_text(MANIFEST.replace('"me"', f'"{author}"'))
    assert read_source(bot).manifest.author == author


def test_a_copy_of_a_reference_bot_is_one_until_it_is_changed(tmp_path: Path) -> None:
    for own in sorted(file.parent for file in bundled_bots().glob("*/*/bot.toml")):
        copy = tmp_path / own.parent.name / own.name
        copytree(own, copy, ignore=ignore_patterns("__pycache__"))
        intake = read_source(copy)
        assert is_bundled(intake.manifest, intake.sha256)
    (copy / "notes.txt").write_text("mine")
    with pytest.raises(BadFile, match="and this is none of them, or a changed copy"):
        read_source(copy)
    text = (copy / "bot.toml").read_text()
    (copy / "bot.toml").write_text(text.replace('"arena"', '"ada"'))
    intake = read_source(copy)
    assert not is_bundled(intake.manifest, intake.sha256)


def test_files_kept_for_a_command_are_looked_at_too(bot: Path, tmp_path: Path) -> None:
    """A command in the inbox names them by their hash alone."""
    text = MANIFEST.encode().replace(b'"me"', b'"arena"')
    files: tuple[File, ...] = (File("bot.toml", False, text),)
    with new_store(tmp_path) as store:
        keep(files, versions_folder(store) / content_hash(files))
        with pytest.raises(BadFile, match="'arena' can't be the author"):
            enter_kept(store, content_hash(files))
        assert store.versions.all() == []
        files = read_source(bot).files
        keep(files, versions_folder(store) / content_hash(files))
        assert enter_kept(store, content_hash(files))[0].author == "me"

"""What makes a version: its files by content; what is no bot is refused in words."""

from pathlib import Path

import pytest

from arena.config.errors import BadFile
from arena.submissions.intake import KIT_NAME, keep, kit_source, read_source

MANIFEST = 'name = "mine"\nauthor = "me"\ncommand = ["python3", "bot.py"]\ngames = ["bread-basket"]\n'


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "bot.toml").write_text(MANIFEST)
    (folder / "bot.py").write_text("print('hello')\n")
    return folder


def test_the_same_content_is_the_same_version(bot: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "elsewhere"
    shutil.copytree(bot, copy)
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

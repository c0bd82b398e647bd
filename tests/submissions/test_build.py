"""A bot with `build` is built once for each source; its result is what plays, and its bot.toml stays."""

import re
from pathlib import Path

import pytest

from arena.config.settings import BuildTable, read_settings
from arena.core.errors import BadFile
from arena.sandbox.confinement import UNCONFINED
from arena.sandbox.runtimes import Runtimes
from arena.submissions.build import Builder
from arena.submissions.build_run import BuildFailed
from arena.submissions.entering import read_bot
from arena.submissions.folder import content_hash
from arena.submissions.read_source import read_source
from tests.support.sandbox import needs_bwrap
from tests.support.submissions import built, confined, folder_of

GOOD = "cp bot.txt bot.sh; echo built"


@pytest.mark.parametrize(
    "is_confined",
    [pytest.param(True, marks=needs_bwrap, id="in the sandbox"), pytest.param(False, id="without")],
)
def test_the_result_of_a_build_is_the_bot(tmp_path: Path, *, is_confined: bool) -> None:
    folder = folder_of(tmp_path / "mine", f"{GOOD}; id -u > id.txt; ls ~ > home.txt; ls / > root.txt")
    source = read_source(folder)
    intake = built(folder, tmp_path / "files", confined() if is_confined else UNCONFINED)
    files = {file.path: file.content for file in intake.files}
    assert files["bot.sh"] == b"echo hello\n"
    assert files["home.txt"] == b""
    assert not is_confined or b"home" not in files["root.txt"].split()
    assert intake.sha256 == content_hash(intake.files) != source.sha256
    assert intake.built is not None
    assert intake.built.source == source.files
    assert (intake.built.record.source, intake.built.record.words) == (source.sha256, "built\n")
    assert {path.name for path in folder.iterdir()} == {"bot.toml", "build.sh", "bot.txt"}, (
        "the author's folder stays"
    )


def test_a_failed_build_shows_the_end_of_its_output_and_its_exit_code(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "mine", "seq 100; printf 'no \\033[31msuch\\n' >&2; exit 7")
    with pytest.raises(BuildFailed) as caught:
        built(folder, tmp_path / "files")
    first, *lines = str(caught.value).splitlines()
    assert first == f"{folder}/bot.toml:4: the build exited with code 7; the end of its output:"
    assert len(lines) == 20
    assert "correct the program" in caught.value.hint
    assert caught.value.exit_code == 3
    assert not (tmp_path / "files").exists(), "a refused bot makes no store"
    assert "1\n2\n3\n" in caught.value.words  # errors may come first: they have a pipe of their own


def test_the_first_error_of_a_long_output_is_shown(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "mine", "seq 50; echo 'bot.c:3: error: no such'; seq 100 199; exit 1")
    with pytest.raises(BuildFailed) as caught:
        built(folder, tmp_path / "files")
    first, *lines = str(caught.value).splitlines()
    assert first.endswith("; the first error of its output:")
    assert lines[:2] == ["bot.c:3: error: no such", "100"]
    assert len(lines) == 20


def test_line_breaks_in_the_words_of_a_build_begin_no_line(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "mine", GOOD)
    manifest = (folder / "bot.toml").read_text()
    (folder / "bot.toml").write_text(manifest.replace('"build.sh"]', '"build.sh", "x\\nerror: forged"]'))
    said: list[str] = []
    Builder(tmp_path / "files", lambda: UNCONFINED, said.append).built(read_source(folder))
    assert "forged" in said[0]
    assert "\n" not in said[0]


@pytest.mark.parametrize(
    "lines",
    [
        "echo >> bot.toml",
        "rm bot.toml",
        "rm bot.toml; ln -s build.sh bot.toml",
        "mv bot.toml x; mkdir bot.toml",
        "sed -i 's/me/you/' bot.toml",
    ],
)
def test_the_bot_toml_that_was_checked_is_the_one_that_counts(tmp_path: Path, lines: str) -> None:
    folder = folder_of(tmp_path / "mine", f"{GOOD}; {lines}")
    with pytest.raises(
        BuildFailed, match=r"the build changed bot\.toml|the built folder/bot\.toml is a link"
    ):
        built(folder, tmp_path / "files")


@pytest.mark.parametrize(
    ("lines", "hint"),
    [
        ("echo 1 > k; echo 2 > K", "rename it"),
        ("ln -s bot.txt link", "replace it with a copy"),
        ("mkdir lib; truncate -s 33M lib/net", r"\(lib/ has 1 and 33\.0 MiB\); let the build remove"),
    ],
)
def test_what_a_build_may_not_leave_is_refused_with_its_own_hint(
    tmp_path: Path, lines: str, hint: str
) -> None:
    folder = folder_of(tmp_path / "mine", f"{GOOD}; {lines}")
    with pytest.raises(BuildFailed, match="what the build left can't be a bot") as caught:
        built(folder, tmp_path / "files")
    assert re.search(hint, caught.value.hint)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        ('["../cc", "x"]', "build: the command's program '../cc' leads out of the bot's folder"),
        ('["./a/../../cc"]', "build: the command's program './a/../../cc' leads out"),
        ('["/usr/../tmp/cc"]', "build: '/usr/../tmp/cc' is a path of this machine"),
        ('["/tmp/cc"]', "build: '/tmp/cc' is a path of this machine"),
        ('["mke"]', "build: the bot needs the program 'mke', which is not installed here"),
        ('["sh build.sh"]', "build: the bot needs the program 'sh build.sh'"),
        ('["./build.sh"]', "build: './build.sh' is not executable"),
        ('["sh", "biuld.sh"]', "build: there is no 'biuld.sh' in the bot's folder; did you mean 'build.sh'?"),
        ('"make"', "build: expected a list of strings, got a string"),
        ("[]", "build: the list is empty"),
        ('["make", ""]', "build: an argument is empty"),
    ],
)
def test_a_build_that_cannot_start_is_refused_with_its_line(tmp_path: Path, build: str, message: str) -> None:
    folder = folder_of(tmp_path / "mine", GOOD)
    text = (folder / "bot.toml").read_text()
    (folder / "bot.toml").write_text(text.replace('["sh", "build.sh"]', build))
    with pytest.raises(BadFile) as caught:
        read_bot(folder, Runtimes())
    assert str(caught.value).startswith(f"{folder}/bot.toml:4: {message}")
    assert caught.value.hint


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ('["./bot"]', "command: there is no './bot' after the build"),
        ('["sh", "other.sh"]', "command: there is no 'other.sh' in the bot's folder"),
        ('["./bot.txt"]', "command: './bot.txt' is not executable"),
    ],
)
def test_a_command_that_the_build_did_not_make_is_refused(tmp_path: Path, command: str, message: str) -> None:
    folder = folder_of(tmp_path / "mine", GOOD)
    text = (folder / "bot.toml").read_text()
    (folder / "bot.toml").write_text(text.replace('["sh", "bot.sh"]', command))
    read_bot(folder, Runtimes())
    with pytest.raises(BadFile) as caught:
        built(folder, tmp_path / "files")
    assert str(caught.value).startswith(f"{folder}/bot.toml:3: {message}")


def test_limits_come_from_the_settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text("[build]\nwall_s = 7\n")
    monkeypatch.setenv("ARENA_SETTINGS", str(settings))
    assert read_settings().build == BuildTable(wall_s=7)
    settings.write_text("[build]\nwall_s = 0\n")
    with pytest.raises(BadFile, match=r"settings\.toml:2: build\.wall_s: "):
        read_settings()

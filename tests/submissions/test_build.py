"""A bot with `build` is built once for each source; its result is what plays, and its bot.toml stays."""

from pathlib import Path

import pytest

from arena.submissions.build import BUILDS, Builder
from arena.submissions.build_run import BuildFailed
from arena.submissions.content_hash import content_hash
from arena.submissions.intake import read_source
from tests.submissions.builds import built, confined, folder_of

GOOD = "cp bot.txt bot.sh; echo built"


def test_the_result_of_a_build_in_the_sandbox_is_the_bot(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "mine", f"{GOOD}; id -u > id.txt; ls ~ > home.txt; ls / > root.txt")
    source = read_source(folder)
    intake = built(folder, tmp_path / "files", confined())
    files = {file.path: file.content for file in intake.files}
    assert files["bot.sh"] == b"echo hello\n"
    assert files["home.txt"] == b""
    assert b"home" not in files["root.txt"].split()
    assert intake.sha256 == content_hash(intake.files) != source.sha256
    assert intake.built is not None
    assert intake.built.source == source.files
    assert (intake.built.record.source, intake.built.record.words) == (source.sha256, "built\n")
    assert {path.name for path in folder.iterdir()} == {"bot.toml", "build.sh", "bot.txt"}, (
        "the author's folder stays"
    )


def test_the_same_source_is_built_once(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "mine", f"{GOOD}; date +%N > when")
    first = built(folder, tmp_path / "files")
    assert built(folder, tmp_path / "files") == first
    (folder / "bot.txt").write_text("echo other\n")
    assert built(folder, tmp_path / "files").sha256 != first.sha256


def test_a_kept_result_that_was_changed_is_not_used(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "mine", GOOD)
    first = built(folder, tmp_path / "files")
    (kept,) = (tmp_path / "files" / BUILDS).iterdir()
    kept.write_bytes(kept.read_bytes().replace(b"echo hello", b"echo pwned"))
    said: list[str] = []
    from arena.sandbox.confinement import UNCONFINED

    again = Builder(tmp_path / "files", lambda: UNCONFINED, said.append).built(read_source(folder))
    assert again.files == first.files
    assert said[0] == "building mine: sh build.sh"
    assert "ordinary process, with your permissions" in said[1]


def test_a_failed_build_shows_the_end_of_its_output_and_its_exit_code(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "mine", "seq 100; printf 'no \\033[31msuch\\n' >&2; exit 7")
    with pytest.raises(BuildFailed) as caught:
        built(folder, tmp_path / "files")
    first, *lines = str(caught.value).splitlines()
    assert first == f"{folder}/bot.toml:4: the build exited with code 7; the end of its output:"
    assert len(lines) == 20
    assert "correct the program" in caught.value.hint
    assert caught.value.exit_code == 3

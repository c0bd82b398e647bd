"""What a version is made of: all regular files of a folder, or a refusal that names what is in the way."""

import io
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.core.errors import BadFile
from arena.submissions.archives import read_archive
from arena.submissions.folder import DEFAULT_LIMITS, MAX_DEPTH, read_files
from tests.support.sandbox import as_ordinary_user


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.py").write_text("print('hello')\n")
    return tmp_path / "bot"


def refused(folder: Path) -> str:
    with pytest.raises(BadFile) as caught:
        read_files(folder)
    return f"{caught.value} / {caught.value.hint}"


def test_links_are_refused(folder: Path) -> None:
    (folder / "link").symlink_to("/etc/passwd")
    assert f"{folder}/link is a link" in refused(folder)
    (folder / "link").unlink()
    (folder / "folder").symlink_to("/etc")
    assert f"{folder}/folder is a link" in refused(folder)


def test_pipes_are_refused(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    assert f"{folder}/pipe is not a regular file" in refused(folder)


def test_what_is_too_large_is_refused_with_the_bound(folder: Path) -> None:
    with (folder / "mountain").open("wb") as file:
        file.truncate(40_000_000)
    assert f"{folder} is too large: it has more than 32 MiB" in refused(folder)
    (folder / "mountain").unlink()
    for number in range(DEFAULT_LIMITS.files - 1):
        (folder / str(number)).touch()
    assert len(read_files(folder)) == DEFAULT_LIMITS.files
    (folder / "one more").touch()
    assert f"{folder} is too large: it has more than 1,000 files" in refused(folder)
    assert "1,000 files and 32 MiB" in refused(folder)


def test_folders_count_too(folder: Path) -> None:
    for number in range(1_001):
        (folder / str(number)).mkdir()
    assert "it has more than 1,000 folders" in refused(folder)


def test_a_folder_may_be_so_deep_and_no_deeper(folder: Path) -> None:
    deepest = folder.joinpath(*["d"] * MAX_DEPTH)
    deepest.mkdir(parents=True)
    (deepest / "f").write_text("")
    assert [file.path for file in read_files(folder)] == ["bot.py", "d/" * MAX_DEPTH + "f"]
    (deepest / "d").mkdir()
    assert "is 17 folders deep; the limit is 16" in refused(folder)


@pytest.mark.slow
def test_thousands_of_levels_are_refused_in_words(folder: Path) -> None:
    """Deeper than Python's stack, and longer than the longest path the system takes."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(2_500):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    try:
        assert "is 17 folders deep" in refused(folder)
    finally:
        flatten(folder)


def flatten(folder: Path) -> None:
    """Take away a chain of folders `d` that is too deep for `rmtree`, from the top."""
    for number in range(10_000):
        if not (folder / "d").is_dir():
            break
        (folder / "d").rename(folder.parent / f"level{number}")
        below = folder.parent / f"level{number}" / "d"
        if below.is_dir():
            below.rename(folder / "d")
        (folder.parent / f"level{number}").rmdir()


@pytest.mark.parametrize(
    ("name", "shown"),
    [(b"caf\xe9", r"caf\xe9"), (b"a\nb", r"a\nb"), ("a\u202eb".encode(), r"a\u202eb"), (b"\x1b[31m", r"\x1b[31m")],
)  # fmt: skip
def test_names_that_cannot_be_kept_or_printed_are_refused(folder: Path, name: bytes, shown: str) -> None:
    (folder / os.fsdecode(name)).touch()
    message = refused(folder)
    assert f"{folder}/{shown} has a name with control characters, or not in UTF-8" in message
    assert message.isprintable()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A.txt", "a.txt"),
        ("\N{KELVIN SIGN}", "k"),
        ("caf\N{LATIN SMALL LETTER E WITH ACUTE}", "cafe\N{COMBINING ACUTE ACCENT}"),
        ("stra\N{LATIN SMALL LETTER SHARP S}e", "STRASSE"),
        ("lib/x/Data", "lib/x/data"),
        ("Lib/one", "lib/two"),
    ],
)
def test_names_that_are_the_same_on_some_system_are_refused(folder: Path, one: str, other: str) -> None:
    for name in (one, other):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    message = refused(folder)
    assert (
        "are the same name on some systems: they differ only in case, or in how Unicode writes them"
        in message
    )
    assert all(repr(name) in message or str(folder / name) in message for name in clashing(one, other))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name in ("bot.toml", one, other):
            file.writestr(name, "x")
    (folder.parent / "bot.zip").write_bytes(packed.getvalue())
    with pytest.raises(BadFile, match="are the same name on some systems") as caught:
        read_archive(folder.parent / "bot.zip")
    assert all(repr(name) in str(caught.value) for name in clashing(one, other))


def clashing(one: str, other: str) -> list[str]:
    """Return the paths at which two paths begin to clash."""
    tops = one.split("/")[0], other.split("/")[0]
    return list(tops if tops[0] != tops[1] else (one, other))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a\\b", "has a backslash in its name"),
        ("C:x", "begins with a drive letter"),
        (
            f"{'d' * 250}/" * 16 + "e" * 100,
            "has too long a name: the limits are 255 bytes, and 4,096 for its path",
        ),
    ],
)
def test_names_that_no_archive_may_have_are_refused_in_folders_too(
    folder: Path, name: str, words: str
) -> None:
    here = os.open(folder, os.O_RDONLY)
    try:
        *parents, last = name.split("/")
        for parent in parents:
            os.mkdir(parent, dir_fd=here)
            below = os.open(parent, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        os.close(os.open(last, os.O_CREAT | os.O_WRONLY, dir_fd=here))
    finally:
        os.close(here)
    assert words in refused(folder)
    assert read_files(folder, kept=True), "as an earlier version may be in a store"


@pytest.fixture
def nobodys() -> Iterator[Path]:
    """Make a bot's folder that an ordinary user can reach, wherever the tests keep theirs."""
    folder = Path(tempfile.mkdtemp(prefix="arena-test-"))
    folder.chmod(0o755)
    (folder / "bot.py").write_text("print('hello')\n")
    yield folder
    shutil.rmtree(folder)


def test_what_cannot_be_read_is_named_and_not_left_out(nobodys: Path) -> None:
    assert len(read_files(nobodys)) == 1
    (nobodys / "data").mkdir()
    (nobodys / "data" / "weights").write_text("1 2 3")
    (nobodys / "data").chmod(0o000)
    assert f"{nobodys}/data cannot be read: Permission denied" in as_ordinary_user(lambda: refused(nobodys))
    (nobodys / "data").chmod(0o755)
    (nobodys / "data" / "weights").chmod(0o000)
    assert f"{nobodys}/data/weights cannot be read: Permission denied" in as_ordinary_user(
        lambda: refused(nobodys)
    )


def test_what_does_not_count_is_not_looked_at(folder: Path) -> None:
    for name in ("__pycache__", ".git", ".venv"):
        (folder / name).mkdir()
        (folder / name / "link").symlink_to("/etc/passwd")
    (folder / ".DS_Store").touch()
    assert [file.path for file in read_files(folder)] == ["bot.py"]


def test_a_store_that_arena_made_in_a_bots_folder_is_not_part_of_the_bot(folder: Path) -> None:
    for name in ("arena.sqlite", "arena.sqlite-wal", "arena.sqlite-shm"):
        (folder / name).write_text("rows")
    (folder / "arena.files" / "versions").mkdir(parents=True)
    (folder / "arena.files" / "versions" / "bot.py").touch()
    (folder / "data").mkdir()
    (folder / "data" / "arena.sqlite").touch()
    (folder / "__MACOSX").mkdir()
    (folder / "__MACOSX" / "._bot.py").touch()
    assert [file.path for file in read_files(folder)] == ["bot.py", "data/arena.sqlite"]
    assert len(read_files(folder, kept=True)) == 7

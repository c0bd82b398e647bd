"""Archives: the same version as from the folder, whatever program made them."""

import gzip
import io
import lzma
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.core.errors import BadFile
from arena.submissions.archives import is_archive, read_archive
from arena.submissions.folder import read_files
from arena.submissions.read_source import read_source
from tests.support.submissions import (
    BOT_TOML,
    CONTENT,
    FOLLOWS,
    MANIFEST,
    PY,
    Zipped,
    archive,
    descriptor,
    header,
    pax,
    prefixed,
    tar_with,
    tree,
    unicode_path,
    with_one,
    zipped,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FILES = [
    ("bot.toml", MANIFEST, 0o644),
    ("bot.py", b"print('hello')\n", 0o755),
    ("lib/näh/" + "long" * 24 + ".txt", b"x" * 1000, 0o600),
    ("lib/empty", b"", 0o444),
    ("model.bin", bytes(range(256)) * 500, 0o644),
    ("__pycache__/bot.pyc", b"left out", 0o644),
]


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    return tree(tmp_path / "mine", FILES)


def zip_of(folder: Path, within: str = "") -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(folder.rglob("*")):
            file.write(path, within + str(path.relative_to(folder)))
    return into.getvalue()


def tar_of(folder: Path, within: str = ".", form: int = tarfile.PAX_FORMAT) -> bytes:
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w", format=form) as file:
        file.add(folder, within)
    return into.getvalue()


WRITERS: dict[str, Callable[[Path], bytes]] = {
    "bot.zip": zip_of,
    "folder in.zip": lambda folder: zip_of(folder, "mine-1.0/"),
    "bot.tar": tar_of,
    "gnu.tar": lambda folder: tar_of(folder, "mine", tarfile.GNU_FORMAT),
    "bot.tar.gz": lambda folder: gzip.compress(tar_of(folder)),
    "two parts.tgz": lambda folder: b"".join(
        gzip.compress(part) for part in (tar_of(folder)[:700], tar_of(folder)[700:])
    ),
    "bot.tar.xz": lambda folder: lzma.compress(tar_of(folder)),
    "bot.tar.zst": lambda folder: zstd.compress(tar_of(folder, "mine")),
    "any name": zip_of,
    "really a zip.tar": zip_of,
}


@pytest.mark.parametrize("name", WRITERS)
def test_an_archive_is_the_same_version_as_its_folder(bot: Path, tmp_path: Path, name: str) -> None:
    path = archive(tmp_path, WRITERS[name](bot), name)
    assert is_archive(path)
    assert read_archive(path).files == read_files(bot)
    assert read_source(path).sha256 == read_source(bot).sha256


PROGRAMS = {
    "zip": "zip -qr ../out mine",
    "zip of its content": "cd mine && zip -qr ../../out .",
    "zip as a stream": "zip -qr - mine > ../out.zip",
    "GNU tar": "tar -cf ../out mine",
    "tar of its content": "tar -czf ../out -C mine .",
    "tar, xz": "tar -cJf ../out mine",
    "tar, zstd": "tar --zstd -cf ../out mine",
    "tar, ustar": "tar --format=ustar -cf ../out mine",
    "tar, pax": "tar --format=pax -cf ../out mine",
    "git, zip": "cd mine && git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm a && "
    "git archive --prefix=mine/ --format=zip -o ../../out HEAD",
    "git, tar": "cd mine && git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm a && "
    "git archive --format=tar -o ../../out HEAD",
    "jar": "jar -cMf ../out mine",
}


@pytest.mark.slow
@pytest.mark.parametrize("how", PROGRAMS)
def test_archives_of_other_programs_are_read(tmp_path: Path, how: str) -> None:
    if shutil.which("jar") is None and how == "jar":
        pytest.skip("this machine has no jar")
    (tmp_path / "in").mkdir()
    folder = tree(tmp_path / "in" / "mine", FILES)
    (folder / "lib" / "empty").chmod(0o644)
    (folder / "lib" / "näh" / ("long" * 24 + ".txt")).chmod(0o644)
    wanted = read_files(folder)
    subprocess.run(["sh", "-c", PROGRAMS[how]], cwd=tmp_path / "in", check=True, capture_output=True)
    path = next(tmp_path.glob("out*"))
    found = read_archive(path).files
    if how == "jar":  # it keeps no permissions
        assert [(file.path, file.content) for file in found] == [(file.path, file.content) for file in wanted]
    else:
        assert found == wanted


def test_what_a_folder_leaves_out_is_left_out_of_archives(tmp_path: Path) -> None:
    members = [
        BOT_TOML,
        Zipped(".git/HEAD", b"x"),
        Zipped("lib/.DS_Store", b"x"),
        Zipped(".venv/bin/python", b"/usr/bin/python3", mode=0o120777),
        Zipped("__MACOSX/._bot.toml", b"x"),
        Zipped("arena.sqlite", b"x"),
        Zipped("arena.files/versions/bot.py", b"x"),
    ]
    assert [file.path for file in read_archive(archive(tmp_path, zipped(*members))).files] == ["bot.toml"]


def test_an_archive_inside_is_a_file_like_any_other(tmp_path: Path) -> None:
    inner = with_one(PY)
    path = archive(tmp_path, with_one(Zipped("inner.zip", inner, method=0)))
    assert {file.path: file.content for file in read_archive(path).files}["inner.zip"] == inner


def test_only_the_executable_bit_counts(tmp_path: Path) -> None:
    modes = {"a": 0o100777, "b": 0o100700, "c": 0o100666, "d": 0}
    members = [BOT_TOML, *(Zipped(name, mode=mode) for name, mode in modes.items())]
    found = read_archive(archive(tmp_path, zipped(*members))).files
    assert [file.executable for file in found if len(file.path) == 1] == [True, True, False, False]


def test_sizes_may_follow_a_member(tmp_path: Path) -> None:
    packed = zlib.compress(CONTENT, 9)[2:-4]
    small = descriptor(CONTENT, len(packed))
    large = struct.pack("<4sLQQ", b"PK\x07\x08", zlib.crc32(CONTENT), len(packed), len(CONTENT))
    for number, behind in enumerate((small, small[4:], large, large[4:])):
        one = Zipped("bot.py", CONTENT, packed=packed, behind=behind, **FOLLOWS)  # type: ignore[arg-type]
        path = archive(tmp_path, with_one(one, Zipped("z")), f"{number}.zip")
        assert {file.path: file.content for file in read_archive(path).files}["bot.py"] == CONTENT


READ = {
    "git's comment": tar_with(header(b"", b"g", pax(("comment", "1a2b"))), header(b"bot.py", b"0")),
    "owner and times for all": tar_with(
        header(b"", b"g", pax(("uid", "0"), ("gname", "root"), ("mtime", "1"))), header(b"bot.py", b"0")
    ),
    "V7": tar_with(prefixed(bytes(8), b"")),
    "GNU": tar_with(prefixed(b"ustar  \0", b"")),
    "zip, extra fields": with_one(
        Zipped("bot.py", extra=b"UT\x01\0\x03" + unicode_path(b"bot.py"), front_extra=bytes(7))
    ),
}


@pytest.mark.parametrize("case", READ)
def test_what_programs_add_is_read(tmp_path: Path, case: str) -> None:
    found = read_archive(archive(tmp_path, READ[case])).files
    assert [file.path for file in found] == ["bot.py", "bot.toml"]


@pytest.mark.parametrize("content", [b"", b"hello", with_one(PY)[:-30], zipped(PY)])
def test_an_archive_is_named_on_one_line(tmp_path: Path, content: bytes) -> None:
    path = archive(tmp_path, content, "a\nb\x1b[31m\udce9.zip")
    with pytest.raises(BadFile) as caught:
        read_archive(path)
    assert str(caught.value).startswith(f"{tmp_path}/a\\nb\\x1b[31m\\xe9.zip ")
    assert str(caught.value).isprintable()


def test_a_pipe_that_takes_the_place_of_a_file_is_no_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "bot")
    monkeypatch.setattr(Path, "is_file", lambda _: True)
    assert not is_archive(tmp_path / "bot")


def test_a_pipe_or_a_folder_is_no_archive(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "bot.zip")
    assert not is_archive(tmp_path / "bot.zip")
    assert not is_archive(tmp_path)
    with pytest.raises(BadFile, match="is not a regular file"):
        read_archive(tmp_path / "bot.zip")

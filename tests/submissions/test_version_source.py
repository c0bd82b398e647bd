"""Versions that come from another machine: only what their hash says, and nothing outside their folder."""

import stat
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest

from arena.core.errors import ArenaError
from arena.submissions.folder import MIB, MOST_LIMITS, File, content_hash, keep
from arena.submissions.version_files_by_hash import (
    FetchedVersions,
    KeptVersions,
    VersionRefused,
    VersionSource,
    pack,
    packed_version,
    unpack,
)

FILES = [
    File("bot.py", False, b"print()"),
    File("data/a.bin", True, bytes(range(256))),
    File("z", False, b""),
]
SHA256 = content_hash(FILES)


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return all files below a folder, with their modes."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_what_is_fetched_is_what_is_kept(tmp_path: Path) -> None:
    kept, far = tmp_path / "kept", tmp_path / "far"
    keep(FILES, kept / SHA256)
    asked: list[str] = []

    def fetch(sha256: str) -> bytes:
        asked.append(sha256)
        return packed_version(kept, sha256)

    versions = FetchedVersions(fetch, far)
    folder = versions.folder(SHA256)
    assert versions.folder(SHA256) == folder == far / SHA256
    assert asked == [SHA256], "once"
    assert tree(folder) == tree(KeptVersions(kept).folder(SHA256))


def test_what_an_earlier_run_left_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / SHA256).mkdir()
    (tmp_path / SHA256 / "bot.py").write_text("evil()")
    folder = FetchedVersions(lambda _: pack(FILES), tmp_path).folder(SHA256)
    assert (folder / "bot.py").read_bytes() == b"print()"


def test_two_versions_share_nothing(tmp_path: Path) -> None:
    others = [File("bot.py", False, b"other")]
    sent = {SHA256: FILES, content_hash(others): others}
    versions = FetchedVersions(lambda sha256: pack(sent[sha256]), tmp_path)
    first, second = (versions.folder(sha256) for sha256 in sent)
    assert first.parent == second.parent
    assert not first.is_relative_to(second)
    assert tree(first) != tree(second)


@pytest.mark.parametrize(
    "sent",
    [
        FILES[:2],
        [*FILES, File("more", False, b"")],
        [File("bot.py", True, b"print()"), *FILES[1:]],
        [File("bot.py", False, b"print(1)"), *FILES[1:]],
        [],
    ],
)
def test_other_files_than_the_hash_says_are_refused(tmp_path: Path, sent: list[File]) -> None:
    with pytest.raises(VersionRefused, match="their hash differs"):
        FetchedVersions(lambda _: pack(sent), tmp_path / "far").folder(SHA256)
    assert list(tmp_path.iterdir()) == [], "nothing was written"


@pytest.mark.parametrize(
    "paths",
    [
        ["../outside"],
        ["a/../../outside"],
        ["/etc/passwd"],
        ["./bot.py"],
        ["a//b"],
        ["a/"],
        [""],
        ["."],
        ["a\0b"],
        ["/".join("d" * 20)],
        ["n" * 5_000],
        ["bot.py", "bot.py"],
        ["bot.py", "bot.py/inside"],
        ["a/b/c", "a"],
    ],
)
def test_paths_that_leave_the_folder_or_collide_are_refused(tmp_path: Path, paths: Sequence[str]) -> None:
    """Even with the right hash: it is that of a version that no submission can have made."""
    files = [File(path, False, b"") for path in paths]
    versions = FetchedVersions(lambda _: pack(files), tmp_path / "far")
    with pytest.raises(VersionRefused):
        versions.folder(content_hash(files))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"\xc1",
        b"\x93\x01\x02\x03",
        pack(FILES)[:-1],
        pack(FILES) + b"\x00",
        b"\xdd\xff\xff\xff\xff",  # says that four billion files follow
        b"\xdd"
        + (MOST_LIMITS.files + 1).to_bytes(4, "big")
        + b"\x93\xa0\xc2\xc4\x00" * (MOST_LIMITS.files + 1),
        msgspec.msgpack.encode([("big", False, bytes(MIB + 1))]),
        bytes(2 * MIB),
    ],
    ids=range(9),
)
@patch("arena.submissions.version_files_by_hash.PACKED_BYTES", 2 * MIB - 1)
@patch("arena.submissions.version_files_by_hash.MOST_LIMITS", MOST_LIMITS._replace(bytes=MIB))
def test_bytes_that_are_no_version_are_refused(packed: bytes) -> None:
    with pytest.raises(VersionRefused):
        unpack(packed)


@pytest.mark.parametrize("name", ["", "..", "../" + SHA256, SHA256.upper(), SHA256[:-1], "/" + SHA256[1:]])
def test_what_is_no_hash_names_no_folder(tmp_path: Path, name: str) -> None:
    def never(_: str) -> bytes:
        raise AssertionError("it was fetched")

    sources: list[VersionSource] = [FetchedVersions(never, tmp_path)]
    for source in sources:
        with pytest.raises(VersionRefused):
            source.folder(name)
    with pytest.raises(VersionRefused):
        packed_version(tmp_path, name)


def test_a_version_that_is_gone_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="the files of a version are missing"):
        KeptVersions(tmp_path).folder(SHA256)

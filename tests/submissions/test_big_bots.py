"""Bots with big files: refused with the way out, and taken where the settings file allows it."""

import os
import tarfile
from pathlib import Path

import pytest

from arena.config.settings import read_settings
from arena.core.errors import BadFile
from arena.submissions.archives import read_archive
from arena.submissions.archives.zip_format import zip_of
from arena.submissions.folder import DEFAULT_LIMITS, MIB, MOST_LIMITS, File, FolderLimits, keep, read_files
from arena.submissions.read_source import read_source
from arena.submissions.version_files_by_hash import pack, unpack
from arena.web.uploads.receiving import UploadLimits
from tests.support.leagues import simple, write_bot

NET_BYTES = 242_975_040
WAYS = ("[submissions] folder_mib", "`shows` of [runtimes]")


def settings(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    file = folder / "settings.toml"
    file.write_text(text)
    monkeypatch.setenv("ARENA_SETTINGS", str(file))


@pytest.fixture
def big(tmp_path: Path) -> Path:
    """Return a bot with a network file, which takes no room on the disk."""
    folder = write_bot(tmp_path, "big", simple(0), game="bread-basket")
    with (folder / "net.bin").open("wb") as file:
        file.truncate(NET_BYTES)
    return folder


def tar_of(folder: Path) -> Path:
    """Return a tar archive of a bot; what is empty in its files takes no room on the disk."""
    archive = folder.with_suffix(".tar")
    with archive.open("wb") as file:
        for path in sorted(folder.iterdir()):
            member = tarfile.TarInfo(f"big/{path.name}")
            member.size = path.stat().st_size
            file.write(member.tobuf(tarfile.PAX_FORMAT))
            if member.size < MIB:
                file.write(path.read_bytes())
            else:
                file.seek(member.size, os.SEEK_CUR)
            file.seek(-member.size % tarfile.BLOCKSIZE, os.SEEK_CUR)
        file.truncate(file.tell() + 2 * tarfile.BLOCKSIZE)
    return archive


@pytest.mark.parametrize("kind", ["folder", "archive"])
def test_the_refusal_names_the_largest_file_and_the_ways_out(big: Path, kind: str) -> None:
    path = big if kind == "folder" else tar_of(big)
    with pytest.raises(BadFile, match="is too large: it has more than 32 MiB") as refused:
        read_source(path)
    name = "net.bin" if kind == "folder" else "'big/net.bin'"
    assert f"its largest file is {name}, 231.7 MiB" in str(refused.value)
    assert "1,000 files and 32 MiB" in refused.value.hint
    assert all(way in refused.value.hint for way in WAYS)


def test_the_number_of_files_is_a_setting_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_bot(tmp_path, "bot", simple(0))
    settings(tmp_path, monkeypatch, "[submissions]\nfiles = 1\n")
    with pytest.raises(BadFile, match="more than 1 files") as refused:
        read_source(folder)
    assert "largest" not in str(refused.value), "that would not help"
    settings(tmp_path, monkeypatch, "[submissions]\nfiles = 2\n")
    assert len(read_source(folder).files) == 2


def test_a_setting_that_the_server_could_not_bear_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(tmp_path, monkeypatch, f"[submissions]\nfolder_mib = {MOST_LIMITS.bytes // MIB + 1}\n")
    with pytest.raises(BadFile, match=r"settings\.toml:2: submissions\.folder_mib: .*256"):
        read_settings()


def test_what_is_kept_is_read_whatever_the_limit_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [File("bot.toml", False, b""), File("net.bin", False, bytes(2 * MIB))]
    keep(files, tmp_path / "kept")
    settings(tmp_path, monkeypatch, "[submissions]\nfolder_mib = 1\n")
    assert read_files(tmp_path / "kept", kept=True) == files
    assert unpack(pack(files)) == files, "hosts have settings of their own"
    with pytest.raises(BadFile, match=r"more than 1 MiB; its largest file is net\.bin, 2\.0 MiB"):
        read_files(tmp_path / "kept")


def test_archives_may_hold_more_where_bots_may_be_larger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_bot(tmp_path, "bot", simple(0))
    (folder / "net.bin").write_bytes(os.urandom(2 * MIB))
    archive = tmp_path / "bot.zip"
    archive.write_bytes(zip_of(read_files(folder), "bot"))
    settings(tmp_path, monkeypatch, "[submissions]\nfolder_mib = 1\n")
    with pytest.raises(BadFile, match=r"more than 1 MiB in files.*'bot/net.bin', 2.0 MiB"):
        read_archive(archive)
    settings(tmp_path, monkeypatch, "[submissions]\nfolder_mib = 3\n")
    assert read_source(archive).sha256 == read_source(folder).sha256


def test_uploads_fit_the_bots_that_are_taken() -> None:
    assert UploadLimits.of(DEFAULT_LIMITS) == UploadLimits()
    large = UploadLimits.of(FolderLimits(256 * MIB, 1_000))
    assert large.body_bytes == 384 * MIB
    assert large.kept_bytes >= 2 * large.body_bytes
    assert large.receive_s > UploadLimits().receive_s


@pytest.mark.slow
def test_a_big_bot_is_the_same_from_a_folder_and_an_archive(
    big: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(tmp_path, monkeypatch, "[submissions]\nfolder_mib = 256\n")
    intake = read_source(big)
    assert sum(len(file.content) for file in intake.files) > NET_BYTES
    assert read_source(tar_of(big)).sha256 == intake.sha256
    assert len(unpack(pack(list(intake.files)))) == 3

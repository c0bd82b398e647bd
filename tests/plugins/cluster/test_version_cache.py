"""Versions on a host: verified, never replaced by others, and the least recently used ones go."""

import os
from pathlib import Path

import pytest
from arena_cluster.agent import VersionCache

from arena.submissions.folder import File, content_hash
from arena.submissions.version_files_by_hash import VersionRefused, pack


def version(text: str, size: int = 10) -> tuple[str, bytes]:
    files = [File("bot.py", False, text.encode().ljust(size))]
    return content_hash(files), pack(files)


def test_a_version_is_kept_and_found_again(tmp_path: Path) -> None:
    sha256, packed = version("one")
    VersionCache(tmp_path / "kept", 10_000).put(sha256, packed)
    again = VersionCache(tmp_path / "kept", 10_000)
    assert again.has(sha256)
    assert len(again) == 1
    assert (again.place / sha256 / "bot.py").read_text().strip() == "one"


def test_another_version_is_refused(tmp_path: Path) -> None:
    cache = VersionCache(tmp_path / "kept", 10_000)
    with pytest.raises(VersionRefused, match="their hash differs"):
        cache.put(version("one")[0], version("two")[1])
    assert not list(cache.place.iterdir())
    with pytest.raises(VersionRefused, match="not a content hash"):
        cache.has("../" + "0" * 61)


def test_what_was_changed_is_fetched_again(tmp_path: Path) -> None:
    sha256, packed = version("one")
    VersionCache(tmp_path / "kept", 10_000).put(sha256, packed)
    file = tmp_path / "kept" / sha256 / "bot.py"
    file.chmod(0o644)
    file.write_text("two")
    again = VersionCache(tmp_path / "kept", 10_000)
    assert not again.has(sha256)
    again.put(sha256, packed)
    assert again.has(sha256)


def test_the_least_recently_used_go_but_none_that_is_used(tmp_path: Path) -> None:
    made = [version(str(number), 1_000) for number in range(4)]
    old = VersionCache(tmp_path / "kept", 2_500)
    for age, (sha256, packed) in zip((300, 100, 200), made, strict=False):
        old.put(sha256, packed)
        os.utime(old.place / sha256, (1_000 - age, 1_000 - age))
    cache = VersionCache(tmp_path / "kept", 2_500)
    assert cache.has(made[0][0]), "in use, though the oldest"
    cache.put(made[3][0], made[3][1])
    left = {path.name for path in cache.place.iterdir()}
    assert left == {made[0][0], made[3][0]}


def test_what_a_killed_process_left_half_written_goes(tmp_path: Path) -> None:
    (tmp_path / "kept" / ".half.1").mkdir(parents=True)
    assert len(VersionCache(tmp_path / "kept", 10_000)) == 0
    assert not list((tmp_path / "kept").iterdir())

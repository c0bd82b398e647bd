"""The versions that a host keeps, by hash: verified, unpacked, renamed. The least recently used ones go."""

import os
from contextlib import suppress
from pathlib import Path

from arena.core.errors import ArenaError
from arena.sandbox.folders import remove_tree
from arena.submissions.content_hash import content_hash
from arena.submissions.folder import read_files
from arena.submissions.intake import keep
from arena.submissions.version_source import VersionRefused, checked_hash, unpack


class VersionCache:
    """A folder of versions. Only one process at a time may use it."""

    def __init__(self, place: Path, most_bytes: int) -> None:
        """Use a folder, which is created. Raises OSError."""
        self.place = place
        self._most_bytes = most_bytes
        self._checked: set[str] = set()
        """Those of this session: they are used, and stay."""
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        for path in place.glob(".*"):  # of a process that was killed while it wrote
            remove_tree(path)

    def __len__(self) -> int:
        return sum(1 for path in self.place.iterdir() if not path.name.startswith("."))

    def has(self, sha256: str) -> bool:
        """Return whether a version is here, and still has its hash; remove it if not."""
        name = checked_hash(sha256)
        folder = self.place / name
        if name in self._checked:
            return True
        if not folder.is_dir():
            return False
        try:
            is_whole = content_hash(read_files(folder, kept=True)) == name
        except (ArenaError, OSError):
            is_whole = False
        if not is_whole:
            remove_tree(folder)
            return False
        with suppress(OSError):
            os.utime(folder)
        self._checked.add(name)
        return True

    def put(self, sha256: str, packed: bytes) -> None:
        """Keep a version. Raises ArenaError if it isn't the one with this hash, and OSError."""
        name = checked_hash(sha256)
        files = unpack(packed)
        if content_hash(files) != name:
            raise VersionRefused(
                f"the files sent for the version {name[:12]} are wrong: their hash differs",
                "run `arena db verify` on the machine with the store to check its files",
            )
        self._make_room(len(packed))
        keep(files, self.place / name)
        self._checked.add(name)

    def _make_room(self, needed: int) -> None:
        """Remove the versions that were not used for the longest time, but none of this session."""
        kept = []
        for path in self.place.iterdir():
            with suppress(OSError):
                kept.append((path.stat().st_mtime, _bytes_in(path), path))
        total = needed + sum(size for _, size, _ in kept)
        for _, size, path in sorted(kept):
            if total <= self._most_bytes:
                return
            if path.name not in self._checked:
                remove_tree(path)
                total -= size


def _bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())

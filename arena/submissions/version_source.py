"""Where a machine that plays games gets the files of versions from, by content hash."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Protocol

import msgspec
from msgspec import Meta

from arena.core.errors import ArenaError
from arena.submissions.content_hash import HASH_SCHEMES, File, content_hash
from arena.submissions.folder import MAX_BYTES, MAX_DEPTH, MAX_FILES, read_files
from arena.submissions.intake import keep

PACKED_BYTES = MAX_BYTES + MAX_FILES * 8_192
"""A packed version has at most so many bytes: its contents, and for each file a name and some figures."""
PATH_BYTES = 4_096
_Packed = Annotated[list[tuple[str, bool, bytes]], Meta(max_length=MAX_FILES)]


class VersionRefused(ArenaError):
    """A version that can't be had here, or that isn't what its hash says."""


class VersionSource(Protocol):
    """Gives the files of versions."""

    def folder(self, sha256: str, scheme: int) -> Path:
        """Return the folder with a version's files; they are only read. `scheme`: how the hash frames them.

        Raises VersionRefused where they can't be had.
        """


@dataclass(frozen=True, slots=True)
class KeptVersions:
    """The versions kept beside a store on this machine. A `VersionSource`; picklable."""

    place: Path
    """The folder of all of them."""

    def folder(self, sha256: str, scheme: int) -> Path:  # noqa: ARG002 - `arena db verify` checks what is kept
        """Return where a version is kept."""
        folder = self.place / sha256
        if not folder.is_dir():
            raise VersionRefused(f"the files of a version are missing: there is no {folder}")
        return folder


class FetchedVersions:
    """Versions that another machine sends, unpacked in a folder of our own. A `VersionSource`.

    Nothing is written before the hash is found to be right, so who sends the files can't choose them.
    """

    def __init__(self, fetch: Callable[[str], bytes], place: Path) -> None:
        """`fetch` returns a version as `pack` packs it, by its hash; `place` is ours alone, and may be kept."""
        self._fetch = fetch
        self._place = place
        self._checked: set[str] = set()

    def folder(self, sha256: str, scheme: int) -> Path:
        """Return where a version was unpacked; it is fetched the first time. Raises also what `fetch` raises."""
        name = _checked_hash(sha256)
        folder = self._place / name
        if name not in self._checked:
            # What lies there from earlier runs is not trusted: `keep` replaces it where it is anything else.
            files = unpack(self._fetch(name))
            if scheme not in HASH_SCHEMES or content_hash(files, scheme) != name:
                raise VersionRefused(
                    f"the files that were sent for the version {name[:12]} are others: their hash differs",
                    "`arena db verify` on the machine with the store checks what is kept there",
                )
            keep(files, folder)
            self._checked.add(name)
        return folder


def packed_version(place: Path, sha256: str) -> bytes:
    """Return a version that is kept below `place`, packed. Raises ArenaError where its files can't be read."""
    return pack(read_files(KeptVersions(place).folder(_checked_hash(sha256), 0), kept=True))


def pack(files: list[File]) -> bytes:
    """Return files as msgpack: a list of path, whether it is executable, and content."""
    return msgspec.msgpack.encode([(file.path, file.executable, file.content) for file in files])


def unpack(packed: bytes) -> list[File]:
    """Return packed files, within the bounds of a submission and with paths that stay in their folder.

    Raises VersionRefused for anything else.
    """
    if len(packed) > PACKED_BYTES:
        raise VersionRefused(f"a packed version has {len(packed):,} bytes; the limit is {PACKED_BYTES:,}")
    try:
        given = msgspec.msgpack.decode(packed, type=_Packed)
    except msgspec.DecodeError as error:
        raise VersionRefused(f"this is no packed version: {error}") from None
    if sum(len(content) for _, _, content in given) > MAX_BYTES:
        raise VersionRefused(f"a packed version is larger than {MAX_BYTES // 1_048_576} MiB")
    taken: set[str] = set()
    for path, _, _ in given:
        _check_path(path)
        if path in taken:
            raise VersionRefused(f"a packed version has the file {path!r} twice")
        taken.add(path)
    for path in taken:
        if any(str(folder) in taken for folder in PurePosixPath(path).parents):
            raise VersionRefused(f"a packed version has the file {path!r} in something that is a file")
    return [File(*file) for file in given]


def _check_path(path: str) -> None:
    parts = path.split("/")
    if (
        len(path.encode()) > PATH_BYTES
        or "\0" in path
        or len(parts) > MAX_DEPTH + 1
        or any(part in ("", ".", "..") for part in parts)
    ):
        raise VersionRefused(f"a packed version has a file with a path that is refused: {path[:80]!r}")


def _checked_hash(sha256: str) -> str:
    """Return a content hash, which is going to be the name of a folder. Raises VersionRefused where it is none."""
    if len(sha256) != 64 or set(sha256) - set("0123456789abcdef"):
        raise VersionRefused(f"{sha256[:80]!r} is no content hash")
    return sha256

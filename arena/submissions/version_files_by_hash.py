"""Sources of the files of versions, by content hash, for a machine that plays games."""

from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Annotated, Protocol

import msgspec
from msgspec import Meta, Struct

from arena.core.errors import ArenaError
from arena.submissions.folder import MAX_DEPTH, MIB, MOST_LIMITS, File, content_hash, keep, read_files

PACKED_BYTES = MOST_LIMITS.bytes + MOST_LIMITS.files * 8_192
"""Maximum size of a packed version: its contents, plus a name and some numbers for each file."""
PATH_BYTES = 4_096
_Packed = Annotated[list[tuple[str, bool, bytes]], Meta(max_length=MOST_LIMITS.files)]


class VersionRefused(ArenaError):
    """A version isn't available, or doesn't match its hash."""


class VersionSource(Protocol):
    """Provides the files of versions."""

    def folder(self, sha256: str) -> Path:
        """Return the folder with a version's files, not to be changed. Raises VersionRefused if not available."""


class KeptVersions(Struct, frozen=True):
    """The versions kept next to a store on this machine. A `VersionSource`; picklable."""

    place: Path
    """The folder of all versions."""

    def folder(self, sha256: str) -> Path:
        """Return the folder of a version. `arena db verify` checks what is kept."""
        folder = self.place / sha256
        if not folder.is_dir():
            raise VersionRefused(f"the files of a version are missing: {folder} does not exist")
        return folder


class FetchedVersions:
    """Versions that another machine sends, unpacked in a local folder. A `VersionSource`.

    Nothing is written before the hash has been checked, so the sender can't substitute other files.
    """

    def __init__(self, fetch: Callable[[str], bytes], place: Path) -> None:
        """`fetch` returns a version, packed by `pack`, by its hash. Nothing else may use `place`; it may be kept."""
        self._fetch = fetch
        self._place = place
        self._checked: set[str] = set()

    def folder(self, sha256: str) -> Path:
        """Return the folder of an unpacked version, fetching it the first time. Also raises what `fetch` raises."""
        name = checked_hash(sha256)
        folder = self._place / name
        if name not in self._checked:
            # Don't trust files from earlier runs: `keep` replaces them if they differ.
            keep(files_of_version(name, self._fetch(name)), folder)
            self._checked.add(name)
        return folder


def files_of_version(sha256: str, packed: bytes) -> list[File]:
    """Return the files of a packed version. Raises VersionRefused as `unpack`, and if they have another hash."""
    files = unpack(packed)
    if content_hash(files) != sha256:
        raise VersionRefused(
            f"the files sent for the version {sha256[:12]} are wrong: their hash differs",
            "run `arena db verify` on the machine with the store to check its files",
        )
    return files


def packed_version(place: Path, sha256: str) -> bytes:
    """Return a version kept below `place`, packed. Raises ArenaError if its files can't be read."""
    return pack(read_files(KeptVersions(place).folder(checked_hash(sha256)), kept=True))


def pack(files: list[File]) -> bytes:
    """Return files as msgpack: a list of (path, is executable, content)."""
    return msgspec.msgpack.encode([(file.path, file.executable, file.content) for file in files])


def unpack(packed: bytes) -> list[File]:
    """Return the files of a packed version. Raises VersionRefused if broken, too large, or a path leaves its folder."""
    if len(packed) > PACKED_BYTES:
        raise VersionRefused(f"a packed version has {len(packed):,} bytes; the limit is {PACKED_BYTES:,}")
    try:
        given = msgspec.msgpack.decode(packed, type=_Packed)
    except msgspec.DecodeError as error:
        raise VersionRefused(f"not a packed version: {error}") from None
    if sum(len(content) for _, _, content in given) > MOST_LIMITS.bytes:
        raise VersionRefused(f"a packed version is larger than {MOST_LIMITS.bytes // MIB} MiB")
    taken: set[str] = set()
    for path, _, _ in given:
        _check_path(path)
        if path in taken:
            raise VersionRefused(f"a packed version has the file {path!r} twice")
        taken.add(path)
    for path in taken:
        if any(str(folder) in taken for folder in PurePosixPath(path).parents):
            raise VersionRefused(f"a packed version has {path!r} inside another file")
    return [File(*file) for file in given]


def _check_path(path: str) -> None:
    parts = path.split("/")
    if (
        len(path.encode()) > PATH_BYTES
        or "\0" in path
        or len(parts) > MAX_DEPTH + 1
        or any(part in ("", ".", "..") for part in parts)
    ):
        raise VersionRefused(f"a packed version has a file with a forbidden path: {path[:80]!r}")


def checked_hash(sha256: str) -> str:
    """Return a content hash that is safe as the name of a folder. Raises VersionRefused if it isn't one."""
    if len(sha256) != 64 or set(sha256) - set("0123456789abcdef"):
        raise VersionRefused(f"{sha256[:80]!r} is not a content hash")
    return sha256

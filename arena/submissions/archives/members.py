"""Checks the members of an archive, whatever its format, and collects the files that they become."""

from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from arena.core.errors import BadFile
from arena.submissions.folder import (
    APPLE,
    LEFT_OUT,
    LEFT_OUT_AT_TOP,
    MAX_DEPTH,
    MAX_FOLDERS,
    MIB,
    WAYS_OUT,
    File,
    clash,
    folder_limits,
    in_mib,
    refused_path,
    shown_name,
    shown_path,
)
from arena.submissions.manifest import MANIFEST_NAME
from results.base.text import folded

MAX_MEMBERS = 10_000
"""Largest number of members, those that are left out included."""
STREAM_PART = 2
"""A tar archive may be so many times as large before compression as a bot's folder, with members that are left out."""
MAX_RATIO = 250
RATIO_FROM_BYTES = 1_048_576
"""An archive may unpack to this many bytes, or else to `MAX_RATIO` times its own size."""

_AGAIN = "make the archive again"
_RENAME = "rename the file, then make the archive again"
_COPY = "an archive may contain only regular files and folders: put a copy in its place"


class Kind(StrEnum):
    """What a member is, in words."""

    FILE = "a file"
    FOLDER = "a folder"
    LINK = "a symbolic link"
    HARD_LINK = "a hard link"
    DEVICE = "a device"
    PIPE = "a named pipe"
    SPARSE = "a sparse file"
    OTHER = "not a regular file"


class Unpacked(Struct, frozen=True):
    """The content of an archive."""

    files: list[File]
    """Sorted by path, as from `read_files`."""
    top: str
    """The name of the single top folder that was removed from the paths; empty if there was none."""


class Members:
    """The members of one archive. Each is checked before its content is read, and refused with its name."""

    def __init__(self, archive: Path, packed_bytes: int) -> None:
        """`packed_bytes` is the size of the archive itself."""
        self._archive = shown_name(str(archive))
        self._most = max(RATIO_FROM_BYTES, MAX_RATIO * packed_bytes)
        self._taken: dict[str, tuple[str, Kind]] = {}
        """Each path taken, by its folded form: how it is written, and what is there."""
        self._files: list[File] = []
        self._limits = folder_limits()
        self.stream_bytes = STREAM_PART * self._limits.bytes
        """Largest size of a tar archive before compression."""
        self._largest = (0, "")
        """The size and name of the largest file so far."""
        self._expected = 0
        self._bytes = 0
        self._members = 0
        self._folders = 0

    def count(self) -> None:
        """Count a member, or another header of the archive. Raises BadFile if there are too many."""
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise self.too_large(f"{MAX_MEMBERS:,} members")

    def take(self, name: str, kind: Kind, mode: int) -> str | None:
        """Check the name, kind and permissions of a member.

        Returns the path of a file whose content is to be added; None for a folder, and for what is left out.
        Raises BadFile if the member is refused.
        """
        parts = self._parts(name)
        if not parts and kind is Kind.FOLDER:  # the archive's own top, written as `./`
            return None
        if not parts:
            raise self.refused(name, "has no name of its own", _RENAME)
        if LEFT_OUT.intersection(parts) or parts[0] == APPLE:
            return None
        if kind not in (Kind.FILE, Kind.FOLDER):
            raise self.refused(name, f"is {kind}", _COPY)
        if kind is Kind.FILE and mode & 0o6000:
            raise self.refused(
                name,
                "has the set-user-ID or set-group-ID bit",
                "remove it with chmod ug-s, then make the archive again; only the executable bit counts",
            )
        if len(parts) > MAX_DEPTH + 2:
            raise self._too_deep(name)
        self._claim(name, parts, kind)
        return "/".join(parts) if kind is Kind.FILE else None

    def expect(self, name: str, size: int) -> None:
        """Count a file that is to be added with this size. Raises BadFile if it exceeds a limit."""
        self._expected += 1
        if self._expected > self._limits.files:
            raise self.too_large(f"{self._limits.files:,} files")
        self._bytes += size
        self._largest = max(self._largest, (size, name))
        if self._bytes > self._limits.bytes:
            raise self.too_large(f"{self._limits.bytes // MIB} MiB in files, {shown_path(name)} included")
        self.check_ratio(self._bytes)

    def check_ratio(self, unpacked_bytes: int) -> None:
        """Raise BadFile if an archive of this size can't be a bot's, as it unpacks to so much."""
        if unpacked_bytes > self._most:
            raise BadFile(
                f"{self._archive} unpacks to more than {MAX_RATIO} times its size",
                "submit the folder itself, or leave out what compresses so well",
            )

    def add(self, path: str, content: bytes, mode: int) -> None:
        """Add a file with a path from `take`, after `expect`."""
        self._files.append(File(path, bool(mode & 0o100), content))

    def unpacked(self) -> Unpacked:
        """Return the files. Raises BadFile if there is none, or no bot.toml at their top."""
        if not self._files:
            raise BadFile(f"{self._archive} is empty: there are no files in it", _AGAIN)
        files, top = self._files, ""
        tops = {file.path.partition("/")[0] for file in files}
        if len(tops) == 1 and all("/" in file.path for file in files):
            (top,) = tops
            files = [File(file.path.removeprefix(f"{top}/"), file.executable, file.content) for file in files]
        files = [file for file in files if file.path.partition("/")[0] not in LEFT_OUT_AT_TOP]
        for file in files:
            if file.path.count("/") > MAX_DEPTH:
                raise self._too_deep(file.path)
        if not any(file.path == MANIFEST_NAME for file in files):
            raise self._no_manifest(files, top)
        return Unpacked(sorted(files, key=lambda file: file.path), top)

    def refused(self, name: str, what: str, hint: str) -> BadFile:
        """Return the error for a member."""
        return BadFile(f"{self._archive}: {shown_path(name)} {what}", hint)

    def two_kinds(self, name: str) -> BadFile:
        """Return the error for a member that is a file to some readers and a folder to others."""
        return self.refused(name, "is both a file and a folder", _AGAIN)

    def damaged(self, what: str, name: str | None = None) -> BadFile:
        """Return the error for an archive, or one of its members, that isn't as archives are."""
        of = "" if name is None else f"{shown_path(name)}: "
        return BadFile(f"{self._archive} is damaged: {of}{what}", _AGAIN)

    def _parts(self, name: str) -> list[str]:
        if refused := refused_path(name):
            raise self.refused(name, refused[0], f"{refused[1]}, then make the archive again")
        if name.startswith("/"):
            raise self.refused(name, "has an absolute path", "make the archive from within the bot's folder")
        parts = name.removesuffix("/").split("/")
        if ".." in parts:
            raise self.refused(
                name, "leads out of the archive with `..`", "make the archive from within the bot's folder"
            )
        while parts and parts[0] == ".":
            del parts[0]
        if "" in parts or "." in parts:
            raise self.refused(name, "has an empty part or `.` in its path", _AGAIN)
        return parts

    def _claim(self, name: str, parts: list[str], kind: Kind) -> None:
        """Take the path of a member and its folders. Raises BadFile if one clashes with another."""
        folded_parts = [folded(part) for part in parts]
        for length in range(1, len(parts) + 1):
            path, key = "/".join(parts[:length]), "/".join(folded_parts[:length])
            here = kind if length == len(parts) else Kind.FOLDER
            if key not in self._taken:
                self._taken[key] = path, here
                self._folders += here is Kind.FOLDER
                if self._folders > MAX_FOLDERS + 1:
                    raise self.too_large(f"{MAX_FOLDERS:,} folders")
                continue
            there, what = self._taken[key]
            if there != path:
                raise self.refused(path, clash(there), _RENAME)
            if what is not here:
                raise self.two_kinds(path)
            if here is Kind.FILE:
                raise self.refused(name, "is in it twice", _AGAIN)

    def _too_deep(self, name: str) -> BadFile:
        return self.refused(
            name, f"is too deep: the limit is {MAX_DEPTH} nested folders", "use fewer of them"
        )

    def too_large(self, bound: str) -> BadFile:
        """Return the error for an archive with more than this, with its largest file."""
        size, name = self._largest
        largest = f"; its largest file is {shown_path(name)}, {in_mib(size)}" if size > MIB else ""
        return BadFile(
            f"{self._archive} is too large: it has more than {bound}{largest}",
            f"a bot may have {self._limits.in_words}; leave out what it does not need to play "
            f"({', '.join(sorted(LEFT_OUT))} do not count, but make the archive larger); {WAYS_OUT}",
        )

    def _no_manifest(self, files: list[File], top: str) -> BadFile:
        found = next((file.path for file in files if file.path.endswith(f"/{MANIFEST_NAME}")), None)
        if found is not None:
            inside = f"{top}/{found}" if top else found
            return BadFile(
                f"{self._archive} has no {MANIFEST_NAME} at its top, but {shown_path(inside)}",
                "make the archive of one bot's folder",
            )
        return BadFile(
            f"{self._archive} has no {MANIFEST_NAME}",
            f"put {MANIFEST_NAME} at the top of the archive, or in its only folder",
        )

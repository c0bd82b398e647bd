"""Reads the files of untrusted folders, only regular ones and within limits, and keeps files by their content hash."""

import errno
import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from arena.config.settings import MOST_FOLDER_FILES, MOST_FOLDER_MIB, SubmissionsTable, read_settings
from arena.core.errors import BadFile
from arena.sandbox.folder_removal import remove_tree
from results.base.permissions import make_folder
from results.base.text import folded


class File(Struct, frozen=True):
    """One file of a version."""

    path: str
    """Relative, with slashes."""
    executable: bool
    content: bytes


def content_hash(files: Iterable[File]) -> str:
    """Return the SHA-256 of the path, mode and content of all files, as 64 hexadecimal digits.

    The length stands before every name and content, so different trees give different bytes.
    """
    digest = sha256(b"arena content hash 1\n")
    for file in sorted(files, key=lambda file: file.path):
        mode, name, content = b"x" if file.executable else b"-", file.path.encode(), file.content
        digest.update(b"%s %d %d\n%s" % (mode, len(name), len(content), name))
        digest.update(content)
    return digest.hexdigest()


MIB = 1_048_576
MAX_FOLDERS = 1_000
MAX_DEPTH = 16
"""Nested folders, not counting the bot's own."""
LEFT_OUT = frozenset({"__pycache__", ".git", ".venv", ".DS_Store"})
"""Names that are not part of a bot, anywhere in its folder."""
STORE = frozenset(
    {"arena.sqlite", "arena.sqlite-wal", "arena.sqlite-shm", "arena.sqlite-journal", "arena.files"}
)
"""Names of the default store, which are not part of a bot either: authors run Arena in the bot's folder."""
APPLE = "__MACOSX"
"""The folder in which archives of macOS keep attributes of files."""
LEFT_OUT_AT_TOP = STORE | {APPLE}

MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 4_096
_DRIVE = re.compile(r"[A-Za-z]:")

_MOST_LOOKED_AT = 20_000


class FolderLimits(NamedTuple):
    """What a bot's folder may contain."""

    bytes: int
    files: int

    @classmethod
    def of(cls, table: SubmissionsTable) -> "FolderLimits":
        """Return the limits that a table of the settings file sets."""
        return cls(table.folder_mib * MIB, table.files)

    @property
    def in_words(self) -> str:
        """Such as `1,000 files and 32 MiB`."""
        return f"{self.files:,} files and {self.bytes // MIB} MiB"


DEFAULT_LIMITS = FolderLimits.of(SubmissionsTable())
MOST_LIMITS = FolderLimits(MOST_FOLDER_MIB * MIB, MOST_FOLDER_FILES)
"""What every limit stays below: of bots that are kept, whatever the limits were when they came."""
WAYS_OUT = (
    "the organiser can raise this ([submissions] folder_mib and files in the settings file), or let bots see a large "
    "file outside of their folders (`shows` of [runtimes])"
)


def folder_limits() -> FolderLimits:
    """Return what a bot may contain that is submitted now. Raises BadFile and UsageError as `read_settings`."""
    return FolderLimits.of(read_settings().submissions)


def in_mib(size: int) -> str:
    """Return a size in words."""
    return f"{size / MIB:,.1f} MiB"


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def read_files(
    folder: Path, *, kept: bool = False, named: Path | None = None, limits: FolderLimits | None = None
) -> list[File]:
    """Return the files of a folder and its subfolders, sorted by path, except `LEFT_OUT` and `LEFT_OUT_AT_TOP`.

    `kept` is true for the folder of a stored version, whose files may date from before control characters in names
    were refused and stores left out. `named` is the folder's name in messages, if not its path. `limits`: default,
    `MOST_LIMITS` for a stored version, otherwise `folder_limits`. Raises BadFile, naming
    the path, for anything that is neither a regular file nor a folder, is unreadable, or has a forbidden name, and for
    a folder that exceeds a limit.
    """
    limits = limits or (MOST_LIMITS if kept else folder_limits())
    reading = _Reading(folder, named or folder, limits, kept=kept)
    try:
        top = os.open(folder, _FOLDER)
    except OSError as error:
        raise reading.unreadable((), error) from None
    reading.folder(top, ())
    return sorted(reading.files, key=lambda file: file.path)


class TooLarge(BadFile):
    """A folder exceeds the limits of a bot."""


class _Reading:
    """One reading of a folder. Looks up each name in an open folder, and reads the same file that it checks."""

    def __init__(self, place: Path, top: Path, limits: FolderLimits, *, kept: bool) -> None:
        """`place` is the folder, `top` its name in messages."""
        self.files: list[File] = []
        self._of = place
        self._top = top
        self._limits = limits
        self._kept = kept
        self._folders = 0
        self._bytes = 0

    def folder(self, descriptor: int, within: tuple[str, ...]) -> None:
        """Read a folder and close its descriptor."""
        try:
            self._folders += 1
            if self._folders > MAX_FOLDERS + 1:
                raise self._too_large(f"{MAX_FOLDERS:,} folders")
            if len(within) > MAX_DEPTH:
                raise BadFile(
                    f"{self._place(within)} is {len(within)} folders deep; the limit is {MAX_DEPTH}",
                    "use fewer nested folders",
                )
            for name in self._names(descriptor, within):
                self._take(descriptor, (*within, name))
        finally:
            os.close(descriptor)

    def _names(self, descriptor: int, within: tuple[str, ...]) -> list[str]:
        """Return the checked names in a folder; stop reading at the limit."""
        names: list[str] = []
        try:
            with os.scandir(descriptor) as entries:
                for entry in entries:
                    if entry.name in LEFT_OUT or (
                        not self._kept and not within and entry.name in LEFT_OUT_AT_TOP
                    ):
                        continue
                    names.append(entry.name)
                    if len(names) > self._limits.files + MAX_FOLDERS:
                        raise self._too_large(f"{self._limits.files:,} files")
        except OSError as error:
            raise self.unreadable(within, error) from None
        names.sort()
        seen: dict[str, str] = {}
        for name in names:
            path, is_utf_8 = (*within, name), not any("\ud800" <= one <= "\udfff" for one in name)
            refused = None if self._kept and is_utf_8 else refused_path("/".join(path))
            if refused is None and not self._kept and (there := seen.setdefault(folded(name), name)) != name:
                refused = clash("/".join((*within, there))), ""
            if refused is not None:
                raise BadFile(f"{self._place(path)} {refused[0]}", "rename it")
        return names

    def _take(self, parent: int, path: tuple[str, ...]) -> None:
        try:
            status = os.stat(path[-1], dir_fd=parent, follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode):
                self.folder(os.open(path[-1], _FOLDER | os.O_NOFOLLOW, dir_fd=parent), path)
                return
            if not stat.S_ISREG(status.st_mode):
                raise self._no_file(path, status)
            descriptor = os.open(path[-1], _FILE, dir_fd=parent)
        except OSError as error:
            raise self.unreadable(path, error) from None
        try:
            with os.fdopen(descriptor, "rb") as file:
                status = os.fstat(descriptor)
                if not stat.S_ISREG(status.st_mode):
                    raise self._no_file(path, status)
                if len(self.files) >= self._limits.files:
                    raise self._too_large(f"{self._limits.files:,} files")
                content = b""
                room = self._limits.bytes - self._bytes
                if status.st_size <= room:
                    content = file.read(room + 1)
        except OSError as error:
            raise self.unreadable(path, error) from None
        self._bytes += max(len(content), status.st_size)
        if self._bytes > self._limits.bytes:
            raise self._too_large(f"{self._limits.bytes // MIB} MiB")
        self.files.append(File("/".join(path), bool(status.st_mode & 0o100), content))

    def unreadable(self, path: tuple[str, ...], error: OSError) -> BadFile:
        """Return the error for a path that can't be read."""
        if error.errno == errno.ELOOP:  # a link has just replaced it
            return BadFile(f"{self._place(path)} is a link", _LINKS)
        return BadFile(
            f"{self._place(path)} cannot be read: {error.strerror}",
            "a version includes every file in the folder: make it readable, or move it elsewhere",
        )

    def _no_file(self, path: tuple[str, ...], status: os.stat_result) -> BadFile:
        kind = "a link" if stat.S_ISLNK(status.st_mode) else "not a regular file"
        return BadFile(f"{self._place(path)} is {kind}", _LINKS)

    def _too_large(self, bound: str) -> TooLarge:
        """Return the error about a folder that has more than it may, with its largest file."""
        path, size = _largest(self._of)
        largest = f"; its largest file is {shown_name(path)}, {in_mib(size)}" if size > MIB else ""
        return TooLarge(
            f"{self._top} is too large: it has more than {bound}{largest}",
            f"a bot's folder may contain {self._limits.in_words}; remove what it does not need to play "
            f"({', '.join(sorted(LEFT_OUT))} do not count); {WAYS_OUT}",
        )

    def _place(self, path: tuple[str, ...]) -> str:
        return shown_name(str(self._top.joinpath(*path)))


_SHOWN_CHARS = 120
_LINKS = "a bot's folder may contain only regular files: replace it with a copy"


def refused_path(path: str) -> tuple[str, str] | None:
    """Return why a bot can't have a file or folder of this path, and what to do in an archive; None if it can.

    The same holds for folders, archives and what a build leaves, so that each can be made of the others.
    """
    if not path.isprintable():
        return "has a name with control characters, or not in UTF-8", "rename the file"
    if "\\" in path:
        return "has a backslash in its name", "write paths with /, as zip and tar do"
    parts = path.split("/")
    if any(map(_DRIVE.match, parts)):
        return "begins with a drive letter", "leave the drive letter out"
    if len(path.encode()) > MAX_PATH_BYTES or any(len(part.encode()) > MAX_NAME_BYTES for part in parts):
        limits = f"{MAX_NAME_BYTES} bytes, and {MAX_PATH_BYTES:,} for its path"
        return f"has too long a name: the limits are {limits}", "rename the file"
    return None


def clash(path: str) -> str:
    """Return what is wrong with a file or folder whose `folded` path is that of another one."""
    return (
        f"and {shown_path(path)} are the same name on some systems: they differ only in case, or in how Unicode "
        "writes them"
    )


def shown_path(path: str) -> str:
    """Return a path for a message: quoted, shortened, unprintable characters escaped."""
    return repr(path if len(path) <= _SHOWN_CHARS else f"{path[:_SHOWN_CHARS]}…")


def shown_name(name: str) -> str:
    """Return a name with unprintable characters escaped, such as `\\xe9` or `\\n`."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _largest(folder: Path) -> tuple[str, int]:
    """Return the path and size of the largest file of a folder, of the first `_MOST_LOOKED_AT`."""
    found, seen = ("", 0), 0
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
        for name in files:
            path = Path(place) / name
            with suppress(OSError):
                found = max(
                    found, (str(path.relative_to(folder)), path.lstat().st_size), key=lambda one: one[1]
                )
        seen += len(files)
        if seen > _MOST_LOOKED_AT:
            break
    return found


def _holds(place: Path, files: list[File]) -> bool:
    try:
        return read_files(place, kept=True) == files
    except BadFile:
        return False


def keep(files: Iterable[File], place: Path) -> None:
    """Write a version's files, read-only, to a folder, atomically. Does nothing if the folder already has these files.

    If the folder exists with other contents, it has been damaged and is replaced.
    """
    files = sorted(files, key=lambda file: file.path)
    if place.is_dir():
        if _holds(place, files):
            return
        damaged = place.with_name(f".{place.name}.damaged.{os.getpid()}")
        place.rename(damaged)
        remove_tree(damaged)
    make_folder(place.parent)
    growing = place.with_name(f".{place.name}.{os.getpid()}")
    remove_tree(growing)
    try:
        for file in files:
            path = growing / file.path
            make_folder(path.parent)
            path.write_bytes(file.content)
            path.chmod((0o555 if file.executable else 0o444) & path.parent.stat().st_mode)
        growing.rename(place)
    except BaseException as error:
        remove_tree(growing)
        if not (isinstance(error, OSError) and place.is_dir()):  # another process has just written the same
            raise

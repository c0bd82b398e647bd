"""Reads the files of a bot from an archive into memory, within limits. The first bytes decide its format."""

import os
import stat
from pathlib import Path
from typing import IO

from arena.core.errors import BadFile
from arena.submissions.archives.members import Members, Unpacked
from arena.submissions.archives.tar import BLOCK_BYTES, GZIP, XZ, ZSTD, is_tar, read_tar
from arena.submissions.archives.zip_format import END, MEMBER, read_zip
from arena.submissions.folder import shown_name

FORMATS = ".zip, .tar, .tar.gz, .tar.xz or .tar.zst"
_NAMES = (".zip", ".tar", ".tgz", ".tar.gz", ".txz", ".tar.xz", ".tzst", ".tar.zst")
_OTHERS = {
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"Rar!\x1a\x07": "RAR",
    b"BZh": "bzip2",
    b"MSCF": "cabinet",
    b"\x1f\x9d": "compress",
    b"\x04\x22\x4d\x18": "LZ4",
}
"""Formats that Arena doesn't read, by their first bytes."""


def is_archive(path: Path) -> bool:
    """Return whether a path is that of an archive: a file with the name or the first bytes of one."""
    try:
        if not path.is_file():
            return False
        if is_archive_name(path.name):
            return True
        with _opened(path) as file:
            start = file.read(BLOCK_BYTES)
    except (OSError, BadFile):
        return False
    return start.startswith((MEMBER, END, GZIP, XZ, ZSTD, *_OTHERS)) or is_tar(start)


def is_archive_name(name: str) -> bool:
    """Return whether a file name ends like an archive's."""
    return name.endswith(_NAMES)


def read_archive(path: Path) -> Unpacked:
    """Return the files of a bot's archive, within the limits for folders and those in `members`; writes nothing.

    A single top folder is removed from their paths. Raises BadFile, naming the archive and the member, for anything
    that isn't plainly a bot's folder in an archive: see the section on archives in docs/security.md.
    """
    try:
        with _opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            members = Members(path, size)
            start = file.read(BLOCK_BYTES)
            file.seek(0)
            if start.startswith((MEMBER, END)):
                read_zip(file, size, members)
            elif start.startswith((GZIP, XZ, ZSTD)) or is_tar(start):
                read_tar(file, members)
            else:
                raise _no_archive(path, start)
    except OSError as error:
        raise BadFile(
            f"{shown_name(str(path))} cannot be read: {error.strerror}", "make it readable"
        ) from None
    return members.unpacked()


def _opened(path: Path) -> IO[bytes]:
    """Return an open regular file. Raises BadFile for anything else, and OSError."""
    # Without O_NONBLOCK, opening a pipe would wait for a writer.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BadFile(
            f"{shown_name(str(path))} is not a regular file", f"a bot is a folder or an archive: {FORMATS}"
        )
    return os.fdopen(descriptor, "rb")


def _no_archive(path: Path, start: bytes) -> BadFile:
    """Return the error for a file that is no archive, or none that Arena reads."""
    known = next((name for magic, name in _OTHERS.items() if start.startswith(magic)), None)
    what = f"a {known} archive, which Arena does not read" if known else "not an archive"
    if not start.strip(b"\0"):
        what = "empty"
    return BadFile(f"{shown_name(str(path))} is {what}", f"make the archive again as {FORMATS}")

"""Writes the files of a version as a zip archive, with the same bytes each time."""

import io
import zipfile
from collections.abc import Iterable
from typing import IO

from arena.submissions.content_hash import File

_DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest that the format has."""
_UNIX = 3
_READ = 0o100644
_EXECUTE = 0o100755


def zip_of(files: Iterable[File], top: str) -> bytes:
    """Return files as a zip archive with the single top folder `top`; see `write_zip`."""
    into = io.BytesIO()
    write_zip(files, top, into)
    return into.getvalue()


def write_zip(files: Iterable[File], top: str, into: IO[bytes]) -> None:
    """Write files as a zip archive with the single top folder `top`.

    The bytes depend on nothing but the files and `top`: members are in the order of their paths, without times, and
    not compressed, because compressors differ from machine to machine.
    """
    with zipfile.ZipFile(into, "w", zipfile.ZIP_STORED) as archive:
        for file in sorted(files, key=lambda file: file.path):
            info = zipfile.ZipInfo(f"{top}/{file.path}", _DATE)
            info.create_system = _UNIX
            info.external_attr = (_EXECUTE if file.executable else _READ) << 16
            archive.writestr(info, file.content)

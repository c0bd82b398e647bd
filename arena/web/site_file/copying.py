"""Copies of the site's file: for a backup, and back again."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from arena.web.site_file.file import SiteFile, SiteFileError

_JOURNAL = "-journal"


def copy_site_file(file: SiteFile, target: Path) -> None:
    """Copy the file to a new one that only its owner can read, even while others write. Raises SiteFileError."""
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    with file.reading() as db, closing(sqlite3.connect(target)) as copy:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()  # from here on, nobody changes the file
        db.backup(copy)


def check_site_file(backup: Path, place: Path) -> None:
    """Raise SiteFileError for a backup that `put_site_file_back` would refuse."""
    with _growing(backup, place):
        pass


def put_site_file_back(backup: Path, place: Path) -> Path | None:
    """Put a copy of a backup in the place of the file, and end all sessions in it; return the new path of the old one.

    None if there was none. Servers notice. Raises SiteFileError for a backup that is no such file, or has more in it
    than Arena puts there.
    """
    with _growing(backup, place) as growing:
        file = SiteFile(growing)
        with file.writing() as db:
            db.execute("UPDATE sessions SET ended_at = ? WHERE ended_at IS NULL", (file.now(),))
        aside = _lay_aside(place) if os.path.lexists(place) else None
        growing.replace(place)
    return aside


@contextmanager
def _growing(backup: Path, place: Path) -> Iterator[Path]:
    """Yield a checked copy of a backup, next to its place. Raises SiteFileError."""
    growing = place.with_name(f"{place.name}.restoring")
    growing.unlink(missing_ok=True)
    try:
        descriptor = os.open(growing, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with backup.open("rb") as source, os.fdopen(descriptor, "wb") as target:
            shutil.copyfileobj(source, target)
            target.flush()
            os.fsync(target.fileno())
        try:
            SiteFile(growing).prepare()
        except SiteFileError as error:
            words = str(error).replace(str(growing), str(backup))
            raise SiteFileError(words, "restore only backups that you made") from None
        yield growing
    finally:
        growing.unlink(missing_ok=True)


def _lay_aside(place: Path) -> Path:
    """Give the file another name, after writers are done; return it."""
    with (
        suppress(sqlite3.Error),  # a damaged one is renamed as it is
        closing(sqlite3.connect(place, timeout=5.0, isolation_level=None)) as raw,
    ):
        raw.execute("BEGIN EXCLUSIVE")  # carries a journal of a killed writer out first
        raw.execute("ROLLBACK")
    number = 1
    while os.path.lexists(aside := place.with_name(f"{place.name}.before-restore-{number}")):
        number += 1
    place.rename(aside)
    with suppress(FileNotFoundError):  # of a damaged file; the next one must not get it
        place.with_name(place.name + _JOURNAL).rename(aside.with_name(aside.name + _JOURNAL))
    return aside

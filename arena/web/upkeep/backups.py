"""Backups of everything: the store, the site's file and the files of bots, as one folder.

The site's file is copied first, then the store, then the files. So a command that the copy of the site's file calls
done is in the copy of the store, one that it calls waiting is delivered again and taken once, and every version in the
copy of the store has its files, which were there before it.
"""

import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from arena.core.errors import UsageError
from arena.web.site_file.site_database import SiteFile, checked_copy, copy_site_file, site_file_of
from results.base.clock import utc_now
from results.base.errors import StoreFailed
from results.base.permissions import created, make_folder
from results.store import files_beside, open_store
from results.store.sqlite_file import put_in_place
from results.store.store_lock import serving
from results.store.upgrade import restore_unserved

NOTE = "backup.json"
"""A small file that marks a folder as a whole backup; written last."""
_MOST_NOTE_CHARS = 10_000
VERSION = 1
KEPT_FOLDERS = ("versions", "sources", "uploads", "replays")
"""What is copied of the folder next to the store; the rest can be made again."""
_NAMED_BY_CONTENT = frozenset({"versions", "sources", "replays"})
"""Folders whose files never change, so that two backups may share them."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What restoring a backup did."""

    store_aside: Path | None
    """The store that was there before; None if there was none."""
    site_aside: Path | None
    files: int
    """Files that were missing next to the store and were put there."""


def back_up(store: Path, target: Path) -> int:
    """Copy a store with all that belongs to it into a new folder, even while it is used; return the bytes copied.

    The folder appears complete or not at all. Files of bots that the newest other backup beside it has are shared with
    it by hard links. Raises UsageError, LedgerError and SiteFileError.
    """
    if os.path.lexists(target):
        raise UsageError(f"{target} exists already", "name a folder that doesn't exist yet")
    if not target.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {target.absolute().parent}", "create it first")
    part = target.with_name(f"{target.name}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(mode=0o700)
        copied = _fill(store, part, next(reversed(backups_in(target.parent)), None))
        part.rename(target)
    except OSError as error:
        raise StoreFailed(
            f"{target} can't be written: {error.strerror}", "check the room and the permissions of its folder"
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return copied


def backups_in(folder: Path) -> list[Path]:
    """Return the whole backups in a folder, the oldest first."""
    found = []
    with suppress(OSError):
        for path in folder.iterdir():
            with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
                found.append((str(_note(path)["at"]), path))
    return [path for _, path in sorted(found)]


def _fill(store: Path, part: Path, before: Path | None) -> int:
    """Copy everything into a new folder; return the bytes copied."""
    at = utc_now()
    site = site_file_of(store)
    if site.exists():
        copy_site_file(SiteFile(site), part / site.name)
    with open_store(store, readonly=True) as opened:
        opened.backup(part / store.name, segments=False)
    copied = sum(path.stat().st_size for path in part.iterdir())
    files = files_beside(store)
    for name in KEPT_FOLDERS:
        shared = before / files.name / name if before is not None and name in _NAMED_BY_CONTENT else None
        copied += _copy_tree(files / name, part / files.name / name, shared)
    note = {"version": VERSION, "at": at, "store": store.name}
    with os.fdopen(created(part / NOTE), "w", encoding="utf-8") as file:
        file.write(json.dumps(note) + "\n")
    return copied


def _copy_tree(source: Path, target: Path, shared: Path | None) -> int:
    """Copy the regular files of a folder, or link those that `shared` has too; return the bytes copied.

    What disappears meanwhile is left out.
    """
    copied = 0
    for path, relative in _files_in(source):
        place = target / relative
        make_folder(place.parent)
        with suppress(FileNotFoundError):
            if shared is not None and _is_same(path, shared / relative):
                with suppress(OSError):  # a file system without links
                    os.link(shared / relative, place)
                    continue
            _copy(path, place)
            copied += place.stat().st_size
    return copied


def _note(backup: Path) -> dict[str, object]:
    """Return what marks a backup. Raises OSError and ValueError, and RecursionError for a prepared one."""
    with (backup / NOTE).open(encoding="utf-8") as file:
        found = json.loads(file.read(_MOST_NOTE_CHARS))
    return dict(found)


def _copy(path: Path, place: Path) -> None:
    """Copy a regular file, its times, and what of its mode a bot needs: a program must not run as whoever restores."""
    shutil.copy2(path, place, follow_symlinks=False)
    place.chmod(_mode(path, place.parent))


def _mode(path: Path, folder: Path) -> int:
    """Return the mode that a copy of a file gets in a folder: no more open than either."""
    return path.lstat().st_mode & 0o755 & folder.stat().st_mode


def _is_same(path: Path, other: Path) -> bool:
    """Return whether a file named by its content is a copy of another one, from its size and mode."""
    try:
        copy = other.lstat()
        return (copy.st_size, stat.S_IMODE(copy.st_mode)) == (path.lstat().st_size, _mode(path, other.parent))
    except OSError:
        return False


def _files_in(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the regular files below a folder with their relative paths; links are left out."""
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place) / name
            if path.is_file() and not path.is_symlink():
                yield path, path.relative_to(folder)


def restore_all(store: Path, backup: Path) -> Restored:
    """Put a whole backup in the place of a store and what belongs to it. What was there is kept under other names.

    Files of bots are only added. All sessions end, so everybody signs in again. Raises UsageError for a folder that
    isn't a backup, and what `upgrade.restore` raises; then nothing has changed but that files of bots were added.
    """
    try:
        name = str(_note(backup)["store"])
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        raise UsageError(
            f"{backup} is not a backup",
            "name a folder that `arena db backup --all` wrote, or a store's backup",
        ) from None
    if Path(name).name != name:
        raise UsageError(f"{backup / NOTE} is damaged", "name another backup")
    kept = backup / name
    for part in (
        kept,
        site_file_of(kept),
        files_beside(kept),
        *(files_beside(kept) / one for one in KEPT_FOLDERS),
    ):
        if part.is_symlink():  # a backup has none; what it leads to would be taken for files of bots
            raise UsageError(f"{part} is a link", "name another backup")
    site, place = site_file_of(kept), site_file_of(store)
    with serving(store, "restores a backup"), ExitStack() as copies:
        # Before anything is replaced.
        copy = copies.enter_context(checked_copy(site, place)) if site.is_file() else None
        files = sum(
            _add_missing(files_beside(kept) / folder, files_beside(store) / folder) for folder in KEPT_FOLDERS
        )
        aside = restore_unserved(store, kept)
        site_aside = put_in_place(place, copy) if copy else None
    return Restored(aside, site_aside, files)


def _add_missing(source: Path, target: Path) -> int:
    """Copy the files that a folder lacks; return how many."""
    added = 0
    for path, relative in _files_in(source):
        place = target / relative
        if os.path.lexists(place):
            continue
        make_folder(place.parent)
        growing = place.with_name(f".{place.name}.part")
        _copy(path, growing)
        growing.replace(place)
        added += 1
    return added

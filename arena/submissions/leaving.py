"""Removes the files of deleted versions, once the ledger no longer lists them.

A database transaction and the removal of a folder can't be a single atomic step. So a marker is left first, then the
transaction is committed, then the files are removed. If a process is killed in between, the next one finds the marker,
and the ledger says whether the files are to go.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from arena.sandbox.folders import remove_tree
from arena.submissions.kept_files import SOURCES, VERSIONS
from results.base.permissions import make_folder
from results.records import VersionRecord
from results.store import Store

_ROOM = "leaving"


def mark(files: Path, version: VersionRecord) -> None:
    """Mark the files of a version that is about to be deleted; `files` is the folder next to the store."""
    for kind, sha256 in ((VERSIONS, version.sha256), (SOURCES, version.build.get("source"))):
        if sha256:
            marker = files / _ROOM / kind / str(sha256)
            make_folder(marker.parent)
            marker.touch(mode=0o600)


def remove_deleted(store: Store, waits_for: Callable[[str], bool]) -> None:
    """Remove the marked files that no version in the store has; to be called while holding the store's lock.

    `waits_for` returns whether a command that is still to be carried out needs the files with a hash; these stay for
    now. Leaves what can't be removed for the next time.
    """
    room = store.files / _ROOM
    if not room.is_dir():
        return
    with suppress(OSError):
        versions = store.versions.all()
        named: dict[str, set[object]] = {
            VERSIONS: {version.sha256 for version in versions},
            SOURCES: {version.build.get("source") for version in versions},
        }
        for kind, listed in named.items():
            for marker in sorted((room / kind).glob("*")):
                if marker.name not in listed:
                    if waits_for(marker.name):
                        continue
                    place = store.files / kind / marker.name
                    remove_tree(place)
                    if place.exists():
                        continue
                marker.unlink(missing_ok=True)
            if (room / kind).is_dir():
                (room / kind).rmdir()
        room.rmdir()

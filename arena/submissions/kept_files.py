"""The files of submitted versions, kept next to the store."""

from pathlib import Path

from arena.core.errors import BadFile
from arena.submissions.content_hash import content_hash
from arena.submissions.folder import read_files
from results.store import Store

VERSIONS = "versions"
"""Name of the folder of all versions next to a store, and of the one for versions being added."""

SOURCES = "sources"
"""Name of the folder next to a store with what versions were built from, and of the one for sources being added."""


def versions_folder(store: Store) -> Path:
    """Return the folder next to the store with the files of all versions."""
    return store.files / VERSIONS


def sources_folder(store: Store) -> Path:
    """Return the folder next to the store with what versions were built from."""
    return store.files / SOURCES


def wrong_files(kept: Path, sha256: str) -> str | None:
    """Return what is wrong with the files with this hash below `kept`, the folder of versions or sources, or None."""
    folder = kept / sha256
    if not folder.is_dir():
        return f"its files are missing: there is no folder {folder}"
    try:
        found = content_hash(read_files(folder, kept=True))
    except BadFile as error:
        return f"its files are not those that were submitted: {error}"
    if found != sha256:
        return f"the files in {folder} are not those that were submitted"
    return None


def kept_size(store: Store, sha256: str) -> tuple[int, int] | None:
    """Return the number of files of a version, and their bytes in all; None if they are missing."""
    folder = versions_folder(store) / sha256
    if not folder.is_dir():
        return None
    sizes = [path.lstat().st_size for path in folder.rglob("*") if path.is_file()]
    return len(sizes), sum(sizes)

"""The files of submitted versions, as a store keeps them beside its file."""

from pathlib import Path

from arena.config.errors import BadFile
from arena.submissions.content_hash import HASH_SCHEME, content_hash
from arena.submissions.folder import read_files
from results.store import Store

VERSIONS = "versions"
"""The folder of all versions beside a store, and that of those on their way in."""


def versions_folder(store: Store) -> Path:
    """Return the folder, beside the store, that holds the files of all versions."""
    return store.files / VERSIONS


def wrong_files(versions: Path, sha256: str, scheme: int) -> str | None:
    """Return what is wrong with the files of a version, kept below `versions`, or None if nothing is."""
    folder = versions / sha256
    if not folder.is_dir():
        return f"its files are missing: there is no folder {folder}"
    try:
        found = content_hash(read_files(folder, kept=True), scheme)
    except (BadFile, ValueError) as error:
        return f"its files are not those that were submitted: {error}"
    if found != sha256:
        # By the first scheme another tree may have the same hash, so these files are never written over.
        first = "" if scheme == HASH_SCHEME else "; move that folder away first"
        return f"the files in {folder} are not those that were submitted{first}"
    return None

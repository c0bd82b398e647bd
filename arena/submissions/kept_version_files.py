"""The files of submitted versions, kept next to the store."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.core.errors import BadFile, UsageError
from arena.sandbox.machine_shortage import refusal
from arena.submissions.folder import File, content_hash, read_files
from results.base.advice import Advice, run
from results.records import VersionRecord
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


_OTHER_ARCHIVES = (".rar", ".7z", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.zst")


def submitted_files(store: Store, version: VersionRecord) -> list[File]:
    """Return the files that an author submitted, sorted by path; of a built version, what it was built from.

    Includes the kit if Arena added it. Raises UsageError if the files are missing or have another hash.
    """
    place, sha256 = versions_folder(store) / version.sha256, version.sha256
    if version.build:
        sha256 = str(version.build["source"])
        place = store.files / SOURCES / sha256
    if not place.is_dir():
        raise UsageError(
            f"the files of {version.reference} are missing: there is no folder {place}",
            "keep this folder next to the store when you move or copy it; put the folder back",
        )
    try:
        files = read_files(place, kept=True)
    except BadFile as error:
        raise UsageError(
            f"the files of {version.reference} are damaged: {error}", Advice(run("db verify"), " says more")
        ) from None
    if content_hash(files) != sha256:
        raise UsageError(
            f"the files in {place} are not those that were submitted as {version.reference}",
            Advice(run("db verify"), " says how to repair it"),
        )
    return files


def check_target(target: Path, *, force: bool) -> None:
    """Raise UsageError if files can't be written to this path.

    It is named like an archive other than .zip, its folder doesn't exist, or it exists itself and not `force`.
    """
    if target.name.lower().endswith(_OTHER_ARCHIVES):
        raise UsageError(f"{target}: only zip archives are written", "write NAME.zip, or a folder")
    if not target.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {target.absolute().parent}", "create it first")
    if (target.exists() or target.is_symlink()) and not force:
        raise UsageError(f"{target} already exists", "choose another name, or overwrite it with --force")


def write_zip(content: bytes, target: Path, *, force: bool) -> None:
    """Write an archive; an existing file is replaced only if `force`. Raises UsageError."""
    with _in_words(target):
        if target.is_dir():
            raise UsageError(f"{target} is a folder", "choose another name for the archive")
        with target.open("wb" if force else "xb") as file:
            file.write(content)


def write_folder(files: list[File], target: Path) -> None:
    """Write files to a folder, new or not. Files of the same names are replaced, others stay.

    Raises UsageError if `target` isn't a folder, or a path in it leads elsewhere through a link.
    """
    with _in_words(target):
        if target.exists() and not target.is_dir():
            raise UsageError(f"{target} is a file", "for an archive, write a name that ends in .zip")
        for file in files:
            path = target / file.path
            for place in (path, *path.parents):
                if place == target:
                    break
                if place.is_symlink():
                    raise UsageError(f"{place} is a link", "choose a new folder")
        for file in files:
            path = target / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)  # it may be read-only
            path.write_bytes(file.content)
            path.chmod(0o755 if file.executable else 0o644)


@contextmanager
def _in_words(target: Path) -> Iterator[None]:
    """Turn an OSError into a UsageError, unless the machine is to blame."""
    try:
        yield
    except OSError as error:
        if refusal(error) is not None:  # a full disk, say
            raise
        raise UsageError(
            f"{error.filename or target} can't be written: {error.strerror}",
            "choose another place that you may write to",
        ) from None

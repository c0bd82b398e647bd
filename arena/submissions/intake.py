"""Makes an immutable version of a bot's folder: regular files only, named by their content."""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from arena.sandbox.folders import remove_tree
from arena.submissions.content_hash import File, content_hash
from arena.submissions.folder import read_files
from arena.submissions.manifest import Manifest, read_manifest

KIT_NAME = "arena_kit.py"


@dataclass(frozen=True, slots=True)
class Intake:
    """A bot's folder as read: what a version is made of."""

    manifest: Manifest
    files: tuple[File, ...]
    """Sorted by path."""
    sha256: str
    """The content hash of the files, of the newest scheme."""


def read_folder(folder: Path) -> Intake:
    """Return a bot's folder, its manifest checked, the kit added where it asks for that.

    Raises BadFile for what is no bot: no bot.toml, or a folder that `read_files` refuses.
    """
    manifest = read_manifest(folder)
    files = read_files(folder)
    if manifest.kit and not any(file.path == KIT_NAME for file in files):
        files.append(File(KIT_NAME, False, kit_source()))
    files.sort(key=lambda file: file.path)
    return Intake(manifest, tuple(files), content_hash(files))


def kit_source() -> bytes:
    """Return the bytes of the Python kit."""
    import protocol

    return (Path(protocol.__file__).parent / "kit.py").read_bytes()


def keep(files: Iterable[File], place: Path) -> None:
    """Write a version's files, read-only, to a folder of their own. Written once, whole or not at all."""
    if place.is_dir():
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    growing = place.with_name(f".{place.name}.{os.getpid()}")
    remove_tree(growing)
    for file in files:
        path = growing / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
        path.chmod(0o555 if file.executable else 0o444)
    try:
        growing.rename(place)
    except OSError:
        if not place.is_dir():
            raise
        shutil.rmtree(growing, ignore_errors=True)  # somebody else was quicker with the same

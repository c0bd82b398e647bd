"""Makes an immutable version of a bot's folder: regular files only, named by their content."""

import os
import shutil
import stat
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from arena.config.errors import BadFile
from arena.sandbox.folders import remove_tree
from arena.submissions.manifest import Manifest, read_manifest

MAX_BYTES = 33_554_432
MAX_FILES = 1_000
MAX_DEPTH = 16
LEFT_OUT = frozenset({"__pycache__", ".git", ".venv", ".DS_Store"})
KIT_NAME = "arena_kit.py"


@dataclass(frozen=True, slots=True)
class File:
    """One file of a version."""

    path: str
    """Relative, with slashes."""
    executable: bool
    content: bytes


@dataclass(frozen=True, slots=True)
class Intake:
    """A bot's folder as read: what a version is made of."""

    manifest: Manifest
    files: tuple[File, ...]
    """Sorted by path."""

    @property
    def sha256(self) -> str:
        """The version's identity: SHA-256 over each file's path, mode and content, in hexadecimal."""
        digest = sha256()
        for file in self.files:
            mode = "x" if file.executable else "-"
            digest.update(f"{mode} {len(file.content)} {file.path}\n".encode())
            digest.update(file.content)
        return digest.hexdigest()


def read_folder(folder: Path) -> Intake:
    """Return a bot's folder, its manifest checked, the kit added where it asks for that.

    Raises BadFile for what is no bot: no bot.toml, links or devices in it, too large.
    """
    manifest = read_manifest(folder)
    files: list[File] = []
    total = 0
    for path in _walk(folder):
        status = path.lstat()
        relative = path.relative_to(folder)
        if not stat.S_ISREG(status.st_mode):
            kind = "a link" if stat.S_ISLNK(status.st_mode) else "no regular file"
            raise BadFile(f"{path} is {kind}", "a bot's folder may hold regular files only: copy it there")
        if len(relative.parts) > MAX_DEPTH:
            raise BadFile(f"{path} lies {len(relative.parts)} folders deep; {MAX_DEPTH} is the most")
        total += status.st_size
        if len(files) >= MAX_FILES or total > MAX_BYTES:
            raise BadFile(
                f"{folder} is too large: more than {MAX_FILES} files or {MAX_BYTES // 1_048_576} MiB",
                "leave out what the bot does not need to play",
            )
        files.append(File(relative.as_posix(), bool(status.st_mode & 0o100), path.read_bytes()))
    if manifest.kit and not any(file.path == KIT_NAME for file in files):
        files.append(File(KIT_NAME, False, kit_source()))
    return Intake(manifest, tuple(sorted(files, key=lambda file: file.path)))


def _walk(folder: Path) -> list[Path]:
    found: list[Path] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        found += [Path(parent) / name for name in [*links, *sorted(names)] if name not in LEFT_OUT]
        if len(found) > 2 * MAX_FILES:
            break
    return found


def kit_source() -> bytes:
    """Return the bytes of the Python kit."""
    import protocol

    return (Path(protocol.__file__).parent / "kit.py").read_bytes()


def keep(intake: Intake, versions: Path) -> Path:
    """Write a version's files, read-only, below `versions`; return its folder. Written once, whole or not at all."""
    place = versions / intake.sha256
    if place.is_dir():
        return place
    versions.mkdir(parents=True, exist_ok=True)
    growing = versions / f".{intake.sha256}.{os.getpid()}"
    remove_tree(growing)
    for file in intake.files:
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
    return place

"""Makes an immutable version from a bot's folder or archive, named by the hash of its content."""

from functools import cache
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

import protocol
from arena.config.names import ARENA, OWN_NAME, why_reserved
from arena.config.toml import decoded, line_of, load
from arena.core.errors import ArenaError, BadFile
from arena.submissions.archives import is_archive, read_archive
from arena.submissions.folder import File, clash, content_hash, read_files, shown_name
from arena.submissions.manifest import (
    MANIFEST_BOUNDS,
    MANIFEST_NAME,
    BotToml,
    Manifest,
    bot_at_fault,
    bundled_bots,
    check_has_manifest,
    manifest_of,
)
from results.base.text import folded

AUTHOR = "author"


def signed(content: bytes, path: Path, submitter: str) -> bytes:
    """Return the bytes of a bot.toml with its submitter as author; `path` is for messages.

    A file without `author` gets a last line with it, so that no line of the author's own moves. Raises BadFile if the
    file isn't TOML, or names another author.
    """
    text = decoded(content, str(path), MANIFEST_BOUNDS)
    data = load(text, str(path), MANIFEST_BOUNDS)
    named = data.get(AUTHOR)
    if named is None:
        return content + f'\n{AUTHOR} = "{submitter}"\n'.encode()
    if isinstance(named, str) and named != submitter:
        line = line_of(text, [AUTHOR])
        where = f"{path}:{line}" if line else str(path)
        raise BadFile(
            f"{where}: author: the bot's author is {named!r}, but you are signed in as {submitter!r}",
            f'write author = "{submitter}", or leave that line out',
        )
    return content


KIT_NAME = "arena_kit.py"


class BuildRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """How the files of a version were built. Plain data, as the ledger stores it."""

    source: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
    """The content hash of the files that it was built from."""
    machine: Annotated[str, Meta(max_length=64)]
    """The architecture of the machine that built it, such as `x86_64`."""
    sandbox: Annotated[str, Meta(max_length=64)]
    """The level of isolation that the build ran at."""
    seconds: Annotated[float, Meta(ge=0)]
    """Wall time."""
    words: Annotated[str, Meta(max_length=20_000)]
    """What it printed, shortened in the middle."""


class Built(Struct, frozen=True):
    """What the files of a bot were built from, and how."""

    source: tuple[File, ...]
    """Sorted by path."""
    record: BuildRecord


class Intake(Struct, frozen=True):
    """A bot's folder or archive as read, from which a version is made."""

    bot_toml: BotToml
    files: tuple[File, ...]
    """Sorted by path."""
    sha256: str
    """The content hash of the files."""
    built: Built | None = None
    """What the files were built from; None if they are the folder's own, or still have to be built."""

    @property
    def manifest(self) -> Manifest:
        """The contents of its bot.toml."""
        return self.bot_toml.manifest

    @property
    def build(self) -> BuildRecord | None:
        """How its files were built; None if they weren't."""
        return None if self.built is None else self.built.record


def read_source(path: Path, submitter: str = "") -> Intake:
    """Read a bot's folder or archive, check its manifest, and add the kit if the manifest asks for it.

    The same files give the same version from both. `submitter`: the account that submits it, which must be the author,
    and becomes it if the manifest names none. Raises BadFile if there is no bot.toml or it is wrong, if its author has
    a name that is reserved, or if `read_files` or `read_archive` refuses the folder or archive.
    """
    check_is_there(path)
    with bot_at_fault():
        intake = _read(path, submitter)
        refuse_reserved_author(intake.bot_toml, intake.sha256)
    return intake


def check_is_there(path: Path) -> None:
    """Raise BadFile unless there is an archive or a folder with a bot.toml at a path."""
    if not is_archive(path):
        check_has_manifest(path)


def refuse_reserved_author(bot: BotToml, sha256: str) -> None:
    """Raise BadFile if a bot's author has a reserved name, unless it comes with Arena, as its content hash shows."""
    manifest = bot.manifest
    if not (why := why_reserved(manifest.author)) or is_bundled(manifest, sha256):
        return
    copied = "" if manifest.author != ARENA else ", and this is none of them, or a changed copy"
    raise BadFile(
        f"{bot.place('author')}: author: {manifest.author!r} can't be the author of a bot: {why}{copied}",
        OWN_NAME,
    )


def is_bundled(manifest: Manifest, sha256: str) -> bool:
    """Return whether a bot with this content hash comes with this Arena."""
    return manifest.author == ARENA and sha256 in _bundled_hashes(manifest.name)


@cache
def _bundled_hashes(name: str) -> frozenset[str]:
    """Return the content hashes of the bots of that name that come with Arena."""
    try:
        folders = [file.parent for file in bundled_bots().glob(f"*/{name}/{MANIFEST_NAME}")]
    except ArenaError:
        return frozenset()
    return frozenset(_read(folder).sha256 for folder in folders)


def _read(path: Path, submitter: str = "") -> Intake:
    files = read_archive(path).files if is_archive(path) else read_files(path)
    # Parse the bytes just read, so that the version contains exactly what was checked.
    content = next((file.content for file in files if file.path == MANIFEST_NAME), b"")
    if submitter:
        content = signed(content, path / MANIFEST_NAME, submitter)
        files = [replace(file, content=content) if file.path == MANIFEST_NAME else file for file in files]
    bot_toml = manifest_of(content, path / MANIFEST_NAME)
    if bot_toml.manifest.kit and not any(file.path == KIT_NAME for file in files):
        tops = {file.path.partition("/")[0] for file in files}
        if there := next((top for top in tops if folded(top) == KIT_NAME), None):
            what = "is a folder" if there == KIT_NAME else clash(KIT_NAME)
            raise BadFile(
                f"the bot {bot_toml.manifest.name!r} has `kit = true`, but {shown_name(str(path / there))} {what}: the "
                "kit cannot be put there",
                "rename it, or remove `kit = true` from bot.toml",
            )
        files.append(File(KIT_NAME, False, kit_source()))
    files.sort(key=lambda file: file.path)
    return Intake(bot_toml, tuple(files), content_hash(files))


def kit_source() -> bytes:
    """Return the bytes of the Python kit."""
    return (Path(protocol.__file__).parent / "kit.py").read_bytes()

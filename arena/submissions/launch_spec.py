"""What it takes to start a version: its program, the programs that bots may start, and the folders kept from them."""

from pathlib import Path

import msgspec
from msgspec import Struct

from arena.config.settings import read_runtimes
from arena.core.errors import UsageError
from arena.sandbox.bot_program import Program
from arena.sandbox.runtimes import Runtimes
from arena.submissions.kept_version_files import VERSIONS, versions_folder
from arena.submissions.manifest import Manifest
from arena.submissions.staging import sweep
from results.base.advice import Advice, run
from results.records import VersionRecord
from results.store import Store, files_beside


class ToStart(Struct, frozen=True):
    """A bot that is started once before it plays, to find out whether it starts at all."""

    named: str
    """How its user names it, for messages."""
    program: Program
    place: Path
    """Its folder or archive as its user knows it."""
    keys: tuple[str, ...] = ()
    """The path of its table in the league file, such as `("bots", "2")`, if it is named there."""


def program_of(
    store: Store, version: VersionRecord, args: tuple[str, ...] = (), *, staging: Path | None = None
) -> Program:
    """Return the program of a version, whose files may also be in `staging`. Raises UsageError if files are missing."""
    folder = versions_folder(store) / version.sha256
    if staging is not None and not folder.is_dir():
        folder = staging / VERSIONS / version.sha256
    if not folder.is_dir():
        sweep(store.files, store.path)  # the process that added them may have been killed before moving them
    if not folder.is_dir():
        raise UsageError(
            f"the files of {version.reference} are missing: {folder} does not exist",
            "keep this folder next to the store when you move or copy it; put the folder back",
        )
    manifest = manifest_in(version)
    return Program(folder, manifest.command_with(args), engine=manifest.engine, reuse=manifest.reuse)


def manifest_in(version: VersionRecord) -> Manifest:
    """Return the manifest of a version from the ledger. Raises UsageError if it is damaged."""
    try:
        return msgspec.convert(version.manifest, Manifest)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"the manifest of {version.reference} in the store is damaged: {error}",
            Advice(run("db verify"), " says how to repair it"),
        ) from None


def runtimes_beside(store: Path) -> Runtimes:
    """Return the programs that bots may start, for a store that may not exist. Raises UsageError for wrong settings."""
    return read_runtimes(private_beside(store))


def private_beside(store: Path) -> tuple[Path, ...]:
    """Return the folders of a store that no bot may see; there need be nothing at its path yet."""
    return (store.resolve().parent, files_beside(store).resolve())

"""Bots into the ledger: read, kept by content hash beside the store, entered as versions."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from arena.core.errors import UsageError
from arena.sandbox.program import Program, resolve_command
from arena.submissions.intake import Intake, keep, read_folder
from arena.submissions.manifest import Manifest
from results.records import VersionRecord
from results.store import Store


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bot on its way in: its folder as read, and where its files are kept."""

    intake: Intake
    folder: Path

    @property
    def manifest(self) -> Manifest:
        """What its bot.toml says."""
        return self.intake.manifest


def take_in(folder: Path, store: Store) -> Candidate:
    """Read a bot's folder and keep its files beside the store. Raises UsageError for what is no bot."""
    intake = read_folder(folder)
    kept = keep(intake, versions_folder(store))
    resolve_command(intake.manifest.command, kept)
    return Candidate(intake, kept)


def enter(
    store: Store,
    candidate: Candidate,
    report: dict[str, Any] | None = None,
    deterministic: bool | None = None,
) -> VersionRecord:
    """Enter a candidate into the ledger; the same content again is the version that is there already."""
    manifest = candidate.manifest
    return store.add_version(
        author=manifest.author,
        bot=manifest.name,
        sha256=candidate.intake.sha256,
        manifest=msgspec.to_builtins(manifest),
        report=report or {},
        deterministic=deterministic,
    )


def versions_folder(store: Store) -> Path:
    """Return the folder, beside the store, that holds the files of all versions."""
    return store.files / "versions"


def program_of(store: Store, version: VersionRecord, args: tuple[str, ...] = ()) -> Program:
    """Return what to start for a version. Raises UsageError where its files are gone."""
    folder = versions_folder(store) / version.sha256
    if not folder.is_dir():
        raise UsageError(
            f"the files of {version.reference} are missing: there is no {folder}",
            "they lie beside the store and move with it; put the folder back",
        )
    manifest = msgspec.convert(version.manifest, Manifest)
    return Program(folder, (*manifest.command, *args), engine=manifest.engine, reuse=manifest.reuse)

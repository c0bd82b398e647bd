"""Adds bots to the ledger: reads them, keeps their files by content hash next to the store, and enters versions."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from arena.core.errors import BadFile
from arena.sandbox.program import Program
from arena.sandbox.runtimes import Runtimes
from arena.submissions.build import Builder
from arena.submissions.command_check import check_command
from arena.submissions.content_hash import File
from arena.submissions.folder import read_files
from arena.submissions.intake import BuildRecord, Built, Intake, is_bundled, keep, read_source
from arena.submissions.kept_files import SOURCES, VERSIONS, sources_folder, versions_folder
from arena.submissions.manifest import Manifest, bot_at_fault, check_games_exist
from results.records import VersionRecord, VersionSpec
from results.store import Store


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bot that is about to be entered as a version."""

    intake: Intake
    folder: Path
    """The folder for its files."""
    known: VersionRecord | None
    """The existing version with the same files, if there is one."""

    @property
    def sha256(self) -> str:
        """The content hash that names it: that of the existing version, if there is one."""
        return self.known.sha256 if self.known else self.intake.sha256

    @property
    def manifest(self) -> Manifest:
        """The contents of its bot.toml."""
        return self.intake.manifest

    @property
    def program(self) -> Program:
        """What starts it."""
        manifest = self.manifest
        return Program(self.folder, manifest.command, engine=manifest.engine, reuse=manifest.reuse)


def read_bot(
    path: Path, runtimes: Runtimes, games: Collection[str] | None = None, submitter: str = ""
) -> Intake:
    """Read and check a bot's folder or archive, without a store.

    If `games` is given, the bot may list only games in it. For `submitter`, see `read_source`. Raises UsageError if
    there is no bot at `path`, or if bots may not start its command with these `runtimes`.
    """
    intake = read_source(path, submitter)
    with bot_at_fault():
        check_command(intake.bot_toml, intake.files, runtimes)
        if games is not None:
            check_games_exist(intake.bot_toml, games)
    return intake


def take_in_for_now(
    intake: Intake, store: Store, arriving: Path, builder: Builder | None = None
) -> Candidate:
    """Return a candidate with its files in a folder of `staging`, unless the store already has them.

    Builds a bot with `build`; raises as `Builder.built`.
    """
    return staged(intake, versions_folder(store), known_version(store, intake), arriving, builder)


def staged(
    intake: Intake,
    versions: Path,
    known: VersionRecord | None,
    arriving: Path,
    builder: Builder | None = None,
) -> Candidate:
    """Return a candidate with its files in a folder of `staging`, unless they are below `versions`.

    `known` is the version with the same files, or built from them, if the store has one. Builds a bot with `build`,
    with a `builder` that may say where; raises as `Builder.built`.
    """
    intake, known = _built(intake, known, builder or Builder(versions.parent))
    folder = _kept_for_now(intake, versions / (known.sha256 if known else intake.sha256), arriving)
    return Candidate(intake, folder, known)


def _built(
    intake: Intake, known: VersionRecord | None, builder: Builder
) -> tuple[Intake, VersionRecord | None]:
    """Return a bot as built, and the version that it is already."""
    intake = builder.built(intake, known)
    if intake.built is not None and known is not None and known.sha256 != intake.sha256:
        known = None  # its files were lost, and the same source now gives others
    return intake, known


def look_at(
    path: Path,
    store: Store,
    runtimes: Runtimes,
    bots: Collection[tuple[str, str]] | None = None,
    builder: Builder | None = None,
) -> Candidate:
    """Read a bot's folder or archive without keeping its files; the candidate's `folder` may not exist.

    `bots` are the authors and names of the bots in the store, if the caller already has them. Builds a bot with
    `build`, and keeps the result for later.
    Raises UsageError if there is no bot at `path`, or if bots may not start its command with these `runtimes`, and as
    `Builder.built`.
    """
    intake = read_bot(path, runtimes)
    is_new = bots is not None and (intake.manifest.author, intake.manifest.name) not in bots
    known = None if is_new else known_version(store, intake)
    intake, known = _built(intake, known, builder or Builder(store.files))
    return Candidate(intake, versions_folder(store) / (known.sha256 if known else intake.sha256), known)


def keep_arriving(candidate: Candidate, arriving: Path) -> Candidate:
    """Write a candidate's files to a folder of `staging`, unless the store has them; return it without files.

    Its `folder` is then where they are.
    """
    folder = _kept_for_now(candidate.intake, candidate.folder, arriving)
    built = candidate.intake.built
    light = None if built is None else replace(built, source=())
    return replace(candidate, intake=replace(candidate.intake, files=(), built=light), folder=folder)


def _kept_for_now(intake: Intake, there: Path, arriving: Path) -> Path:
    """Keep files in a folder of `staging`, unless the version is already at its place; return where they are."""
    folder = there if there.is_dir() else arriving / VERSIONS / there.name
    keep(intake.files, folder)
    keep_source(intake.built, arriving)
    return folder


def keep_source(built: Built | None, files: Path) -> None:
    """Keep what a bot was built from, if it was, below `files`: the folder next to a store, or one of `staging`."""
    if built is not None:
        keep(built.source, files / SOURCES / built.record.source)


def kept_files(store: Store, version: VersionRecord) -> tuple[tuple[File, ...], Built | None]:
    """Return the files of a version in the store, and what they were built from.

    What is missing or can't be read is left out.
    """
    files: tuple[File, ...] = ()
    built: Built | None = None
    with suppress(BadFile):
        files = tuple(read_files(versions_folder(store) / version.sha256, kept=True))
    if version.build:
        with suppress(BadFile, msgspec.ValidationError):
            record = msgspec.convert(version.build, BuildRecord)
            built = Built(tuple(read_files(sources_folder(store) / record.source, kept=True)), record)
    return files, built


def known_version(store: Store, intake: Intake) -> VersionRecord | None:
    """Return the version in the store with exactly these files.

    For a bot that still has to be built, this is the newest version that was built from these files.
    """
    manifest = intake.manifest
    if manifest.build and intake.built is None:
        of_bot = store.versions.all(author=manifest.author, bot=manifest.name)
        return next((known for known in reversed(of_bot) if known.build.get("source") == intake.sha256), None)
    return store.versions.of_content(manifest.author, manifest.name, intake.sha256)


def enter(
    store: Store,
    candidate: Candidate,
    report: dict[str, Any] | None = None,
    deterministic: bool | None = None,
) -> VersionRecord:
    """Enter a candidate into the ledger; if its content is already there, return the existing version."""
    return store.versions.add_all([_as_new(candidate, report or {}, deterministic)])[0]


def enter_many(store: Store, candidates: Sequence[Candidate]) -> list[VersionRecord]:
    """Enter candidates without a report."""
    return store.versions.add_all([_as_new(candidate, {}, None) for candidate in candidates])


def _as_new(candidate: Candidate, report: dict[str, Any], deterministic: bool | None) -> VersionSpec:
    manifest = candidate.manifest
    return VersionSpec(
        author=manifest.author,
        bot=manifest.name,
        sha256=candidate.sha256,
        manifest=manifest.as_stored(),
        report=report,
        deterministic=deterministic,
        build=build_of(candidate.intake),
        bundled=is_bundled(manifest, candidate.intake.sha256),
    )


def build_of(intake: Intake) -> dict[str, Any]:
    """Return how a bot was built, as the ledger stores it; empty if it wasn't."""
    built: dict[str, Any] = {} if intake.built is None else msgspec.to_builtins(intake.built.record)
    return built

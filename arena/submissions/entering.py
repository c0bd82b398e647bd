"""Adds bots to the ledger: reads them, keeps their files by content hash next to the store, and enters versions."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.core.errors import BadFile, UsageError
from arena.sandbox.bot_program import Program
from arena.sandbox.runtimes import Runtimes
from arena.submissions.build import Builder
from arena.submissions.command_check import check_command
from arena.submissions.folder import File, content_hash, keep, read_files
from arena.submissions.kept_version_files import SOURCES, VERSIONS, sources_folder, versions_folder
from arena.submissions.manifest import MANIFEST_NAME, Manifest, bot_at_fault, check_games_exist, manifest_of
from arena.submissions.read_source import (
    BuildRecord,
    Built,
    Intake,
    is_bundled,
    read_source,
    refuse_reserved_author,
)
from results.base.errors import UnknownVersion
from results.records import VersionRecord, VersionSpec
from results.store import Store


class Candidate(Struct, frozen=True):
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
        return Program(self.folder, manifest.command_with(), engine=manifest.engine, reuse=manifest.reuse)


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


def staged(
    intake: Intake, versions: Path, known: VersionRecord | None, staging: Path, builder: Builder | None = None
) -> Candidate:
    """Return a candidate with its files in a staging folder, unless they are below `versions`.

    `known` is the version with the same files, or built from them, if the store has one. Builds a bot with `build`,
    with a `builder` that may say where; raises as `Builder.built`.
    """
    intake, known = _built(intake, known, builder or Builder(versions.parent))
    folder = _kept_for_now(intake, versions / (known.sha256 if known else intake.sha256), staging)
    return Candidate(intake, folder, known)


def _built(
    intake: Intake, known: VersionRecord | None, builder: Builder
) -> tuple[Intake, VersionRecord | None]:
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
    `build`.
    Raises UsageError if there is no bot at `path`, or if bots may not start its command with these `runtimes`, and as
    `Builder.built`.
    """
    intake = read_bot(path, runtimes)
    is_new = bots is not None and (intake.manifest.author, intake.manifest.name) not in bots
    known = None if is_new else known_version(store, intake)
    intake, known = _built(intake, known, builder or Builder(store.files))
    return Candidate(intake, versions_folder(store) / (known.sha256 if known else intake.sha256), known)


def keep_staged(candidate: Candidate, staging: Path) -> Candidate:
    """Write a candidate's files to a staging folder, its `folder`, unless stored; return it without files."""
    folder = _kept_for_now(candidate.intake, candidate.folder, staging)
    built = candidate.intake.built
    light = None if built is None else replace(built, source=())
    return replace(candidate, intake=replace(candidate.intake, files=(), built=light), folder=folder)


def _kept_for_now(intake: Intake, there: Path, staging: Path) -> Path:
    """Keep files in a staging folder, unless the version is already at its place; return where they are."""
    folder = there if there.is_dir() else staging / VERSIONS / there.name
    keep(intake.files, folder)
    keep_source(intake.built, staging)
    return folder


def keep_source(built: Built | None, files: Path) -> None:
    """Keep what a bot was built from, if it was, below `files`: the folder next to a store, or a staging folder."""
    if built is not None:
        keep(built.source, files / SOURCES / built.record.source)


def kept_files(store: Store, version: VersionRecord) -> tuple[tuple[File, ...], Built | None]:
    """Return a stored version's files, and what they were built from. What is missing or can't be read is left out."""
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
    """Return the stored version with exactly these files; if it has to be built, the newest one built from them."""
    manifest = intake.manifest
    if manifest.build and intake.built is None:
        of_bot = store.versions.all(author=manifest.author, bot=manifest.name)
        return next((known for known in reversed(of_bot) if known.build.get("source") == intake.sha256), None)
    return store.versions.of_content(manifest.author, manifest.name, intake.sha256)


def enter(store: Store, candidate: Candidate) -> VersionRecord:
    """Enter a candidate as `enter_many` does."""
    return enter_many(store, [candidate])[0]


def enter_many(store: Store, candidates: Sequence[Candidate]) -> list[VersionRecord]:
    """Enter candidates into the ledger, without a report; whose content is already there has the existing version."""
    return store.versions.add_all([_spec(one.manifest, one.sha256, one.intake.build) for one in candidates])


def _spec(
    manifest: Manifest,
    sha256: str,
    build: BuildRecord | None,
    report: dict[str, Any] | None = None,
    deterministic: bool | None = None,
) -> VersionSpec:
    return VersionSpec(
        author=manifest.author,
        bot=manifest.name,
        sha256=sha256,
        manifest=manifest.as_stored(),
        report=report or {},
        deterministic=deterministic,
        build={} if build is None else msgspec.to_builtins(build),
        bundled=is_bundled(manifest, sha256),
    )


class Submission(Struct, frozen=True, forbid_unknown_fields=True):
    """A submission whose files are kept next to the store, as plain data."""

    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
    """The content hash of its files, and the name of their folder."""
    report: dict[str, dict[str, Any]]
    """The result of the check, by game."""
    deterministic: bool
    """Whether it played the same game identically twice in the check."""
    build: BuildRecord | None = None
    """How its files were built; None if they weren't."""


def submission_of(
    candidate: Candidate, versions: Path, report: dict[str, dict[str, Any]], *, deterministic: bool
) -> Submission:
    """Keep the files of a checked candidate in `versions`, the folder of all versions; return its submission."""
    folder = versions / candidate.sha256
    if candidate.known is None or not folder.is_dir():
        keep(candidate.intake.files, folder)
    keep_source(candidate.intake.built, versions.parent)
    return Submission(candidate.sha256, report, deterministic, candidate.intake.build)


def enter_submission(store: Store, submission: Submission) -> tuple[VersionRecord, str]:
    """Enter a submission as a version; return the version, and what it was entered as, in words.

    Author and name come from the bot.toml among its files. Raises UsageError if these aren't there, or don't have the
    hash of the submission.
    """
    version, known = enter_kept(
        store,
        submission.sha256,
        submission.report,
        deterministic=submission.deterministic,
        build=submission.build,
    )
    word = "unchanged: it is" if known is not None and known.report else "submitted as"
    return version, f"{word} {version.reference} ({version.sha256[:12]})"


def kept_version(store: Store, sha256: str, build: BuildRecord | None = None) -> VersionRecord:
    """Return the version with this hash; if the store has none, enter the one whose files are kept next to it.

    `build` is how they were built. Raises UsageError as `enter_kept`.
    """
    try:
        found = store.versions.find(sha256)
    except UnknownVersion:
        found = None
    if found is None or found.sha256 != sha256:
        found, _ = enter_kept(store, sha256, build=build)
    return found


def enter_kept(
    store: Store,
    sha256: str,
    report: dict[str, dict[str, Any]] | None = None,
    *,
    deterministic: bool | None = None,
    build: BuildRecord | None = None,
) -> tuple[VersionRecord, VersionRecord | None]:
    """Enter the version whose files are kept next to the store; return it, and the version that was there before.

    Raises UsageError if the files aren't there, or don't have this hash, or if the author of a new version has a name
    that is reserved.
    """
    folder = versions_folder(store) / sha256
    if not folder.is_dir():
        raise UsageError(f"the files of a bot are missing: there is no folder {folder}", "submit it again")
    files = read_files(folder, kept=True)
    if content_hash(files) != sha256:
        raise UsageError(f"the files in {folder} are not those that were submitted", "submit the bot again")
    content = next((file.content for file in files if file.path == MANIFEST_NAME), b"")
    bot_toml = manifest_of(content, folder / MANIFEST_NAME)
    manifest = bot_toml.manifest
    known = store.versions.of_content(manifest.author, manifest.name, sha256)
    if known is None:
        refuse_reserved_author(bot_toml, sha256 if build is None else build.source)
    return store.versions.add_all([_spec(manifest, sha256, build, report, deterministic)])[0], known

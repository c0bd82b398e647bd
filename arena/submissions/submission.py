"""Enters a bot that has been checked, from its files next to the store."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from arena.core.errors import UsageError
from arena.submissions.content_hash import content_hash
from arena.submissions.folder import read_files
from arena.submissions.intake import BuildRecord, is_bundled, keep, refuse_reserved_author
from arena.submissions.kept_files import versions_folder
from arena.submissions.manifest import MANIFEST_NAME, manifest_of
from arena.submissions.versions import Candidate, keep_source
from results.base.errors import UnknownVersion
from results.records import VersionRecord, VersionSpec
from results.store import Store


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
    built = candidate.intake.built
    keep_source(built, versions.parent)
    return Submission(
        candidate.sha256,
        report,
        deterministic,
        None if built is None else built.record,
    )


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
        refuse_reserved_author(bot_toml, sha256)
    spec = VersionSpec(
        author=manifest.author,
        bot=manifest.name,
        sha256=sha256,
        manifest=manifest.as_stored(),
        report=report or {},
        deterministic=deterministic,
        build={} if build is None else msgspec.to_builtins(build),
        bundled=is_bundled(manifest, sha256),
    )
    return store.versions.add_all([spec])[0], known

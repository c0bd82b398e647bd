"""Builds bots: from the files of a folder with `build` in its bot.toml, makes the files that play.

The hash of the source decides whether anything has changed: a source that the store has a version of, or that was
built here lately, isn't built again. The hash of the result names the version, and what runs is always checked against
it.
"""

import os
import platform
import shlex
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.config.settings import read_runtimes, read_settings
from arena.core.errors import BadFile
from arena.sandbox.bot_program import Bounds
from arena.sandbox.confinement import Confinement, choose
from arena.sandbox.runtimes import Runtimes
from arena.submissions.build_run import BuildFailed, run_build
from arena.submissions.command_check import check_built
from arena.submissions.folder import File, content_hash, read_files
from arena.submissions.manifest import MANIFEST_NAME, bot_at_fault
from arena.submissions.read_source import BuildRecord, Built, Intake
from arena.submissions.version_storage import VERSIONS
from arena.submissions.version_transfer import PACKED_BYTES, VersionRefused, pack, unpack
from results.base.permissions import created, make_folder
from results.base.text import one_line
from results.records import VersionRecord

BUILDS = "builds"
"""Name of the folder next to a store with the latest results of builds."""
MOST_KEPT = 16
"""How many results are kept there."""


class _KeptBuild(Struct, frozen=True, forbid_unknown_fields=True):
    """The result of a build, as kept for another command."""

    sha256: str
    """The content hash of the result."""
    record: BuildRecord
    packed: bytes
    """The files, as `version_source.pack` makes them."""


Say = Callable[[str], None]
"""Tells somebody a line of text."""


def silently(_: str) -> None:
    """Tell nobody."""


class Builder(Struct, frozen=True):
    """Builds bots for one store."""

    files: Path
    """The folder next to the store; it need not exist yet."""
    confinement: Callable[[], Confinement] | None = None
    """How programs of bots are confined, found out when something is built; default: as `sandbox = "auto"`."""
    say: Say = silently
    """Is told what is being built."""
    keeps: bool = True
    """Whether results are kept for other commands."""

    def built(self, intake: Intake, known: VersionRecord | None = None) -> Intake:
        """Return a bot with its files as built. Returns one without `build`, or that is built already, as it is.

        `known` is a version that was built from the same source, if the store has one.
        Raises BuildFailed if the build fails, BadFile if the command of the bot isn't among what it left, UsageError
        if the confinement can't be had, and MachineRefuses if the machine lacks a resource.
        """
        if not intake.manifest.build or intake.built is not None:
            return intake
        found = self._of_version(intake, known) or self._kept(intake) or self._made(intake)
        with bot_at_fault():
            check_built(intake.bot_toml, found.files, self._runtimes())
        return found

    def _made(self, intake: Intake) -> Intake:
        confinement = self._confinement()
        self.say(f"building {intake.manifest.name}: {one_line(shlex.join(intake.manifest.build))}")
        if confinement.tools is None:
            self.say("the build runs as an ordinary process, with your permissions: there is no sandbox")
        place = intake.bot_toml.place("build")
        try:
            result = run_build(intake.files, intake.manifest.build, confinement, read_settings().build)
        except BuildFailed as error:
            hint = f"{error.hint}{self._keep_words(intake, error.words)}"
            raise BuildFailed(f"{place}: {error}", hint, error.words) from None
        if _manifest(result.files) != _manifest(intake.files):
            raise BuildFailed(
                f"{place}: the build changed {MANIFEST_NAME}",
                "a bot plays with the bot.toml that it was submitted with: leave that file alone",
                result.words,
            )
        record = BuildRecord(
            source=intake.sha256,
            machine=platform.machine(),
            sandbox=confinement.level.word,
            seconds=round(result.seconds, 3),
            words=result.words,
        )
        found = _as_built(intake, result.files, record)
        self._keep(found)
        return found

    def _of_version(self, intake: Intake, known: VersionRecord | None) -> Intake | None:
        """Return the files of a version built from this source; None if they are gone or damaged."""
        if known is None or not known.build:
            return None
        with suppress(BadFile, msgspec.ValidationError):
            files = read_files(self.files / VERSIONS / known.sha256, kept=True)
            record = msgspec.convert(known.build, BuildRecord)
            if content_hash(files) == known.sha256 and record.source == intake.sha256:
                return _as_built(intake, files, record)
        return None

    def _kept(self, intake: Intake) -> Intake | None:
        """Return the kept result of an earlier build; None if there is none that is whole."""
        place = self.files / BUILDS / _name(intake.sha256)
        if not place.is_file():
            return None
        try:
            with place.open("rb") as file:
                kept = msgspec.msgpack.decode(file.read(2 * PACKED_BYTES), type=_KeptBuild)
            files = unpack(kept.packed)
        except (OSError, msgspec.MsgspecError, VersionRefused, RecursionError):
            return None
        if (content_hash(files), kept.record.source) != (kept.sha256, intake.sha256):
            return None
        if _manifest(files) != _manifest(intake.files):
            return None
        with suppress(OSError):
            os.utime(place)
        return _as_built(intake, files, kept.record)

    def _keep(self, intake: Intake) -> None:
        """Keep a result for the next command; failing to is no error."""
        if intake.built is None or not self.keeps:
            return
        kept = _KeptBuild(intake.sha256, intake.built.record, pack(list(intake.files)))
        place = self.files / BUILDS / _name(intake.built.record.source)
        part = place.with_name(f".{place.name}.{os.getpid()}")
        with suppress(OSError):
            make_folder(place.parent)
            try:
                with os.fdopen(created(part), "wb") as file:
                    file.write(msgspec.msgpack.encode(kept))
                part.replace(place)
            finally:
                part.unlink(missing_ok=True)
            self._drop_oldest()

    def _keep_words(self, intake: Intake, words: str) -> str:
        """Keep what a failed build printed; return where it is, for a hint. Without a store, nothing is kept."""
        if not (words and self.keeps and self.files.is_dir()):
            return ""
        place = self.files / BUILDS / f"{_name(intake.sha256)}.log"
        try:
            make_folder(place.parent)
            with os.fdopen(created(place), "w", encoding="utf-8", errors="replace") as file:
                file.write(words)
            self._drop_oldest()
        except OSError:
            return ""
        return f"; its output is in {place}"

    def _drop_oldest(self) -> None:
        of_age = sorted((self.files / BUILDS).iterdir(), key=lambda file: file.stat().st_mtime, reverse=True)
        for old in of_age[MOST_KEPT:]:
            old.unlink(missing_ok=True)

    def _confinement(self) -> Confinement:
        if self.confinement is not None:
            return self.confinement()
        return choose("auto", Bounds(), self._private(), runtimes=self._runtimes())[0]

    def _runtimes(self) -> Runtimes:
        return read_runtimes(self._private())

    def _private(self) -> tuple[Path, ...]:
        files = self.files.resolve()
        return (files.parent, files)


def _name(source: str) -> str:
    return f"{source}.{platform.machine()}"


def _manifest(files: Collection[File]) -> bytes | None:
    return next((file.content for file in files if file.path == MANIFEST_NAME), None)


def _as_built(intake: Intake, files: Collection[File], record: BuildRecord) -> Intake:
    files = tuple(sorted(files, key=lambda file: file.path))
    return replace(intake, files=files, sha256=content_hash(files), built=Built(tuple(intake.files), record))

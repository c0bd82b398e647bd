"""Builds bots: from the files of a folder with `build` in its bot.toml, makes the files that play.

The hash of the source decides whether anything has changed: a source that the store has a version of isn't built again.
The hash of the result names the version, and what runs is always checked against it.
"""

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
from arena.submissions.kept_version_files import VERSIONS
from arena.submissions.manifest import MANIFEST_NAME, bot_at_fault
from arena.submissions.read_source import BuildRecord, Built, Intake
from results.base.text import one_line
from results.records import VersionRecord

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

    def built(self, intake: Intake, known: VersionRecord | None = None) -> Intake:
        """Return a bot with its files as built. Returns one without `build`, or that is built already, as it is.

        `known` is a version that was built from the same source, if the store has one.
        Raises BuildFailed if the build fails, BadFile if the command of the bot isn't among what it left, UsageError
        if the confinement can't be had, and MachineRefuses if the machine lacks a resource.
        """
        if not intake.manifest.build or intake.built is not None:
            return intake
        found = self._of_version(intake, known) or self._made(intake)
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
            raise BuildFailed(f"{place}: {error}", error.hint, error.words) from None
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
        return _as_built(intake, result.files, record)

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

    def _confinement(self) -> Confinement:
        if self.confinement is not None:
            return self.confinement()
        return choose("auto", Bounds(), self._private(), runtimes=self._runtimes())[0]

    def _runtimes(self) -> Runtimes:
        return read_runtimes(self._private())

    def _private(self) -> tuple[Path, ...]:
        files = self.files.resolve()
        return (files.parent, files)


def _manifest(files: Collection[File]) -> bytes | None:
    return next((file.content for file in files if file.path == MANIFEST_NAME), None)


def _as_built(intake: Intake, files: Collection[File], record: BuildRecord) -> Intake:
    files = tuple(sorted(files, key=lambda file: file.path))
    return replace(intake, files=files, sha256=content_hash(files), built=Built(tuple(intake.files), record))

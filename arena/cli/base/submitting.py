"""Submits a bot to a store: checks it in each of its games, and stores it as a version."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

from arena import registry
from arena.checking.trial_start import start_as_leagues_do
from arena.checking.whole_and_short_check import submission_check
from arena.cli.base.change_now_or_queue import perform_or_leave
from arena.cli.base.confinement import confined, confined_builder
from arena.cli.base.open_store import reading_if_there
from arena.cli.display.message_text import say_failure
from arena.cli.terminal.messages import BOT_FAILED, answer, say
from arena.league.changes.submitted_versions import Submit, check_leagues, other_starts
from arena.league.definition.bot_arguments import HERE, bot_path, find_submitted, is_there
from arena.submissions.archives.zip_format import zip_of
from arena.submissions.entering import known_version, read_bot, staged, submission_of
from arena.submissions.kept_version_files import VERSIONS, submitted_files
from arena.submissions.launch_spec import ToStart, runtimes_beside
from arena.submissions.manifest import bundled_bot
from arena.submissions.read_source import read_source
from arena.submissions.staging import staging_beside
from results.base.errors import UnknownVersion
from results.base.isolation_levels import Wanted
from results.store import files_beside


@contextmanager
def bot_file(store: Path, bot: str) -> Iterator[Path]:
    """Yield the folder or archive of a bot that a command names; of a submitted bot, an archive of its files.

    Raises the errors of `bot_arguments.find_submitted` and `submitted_files`.
    """
    if (path := bot_path(bot, HERE)) is not None:
        yield path
        return
    with reading_if_there(store) as opened:
        version = find_submitted(store, opened, bot, HERE)
        files = submitted_files(opened, version) if opened else []
    with TemporaryDirectory(prefix="arena-bot-") as folder:
        archive = Path(folder) / f"{version.bot}.zip"
        archive.write_bytes(zip_of(files, version.bot))
        yield archive


def submit_here(
    bot: str, store: Path, sandbox: Wanted, enter: Sequence[str] = (), joins: Sequence[str] = ()
) -> str:
    """Submit a bot and print what happens; return the content hash of its version.

    It enters the leagues `enter`, and can enter the leagues `joins`, which is found out before its games. Exits with 3
    if it fails its check. Raises as `bot_file`, `check_leagues` and `perform_or_leave`.
    """
    known = registry.games()
    with bot_file(store, bot) as path:
        intake = read_bot(path, runtimes_beside(store), known)
    versions = files_beside(store) / VERSIONS
    confinement, builder = confined_builder(store, sandbox)
    with staging_beside(store) as staging:
        with reading_if_there(store) as opened:
            submitted = known_version(opened, intake) if opened else None
            check_leagues(opened, enter, store, intake.manifest, submitted)
            check_leagues(opened, joins, store, intake.manifest, submitted, by="organiser")
            author, name = intake.manifest.author, intake.manifest.name
            others = other_starts(opened, enter, author, name) if opened else []
        candidate = staged(intake, versions, submitted, staging, builder)
        manifest = candidate.manifest
        say(f"checking {manifest.name} …")
        with submission_check(
            candidate.intake, candidate.folder, confinement(), lambda line: say(f"  {line}")
        ) as check:
            for step in check.steps():
                if step.failure is not None:
                    say_failure(step.failure, f"{manifest.name} did not pass: {step.name}")
                    say(
                        "the bot was not submitted; for all steps of the check: "
                        f"{shlex.join(['arena', 'check', bot])}"
                    )
                    raise typer.Exit(BOT_FAILED)
                if step.name in known:
                    say(f"{step.name}: {step.text}")
        start_as_leagues_do(
            others,
            ToStart(manifest.name, candidate.program, Path(bot)),
            lambda file: confined(store, file.sandbox, file),
            say,
        )
        reports = check.reports
        submission = submission_of(
            candidate,
            versions,
            {report.game: asdict(report) for report in reports},
            deterministic=all(report.deterministic for report in reports),
        )
    if words := perform_or_leave(store, Submit.of(submission, tuple(enter)), create=True):
        answer(words)
    return candidate.sha256


def submitted_name(store: Path, bot: str, *leagues: str) -> str:
    """Return the name by which a change finds the version that joins leagues: `bot`, or the hash of what is at a path.

    Submits the bot at the path first, unless it has been. Raises as `submit_here`.
    """
    place = bot_path(bot, HERE) or (Path(bot) if is_there(Path(bot)) else None)
    if place is None or place == bundled_bot(bot):
        return bot
    with reading_if_there(store) as opened:
        if opened is None and leagues:
            return bot  # the change says that there is no store
        try:
            known = None if opened is None else opened.versions.find(bot)
        except UnknownVersion:
            known = known_version(opened, read_source(place)) if opened else None
        else:
            if known is not None:
                return bot
    return (
        known.sha256 if known is not None and known.report else submit_here(bot, store, "auto", joins=leagues)
    )

"""`arena submit`."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.arriving import arriving_beside
from arena.cli.confinement import confined_builder
from arena.cli.display.check_steps import say_failure
from arena.cli.exit_codes import BOT_FAILED
from arena.cli.leaving import perform_or_leave
from arena.cli.messages import answer, say
from arena.cli.open_store import reading_if_there
from arena.cli.options import DEFAULT_STORE, InsecureOption, SandboxOption, StoreOption


def submit(
    path: Annotated[Path, typer.Argument(help="The bot's folder or archive, with its bot.toml.")],
    sandbox: SandboxOption = "auto",
    store: StoreOption = DEFAULT_STORE,
    enter: Annotated[
        list[str] | None,
        typer.Option(
            "--enter",
            "--league",
            metavar="LEAGUE",
            help="Let it play in this league, in place of the bot's older version; may be repeated.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="URL", help="Submit to the server at this address, not to a store."),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="With --to: show the steps of the check there, until it is over.")
    ] = False,
    insecure: InsecureOption = False,
) -> None:
    """Submit a bot: it is checked in each of its games, and is then stored as an immutable version.

    It also enters the leagues whose files track it. A bot may have 1,000 files and 32 MiB, as submitted and as built;
    a bot with `build` in its bot.toml is built first, unless the same source was built before.

    With --to, the server does all of this: the command uploads the bot, and prints the address of the page that shows
    what becomes of it. Sign in first with `arena sign-in URL`.
    """
    if to is not None:
        from arena.cli.uploading import upload

        upload(path, to, tuple(enter or ()), wait=wait, insecure=insecure)
        return
    if wait:
        raise typer.BadParameter("--wait needs --to URL", param_hint="--wait")
    from arena import registry
    from arena.checking.submission import submission_check
    from arena.league.changes.submitting import Submit, check_leagues
    from arena.submissions.kept_files import VERSIONS
    from arena.submissions.programs import runtimes_beside
    from arena.submissions.submission import submission_of
    from arena.submissions.versions import known_version, read_bot, staged
    from results.store import files_beside

    known = registry.games()
    intake = read_bot(path, runtimes_beside(store), known)
    versions = files_beside(store) / VERSIONS
    confinement, builder = confined_builder(store, sandbox)
    with arriving_beside(store) as arriving:
        with reading_if_there(store) as opened:
            submitted = known_version(opened, intake) if opened else None
            check_leagues(
                opened, enter or (), store, intake.manifest, submitted
            )  # before the games of the check
        candidate = staged(intake, versions, submitted, arriving, builder)
        manifest = candidate.manifest
        say(f"checking {manifest.name} …")
        with submission_check(
            candidate.intake, candidate.folder, confinement(), lambda line: say(f"  {line}")
        ) as check:
            for step in check.steps():
                if step.failure is not None:
                    say_failure(step.failure, f"{manifest.name} did not pass: {step.name}")
                    say(f"the bot was not submitted; for all steps of the check: arena check {path}")
                    raise typer.Exit(BOT_FAILED)
                if step.name in known:
                    say(f"{step.name}: {step.text}")
        reports = check.reports
        submission = submission_of(
            candidate,
            versions,
            {report.game: asdict(report) for report in reports},
            deterministic=all(report.deterministic for report in reports),
        )
    if words := perform_or_leave(store, Submit.of(submission, tuple(enter or ())), create=True):
        answer(words)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("submit")(submit)

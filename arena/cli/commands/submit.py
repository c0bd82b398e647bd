"""`arena submit`."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.confinement import confined
from arena.cli.consoles import error_console
from arena.cli.exit_codes import BOT_FAILED
from arena.cli.messages import answer, say, say_error
from arena.cli.open_store import trying, writing
from arena.cli.options import DEFAULT_STORE, SandboxOption, StoreOption


def submit(
    path: Annotated[Path, typer.Argument(help="The bot's folder, with its bot.toml.")],
    sandbox: SandboxOption = "auto",
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Submit a bot: it plays against itself in each of its games, and is then stored as an immutable version."""
    from arena import registry
    from arena.league.submission_check import check
    from arena.submissions.advice import advice, in_short
    from arena.submissions.staging import staging, sweep
    from arena.submissions.versions import enter, read_bot, runtimes_beside, take_in_for_now

    known = registry.games()
    intake = read_bot(path, runtimes_beside(store), known)
    with trying(store) as opened, staging(opened.files, opened.path) as arriving:
        sweep(opened.files, opened.path)
        candidate = take_in_for_now(intake, opened, arriving)
        manifest = candidate.manifest
        confinement = confined(opened, sandbox)
        games = [game for game in known if manifest.plays(game)]
        reports = []
        for game in games:
            say(f"checking {manifest.name}: {game} against itself …")
            with error_console().status(f"playing {game} against itself"):
                report = check(candidate, game, confinement=confinement)
            if not report.passed:
                fault = (
                    f"{manifest.name} did not pass: {game}, {report.seats} seats: {in_short(report.fault)}"
                )
                say_error(fault, advice(report.log, report.fault, kit=manifest.kit))
                if report.log:
                    say("the end of its log:")
                    for line in report.log.rstrip().splitlines():
                        say("  " + line)
                say("the bot was not submitted")
                raise typer.Exit(BOT_FAILED)
            reports.append(report)
            say(
                f"{game}: {report.decisions} decisions, the longest {report.max_wall_ms:.1f} ms; "
                + ("deterministic" if report.deterministic else "plays differently each time")
            )
        submitted_before = candidate.known is not None and bool(candidate.known.report)
        with writing(store) as kept:  # creates the store, now that there is something to keep
            version = enter(
                kept,
                candidate,
                {report.game: asdict(report) for report in reports},
                all(report.deterministic for report in reports),
            )
    word = "unchanged: it is" if submitted_before else "submitted as"
    answer(f"{word} {version.reference} ({version.sha256[:12]})")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("submit")(submit)

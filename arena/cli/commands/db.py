"""`arena db verify|rebuild|backup|restore|digest|prune`."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.consoles import error_console
from arena.cli.exit_codes import OURS
from arena.cli.messages import answer, counted, say, say_error
from arena.cli.open_store import reading, writing
from arena.cli.options import DEFAULT_STORE, LeagueArgument, StoreOption, naming_store
from results.escaping import json_text

if TYPE_CHECKING:
    from results.verification_findings import Finding

_app = typer.Typer(help="Look after the results store.", no_args_is_help=True)


@_app.command()
def verify(
    store: StoreOption = DEFAULT_STORE,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN|MATCH",
            help="Check only games from this match number on, or from the first match with a game that ended at or "
            "after this time (UTC unless it says otherwise). All but games is always checked whole.",
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, max=1024, help="Processes that check games.")
    ] = 1,
) -> None:
    """Hold everything in the store against what was written, the ledger and the rules.

    Rows against their checksums, replays against their fingerprints and the rules, ratings and totals against the
    ledger, the files of versions against their hashes. Says what is wrong, where, and what mends it.
    """
    from arena.cli.display.live_verification import LiveVerification
    from arena.league.replay_check import check_body
    from arena.submissions.kept_files import versions_folder, wrong_files

    first = first_checked(since)
    with reading(store) as opened, LiveVerification() as live:
        files = versions_folder(opened)
        there = files.is_dir() or not opened.versions.authors()
        findings = opened.verify(
            tell=live.take,
            check_body=check_body,
            check_files=partial(wrong_files, files) if there else None,
            since=first,
            jobs=jobs,
        )
    for finding in findings:
        say_error(str(finding))
    if not there:
        say_error(
            f"the files of all versions are missing: there is no folder {files}",
            "it belongs beside the store and moves with it: put it back",
        )
    if findings or not there:
        count = len(findings) + (not there)
        say(f"{store}: 1 thing is wrong" if count == 1 else f"{store}: {count} things are wrong")
        steps = _advice(findings, store)
        for number, step in enumerate(steps, 1):
            say(f"{number}. {step}" if len(steps) > 1 else step)
        raise typer.Exit(OURS)
    answer(f"{store}: verified: everything matches the ledger ({counted(live.stage.done, 'game')})")


@_app.command()
def rebuild(store: StoreOption = DEFAULT_STORE) -> None:
    """Drop ratings and totals, and compute them again from the ledger."""
    with writing(store, create=False) as opened, error_console().status("computing"):
        opened.rebuild()
    answer(f"{store}: ratings and totals recomputed")


@_app.command()
def backup(
    target: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")],
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Copy the store to a file, whole and consistent, even while a league runs."""
    with reading(store) as opened, error_console().status("copying"):
        opened.backup(target)
    answer(f"{target}: {target.stat().st_size / 1_000_000:.1f} MB")


@_app.command()
def restore(
    source: Annotated[
        Path, typer.Argument(metavar="FILE", help="A backup: a file that `arena db backup` wrote.")
    ],
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Go back to a backup. The present store is kept beside the new one.

    Refused while a league of the store runs.
    """
    from results.store.restoring import restore as put_back

    with error_console().status("copying"):
        aside = put_back(store, source)
    answer(f"{store}: restored from {source}")
    if aside is not None:
        answer(f"the store as it was before is now {aside}")
    say(f"check what the backup holds: arena db verify{naming_store(store)}")


@_app.command()
def digest(
    name: LeagueArgument = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Print two hashes of a league: of all its games, and of its ratings to the last bit."""
    with reading(store) as opened:
        league = opened.leagues.get(name)
        hashes = {
            "league": league.name,
            "games": opened.games.fingerprint(league.uuid),
            "ratings": opened.ratings.digest(league.uuid),
        }
    typer.echo(json_text(hashes, indent=2))


@_app.command()
def prune(
    keep: Annotated[str, typer.Argument(help="Which replays stay: all, faults, 'last N' or none.")],
    name: LeagueArgument = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Drop replays of a league to save room; its games, logs, ratings and totals stay."""
    with writing(store, create=False) as opened:
        league = opened.leagues.get(name)
        dropped = opened.replays.prune(league.uuid, keep)
    answer(f"{league.name}: {counted(dropped, 'replay')} dropped")


def _advice(findings: "Sequence[Finding]", store: Path) -> list[str]:
    """Return what mends a store, in the order in which to do it; nothing where nothing in it is wrong.

    Only a ledger that is sound is worth computing anything from.
    """
    from results.verification_findings import Mend

    at = naming_store(store)
    mends = {finding.mend for finding in findings}
    steps = []
    if Mend.BACKUP in mends:
        steps.append(f"go back to a backup, as only that has what was there: arena db restore FILE{at}")
    elif Mend.REBUILD in mends:
        steps.append(f"compute ratings and totals again: arena db rebuild{at}")
    if Mend.RESUBMIT in mends:
        steps.append(f"submit the folders whose files are wrong again: arena submit FOLDER{at}")
    if Mend.BACKUP in mends:
        steps.append(f"see what is left to mend: arena db verify{at}")
    return steps


def first_checked(text: str | None) -> int | str | None:
    """Return a number of match, or a time in UTC to the second. Raises BadParameter for anything else."""
    if text is None or text.isdecimal():
        return None if text is None else int(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is neither a match number nor a time such as 2026-11-20 or 2026-11-20T14:00",
            param_hint="--since",
        ) from None
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    return moment.replace(tzinfo=None).isoformat(timespec="seconds")


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(_app, name="db")

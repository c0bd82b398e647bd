"""`arena db verify|rebuild|backup|restore|share|digest|prune|segments|ship|fetch`."""

import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.base import options
from arena.cli.base.open_store import reading, writing
from arena.cli.display.long_work import busy
from arena.cli.display.tables import Format, list_rows
from arena.cli.terminal.messages import OURS, answer, answer_json, say, say_error, warn
from arena.core.errors import UsageError
from arena.league.stored_games import check_body, rules_key
from arena.submissions.kept_version_files import sources_folder, versions_folder, wrong_files
from arena.web.upkeep.backups import back_up, restore_all
from results.base.text import counted, rounded_to
from results.records.query_rows import Finding, Mend
from results.reports.columns import Column, ReportRow
from results.store import Readers, Store, files_beside, shut_folder
from results.store import share as let_read
from results.store.updating_derived_tables import rebuild as fold_again
from results.store.upgrade import restore as put_back
from results.store.verification.derived import compare_with_package
from results.store.verification.verify import verify as check

_UNITS = {"ratings": "matches"}
"""What `db verify` counts, if it isn't what it verifies."""

_WHO = {
    Readers.NOBODY: "only you and root",
    Readers.GROUP: "you and your group",
    Readers.EVERYONE: "every account of this machine",
}
_ENTER = {Readers.GROUP: "g+x", Readers.EVERYONE: "go+x"}

app = typer.Typer(no_args_is_help=True)


@app.callback()
def db() -> None:
    """Check, back up and repair the results store."""


@app.command()
def verify(
    store: options.Store = options.DEFAULT_STORE,
    since: Annotated[str | None, typer.Option(metavar="WHEN|MATCH")] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=1024)] = 1,
    everything: Annotated[bool, typer.Option("--all")] = False,
    reference: Annotated[bool, typer.Option("--reference")] = False,
) -> None:
    """Verify everything in the store except deals; includes `replay verify`.

    Checks rows against their checksums, replays against their fingerprints and the rules, ratings and totals against
    the ledger, and the files of versions against their hashes. Reports what is wrong, where, and how to fix it.

    Options:
        since: Check only games from this match number on, or from the first match with a game that ended at or after
            this time (UTC unless it has an offset). Everything else is always checked.
        jobs: Number of processes that check games.
        everything: Play every game through the rules, even those that an earlier `db verify` has checked.
        reference: Only compare TrueSkill ratings with those of the trueskill package.
    """
    if reference:
        _compare_with_package(store)
        return
    first = first_checked(since)
    games = 0
    with reading(store) as opened, busy("verifying the file") as work:

        def tell(what: str, done: int, of: int) -> None:
            nonlocal games
            if what == "games":
                games = done
            if what != "file":
                work.take(done, of, f"verifying {what}", _UNITS.get(what, what))

        files = versions_folder(opened)
        there = files.is_dir() or not opened.versions.authors()
        findings = check(
            opened,
            tell=tell,
            check_body=check_body,
            check_files=partial(wrong_files, files) if there else None,
            check_source=partial(wrong_files, sources_folder(opened)),
            since=first,
            jobs=jobs,
            rules_key=rules_key(),
            everything=everything,
        )
    problems = [finding for finding in findings if finding.is_problem]
    for finding in problems:
        say_error(str(finding))
    for finding in findings:
        if not finding.is_problem:
            warn(str(finding))
    if not there:
        say_error(
            f"the files of all versions are missing: there is no folder {files}",
            "the folder belongs next to the store and moves with it: put it back",
        )
    if problems or not there:
        count = len(problems) + (not there)
        say(f"{store}: {counted(count, 'problem')}")
        _say_steps(_advice(findings, store))
        raise typer.Exit(OURS)
    if findings:
        _say_steps(_advice(findings, store))
        answer(f"{store}: nothing wrong found, but not everything was checked ({counted(games, 'game')})")
        return
    answer(f"{store}: verified: everything matches the ledger ({counted(games, 'game')})")


def _compare_with_package(store: Path) -> None:
    """Say how far ratings are from those of the trueskill package."""
    with reading(store) as opened, busy("comparing ratings") as work:
        compared = compare_with_package(opened, partial(work.take, unit="matches"))
    for league in compared:
        matches = counted(league.matches, "match", "matches")
        words = f"{league.league}: {matches}, largest difference {league.difference:.1e} β"
        if league.agrees:
            answer(words)
        else:
            say_error(words, "recompute the ratings with: arena db rebuild")
    if not compared:
        say("no league of this store is rated with TrueSkill")
    if not all(league.agrees for league in compared):
        raise typer.Exit(OURS)


@app.command()
def rebuild(store: options.Store = options.DEFAULT_STORE) -> None:
    """Delete ratings and totals, and recompute them from the ledger."""
    with (
        writing(store, create=False, does="rebuilds ratings") as opened,
        busy("recomputing ratings and totals"),
    ):
        fold_again(opened)
    answer(f"{store}: ratings and totals recomputed")


@app.command()
def backup(
    target: Annotated[Path, typer.Argument(metavar="FILE")],
    everything: Annotated[bool, typer.Option("--all")] = False,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Copy the whole store to a file, even while a league runs.

    Segments of older replays are copied to the folder next to it, such as backup.files of backup.sqlite; those that
    are there already are not copied again.

    Options:
        target: The file to write, or with --all the folder; it must not exist.
        everything: Write a folder with the store, the accounts of the site and the files of bots.
    """
    if everything:
        with busy("copying"):
            copied = back_up(store, target)
        answer(f"{target}: {copied / 1_000_000:.1f} MB copied")
        return
    with reading(store) as opened, busy("copying"):
        copied = opened.backup(target)
        beside = files_beside(target) / opened.segments.folder.name
        missing = sum(not (beside / state.segment.name).exists() for state in opened.segments.all())
    answer(f"{target}: {target.stat().st_size / 1_000_000:.1f} MB copied")
    if copied:
        answer(f"{files_beside(target)}: {counted(copied, 'segment')} of replays")
    if missing:
        warn(f"the backup lacks {counted(missing, 'segment')} of replays; arena db segments lists them")


@app.command()
def restore(
    source: Annotated[Path, typer.Argument(metavar="FILE")],
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Restore a backup; the current store is kept next to it.

    A folder of `arena db backup --all` also restores the accounts and the files of bots; everybody has to sign in
    again. Refused while a server serves the store or a league in it runs.

    Options:
        source: A backup: a file that `arena db backup` wrote, or a folder of `--all`.
    """
    more = ""
    with busy("copying"):
        if source.is_dir():
            done = restore_all(store, source)
            aside = {"store is": done.store_aside, "accounts are": done.site_aside}
            more = f", with {counted(done.files, 'file')} of bots that were missing"
        else:
            aside = {"store is": put_back(store, source)}
    answer(f"{store}: restored from {source}{more}")
    for what, place in aside.items():
        if place is not None:
            answer(f"the previous {what} now {place}")
    say(f"check the restored store with: arena db verify{options.naming_store(store)}")


@app.command()
def share(
    readers: Annotated[Readers, typer.Argument(metavar="WHO")],
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Let other accounts of this machine read the store, or stop that.

    They see everything in it: files and logs of bots, hidden games, secrets of sealed leagues. Accounts of the site,
    uploads and locks stay yours alone.

    Options:
        readers: Who may read the store besides you and root: group, everyone (any account here) or nobody.
    """
    with reading(store):  # it is a store, and not another file
        pass
    try:
        let_read(store, readers)
    except PermissionError as error:
        raise UsageError(
            f"you may not change {error.filename}", f"only its owner can share {store}"
        ) from error
    answer(f"{store}: {_WHO[readers]} can read it")
    if readers is not Readers.NOBODY and (shut := shut_folder(store, readers)):
        warn(f"they can't enter {shut}; let them with: chmod {_ENTER[readers]} {shlex.quote(str(shut))}")


@app.command()
def digest(name: options.League = None, store: options.Store = options.DEFAULT_STORE) -> None:
    """Print two hashes of a league: one of all its games, one of its ratings."""
    with reading(store) as opened:
        league = opened.leagues.get(name)
        with busy("reading all games"):
            hashes = {
                "league": league.name,
                "games": opened.games.fingerprint(league.uuid),
                "ratings": opened.ratings.digest(league.uuid),
            }
    answer_json(hashes, indent=2)


@app.command()
def prune(
    keep: Annotated[str, typer.Argument()],
    name: options.League = None,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Delete replays of a league to save space.

    Its games, logs, ratings and totals stay.

    Options:
        keep: Replays to keep: all, faults, 'last N' or none.
    """
    with writing(store, create=False) as opened:
        league = opened.leagues.get(name)
        pruned = opened.replays.prune(league.uuid, keep)
    answer(f"{league.name}: {counted(pruned.replays, 'replay')} deleted")
    if pruned.away:
        numbers = ", ".join(str(segment.number) for segment in pruned.away)
        warn(
            f"replays in segments that aren't here are kept: {numbers}; to delete them too, fetch the segments first"
        )


class SegmentRow(ReportRow, frozen=True, kw_only=True):
    """A segment of replays."""

    number: Annotated[int, Column("segment", priority=0)]
    games: Annotated[int, Column(priority=1)]
    mb: Annotated[float, Column("MB", 1, priority=1)]
    """Size in millions of bytes."""
    closed_at: Annotated[str, Column("closed", priority=3)]
    is_here: Annotated[bool, Column("here", priority=0)]
    shipped_to: Annotated[str, Column(wide=True, priority=1)]
    """The folder to which it was shipped last; empty if that isn't noted here."""
    file: Annotated[str, Column(wide=True, priority=2)]


@app.command()
def segments(store: options.Store = options.DEFAULT_STORE, form: options.Form = Format.TABLE) -> None:
    """List the segments, the files to which older replays move."""
    with reading(store) as opened:
        rows = [
            SegmentRow(
                number=state.segment.number,
                games=state.games,
                mb=state.segment.bytes / 1_000_000,
                closed_at=state.segment.closed_at,
                is_here=state.is_here,
                shipped_to=str(state.shipped_to or ""),
                file=state.segment.name,
            )
            for state in opened.segments.all()
        ]
        next_one, unknown = _next_segment(opened), opened.segments.unknown_files()
    list_rows(SegmentRow, rows, form, empty="there are no segments yet")
    if form is Format.TABLE:
        say(next_one)
        if rows:
            say(f"segments are in {opened.segments.folder}")
    for name in unknown:
        warn(f"{opened.segments.folder / name} is no segment of this ledger")


@app.command()
def ship(
    folder: Annotated[Path, typer.Argument()],
    remove: Annotated[bool, typer.Option("--remove")] = False,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Copy segments of older replays to another folder.

    Each is verified. A league may run meanwhile. Segments that are there already are not copied again.

    Options:
        folder: A folder that exists; it may be mounted object storage.
        remove: Remove segments here once they are verified there.
    """
    with reading(store) as opened, busy("copying"):
        done = opened.segments.ship(folder, remove=remove)
        next_one = "" if done.copied + done.there + done.away else _next_segment(opened)
    if next_one:
        answer("there is nothing to ship yet, because there are no segments")
        say(next_one)
        return
    size = f"{done.copied_bytes / 1_000_000:.1f} MB"
    answer(f"{folder}: {counted(done.copied, 'segment')} copied ({size}), {done.there} already there")
    if remove:
        answer(f"{opened.segments.folder}: {counted(done.removed, 'segment')} removed")
    if done.away:
        warn(f"{counted(done.away, 'segment')} missing here and there; arena db segments lists them")


@app.command()
def fetch(
    numbers: Annotated[list[int] | None, typer.Argument(metavar="SEGMENT")] = None,
    source: Annotated[Path | None, typer.Option("--from", metavar="FOLDER")] = None,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Copy shipped segments back.

    Each is verified. One that is here and damaged is replaced if you name it.

    Options:
        numbers: Segments; without any, all that aren't here.
        source: Where they are, if not where they were shipped.
    """
    with reading(store) as opened, busy("copying"):
        fetched = opened.segments.fetch(numbers or (), source)
    answer(f"{opened.segments.folder}: {counted(len(fetched), 'segment')} fetched")


def _next_segment(store: Store) -> str:
    """Return in words how many replays are in the store itself, and when the next segment is written."""
    waiting, due_at = store.segments.waiting(), store.segments.due_at()
    return (
        f"about {counted(waiting, 'replay')} in the store itself; the next segment is written while games are played, "
        f"at about {counted(rounded_to(2, due_at), 'replay')}"
    )


def _say_steps(steps: Sequence[str]) -> None:
    for number, step in enumerate(steps, 1):
        say(f"{number}. {step}" if len(steps) > 1 else step)


def _advice(findings: Sequence[Finding], store: Path) -> list[str]:
    """Return the steps that repair a store, in order. Ratings and totals are recomputed only from a sound ledger."""
    at = options.naming_store(store)
    mends = {finding.mend for finding in findings}
    steps = []
    if Mend.BACKUP in mends:
        steps.append(f"restore a backup: nothing else has the lost data: arena db restore FILE{at}")
    else:
        if Mend.FETCH in mends:
            steps.append(
                "get the segments back, from a backup or where they were shipped: "
                f"arena db fetch NUMBER --from FOLDER{at}"
            )
        if Mend.AWAY in mends:
            steps.append(f"to check shipped segments as well, fetch them: arena db fetch{at}")
        if Mend.INSTALL in mends:
            steps.append("install the packages of the rating systems that are missing")
        if Mend.FIX in mends:
            steps.append("fix the packages of the rating systems that fail")
        if Mend.REBUILD in mends:
            steps.append(f"recompute ratings and totals: arena db rebuild{at}")
    if Mend.RESUBMIT in mends:
        steps.append(f"resubmit the bots whose files are wrong: arena submit FOLDER{at}")
    if mends & {Mend.BACKUP, Mend.FETCH, Mend.AWAY, Mend.INSTALL, Mend.FIX}:
        steps.append(f"check what is left to fix: arena db verify{at}")
    return steps


def first_checked(text: str | None) -> int | str | None:
    """Return a match number, or a time in UTC to the second. Raises BadParameter for anything else."""
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

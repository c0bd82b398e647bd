"""`arena bots` and `arena bots show|log|delete|download`."""

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from arena.cli.base import options
from arena.cli.base.open_store import reading
from arena.cli.base.stored_names import find_version
from arena.cli.display.tables import Format, list_rows, print_table
from arena.cli.terminal.consoles import console
from arena.cli.terminal.messages import answer, answer_json, print_line, print_prose, say
from arena.submissions.archives.zip_format import zip_of
from arena.submissions.kept_version_files import (
    check_target,
    kept_size,
    submitted_files,
    write_folder,
    write_zip,
)
from results.base.clock import to_the_second
from results.base.text import counted, one_line
from results.reports.columns import Column, ReportRow, columns_of
from results.reports.versions import MOST_FAULTS, VersionFault, VersionPage, VersionPlace, version_page

app = typer.Typer()


SUBMITTED = {True: "yes", False: "no", None: "–"}


class BotRow(ReportRow, frozen=True, kw_only=True):
    """One version of a bot."""

    bot: Annotated[str, Column(priority=0)]
    """Author and name."""
    version: Annotated[int, Column(priority=1)]
    sha256: Annotated[str, Column("hash", priority=7, drawn=lambda row: row.sha256[:12])]
    games: Annotated[str, Column(wide=True, priority=4)]
    """Names of the games it plays."""
    deterministic: Annotated[bool | None, Column(priority=6)]
    """Whether it made the same moves each time when it was submitted; None: not checked."""
    submitted: Annotated[bool | None, Column(priority=3, drawn=lambda row: SUBMITTED[row.submitted])]
    """Whether it passed the check of a submission; None: it came with Arena, and needs none."""
    added_at: Annotated[str, Column("added", priority=5, drawn=lambda row: row.added_at[:10])]
    """UTC, to the second."""
    description: Annotated[str, Column(wide=True, priority=3)]


@app.callback(invoke_without_command=True)
def bots(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", "-a")] = False,
    store: options.Store = options.DEFAULT_STORE,
    form: options.Form = Format.TABLE,
) -> None:
    """List the bots in the store; show, download or delete a version.

    Without a command, lists submitted bots, and bots that leagues and single games read from folders. `submitted` is
    `no` for a bot that played from its folder and never passed the check of `arena submit`.

    Options:
        every: Show every version, not only the newest.
    """
    if not options.lists(context):
        return
    with reading(store) as opened:
        versions = opened.versions.all()
    newest = {(version.author, version.bot): version.number for version in versions}
    rows = [
        BotRow(
            bot=f"{version.author}/{version.bot}",
            version=version.number,
            sha256=version.sha256,
            games=", ".join(version.manifest.get("games", ())),
            deterministic=version.deterministic,
            submitted=None if version.bundled else bool(version.report),
            added_at=to_the_second(version.added_at),
            description=version.manifest.get("description", ""),
        )
        for version in versions
        if every or version.number == newest[version.author, version.bot]
    ]
    empty = "no bots yet; submit one with: arena submit FOLDER"
    list_rows(BotRow, rows, form, f"bots in {store}", empty)
    if form is Format.TABLE and any(row.submitted is False for row in rows):
        say("not submitted: played from a folder, unchecked; to let one join a league: arena submit FOLDER")
    if older := len(versions) - len(rows):
        say(f"{counted(older, 'older version is', 'older versions are')} left out; --all lists them")


class FactRow(ReportRow, frozen=True, kw_only=True):
    """One thing that is known of a version."""

    field: Annotated[str, Column(priority=0)]
    value: Annotated[str, Column(wide=True, priority=0)]


@app.command()
def show(
    version: options.AnyBot, store: options.Store = options.DEFAULT_STORE, form: options.Form = Format.TABLE
) -> None:
    """Show a version: its files, check, leagues, ranks and latest faults."""
    with reading(store) as opened:
        found = find_version(opened, version)
        from arena.league.definition.stored import format_places  # loads what plays

        page = version_page(opened, found, format_places, kept_size(opened, found.sha256), most_faults=None)
    if form is Format.JSON:
        answer_json([page], indent=2)
    elif form is Format.TABLE:
        out = console()
        print_line(out, found.reference, "bold")
        for fact in _facts(page):
            print_prose(out, Text.assemble((fact.field, "bold"), ": ", one_line(fact.value)), 2)
        if page.places:
            print_table(out, columns_of(VersionPlace), page.places)
        if page.faults:
            print_table(out, columns_of(VersionFault), page.faults[:MOST_FAULTS])
        if len(page.faults) > MOST_FAULTS:
            say(f"the latest {MOST_FAULTS} of {len(page.faults):,} faults; --format csv has all")
    else:
        places = [
            FactRow(
                field=f"league {one.league}",
                value=("" if one.rank is None else f"place {one.rank} of {one.of}, ")
                + counted(one.games, "game"),
            )
            for one in page.places
        ]
        faults = [
            FactRow(field=f"fault {one.game}", value=f"{one.verdict}: {one.detail}") for one in page.faults
        ]
        list_rows(FactRow, [*_facts(page), *places, *faults], form)


def _facts(page: VersionPage) -> Iterator[FactRow]:
    """Yield what is known of a version, in words."""
    size = (
        "missing" if page.files is None else f"{counted(page.files, 'file')}, {page.size_bytes or 0:,} bytes"
    )
    build = page.build
    facts: dict[str, str] = {
        "description": page.description,
        "hash": page.sha256,
        "files": size,
        "submitted": page.added_at if page.is_checked else "",
        "added": "" if page.is_checked else f"{page.added_at}, never submitted",
        "command": shlex.join(page.command),
        "games": ", ".join(page.games),
        "settings": ", ".join(
            f"{key} = {str(value).lower()}" for key, value in page.manifest.items() if isinstance(value, bool)
        ),
        "build": f"{build.get('seconds', 0):.1f} s on {build.get('machine')}, from {str(build.get('source'))[:12]}"
        if build
        else "",
        "check": "; ".join(_check_words(game, found) for game, found in page.report.items()) or "none",
        "deterministic": {True: "yes", False: "no", None: "not checked"}[page.deterministic],
        "derived from": ", ".join(page.ancestors),
        "newer versions": ", ".join(f"@{number}" for number in page.newer),
        "plays in": "" if page.places else "no league, match or comparison",
    }
    for key, value in facts.items():
        if value:
            yield FactRow(field=key, value=value)


def _check_words(game: str, found: object) -> str:
    """Return what the check found in one game, in words."""
    words: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    if words.get("fault"):
        return f"{game}: {words['fault']}"
    if "decisions" not in words:
        return f"{game}: passed"
    longest = f", the longest {words['max_wall_ms']:.1f} ms" if "max_wall_ms" in words else ""
    return f"{game}: passed with {counted(words['decisions'], 'decision')}{longest}"


@app.command()
def log(
    version: options.AnyBot,
    as_json: Annotated[bool, typer.Option("--json")] = False,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Show what the build and check of a version reported.

    Options:
        as_json: Print one JSON object.
    """
    with reading(store) as opened:
        found = find_version(opened, version)
    if as_json:
        shown = {"version": found.reference, "build": found.build, "check": found.report}
        answer_json(shown, indent=2)
        return
    build, report = found.build, found.report
    if not build and not report:
        say(f"{found.reference} was played without being submitted, so it has not been checked")
        return
    if build:
        answer(f"built in {build.get('seconds', 0):.1f} s on {build.get('machine')} ({build.get('sandbox')})")
        for line in str(build.get("words", "")).rstrip().splitlines():
            answer(f"  {line}")
    for game, part in report.items():
        answer(f"checked in {game}")
        for key, value in (part if isinstance(part, Mapping) else {"result": part}).items():
            if key == "game" or value in (None, "", [], ()):
                continue
            first, *rest = (str(value).lower() if isinstance(value, bool) else str(value)).splitlines()
            answer(f"  {key}: {first}")
            for line in rest:
                answer(f"    {line}")


@app.command()
def delete(
    version: options.AnyBot, yes: options.Yes = False, store: options.Store = options.DEFAULT_STORE
) -> None:
    """Delete a version and its files.

    Refused if the version is part of a league, match or comparison. Its number isn't used again.
    """
    from arena.cli.base.change_now_or_queue import confirm_deletion, make_change  # not needed to look at bots
    from arena.league.changes.submitted_versions import DeleteVersion, check_unheld

    with reading(store) as opened:
        found = find_version(opened, version)
        check_unheld(opened, found)
    confirm_deletion(found.reference, f"({found.sha256[:12]}) with its files", yes=yes)
    make_change(store, DeleteVersion(found.reference, found.sha256))


@app.command()
def download(
    version: options.AnyBot,
    output: Annotated[Path, typer.Option("--output", "-O", metavar="FILE.zip|FOLDER")],
    force: Annotated[bool, typer.Option("--force", "-f")] = False,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Write the files of a version to an archive or a folder.

    They are as they were submitted, and are checked against the version's hash. The same version always gives the
    same archive, byte by byte.

    Options:
        output: Where to write it: a zip archive, or a folder.
        force: Overwrite the file, or files in the folder.
    """
    check_target(output, force=force)
    with reading(store) as opened:
        found = find_version(opened, version)
        files = submitted_files(opened, found)
    if output.suffix.lower() == ".zip":
        write_zip(zip_of(files, found.bot), output, force=force)
    else:
        write_folder(files, output)
    answer(f"{output}: {found.reference}, {counted(len(files), 'file')}")

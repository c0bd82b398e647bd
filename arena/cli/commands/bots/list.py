"""`arena bots` and `arena bots list`."""

from dataclasses import replace
from typing import Annotated

import typer

from arena.cli.display.tables import Format, list_rows
from arena.cli.messages import say
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, FormatOption, StoreOption
from results.base.clock import to_the_second
from results.base.text import counted
from results.reports.columns import Column, ReportRow


class BotRow(ReportRow, frozen=True, kw_only=True):
    """One version of a bot."""

    bot: str
    """Author and name."""
    version: int
    sha256: str
    games: str
    """Names of the games it plays."""
    deterministic: bool | None
    """Whether it made the same moves each time when it was submitted; None: not checked."""
    submitted: bool | None
    """Whether it passed the check of a submission; None: it came with Arena, and needs none."""
    added_at: str
    """UTC, to the second."""
    description: str


def _short_hash(row: BotRow) -> str:
    return row.sha256[:12]


def _day(row: BotRow) -> str:
    return row.added_at[:10]


def _is_submitted(row: BotRow) -> str:
    return {True: "yes", False: "no", None: "–"}[row.submitted]


MARKDOWN_COLUMNS = (
    Column("bot", "bot", priority=0),
    Column("version", "version", right=True, priority=1),
    Column("sha256", "hash", priority=7),
    Column("games", "games", wide=True, priority=4),
    Column("deterministic", "deterministic", priority=6),
    Column("submitted", "submitted", priority=3, drawn=_is_submitted),
    Column("added_at", "added", priority=5),
    Column("description", "description", wide=True, priority=3),
)
SHORT = {"sha256": _short_hash, "added_at": _day}
"""How tables shorten long fields."""
COLUMNS = tuple(replace(column, drawn=SHORT.get(column.key, column.drawn)) for column in MARKDOWN_COLUMNS)


EveryOption = Annotated[bool, typer.Option("--all", "-a", help="Show every version, not only the newest.")]


def list_bots(
    every: EveryOption = False,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """List the bots in the store: submitted bots, and bots that leagues and single games read from folders.

    `submitted` is `no` for a bot that played from its folder and never passed the check of `arena submit`.
    """
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
    columns = COLUMNS if form is Format.TABLE else MARKDOWN_COLUMNS
    list_rows(
        BotRow, columns, rows, form, f"bots in {store}", "no bots yet; submit one with: arena submit FOLDER"
    )
    if form is Format.TABLE and any(row.submitted is False for row in rows):
        say(
            "not submitted: these played from a folder, unchecked; to let one join a league: arena submit FOLDER"
        )
    if older := len(versions) - len(rows):
        say(f"{counted(older, 'older version is', 'older versions are')} left out; --all lists them")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("list")(list_bots)

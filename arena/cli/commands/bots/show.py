"""`arena bots show`."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

import typer

from arena.cli.consoles import console
from arena.cli.display.tables import Format, list_rows, print_table
from arena.cli.messages import answer_json, say
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, AnyBot, FormatOption, StoreOption
from arena.cli.stored_names import find_version
from results.base.text import counted
from results.reports.columns import Column, ReportRow
from results.reports.versions import MOST_FAULTS, VersionFault, VersionPage, VersionPlace, version_page


class FactRow(ReportRow, frozen=True, kw_only=True):
    """One thing that is known of a version."""

    field: str
    value: str


FACTS = (Column("field", "", priority=0), Column("value", "", wide=True, priority=0))
TITLED = (Column("field", "field", priority=0), Column("value", "value", wide=True, priority=0))
PLACES = (
    Column("league", "league", priority=0),
    Column("label", "as", priority=0),
    Column("state", "state", priority=4),
    Column("rank", "rank", right=True, priority=1),
    Column("of", "of", right=True, priority=2),
    Column("rating", "rating", 2, priority=2),
    Column("games", "games", right=True, priority=3),
)
FAULTS = (
    Column("game", "latest faults", priority=0),
    Column("verdict", "verdict", priority=1),
    Column("detail", "detail", wide=True, priority=2),
    Column("at", "at", priority=4),
)


def show(version: AnyBot, store: StoreOption = DEFAULT_STORE, form: FormatOption = Format.TABLE) -> None:
    """Show one version of a bot: its files, its check, where it plays, its ranks and its latest faults."""
    from arena.submissions.kept_files import kept_size

    with reading(store) as opened:
        found = find_version(opened, version)
        page = version_page(opened, found, kept_size(opened, found.sha256), most_faults=None)
    if form is Format.JSON:
        answer_json([page], indent=2)
    elif form is Format.TABLE:
        out = console()
        print_table(out, FACTS, list(_facts(page)), found.reference)
        if page.places:
            print_table(out, PLACES, page.places)
        if page.faults:
            print_table(out, FAULTS, page.faults[:MOST_FAULTS])
        if len(page.faults) > MOST_FAULTS:
            say(f"the latest {MOST_FAULTS} of {len(page.faults):,} faults; --format csv has all")
    else:
        rows = [*_facts(page), *map(_place, page.places), *map(_fault, page.faults)]
        list_rows(FactRow, TITLED, rows, form)


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


def _place(place: VersionPlace) -> FactRow:
    rank = "" if place.rank is None else f"place {place.rank} of {place.of}, "
    return FactRow(field=f"league {place.league}", value=f"{rank}{counted(place.games, 'game')}")


def _fault(fault: VersionFault) -> FactRow:
    return FactRow(field=f"fault {fault.game}", value=f"{fault.verdict}: {fault.detail}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("show")(show)

"""`arena league status`."""

import shlex
from typing import TYPE_CHECKING

import typer

from arena.cli.consoles import console
from arena.cli.display.live import busy
from arena.cli.display.placing import print_placing
from arena.cli.display.tables import Format, list_rows, print_parts
from arena.cli.messages import say
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, FormatOption, LeagueArgument, StoreOption, naming_store
from results.reports.leagues import LEAGUE_COLUMNS, LeagueRow, league_row

if TYPE_CHECKING:
    from results.records import LeagueRecord
    from results.store import Store


def status(
    name: LeagueArgument = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show the progress of all leagues in the store, or of one league, with the ranking by its format if it has one."""
    with reading(store) as opened:
        leagues = [opened.leagues.get(name)] if name else opened.leagues.all()
        with busy("counting games of leagues") as work:
            rows = [league_row(opened, league) for league in work.over(leagues, len(leagues), "leagues")]
        empty = "no leagues yet; create one with: arena league create FILE"
        list_rows(LeagueRow, LEAGUE_COLUMNS, rows, form, f"leagues in {store}", empty)
        if name and form is Format.TABLE:
            print_placing(opened, leagues[0])
            _say_end(opened, leagues[0])
            _print_absent(opened, leagues[0], naming_store(store))
        if form is Format.TABLE:
            for league, row in zip(leagues, rows, strict=True):
                if row.state == "interrupted" and league.rated:
                    say(f"go on with: arena league run {shlex.quote(row.name)}{naming_store(store)}")


def _print_absent(store: "Store", league: "LeagueRecord", store_option: str) -> None:
    """Print which entries don't play, why, and what to do next; nothing if all play."""
    from datetime import UTC, datetime

    from arena.cli.display.status_view import absent_parts
    from results.clock import utc_text
    from results.reports.states import absent_of

    now = datetime.now(UTC)
    with busy("looking for bots that don't play"):
        rows = absent_of(store, league, now)
    if rows:
        print_parts(absent_parts(rows, utc_text(now), console().width, store_option))


def _say_end(store: "Store", league: "LeagueRecord") -> None:
    """Print why a league ended before its schedule was complete, or when it will end."""
    from arena.league.definition.league_length import how_long
    from arena.league.definition.stored import definition_of
    from results.roster import ENDED

    ends = [str(event.data["why"]) for event in store.leagues.events(league.uuid) if event.kind == ENDED]
    if ends:
        say(f"{league.name} is over: {ends[-1]}")
    elif league.rated and league.state != "finished":
        say(f"{league.name} is not finished: {how_long(definition_of(store, league))}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("status")(status)

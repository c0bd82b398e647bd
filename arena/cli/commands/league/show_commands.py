"""`arena league list`, `show`, `events` and `verify-deals`: what a league is, and what has happened in it."""

import shlex
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.base import options
from arena.cli.base.open_store import reading
from arena.cli.display.long_work import busy
from arena.cli.display.status_view import absent_parts
from arena.cli.display.tables import Format, list_rows, print_parts
from arena.cli.terminal.consoles import console
from arena.cli.terminal.messages import OURS, answer, say, say_error, write_file
from arena.config.deal_suites import suite_of
from arena.core.errors import UsageError
from arena.league.deal_audit import audit as audit_league
from arena.league.definition.checked_definition import how_long
from arena.league.definition.stored import definition_of
from arena.league.export_and_import import exported
from results.base.clock import utc_text
from results.base.text import counted
from results.records import LeagueRecord
from results.records.roster import ENDED
from results.reports.league_states import absent_of
from results.reports.leagues import EventRow, LeagueRow, event_rows, league_row
from results.store import Store


def list_leagues(store: options.Store = options.DEFAULT_STORE, form: options.Form = Format.TABLE) -> None:
    """List the leagues of the store, with their games and states."""
    _list(store, form)


def show(
    name: options.League = None,
    store: options.Store = options.DEFAULT_STORE,
    form: options.Form = Format.TABLE,
) -> None:
    """Show one league: its games, when it ends, and which bots don't play."""
    _list(store, form, lambda opened: opened.leagues.get(name))


def _list(store: Path, form: Format, one: Callable[[Store], LeagueRecord] | None = None) -> None:
    with reading(store) as opened:
        leagues = [one(opened)] if one else opened.leagues.all()
        with busy("counting games of leagues") as work:
            rows = [league_row(opened, league) for league in work.over(leagues, len(leagues), "leagues")]
        empty = "no leagues yet; create one with: arena league create FILE"
        list_rows(LeagueRow, rows, form, f"leagues in {store}", empty)
        if one and form is Format.TABLE:
            _say_end(opened, leagues[0])
            _print_absent(opened, leagues[0], options.naming_store(store))
        if form is Format.TABLE:
            for league, row in zip(leagues, rows, strict=True):
                if row.state == "interrupted" and league.rated:
                    say(f"go on with: arena run {shlex.quote(row.name)}{options.naming_store(store)}")


def _print_absent(store: Store, league: LeagueRecord, store_option: str) -> None:
    """Print which entries don't play, why, and what to do next; nothing if all play."""
    now = datetime.now(UTC)
    with busy("looking for bots that don't play"):
        rows = absent_of(store, league, now)
    if rows:
        print_parts(absent_parts(rows, utc_text(now), console().width, store_option))


def _say_end(store: Store, league: LeagueRecord) -> None:
    """Print why a league ended before its schedule was complete, or when it will end."""
    ends = [str(event.data["why"]) for event in store.leagues.events(league.uuid) if event.kind == ENDED]
    if ends:
        say(f"{league.name} is over: {ends[-1]}")
    elif league.rated and league.state != "finished":
        say(f"{league.name} is not finished: {how_long(definition_of(store, league))}")


def events(
    name: options.League = None,
    export: Annotated[Path | None, typer.Option(metavar="FILE")] = None,
    force: options.Force = False,
    store: options.Store = options.DEFAULT_STORE,
    form: options.Form = Format.TABLE,
) -> None:
    """Show what changed in a league: who joined, left or was paused, and when.

    `--export` writes a file from which `arena league create` makes a league that plays the same matches again.

    Options:
        export: Write everything that the rankings of the league follow from to this file (.jsonl).
    """
    with reading(store) as opened:
        league = opened.leagues.get(name)
        if export is None:
            rows = event_rows(opened, league)
            list_rows(EventRow, rows, form, f"events of {league.name}", "no events yet")
            return
        lines = list(exported(opened, league))
    write_file(export, b"".join(lines).decode(), force=force)
    again = f"replay them with: arena league create {shlex.quote(str(export))} --name NEW"
    if league.sealed and not league.revealed:
        again = "to replay them, reveal the secret once the league is over, and export again"
    say(f"wrote {counted(len(lines) - 1, 'event')} of {league.name} to {export}; {again}")


def verify_deals(name: options.League = None, store: options.Store = options.DEFAULT_STORE) -> None:
    """Verify that all deals of a league follow from its secret, seed or suite.

    The secret of a sealed league has to be revealed first. `arena db verify` checks all else.
    """
    with reading(store) as opened:
        league = opened.leagues.get(name)
        if league.sealed and not league.revealed:
            raise UsageError(
                f"the secret of {league.name} is not public",
                "reveal it once the league is finished: "
                f"arena league reveal {shlex.quote(league.name)}{options.naming_store(store)}",
            )
        with busy("deriving every deal"):
            findings = list(audit_league(opened, league))
    for finding in findings:
        say_error(finding)
    if findings:
        raise typer.Exit(OURS)
    suite = suite_of(league.config)
    source = "secret whose SHA-256 is " + league.commitment if suite is None else f"suite {suite.name}"
    answer(f"{league.name}: every deal follows from the {source}")

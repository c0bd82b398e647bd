"""`arena faults`: what went wrong for bots."""

from typing import Annotated

import msgspec
import typer
from msgspec.structs import replace

from arena.cli.base import options
from arena.cli.base.open_store import reading
from arena.cli.base.stored_names import (
    find_entry,
    league_or_casual,
)
from arena.cli.display.long_work import busy
from arena.cli.display.tables import Format, heading, list_rows
from arena.cli.terminal.messages import say
from arena.submissions.bot_languages import language_of_version
from arena.submissions.fault_advice import advice
from protocol.verdicts import Reason
from results.records import LeagueRecord
from results.reports.columns import Column, columns_of
from results.reports.faults import (
    HIDDEN,
    FailedAttemptRow,
    FaultGroup,
    FaultRow,
    FaultWithLogRow,
    failed_attempt_rows,
    fault_groups,
    fault_rows,
    fault_with_log_rows,
)
from results.reports.leagues import league_summary
from results.store import Store


def faults(
    name: options.League = None,
    bot: options.Bot = None,
    every: Annotated[bool, typer.Option("--all")] = False,
    log: Annotated[bool, typer.Option("--log")] = False,
    platform: Annotated[bool, typer.Option("--platform")] = False,
    store: options.Store = options.DEFAULT_STORE,
    form: options.Form = Format.TABLE,
) -> None:
    """Show which faults a league's bots made, and what their authors can do.

    Lists how many there are of each kind, with the newest. JSON and CSV have every fault, as --all does.

    Options:
        every: List every fault by itself.
        log: List every fault, each with the end of the bot's log.
        platform: List games replayed after platform errors instead.
    """
    with reading(store) as opened:
        league = league_or_casual(opened, name)
        with busy("counting games"):
            title = heading(league_summary(opened, league))
        if platform:
            with busy("reading failed attempts"):
                attempts = failed_attempt_rows(opened, league)
            none = f"{league.name}: no game was replayed"
            list_rows(FailedAttemptRow, attempts, form, title, none)
            return
        entry_no = None if bot is None else find_entry(opened, league, bot).entry_no
        none = f"{league.name}: no faults"
        if log:
            with busy("reading faults and logs"):
                rows = [
                    row if row.log is not None else msgspec.structs.replace(row, log=f"({HIDDEN})")
                    for row in fault_with_log_rows(opened, league, entry_no)
                ]
            if form is Format.TABLE and rows:
                _print_with_logs(rows)
            else:
                list_rows(FaultWithLogRow, rows, form, title, none)
        elif every or form not in (Format.TABLE, Format.MD):
            with busy("reading faults"):
                found = fault_rows(opened, league, entry_no)
            list_rows(FaultRow, found, form, title, none)
        else:
            with busy("reading faults"):
                groups = fault_groups(opened, league, entry_no)
            list_rows(FaultGroup, groups, form, title, none, _columns_of_groups(opened, league))
            if form is Format.TABLE and groups:
                at = options.naming_store(store)
                total = sum(group.faults for group in groups)
                many = f"--all lists all {total:,}; " if total > len(groups) else ""
                say(
                    f"{many}explain one: arena why {league.name}/{groups[0].game} --seat {groups[0].seat}{at}"
                )


def _columns_of_groups(store: Store, league: LeagueRecord) -> list[Column]:
    """Return the columns of a table of kinds of faults, each with what an author can do about its example."""
    versions = {entry.label: entry.version for entry in store.entries.all(league.uuid)}

    def told(group: FaultGroup) -> str:
        version = versions.get(group.bot)
        what = advice(
            Reason(group.reason) if group.reason in set(Reason) else None,
            group.log,
            language_of_version(store, version),
            kit=version is not None and bool(version.manifest.get("kit")),
            verdict=group.verdict,
        )
        return f"{group.detail} → {what}" if what else group.detail

    own = {
        "game": Column("newest", right=True, priority=2),
        "at_decision": Column("decision", right=True, priority=6, quiet=True),
        "detail": Column("what happened → what to do", wide=True, priority=3, drawn=told),
    }
    return [
        replace(own.get(column.key, column), key=column.key)
        for column in columns_of(FaultGroup, "bot verdict faults game at_decision detail")
    ]


def _print_with_logs(rows: list[FaultWithLogRow]) -> None:
    for row in rows:
        at = row.decision and f" at decision {row.decision}"
        say(f"{row.game} · seat {row.seat} · {row.bot} · {row.verdict}{at} · {row.detail}")
        for line in (row.log or "").splitlines():
            say("    " + line)

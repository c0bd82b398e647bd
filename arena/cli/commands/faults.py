"""`arena faults`."""

from collections.abc import Iterable
from typing import Annotated

import msgspec
import typer

from arena.cli.display.live import busy
from arena.cli.display.message_text import decision_words
from arena.cli.display.tables import Format, heading, list_rows
from arena.cli.messages import hint, say
from arena.cli.open_store import reading
from arena.cli.options import (
    DEFAULT_STORE,
    BotOption,
    FormatOption,
    LeagueArgument,
    StoreOption,
    naming_store,
)
from arena.cli.stored_names import find_entry, league_or_casual
from protocol.verdicts import Reason
from results.base.text import counted
from results.records import LeagueRecord
from results.reports.columns import Column
from results.reports.faults import (
    ATTEMPT_COLUMNS,
    FailedAttemptRow,
    FaultRow,
    FaultWithLogRow,
    failed_attempt_rows,
    fault_rows,
    fault_with_log_rows,
)
from results.reports.leagues import league_summary
from results.store import Store


def _decision(row: FaultRow, before: str) -> str:
    """Return the number of a decision with the id of its ask, after some words; empty if there is none."""
    if row.at_decision is None:
        return ""
    return before + decision_words(row.at_decision, row.ask).removeprefix("decision ")


COLUMNS = (
    Column("game", "game", right=True, priority=0),
    Column("seat", "seat", right=True, priority=4),
    Column("bot", "bot", priority=0),
    Column("verdict", "verdict", priority=2),
    Column("at_decision", "decision", right=True, priority=5, drawn=lambda row: _decision(row, "")),
    Column("detail", "detail", wide=True, priority=3),
)
COLUMNS_WITH_LOG = (*COLUMNS, Column("log", "log", wide=True))
MOST_HINTS, MOST_NAMES = 5, 3
"""How many hints are given below a table, and how many bots are named in each."""
HIDDEN = "(hidden until the match is finished)"
"""Shown in place of a log that is still hidden."""


def faults(
    name: LeagueArgument = None,
    bot: BotOption = None,
    log: Annotated[
        bool, typer.Option("--log", help="Show the end of the bot's log with each fault.")
    ] = False,
    platform: Annotated[
        bool,
        typer.Option("--platform", help="List games replayed after platform errors instead."),
    ] = False,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """List all faults of a league's bots: the game, the verdict, the value and the limit."""
    with reading(store) as opened:
        league = league_or_casual(opened, name)
        with busy("counting games"):
            title = heading(league_summary(opened, league))
        if platform:
            with busy("reading failed attempts"):
                attempts = failed_attempt_rows(opened, league)
            none = f"{league.name}: no game was replayed"
            list_rows(FailedAttemptRow, ATTEMPT_COLUMNS, attempts, form, title, none)
            return
        entry_no = None if bot is None else find_entry(opened, league, bot).entry_no
        none = f"{league.name}: no faults"
        if not log:
            with busy("reading faults"):
                found = fault_rows(opened, league, entry_no)
            list_rows(FaultRow, COLUMNS, found, form, title, none)
            _advise(opened, league, form, found)
            if form is Format.TABLE and found:
                say(f"explain one: arena why {league.name}/{found[0].game}{naming_store(store)}")
            return
        with busy("reading faults and logs"):
            rows = [
                row if row.log is not None else msgspec.structs.replace(row, log=HIDDEN)
                for row in fault_with_log_rows(opened, league, entry_no)
            ]
        if form is Format.TABLE and rows:
            _print_with_logs(rows)
            _advise(opened, league, form, rows)
        else:
            list_rows(FaultWithLogRow, COLUMNS_WITH_LOG, rows, form, title, none)


def _advise(
    store: Store, league: LeagueRecord, form: Format, rows: Iterable[FaultRow | FaultWithLogRow]
) -> None:
    """Say below a table what authors can do, once for each kind of fault, and whose faults these are."""
    from arena.submissions.advice import ENDED, advice
    from arena.submissions.languages import language_of_version

    if form is not Format.TABLE:
        return
    versions = {entry.label: entry.version for entry in store.entries.all(league.uuid)}
    bots: dict[str, list[str]] = {}
    for bot, word, verdict in dict.fromkeys((row.bot, row.reason, row.verdict) for row in rows):
        version, reason = versions.get(bot), Reason(word) if word in set(Reason) else None
        kit = version is not None and bool(version.manifest.get("kit"))
        language = language_of_version(store, version)
        if reason not in ENDED and (what := advice(reason, "", language, kit=kit, verdict=verdict)):
            bots.setdefault(what, []).append(bot)
    for what, names in list(bots.items())[:MOST_HINTS]:
        more = f" and {counted(len(names) - MOST_NAMES, 'more bot')}" if len(names) > MOST_NAMES else ""
        hint(f"{', '.join(names[:MOST_NAMES])}{more}: {what}")


def _print_with_logs(rows: list[FaultWithLogRow]) -> None:
    for row in rows:
        say(
            f"{row.game} · seat {row.seat} · {row.bot} · {row.verdict}{_decision(row, ' at decision ')} · {row.detail}"
        )
        for line in (row.log or "").splitlines():
            say("    " + line)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("faults")(faults)

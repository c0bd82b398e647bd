"""`arena faults`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.commands.rankings import LeagueArgument, heading
from arena.cli.display.tables import Column, Format, FormatOption, list_rows, say
from arena.cli.open_store import DEFAULT_STORE, StoreOption, reading

if TYPE_CHECKING:
    from results.query_rows import Forfeit
    from results.records import LeagueRecord
    from results.store import Store

COLUMNS = (
    Column("game", "game", right=True, priority=1),
    Column("seat", "seat", right=True, priority=4),
    Column("bot", "bot", priority=0),
    Column("verdict", "verdict", priority=2),
    Column("at_decision", "decision", right=True, priority=5),
    Column("detail", "detail", wide=True, priority=3),
)
PLATFORM_COLUMNS = (
    Column("game", "game", right=True, priority=0),
    Column("attempt", "attempt", right=True, priority=5),
    Column("verdict", "verdict", priority=1),
    Column("worker", "worker", priority=4),
    Column("at", "at", priority=6),
    Column("detail", "detail", wide=True, priority=2),
)
LOG_LINES = 20
"""Of a log, so many of the last lines are shown with a fault."""


def faults(
    name: LeagueArgument = None,
    bot: Annotated[str | None, typer.Option("--bot", "-b", help="Only the faults of this bot.")] = None,
    log: Annotated[
        bool, typer.Option("--log", help="Show the end of the bot's log with each fault.")
    ] = False,
    platform: Annotated[
        bool,
        typer.Option("--platform", help="List the games replayed after platform errors instead."),
    ] = False,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """List every fault of a league's bots: which game, the verdict, figure and limit."""
    with reading(store) as opened:
        league = opened.leagues.get(name)
        if platform:
            none = f"{league.name}: no game was played again"
            list_rows(PLATFORM_COLUMNS, _attempts(opened, league), form, heading(opened, league), none)
            return
        entry_no = None if bot is None else opened.entries.find(league.uuid, bot).entry_no
        found = opened.games.faults(league.uuid, entry_no=entry_no)
        rows = [_row(fault) for fault in found]
        if log:
            for row, fault in zip(rows, found, strict=True):
                row["log"] = _log(opened, league, fault)
        if log and form is Format.TABLE and rows:
            _print_with_logs(rows)
            return
        columns = (*COLUMNS, Column("log", "log", wide=True)) if log else COLUMNS
        list_rows(columns, rows, form, heading(opened, league), f"{league.name}: no faults")


def _row(fault: "Forfeit") -> dict[str, Any]:
    return {
        "game": f"{fault.match_no}.{fault.rotation}",
        "seat": fault.seat,
        "bot": fault.label,
        "verdict": str(fault.verdict),
        "at_decision": fault.at_decision,
        "detail": fault.detail,
    }


def _attempts(store: "Store", league: "LeagueRecord") -> list[dict[str, Any]]:
    return [
        {
            "game": f"{failed.match_no}.{failed.rotation}",
            "attempt": failed.attempt,
            "verdict": str(failed.verdict),
            "worker": failed.worker,
            "at": failed.at[:19].replace("T", " "),
            "detail": failed.detail.strip(),
        }
        for failed in store.games.attempts(league.uuid)
    ]


def _log(store: "Store", league: "LeagueRecord", fault: "Forfeit") -> str:
    """Return the end of the log of a bot at fault; kept back until all games of the match are in."""
    from results.errors import MatchUnfinished

    try:
        logs = store.replays.logs(league.uuid, fault.match_no, fault.rotation)
    except MatchUnfinished:
        return "(hidden until the match is finished)"
    for log in logs:
        if log.seat == fault.seat:
            text = (log.tail or log.head).decode("utf-8", "replace")
            return "\n".join(text.rstrip().splitlines()[-LOG_LINES:])
    return ""


def _print_with_logs(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        say(f"{row['game']} · seat {row['seat']} · {row['bot']} · {row['verdict']} · {row['detail']}")
        for line in row["log"].splitlines():
            say("    " + line)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("faults")(faults)

"""`arena faults`."""

import typer

from arena.cli.rankings import LeagueArgument, heading
from arena.cli.storing import DEFAULT_STORE, StoreOption, reading
from arena.cli.terminal import Column, Format, FormatOption, list_rows

COLUMNS = (
    Column("game", "game", right=True),
    Column("seat", "seat", right=True),
    Column("bot", "bot"),
    Column("verdict", "verdict"),
    Column("at_decision", "decision", right=True),
    Column("detail", "detail", wide=True),
)


def faults(
    name: LeagueArgument = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """List every fault of a league's bots: which game, the verdict, figure and limit."""
    with reading(store) as opened:
        league = opened.league(name)
        rows = [
            {
                "game": f"{fault.match_no}.{fault.rotation}",
                "seat": fault.seat,
                "bot": fault.label,
                "verdict": str(fault.verdict),
                "at_decision": fault.at_decision,
                "detail": fault.detail,
            }
            for fault in opened.faults(league.uuid)
        ]
        list_rows(COLUMNS, rows, form, heading(opened, league), f"{league.name}: no faults")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("faults")(faults)

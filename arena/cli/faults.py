"""`arena faults`."""

from typing import Annotated

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


PLATFORM_COLUMNS = (
    Column("game", "game", right=True),
    Column("attempt", "attempt", right=True),
    Column("verdict", "verdict"),
    Column("worker", "worker"),
    Column("at", "at"),
    Column("detail", "detail", wide=True),
)


def faults(
    name: LeagueArgument = None,
    platform: Annotated[
        bool,
        typer.Option("--platform", help="Instead list the games played again for the platform's faults."),
    ] = False,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """List every fault of a league's bots: which game, the verdict, figure and limit."""
    with reading(store) as opened:
        league = opened.league(name)
        if platform:
            attempts = [
                {
                    "game": f"{failed.match_no}.{failed.rotation}",
                    "attempt": failed.attempt,
                    "verdict": str(failed.verdict),
                    "worker": failed.worker,
                    "at": failed.at[:19].replace("T", " "),
                    "detail": failed.detail.strip(),
                }
                for failed in opened.attempts(league.uuid)
            ]
            none = f"{league.name}: no game was played again"
            list_rows(PLATFORM_COLUMNS, attempts, form, heading(opened, league), none)
            return
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

"""`arena league audit`."""

import shlex

import typer

from arena.cli.display.live import busy
from arena.cli.exit_codes import OURS
from arena.cli.messages import answer, say_error
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, LeagueArgument, StoreOption, naming_store


def audit(name: LeagueArgument = None, store: StoreOption = DEFAULT_STORE) -> None:
    """Derive every deal of a league again from its revealed secret or its seed, and compare."""
    from arena.core.errors import UsageError
    from arena.league.audit import audit as audit_league

    with reading(store) as opened:
        league = opened.leagues.get(name)
        if league.sealed and not league.revealed:
            raise UsageError(
                f"the secret of {league.name} is not public",
                "reveal it once the league is finished: "
                f"arena league reveal {shlex.quote(league.name)}{naming_store(store)}",
            )
        with busy("deriving every deal again"):
            findings = list(audit_league(opened, league))
    for finding in findings:
        say_error(finding)
    if findings:
        raise typer.Exit(OURS)
    answer(f"{league.name}: every deal follows from the secret whose SHA-256 is {league.commitment}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("audit")(audit)

"""`arena league`: a command each."""

import typer

from arena.cli.commands.league import audit, create, placing, reveal, run, status

_app = typer.Typer(
    help="Create leagues from TOML files, run them, and check their status.", no_args_is_help=True
)
_app.command("create")(create.create)
_app.command("run")(run.run)
_app.command("status")(status.status)
_app.command("placing")(placing.placing)
_app.command("reveal")(reveal.reveal)
_app.command("audit")(audit.audit)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(_app, name="league")

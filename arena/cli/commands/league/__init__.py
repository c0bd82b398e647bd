"""`arena league`: a command each."""

import typer

from arena.cli.commands.league import (
    add,
    audit,
    clone,
    create,
    delete,
    events,
    extend,
    pause,
    placing,
    rename,
    replace,
    resume,
    retire,
    reveal,
    run,
    season,
    status,
    unbench,
)

_app = typer.Typer(
    help="Create leagues from TOML files, run them, and check their status.", no_args_is_help=True
)
_app.command("create")(create.create)
_app.command("run")(run.run)
_app.command("status")(status.status)
_app.command("add")(add.add)
_app.command("replace")(replace.replace)
_app.command("retire")(retire.retire)
_app.command("pause")(pause.pause)
_app.command("resume")(resume.resume)
_app.command("unbench")(unbench.unbench)
_app.command("extend")(extend.extend)
_app.command("season")(season.season)
_app.command("clone")(clone.clone)
_app.command("rename")(rename.rename)
_app.command("delete")(delete.delete)
_app.command("events")(events.events)
_app.command("placing")(placing.placing)
_app.command("reveal")(reveal.reveal)
_app.command("audit")(audit.audit)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(_app, name="league")

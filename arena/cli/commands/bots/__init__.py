"""`arena bots list|show|log|delete|download`."""

import typer

from arena.cli.commands.bots import delete, download, list, log, show
from arena.cli.commands.bots.list import EveryOption
from arena.cli.display.tables import Format
from arena.cli.options import DEFAULT_STORE, FormatOption, StoreOption

_app = typer.Typer(help="List the bots in the store, and show, fetch or delete one version.")


@_app.callback(invoke_without_command=True)
def bots(
    context: typer.Context,
    every: EveryOption = False,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """List the bots in the store, and show, fetch or delete one version. Without a command, list them."""
    if context.invoked_subcommand is None:
        list.list_bots(every, store, form)
        return
    from arena.core.errors import UsageError

    for name in ("every", "store", "form"):
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = next(param.opts[0] for param in context.command.params if param.name == name)
            raise UsageError(
                f"arena bots: {option} stands before the command {context.invoked_subcommand}",
                f"write it after the command: arena bots {context.invoked_subcommand} … {option} …",
            )


_app.command("list")(list.list_bots)
_app.command("show")(show.show)
_app.command("log")(log.log)
_app.command("delete")(delete.delete)
_app.command("download")(download.download)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(_app, name="bots")

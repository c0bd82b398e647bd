"""`arena bots list|show|log|delete|download`."""

from typing import ClassVar

import typer

from arena.cli.commands.bots.list import EveryOption, list_bots
from arena.cli.display.tables import Format
from arena.cli.lazy_group import LazyGroup
from arena.cli.options import DEFAULT_STORE, FormatOption, StoreOption


class _BotsCommands(LazyGroup):
    package = __name__
    summaries: ClassVar = {
        "list": "List the bots in the store: submitted bots, and bots that leagues and single games read from folders.",
        "show": "Show one version of a bot: its files, its check, where it plays, its ranks and its latest faults.",
        "log": "Show what a build and the check of a version reported when it was submitted.",
        "delete": "Delete a version and its files. Refused if a league, match or comparison holds it.",
        "download": "Write the files of a version, as they were submitted, to an archive or a folder.",
    }


_app = typer.Typer(
    cls=_BotsCommands, help="List the bots in the store, and show, fetch or delete one version."
)


@_app.callback(invoke_without_command=True)
def bots(
    context: typer.Context,
    every: EveryOption = False,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """List the bots in the store, and show, fetch or delete one version. Without a command, list them."""
    if context.invoked_subcommand is None:
        list_bots(every, store, form)
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


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(_app, name="bots")

"""`arena submit`."""

from typing import Annotated

import typer

from arena.cli.options import DEFAULT_STORE, AnyBot, InsecureOption, SandboxOption, StoreOption
from arena.cli.submitting import bot_file, submit_here


def submit(
    bot: AnyBot,
    sandbox: SandboxOption = "auto",
    store: StoreOption = DEFAULT_STORE,
    enter: Annotated[
        list[str] | None,
        typer.Option(
            "--enter",
            "--league",
            metavar="LEAGUE",
            help="Let it play in this league, in place of the bot's older version; may be repeated.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="URL", help="Submit to the server at this address, not to a store."),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="With --to: show the steps of the check there, until it is over.")
    ] = False,
    insecure: InsecureOption = False,
) -> None:
    """Submit a bot: it is checked in each of its games, and is then stored as an immutable version.

    It also enters the leagues whose files track it. A bot may have 1,000 files and 32 MiB, as submitted and as built,
    unless [submissions] in the settings file sets other limits; a bot with `build` in its bot.toml is built first,
    unless the same source was built before.

    With --to, the server does all of this: the command uploads the bot, and prints the address of the page that shows
    what becomes of it. Sign in first with `arena sign-in URL`.
    """
    if to is not None:
        from arena.cli.servers import upload

        with bot_file(store, bot) as path:
            upload(path, bot, to, tuple(enter or ()), wait=wait, insecure=insecure)
        return
    if wait:
        raise typer.BadParameter("--wait needs --to URL", param_hint="--wait")
    submit_here(bot, store, sandbox, enter or ())


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("submit")(submit)

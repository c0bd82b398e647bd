"""`arena sign-in`."""

import os
import sys
from typing import Annotated

import typer

from arena.cli.messages import answer, say, warn
from arena.cli.options import InsecureOption


def sign_in(
    url: Annotated[str, typer.Argument(metavar="URL", help="The address of the server's home page.")],
    forget: Annotated[
        bool, typer.Option("--forget", help="Forget the token for this server instead.")
    ] = False,
    insecure: InsecureOption = False,
) -> None:
    """Keep your token for a server, so that other commands can use it: `arena submit --to`, `arena log --at`.

    An organiser of the site gives you the token. You type or paste it when asked; it is not shown. It is kept
    in a file that only you can read. The environment variable `ARENA_TOKEN` takes precedence over that file.
    """
    from arena.client.address import VARIABLE, address_of, checked, keep
    from arena.client.address import forget as forget_token
    from arena.client.server import Server
    from arena.core.errors import UsageError

    address = address_of(url, insecure=insecure or forget)
    if forget:
        answer(
            f"forgot the token for {address}"
            if forget_token(address)
            else f"there was no token for {address}"
        )
        return
    if not address.is_private:
        warn(f"{address} is not encrypted: everybody on the way can read your token")
    token = checked(_asked(str(address)))
    who = Server(address, token).whoami()
    if not who.account:
        raise UsageError(
            f"this token isn't valid at {address}, or no longer",
            "check that you pasted all of it, or ask an organiser of the site for a new token",
        )
    path = keep(address, token)
    answer(f"signed in to {address} as {who.account}")
    say(f"the token is kept in {path}")
    if os.environ.get(VARIABLE):
        warn(f"{VARIABLE} is set, so commands use that token instead")


def _asked(address: str) -> str:
    """Return the token that the user types without echo, or that standard input has."""
    if not sys.stdin.isatty():
        return sys.stdin.readline(4_096)
    from getpass import getpass

    return getpass(f"token for {address}: ")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("sign-in")(sign_in)

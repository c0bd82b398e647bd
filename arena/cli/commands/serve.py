"""`arena serve`."""

from typing import Annotated

import typer

from arena.cli.messages import say, warn
from arena.cli.options import DEFAULT_STORE, StoreOption

DEFAULT_PORT = 8642


def serve(
    host: Annotated[
        str,
        typer.Option("--host", help="The address to listen on. Default: only this machine can connect."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, help="The port; 0 for any free one.")
    ] = DEFAULT_PORT,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Serve the pages of a store, until Ctrl-C: leagues, rankings, games."""
    from arena.web.app import create_app
    from arena.web.serving import LOOPBACK, address_of, listen
    from arena.web.serving import serve as run
    from arena.web.site import Site

    listener = listen(host, port)
    if host not in LOOPBACK:
        warn(f"everybody who can reach {host} can read these pages")
    site = Site.of(store)
    try:
        run(
            create_app(site),
            listener,
            lambda: say(f"open {address_of(listener)} in a browser; stop with Ctrl-C"),
        )
    except KeyboardInterrupt:
        say("stopped")
    finally:
        site.close()


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("serve")(serve)

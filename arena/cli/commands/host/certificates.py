"""`arena host certificates`."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.messages import say, warn

DAYS = 365


def certificates(
    folder: Annotated[Path, typer.Argument(help="A new folder for ca.pem, cert.pem and key.pem.")],
    days: Annotated[
        int, typer.Option("--days", min=1, max=3_650, help="For how long they are valid.")
    ] = DAYS,
) -> None:
    """Make the certificates of a new cluster: three files in a folder, the same for all its machines.

    Copy the folder to the scheduler, the runner and each host. To shut a machine out, make a new folder and start all
    others with it.
    """
    from arena.executors.cluster.identity import new_identity, write_identity

    write_identity(new_identity(days), folder)
    shown = shlex.quote(str(folder))
    say(f"wrote the certificates of a cluster to {shown}, valid for {days} days")
    warn("whoever has key.pem can run programs on all machines of the cluster: let nobody else read it")
    say("on the scheduler's machine, whose address is ADDRESS:")
    say(
        "dask scheduler --protocol tls --host ADDRESS \\\n"
        "--no-dashboard --dashboard-address 127.0.0.1:8787 \\\n"
        f"--tls-ca-file {shown}/ca.pem \\\n"
        f"--tls-cert {shown}/cert.pem \\\n"
        f"--tls-key {shown}/key.pem \\\n"
        "--preload arena.executors.cluster.scheduler"
    )
    say("on each host:")
    say(f"arena host --join tls://ADDRESS:8786 --certificates {shown}")
    say("on the machine with the store:")
    say(f"arena run --on tls://ADDRESS:8786 --certificates {shown}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("certificates")(certificates)

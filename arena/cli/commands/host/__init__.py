"""`arena host --join`, `arena host certificates`."""

import os
import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from arena.cli.confinement import CertificatesOption
from arena.cli.interruption import REQUESTS, hang_up
from arena.cli.lazy_group import LazyGroup
from arena.cli.messages import OURS, say

if TYPE_CHECKING:
    from arena.hosts.joining import JoinedHost


class _HostCommands(LazyGroup):
    package = __name__
    summaries: ClassVar = {
        "certificates": (
            "Make the certificates of a new cluster: three files in a folder, the same for all its machines."
        ),
    }


_app = typer.Typer(cls=_HostCommands, help="Let this machine play games for a runner elsewhere.")


@_app.callback(invoke_without_command=True)
def host(
    context: typer.Context,
    join: Annotated[
        str | None,
        typer.Option("--join", metavar="URL", help="The Dask scheduler to join, as `tls://HOST:PORT`."),
    ] = None,
    certificates: CertificatesOption = None,
    slots: Annotated[
        int | None,
        typer.Option(
            "--slots", min=1, max=1024, help="How many games to play at a time; default: one per core."
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="The name of this host; default: its host name."),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder",
            metavar="FOLDER",
            help="Where to keep versions and temporary files; default: arena/host in the user's cache. Each host "
            "needs a folder of its own.",
        ),
    ] = None,
    cache_mib: Annotated[
        int, typer.Option("--cache-mib", min=1, help="Size of all versions to keep.")
    ] = 2_048,
    listen: Annotated[
        str | None,
        typer.Option(
            "--listen",
            metavar="ADDRESS",
            help="The address under which the scheduler reaches this host; default: that from which it reaches the "
            "scheduler.",
        ),
    ] = None,
    hang_s: Annotated[
        float,
        typer.Option(
            "--hang-s", min=5, help="Replace the process that plays if it says nothing for so long."
        ),
    ] = 60.0,
    leave_after_s: Annotated[
        float | None,
        typer.Option(
            "--leave-after-s",
            min=1,
            help="Leave after so long, as after the first Ctrl-C; for batch systems, which end everything of a job at "
            "once when its time is over.",
        ),
    ] = None,
) -> None:
    """Let this machine play games for a runner elsewhere, until Ctrl-C.

    It joins the Dask scheduler of a cluster, and joins again when it has lost it. The first Ctrl-C finishes the games
    being played, the second stops at once. Whoever has the certificates can run programs on this machine.
    """
    if context.invoked_subcommand is not None:
        return
    from arena.core.errors import UsageError

    if join is None:
        raise UsageError("arena host needs the scheduler to join", "arena host --join tls://HOST:PORT")
    from arena.executors.cluster.addresses import scheduler_address
    from arena.executors.cluster.reports import HostOrders
    from arena.hosts.joining import JoinedHost, free_folder, identity_in
    from arena.league.running.run import default_workers

    address = scheduler_address(join)
    identity, certificates = identity_in(certificates)
    with free_folder(folder) as place:
        joined = JoinedHost(
            HostOrders(
                scheduler=address.url,
                identity=identity,
                slots=slots or default_workers(),
                name=name or os.uname().nodename,
                folder=str(place),
                private=(str(certificates),),
                listens_on=listen or "",
                cache_bytes=cache_mib * 2**20,
                hang_s=hang_s,
            ),
            say,
        )
        say(f"joining {address.url}; stop with Ctrl-C")
        if _stay(joined, leave_after_s):
            raise typer.Exit(OURS)


def _stay(joined: "JoinedHost", leave_after_s: float | None) -> int:
    """Let a host play until it is over; signals stop it, and so does the end of its time."""

    def on_signal(number: int, _frame: object) -> None:
        if number == signal.SIGHUP:
            hang_up()
        threading.Thread(target=joined.leave).start()

    before = {
        number: signal.signal(number, on_signal)
        for number in REQUESTS
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    timer = threading.Timer(leave_after_s or 0.0, joined.leave_unless_leaving)
    timer.daemon = True
    if leave_after_s is not None:
        timer.start()
    try:
        return joined.stay()
    finally:
        timer.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(_app, name="host")

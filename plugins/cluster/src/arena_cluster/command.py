"""`arena host --join`, `arena host list`, `arena host certificates`."""

import os
import shlex
import threading
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import asdict

from arena.cli.base import options
from arena.cli.display.tables import Format, list_rows
from arena.cli.terminal.interruption import on_request
from arena.cli.terminal.messages import OURS, answer, say, warn
from arena.core.errors import UsageError
from arena_cluster.identity import new_identity, write_identity
from arena_cluster.messages import HostOrders
from arena_cluster.scheduler_start import scheduler_address
from arena_cluster.supervisor import JoinedHost, free_folder, identity_in
from results.base.children import default_workers
from results.base.runner_notes import HostInPlay
from results.reports.columns import Column, ReportRow
from results.store import Runner, runner_of

app = typer.Typer()
DAYS = 365


@app.callback(invoke_without_command=True)
def host(
    context: typer.Context,
    join: Annotated[
        str | None, typer.Option(metavar="URL", help="The Dask scheduler to join, as `tls://HOST:PORT`.")
    ] = None,
    certificates: options.Certificates = None,
    slots: Annotated[
        int | None,
        typer.Option(min=1, max=1024, help="Games to play at the same time; default: one per core."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The name of this host; default: its host name.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where to keep versions and temporary files; default: arena/host in the user's cache. Each host "
            "needs a folder of its own.",
        ),
    ] = None,
    cache_mib: Annotated[
        int, typer.Option(min=1, help="Space for the versions that it keeps, in MiB.")
    ] = 2_048,
    listen: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="The address at which the scheduler reaches this host; default: the one that this host connects from.",
        ),
    ] = None,
    hang_s: Annotated[
        float, typer.Option(min=5, help="Replace a process that plays if it is silent for so many seconds.")
    ] = 60.0,
    leave_after_s: Annotated[
        float | None,
        typer.Option(
            min=1,
            help="Leave after so many seconds, as after the first Ctrl-C; for batch systems "
            "that kill jobs at a time limit.",
        ),
    ] = None,
) -> None:
    """Let this machine play for a runner elsewhere, or list such hosts.

    It joins the Dask scheduler of a cluster, and joins again if the connection is lost. The first Ctrl-C finishes the
    games being played, the second stops at once. Anyone who has the certificates can run programs on this machine.
    """
    if context.invoked_subcommand is not None:
        return
    if join is None:
        raise UsageError("arena host needs the address of a scheduler", "arena host --join tls://HOST:PORT")
    url = scheduler_address(join)
    identity, certificates = identity_in(certificates)
    with free_folder(folder) as place:
        joined = JoinedHost(
            HostOrders(
                scheduler=url,
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
        say(f"joining {url}; stop with Ctrl-C")
        if _stay(joined, leave_after_s):
            raise typer.Exit(OURS)


def _stay(joined: JoinedHost, leave_after_s: float | None) -> int:
    """Let a host play until it is over; signals stop it, and so does the end of its time."""
    timer = threading.Timer(leave_after_s or 0.0, joined.leave_unless_leaving)
    timer.daemon = True
    if leave_after_s is not None:
        timer.start()
    with on_request(lambda: threading.Thread(target=joined.leave).start()):
        try:
            return joined.stay()
        finally:
            timer.cancel()


@app.command()
def certificates(
    folder: Annotated[Path, typer.Argument(help="A new folder for ca.pem, cert.pem and key.pem.")],
    days: Annotated[int, typer.Option(min=1, max=3_650, help="How long they are valid.")] = DAYS,
) -> None:
    """Make the certificates of a new cluster: three files in a folder.

    They are the same for all its machines. Copy the folder to the scheduler, the runner and each host. To shut a
    machine out, make a new folder and start all others with it.
    """
    write_identity(new_identity(days), folder)
    shown = shlex.quote(str(folder))
    say(f"wrote the certificates of a cluster to {shown}, valid for {days} days")
    warn("anyone with key.pem can run programs on all machines of the cluster: let nobody else read it")
    say("on the scheduler's machine, whose address is ADDRESS:")
    say(
        "dask scheduler --protocol tls --host ADDRESS \\\n"
        "--no-dashboard --dashboard-address 127.0.0.1:8787 \\\n"
        f"--tls-ca-file {shown}/ca.pem \\\n"
        f"--tls-cert {shown}/cert.pem \\\n"
        f"--tls-key {shown}/key.pem \\\n"
        "--preload arena_cluster.scheduler_preload"
    )
    say("on each host:")
    say(f"arena host --join tls://ADDRESS:8786 --certificates {shown}")
    say("on the machine with the store:")
    say(f"arena run --on tls://ADDRESS:8786 --certificates {shown}")


class HostRow(ReportRow, frozen=True):
    """A host, as it is shown."""

    name: Annotated[str, Column("host", priority=0)]
    state: Annotated[str, Column(priority=1)]
    slots: Annotated[int, Column(priority=2)]
    playing: Annotated[int, Column(priority=3)]
    games: Annotated[int, Column(priority=4)]
    faults: Annotated[int, Column(priority=5)]
    faults_percent: Annotated[float | None, Column(decimals=1, priority=6)]
    """Of its games, those that failed because of the platform; None before the first."""
    speed: Annotated[float, Column("playouts/s", 0, priority=6)]
    level: Annotated[str, Column("sandbox", priority=7)]
    machine: Annotated[str, Column("processor", priority=10, quiet=True)]
    versions: Annotated[int, Column(priority=8)]
    why: str


@app.command("list")
def list_hosts(store: options.Store = options.DEFAULT_STORE, form: options.Form = Format.TABLE) -> None:
    """List the hosts that play for the runner: their games, speed and faults.

    The speed is that of reference playouts, random games by the rules on one core. A fault is a game that failed
    because of the platform. A host that is much slower than the others, fails much more often, or has sent a wrong
    result, is set aside: it plays nothing.
    """
    runner = runner_of(store)
    found = runner.notes.hosts if runner.is_running and runner.notes is not None else ()
    if not found and form is Format.TABLE:
        answer(_no_hosts(runner))
        return
    rows = [_host_row(host) for host in found]
    list_rows(HostRow, rows, form)
    if form is Format.TABLE:
        for row in rows:
            if row.why:
                answer(f"{row.name} plays nothing: {row.why}")


def _no_hosts(runner: Runner) -> str:
    """Return a line that says why there are no hosts."""
    notes = runner.notes
    if not runner.is_running or notes is None or not notes.plays_on_hosts:
        return "no runner is playing on hosts: start one with arena run --on HOSTS"
    waits = "; it is waiting for its scheduler, or for hosts to join" if notes.league is not None else ""
    return f"process {notes.pid} ({notes.does}) has no hosts now{waits}"


def _host_row(host: HostInPlay) -> HostRow:
    played = host.games + host.faults
    return HostRow(**asdict(host), faults_percent=100 * host.faults / played if played else None)

"""`arena hosts`."""

from typing import TYPE_CHECKING

import typer

from arena.cli.display.tables import Format, list_rows
from arena.cli.messages import answer
from arena.cli.options import DEFAULT_STORE, FormatOption, StoreOption
from results.reports.columns import Column, ReportRow, row_from

if TYPE_CHECKING:
    from results.base.runner_notes import HostInPlay
    from results.store import Runner

COLUMNS = (
    Column("name", "host", priority=0),
    Column("state", "state", priority=1),
    Column("slots", "slots", right=True, priority=2),
    Column("playing", "playing", right=True, priority=3),
    Column("games", "games", right=True, priority=4),
    Column("faults", "faults", right=True, priority=5),
    Column("faults_percent", "faults %", 1, priority=6),
    Column("speed", "playouts/s", 0, priority=6),
    Column("level", "sandbox", priority=7),
    Column("machine", "processor", priority=10, quiet=True),
    Column("versions", "versions", right=True, priority=8),
)


class HostRow(ReportRow, frozen=True):
    """A host, as it is shown."""

    name: str
    state: str
    slots: int
    playing: int
    games: int
    faults: int
    faults_percent: float | None
    """Of its games, those that failed through no fault of a bot; None before the first."""
    speed: float
    level: str
    machine: str
    versions: int
    why: str


def hosts(store: StoreOption = DEFAULT_STORE, form: FormatOption = Format.TABLE) -> None:
    """Show the hosts that play for the runner: what each gives, what it plays, how fast it is, its faults.

    The speed is that of reference playouts, random games by the rules on one core. A fault is a game that failed
    through no fault of a bot. A host that is much slower than the others, fails much more often, or has sent a wrong
    result, is set aside: it plays nothing.
    """
    from results.store import runner_of

    runner = runner_of(store)
    found = runner.notes.hosts if runner.is_running and runner.notes is not None else ()
    if not found and form is Format.TABLE:
        answer(_nobody(runner))
        return
    rows = [_row(host) for host in found]
    list_rows(HostRow, COLUMNS, rows, form)
    if form is Format.TABLE:
        for row in rows:
            if row.why:
                answer(f"{row.name} plays nothing: {row.why}")


def _nobody(runner: "Runner") -> str:
    """Return a line that says why there are no hosts."""
    notes = runner.notes
    if not runner.is_running or notes is None or not notes.plays_on_hosts:
        return "no runner plays on hosts now: start one with arena run --on HOSTS"
    waits = "; it waits for its scheduler, or for hosts to join" if notes.league is not None else ""
    return f"process {notes.pid} ({notes.does}) has no hosts now{waits}"


def _row(host: "HostInPlay") -> HostRow:
    played = host.games + host.faults
    return row_from(host, HostRow, faults_percent=100 * host.faults / played if played else None)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("hosts")(hosts)

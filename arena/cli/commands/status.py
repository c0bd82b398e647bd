"""`arena status`: what goes on in a store."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace
from rich.console import Group
from rich.live import Live
from rich.text import Text

from arena.cli.base import options
from arena.cli.base.open_store import reading
from arena.cli.display.status_view import parts
from arena.cli.display.tables import print_parts
from arena.cli.terminal.consoles import console
from arena.cli.terminal.interruption import Interrupted
from arena.cli.terminal.messages import answer_json
from arena.league.inbox.files import InboxView
from results.base.errors import StoreBusy
from results.reports.status import StatusReader
from results.reports.status_rows import CommandRow, StatusRow
from results.store import runner_of

LOOK_S = 1.0
"""Seconds between two looks with `--follow`."""
TRIES = 3
"""How often to look at a store that others change meanwhile."""
AT_LEAST_S = 10.0
"""With `--follow` in a pipe, the status is printed again after this time, if it has changed; with `--json`, always."""


def status(
    league: Annotated[str | None, typer.Argument(metavar="LEAGUE")] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f")] = False,
    as_json: Annotated[bool, typer.Option("--json")] = False,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Show what is going on: the runner, its games, who doesn't play and why.

    Also shows the inbox, disk and errors.

    Only reads, so you can use it while leagues run. With --follow in a pipe, prints it again every 10 seconds if
    anything has changed.

    Options:
        league: Show only this league; default: all leagues.
        follow: Update every second, until Ctrl-C.
        as_json: Print a JSON object; with --follow, one per line and change.
    """
    if follow:
        _follow(store, league, as_json=as_json)
        return
    now = _once(store, league)
    if as_json:
        answer_json(now, indent=2)
    else:
        print_parts(parts(now, console().width, options.naming_store(store)))


def _once(store: Path, league: str | None) -> StatusRow:
    for _ in range(TRIES - 1):
        try:
            with _looking(store, league) as look:
                return look()
        except StoreBusy:  # it was read without locks, and somebody has written to it
            continue
    with _looking(store, league) as look:
        return look()


@contextmanager
def _looking(store: Path, league: str | None) -> Iterator[Callable[[], StatusRow]]:
    """Yield a function that reads the status of a store, again and again."""
    with reading(store, traceless=True) as opened:
        uuid = None if league is None else opened.leagues.get(league).uuid
        reader, inbox = StatusReader(opened, uuid), InboxView(opened.files)

        def look() -> StatusRow:
            commands, files = inbox.look()
            waiting = [
                CommandRow(kind=one.kind, by=one.by, since=one.submitted_at, file=one.file)
                for one in commands
            ]
            return reader.read(runner_of(store), waiting, files)

        yield look


def _follow(store: Path, league: str | None, *, as_json: bool) -> None:
    """Look every second until the user wants the command to end."""
    at, in_terminal = options.naming_store(store), not as_json and console().is_terminal
    live = Live(console=console(), auto_refresh=False, vertical_overflow="ellipsis")
    before: StatusRow | None = None
    written_s = float("-inf")

    def draw(now: StatusRow) -> None:
        live.update(Group(*parts(now, console().width, at)), refresh=True)

    def write(now: StatusRow) -> None:
        nonlocal before, written_s
        is_due = time.monotonic() - written_s >= AT_LEAST_S
        has_changed = before is None or _timeless(now) != _timeless(before)
        if (has_changed or is_due) if as_json else (has_changed and is_due):
            before, written_s = now, time.monotonic()
            if as_json:
                answer_json(now)
            else:
                print_parts((*parts(now, console().width, at), Text()))

    show = draw if in_terminal else write
    with live if in_terminal else nullcontext(), suppress(Interrupted, KeyboardInterrupt):
        while True:
            with suppress(StoreBusy), _looking(store, league) as look:
                opened = _identity(store)
                while _identity(store) == opened:
                    show(look())
                    time.sleep(LOOK_S)
            time.sleep(
                LOOK_S
            )  # it was read without locks, and somebody has written to it; or it was replaced


def _identity(store: Path) -> tuple[int, int] | None:
    """Return what tells a store from another one at the same path, such as a backup that was restored."""
    try:
        found = store.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _timeless(status: StatusRow) -> StatusRow:
    """Return a status without the time of the look."""
    return replace(status, at="", runner=replace(status.runner, seen_at=None))

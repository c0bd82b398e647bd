"""`arena status`."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.consoles import console
from arena.cli.messages import answer, answer_json
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, StoreOption, naming_store

if TYPE_CHECKING:
    from results.reports.status_rows import StatusRow

LOOK_S = 1.0
"""Seconds between two looks with `--follow`."""
TRIES = 3
"""How often to look at a store that others change meanwhile."""
AT_LEAST_S = 10.0
"""With `--follow`, something is printed at least this often while games are played, with `--json` always."""


def status(
    league: Annotated[str | None, typer.Argument(help="Show only this league; default: all leagues.")] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Look again every second, until Ctrl-C.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object; with --follow, one per line and change.")
    ] = False,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Show what goes on in the store: the runner, what it plays, who doesn't play and why, the inbox, disk, errors.

    Only reads, so you can use it while leagues run. With --follow in a pipe, it prints a line per change.
    """
    if follow:
        _follow(store, league, as_json=as_json)
        return
    now = _once(store, league)
    if as_json:
        answer_json(now, indent=2)
    else:
        _print(now, naming_store(store))


def _once(store: Path, league: str | None) -> "StatusRow":
    from results.base.errors import StoreBusy

    for _ in range(TRIES - 1):
        try:
            with _looking(store, league) as look:
                return look()
        except StoreBusy:  # it was read without locks, and somebody has written to it
            continue
    with _looking(store, league) as look:
        return look()


@dataclass(slots=True)
class _Look:
    """Reads the status of a store again and again."""

    store: Path
    reader: Any
    inbox: Any

    def __call__(self) -> "StatusRow":
        from results.reports.status_rows import CommandRow
        from results.store import runner_of

        commands, files = self.inbox.look()
        waiting = [
            CommandRow(kind=one.kind, by=one.by, since=one.submitted_at, file=one.file) for one in commands
        ]
        found: StatusRow = self.reader.read(runner_of(self.store), waiting, files)
        return found


@contextmanager
def _looking(store: Path, league: str | None) -> Iterator[_Look]:
    from arena.league.inbox.files import InboxView
    from results.reports.status import StatusReader

    with reading(store, traceless=True) as opened:
        uuid = None if league is None else opened.leagues.get(league).uuid
        yield _Look(store, StatusReader(opened, uuid), InboxView(opened.files))


def _follow(store: Path, league: str | None, *, as_json: bool) -> None:
    """Look every second until the user wants the command to end."""
    from arena.cli.interruption import Interrupted
    from results.base.errors import StoreBusy

    shown = _Lines(naming_store(store)) if not as_json else _JsonLines()
    live = _live() if not as_json and console().is_terminal else None
    try:
        while True:
            try:
                with _looking(store, league) as look:
                    opened = _identity(store)
                    while _identity(store) == opened:
                        now = look()
                        if live is not None:
                            live.update(_group(now, naming_store(store)), refresh=True)
                        else:
                            shown.show(now)
                        time.sleep(LOOK_S)
            except StoreBusy:  # it was read without locks, and somebody has written to it
                time.sleep(LOOK_S)
    except (Interrupted, KeyboardInterrupt):
        return
    finally:
        if live is not None:
            live.stop()


def _identity(store: Path) -> tuple[int, int] | None:
    """Return what tells a store from another one at the same path, such as a backup that was restored."""
    try:
        found = store.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class _JsonLines:
    """A JSON object per line, on each change and at least every `AT_LEAST_S`."""

    def __init__(self) -> None:
        self._before: StatusRow | None = None
        self._printed_s = 0.0

    def show(self, now: "StatusRow") -> None:
        """Print the status, unless nothing has changed."""
        due = time.monotonic() - self._printed_s >= AT_LEAST_S
        if self._before is None or due or _timeless(now) != _timeless(self._before):
            self._printed_s = time.monotonic()
            self._before = now
            answer_json(now)


class _Lines:
    """A line per change, and one on the games played now and then."""

    def __init__(self, store_option: str) -> None:
        self._store_option = store_option
        self._before: StatusRow | None = None
        self._printed_s = 0.0
        self._progress = ""

    def show(self, now: "StatusRow") -> None:
        """Print what has changed."""
        from arena.cli.display.status_view import changed_lines, first_lines, progress_line

        before, self._before = self._before, now
        lines = (
            first_lines(now, self._store_option)
            if before is None
            else changed_lines(before, now, self._store_option)
        )
        for line in lines:
            answer(f"{now.at[:19]}Z {line}")
        progress = progress_line(now)
        if progress and progress != self._progress and time.monotonic() - self._printed_s >= AT_LEAST_S:
            self._progress, self._printed_s = progress, time.monotonic()
            answer(f"{now.at[:19]}Z {progress}")


def _timeless(status: "StatusRow") -> "StatusRow":
    """Return a status without the time of the look."""
    from msgspec.structs import replace

    return replace(status, at="", runner=replace(status.runner, seen_at=None))


def _print(status: "StatusRow", store_option: str) -> None:
    from arena.cli.display.status_view import parts
    from arena.cli.display.tables import print_parts

    print_parts(parts(status, console().width, store_option))


def _group(status: "StatusRow", store_option: str) -> Any:
    from rich.console import Group

    from arena.cli.display.status_view import parts

    return Group(*parts(status, console().width, store_option))


def _live() -> Any:
    from rich.live import Live

    live = Live(console=console(), auto_refresh=False, vertical_overflow="ellipsis")
    live.start()
    return live


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("status")(status)

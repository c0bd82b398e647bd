"""The status of a store as lines and tables for the terminal."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from rich.console import RenderableType
from rich.text import Text

from arena.cli.display.long_work import about
from arena.cli.display.tables import table
from results.base.text import counted, one_line
from results.reports.columns import Column, columns_of
from results.reports.league_states import COMING_BACK, AbsentRow, NewcomerRow
from results.reports.status_rows import (
    CommandRow,
    DiskRow,
    ErrorsRow,
    LeagueStatusRow,
    PlatformErrorRow,
    PlayingRow,
    QuotaRow,
    RefusedRow,
    RunnerRow,
    StatusRow,
)

MOST_FINISHED = 3
"""How many finished leagues to list: the newest."""
MOST_ROWS = 16
"""How many rows of a table to show."""
MOST_LEFT = 5
"""How many of those that have left, and of refused commands, to show: the newest."""
MOST_STEPS = 5
"""How many commands to suggest."""
REFUSED_S = 3_600
"""For how long to show a refused command; its author has been told."""
SILENT_S = 10
"""A runner that has noted nothing for longer is busy with something else, or hangs."""


def parts(status: StatusRow, width: int, store_option: str) -> Iterator[RenderableType]:
    """Yield lines and tables, at most `width` cells wide. `store_option` is added to commands that are suggested."""
    leagues = [row for row in status.leagues if row.state != "finished"]
    for line in runner_lines(status.runner, status.at, store_option, idle=not leagues):
        yield Text(f"{Path(status.store).name}: {line}")
    finished = [row for row in status.leagues if row.state == "finished"]
    shown = leagues + finished[-MOST_FINISHED:]
    yield from _table("leagues", LEAGUES, shown, status.at, width)
    if len(finished) > MOST_FINISHED:
        yield Text(
            f"and {len(finished) - MOST_FINISHED} more that are finished: arena league list{store_option}"
        )
    if not status.leagues:
        yield Text("no leagues yet; create one with: arena league create FILE")
    queued = f", and {status.runner.queued} handed to workers" if status.runner.queued else ""
    yield from _table(
        f"playing now: {len(status.playing)}{queued}", PLAYING, status.playing, status.at, width
    )
    gone = [row for row in status.absent if row.state not in COMING_BACK]
    out = [row for row in status.absent if row.state in COMING_BACK]
    latest = sorted(gone, key=lambda row: row.since)[-MOST_LEFT:]
    yield from _table("not playing", ABSENT, out + latest, status.at, width)
    yield from _and_more(
        len(gone) - len(latest), "left in the last 7 days", f"arena status --json{store_option}"
    )
    yield from map(Text, next_steps(status.absent, store_option))
    new = [row for row in status.newcomers if not row.is_placed]
    yield from _table("newcomers whose place may still change", NEWCOMERS, new, status.at, width)
    yield from _table("budgets used up", QUOTAS, status.quotas, status.at, width)
    files = status.inbox.files
    yield from _table(f"waiting in the inbox: {files}", WAITING, status.inbox.waiting, status.at, width)
    lately = [row for row in status.inbox.refused if _seconds_between(row.at, status.at) < REFUSED_S]
    refused = lately[:MOST_LEFT]
    yield from _table("refused in the last hour", REFUSED, refused, status.at, width)
    yield from _and_more(len(lately) - len(refused), "were refused", f"arena status --json{store_option}")
    yield from _error_parts(status.errors, status.at, width)
    yield Text(disk_line(status.disk))


def _and_more(count: int, what: str, command: str) -> Iterator[RenderableType]:
    """Yield a line about rows that aren't shown, with the command that shows them; nothing if there are none."""
    if count > 0:
        yield Text(f"  and {count} more {what}: {command}")


def absent_parts(
    rows: Sequence[AbsentRow], at: str, width: int, store_option: str
) -> Iterator[RenderableType]:
    """Yield the table of one league's entries that don't play, and what to do next; nothing if there are none."""
    columns = [column for column in ABSENT if column.key != "league"]
    yield from _table("not playing", columns, rows, at, width)
    yield from map(Text, next_steps(rows, store_option))


def runner_lines(runner: RunnerRow, at: str, store_option: str, *, idle: bool) -> list[str]:
    """Return what the runner does. `idle`: there is nothing for one to do."""
    if runner.state == "none":
        return ["no runner" + ("" if idle else f"; start one with: arena run{store_option}")]
    since = f" since {moment(runner.since, at)}" if runner.since else ""
    if runner.state == "killed":
        seen = moment(runner.seen_at, at)
        how = (
            f"continue with: {runner.next}{store_option}"
            if runner.next
            else "run the same command to continue"
        )
        return [f"no runner since {seen}: process {runner.pid} was killed; {how}"]
    lines = [f"process {runner.pid} {one_line(runner.does)}{since}"]
    if runner.seen_at is not None:
        lines.append(
            f"{counted(runner.games, 'game')}, {runner.games_per_s_minute:.1f} games/s in the last minute, "
            f"{runner.games_per_s:.1f} since the start"
        )
        if _seconds_between(runner.seen_at, at) > SILENT_S:
            lines.append(f"no news from the runner since {moment(runner.seen_at, at)}")
    return lines


def next_steps(rows: Sequence[AbsentRow], store_option: str) -> list[str]:
    """Return the commands that let entries play again, a line each."""
    steps = [row.next for row in rows if row.next]
    more = [f"  and {len(steps) - MOST_STEPS} more"] if len(steps) > MOST_STEPS else []
    return [f"  let it play again: {one_line(step)}{store_option}" for step in steps[:MOST_STEPS]] + more


def disk_line(disk: DiskRow) -> str:
    """Return sizes, and how long the free space lasts."""
    at_least = "" if disk.files_complete else "at least "
    parts = [
        f"disk: store {size(disk.store_bytes)}, log {size(disk.wal_bytes)}, files {at_least}{size(disk.files_bytes)}"
    ]
    if disk.free_bytes is not None:
        lasts = "" if disk.lasts_s is None else f", for about {about(disk.lasts_s)} at this rate"
        parts.append(f"{size(disk.free_bytes)} free{lasts}")
    return " · ".join(parts)


def faults_line(errors: ErrorsRow) -> str:
    """Return the faults of the last hour by league and verdict; empty if there are none."""
    return " · ".join(
        f"{one_line(league)}: " + ", ".join(f"{row.verdict} {row.games}" for row in rows)
        for league, rows in groupby(errors.faults, key=lambda row: row.league)
    )


def moment(text: str | None, at: str) -> str:
    """Return a time, in UTC: only the time of day if it is on the same day as `at`. `–` for text that is no time."""
    try:
        when = datetime.fromisoformat(text or "")
    except ValueError:
        return "–"
    return when.strftime("%H:%M:%S" if when.date().isoformat() == at[:10] else "%Y-%m-%d %H:%M")


def size(number: float) -> str:
    """Return a number of bytes in a larger unit.

    >>> size(900), size(1536), size(5 * 2**30)
    ('900 B', '1.5 KiB', '5.0 GiB')
    """
    for unit in ("B", "KiB", "MiB", "GiB"):
        if number < 1024:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1024
    return f"{number:.1f} TiB"


def _seconds_between(earlier: str, later: str) -> float:
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()


def _error_parts(errors: ErrorsRow, at: str, width: int) -> Iterator[RenderableType]:
    for row in errors.refusals[-1:]:
        yield Text(f"the machine refused at {moment(row.at, at)}: {one_line(row.what)}", style="yellow")
    yield from _table("platform errors in the last 24 hours", ERRORS, errors.platform, at, width)
    if line := faults_line(errors):
        yield Text(f"faults of bots in the last hour: {line}")


def _table(
    title: str, columns: Sequence["Column"], rows: Sequence[Any], at: str, width: int
) -> Iterator[RenderableType]:
    """Yield a title and a table; nothing without rows."""
    if not rows:
        return
    timed = [_with_day(column, at) for column in columns]
    yield Text(title, style="bold")
    yield table(timed, rows[:MOST_ROWS], width)
    if len(rows) > MOST_ROWS:
        yield Text(f"and {len(rows) - MOST_ROWS} more")


def _with_day(column: Column, at: str) -> Column:
    """Return a column whose times are shown from the view of a moment."""
    if column.key not in ("since", "at", "newest_at", "resets_at"):
        return column
    title = f"{column.title} (UTC)"
    return replace(column, title=title, drawn=lambda row: moment(getattr(row, column.key), at))


LEAGUES = columns_of(LeagueStatusRow, "name state bots matches games games_per_s since why")
PLAYING = columns_of(PlayingRow, "league game bots worker since")
ABSENT = columns_of(AbsentRow, "bot league state why since match_no")
NEWCOMERS = columns_of(NewcomerRow, "bot league since match_no matches is_placed")
QUOTAS = columns_of(QuotaRow, "who league what used allowed resets_at")
WAITING = columns_of(CommandRow, "kind by since")
REFUSED = columns_of(RefusedRow, "kind by at why")
ERRORS = columns_of(PlatformErrorRow, "league verdict games void_matches newest_at newest")

"""`arena doctor`: what there is on this machine, and what is missing."""

import os
import platform
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Annotated

from rich.text import Text

from arena.cli.base import options
from arena.cli.base.open_store import OPEN_TO_ALL, closing
from arena.cli.display.tables import Format, fitted_table, list_rows
from arena.cli.terminal.consoles import console
from arena.cli.terminal.messages import print_prose
from arena.config.settings import read_runtimes, settings_path
from arena.core.errors import UsageError
from arena.sandbox.bubblewrap_remedies import container
from arena.sandbox.cgroups import slow_mount
from arena.sandbox.probe import REQUIRED, probe
from arena.sandbox.run_folder import passed_over
from arena.sandbox.runtimes import PATH, Runtimes
from arena.sandbox.survivors import IS_LINUX
from results.base.children import default_workers
from results.base.text import counted, one_line
from results.reports.columns import Column, ReportRow, columns_of
from results.store import bug_warning, exposed, sqlite_version


class FoundRow(ReportRow, frozen=True, kw_only=True):
    """One thing that `doctor` checks."""

    what: Annotated[str, Column(priority=0)]
    found: Annotated[str, Column(wide=True, priority=1)]
    means: Annotated[str, Column("what it means", wide=True, priority=2)]
    """What it means for leagues, or what to do about it."""


INDENT = 4
"""Cells before the meaning of a finding, if the terminal is too narrow for the column."""


def doctor(store: options.Store = options.DEFAULT_STORE, form: options.Form = Format.TABLE) -> None:
    """Check this machine: what is missing, and how to fix it."""
    temporary = tempfile.gettempdir()
    free = shutil.disk_usage(temporary).free // 1_048_576
    rows = [
        (
            "system",
            platform.platform(terse=True),
            "fully supported" if IS_LINUX else "some processes that bots leave behind can't be found here",
        ),
        ("Python", platform.python_version(), "runs Arena"),
        ("SQLite", sqlite_version(), bug_warning() or "keeps the ledger"),
        ("cores", str(default_workers()), "one worker each by default"),
        ("load", f"{os.getloadavg()[0]:.1f}", "if it exceeds the cores, moves take longer on the wall clock"),
        *_runtime_rows(),
        *_sandbox_rows(),
        (
            "temporary files",
            f"{temporary}, {free:,} MiB free",
            "; ".join(filter(None, (passed_over(), "free some space" * (free <= 512))))
            or "for bots' copies and scratch folders",
        ),
        *_store_rows(store),
    ]
    _print([FoundRow(what=what, found=found, means=means) for what, found, means in rows], form)


def _print(rows: list[FoundRow], form: Format) -> None:
    """Print the findings. Narrow terminals show what to do below each finding, so that it is never left out."""
    out = console()
    if form is not Format.TABLE or not fitted_table(columns_of(FoundRow), rows, out.width)[1]:
        list_rows(FoundRow, rows, form)
        return
    for row in rows:
        what = one_line(row.what)
        name = what.lstrip()
        print_prose(out, Text.assemble((name, "bold"), ": ", one_line(row.found)), len(what) - len(name))
        if row.means:
            print_prose(out, one_line(row.means), INDENT)


def _runtime_rows() -> list[tuple[str, str, str]]:
    """Return what bots may start here: Python, Node, and the programs in the settings file."""
    rows = []
    try:
        runtimes = read_runtimes()
        path = settings_path()
        if path is None:
            rows.append(("settings", "none", "ARENA_SETTINGS is empty"))
        elif not path.exists():
            rows.append(
                ("settings", "none", f"to let bots start more programs, list them under [runtimes] in {path}")
            )
        else:
            count = len(runtimes.listed)
            rows.append(("settings", str(path), f"lists {counted(count, 'program')} for bots"))
    except UsageError as error:
        runtimes = Runtimes()
        rows.append(("settings", f"refused: {error}", error.hint))
    for runtime in runtimes.listed:
        shows = ", ".join(map(str, runtime.shows)) or "nothing else on this machine"
        rows.append((f"  {runtime.name}", str(runtime.program), f"bots that start it see {shows}"))
    shows = ", ".join(map(str, runtimes.python.shows)) or "nothing else on this machine"
    rows.append(
        ("  python3", str(runtimes.python.program), f"without packages; bots that start it see {shows}")
    )
    if not any(runtime.name == "node" for runtime in runtimes.listed):
        try:
            node = str(runtimes.find("node", Path("/nonexistent")).program)
            rows.append(("  node", node, "runs bots in JavaScript"))
        except UsageError as error:
            rows.append(("  node", "not found", error.hint))
    rows.append(("  others", PATH, "bots may start any program there"))
    return rows


def _store_rows(store: Path) -> list[tuple[str, str, str]]:
    """Return who can read the store, if there is one."""
    if not store.exists():
        return []
    if exposed(store):
        return [
            ("store", f"{store}: every account can read {OPEN_TO_ALL}", f"stop that with: {closing(store)}")
        ]
    is_shared = bool(store.stat().st_mode & stat.S_IRGRP)
    who = "its group can read it" if is_shared else "not readable by other accounts of this machine"
    return [("store", str(store), who)]


def _sandbox_rows() -> list[tuple[str, str, str]]:
    """Return the sandbox level of this machine, and a row for each thing that is missing."""
    report, around = probe(anew=True), container()
    rows = [("sandbox", report.level.word, report.level.contains)]
    if around is not None:
        means = (
            "lets bots be confined" if report.level >= REQUIRED else "forbids what the sandbox of bots needs"
        )
        rows.insert(0, ("container", f"{around.engine}, by {around.sign}", means))
    if report.delegation is not None and (mount := slow_mount(report.delegation.folder)):
        how = f"bots start some milliseconds sooner if root does: mount -o remount,favordynmods {mount}"
        rows.append(("  control groups", "each bot waits to join its own", how))
    return rows + [(f"  {check.name}", f"missing: {check.trouble}", check.remedy) for check in report.missing]

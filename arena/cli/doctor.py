"""`arena doctor`."""

import typer

from arena.cli.terminal import Column, Format, FormatOption, list_rows

COLUMNS = (
    Column("what", "what"),
    Column("found", "found", wide=True),
    Column("means", "what it means", wide=True),
)


def doctor(form: FormatOption = Format.TABLE) -> None:
    """Look at this machine: what of it helps or hinders leagues, and what to do about it."""
    import os
    import platform
    import shutil
    import tempfile

    from arena.league.run import default_workers
    from arena.sandbox.survivors import IS_LINUX

    node = shutil.which("node")
    free = shutil.disk_usage(tempfile.gettempdir()).free // 1_048_576
    rows = [
        (
            "system",
            platform.platform(terse=True),
            "whole" if IS_LINUX else "bots' survivors cannot all be found here",
        ),
        ("Python", platform.python_version(), "bots that say `python3` run under it"),
        ("cores", str(default_workers()), "one worker each by default"),
        ("load", f"{os.getloadavg()[0]:.1f}", "above the cores, moves take longer on the wall"),
        (
            "node",
            node or "not found",
            "bots in JavaScript run" if node else "install nodejs for bots in JavaScript",
        ),
        *_sandbox_rows(),
        (
            "temporary files",
            f"{free} MiB free",
            "bots' copies and scratch folders" if free > 512 else "make room",
        ),
    ]
    list_rows(COLUMNS, [dict(zip(("what", "found", "means"), row, strict=True)) for row in rows], form)


def _sandbox_rows() -> list[tuple[str, str, str]]:
    """Return what bots can be kept apart by here: the level, and a row for each thing that is missing."""
    from arena.sandbox.levels import probe

    report = probe()
    rows = [("sandbox", report.level.word, report.level.contains)]
    return rows + [(f"  {check.name}", f"missing: {check.trouble}", check.remedy) for check in report.missing]


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(doctor)

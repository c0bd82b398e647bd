"""The file that keeps the results of a run of all benchmarks, and from which the page on speed is made."""

from pathlib import Path

import msgspec
from msgspec import Struct

from benchmarks.comparison import Line
from benchmarks.machine import Machine

FIGURES = Path(__file__).parent / "figures"


class Run(Struct, frozen=True):
    """What one benchmark told, or why it told nothing."""

    name: str
    load: float
    """Load average when it began."""
    took_s: float
    lines: tuple[Line, ...] = ()
    skipped: str = ""


class Results(Struct, frozen=True):
    """Everything that one run of the benchmarks found."""

    format: int
    machine: Machine
    quick: bool
    took_s: float
    runs: tuple[Run, ...]
    busy: int = 0
    """How many other processes computed meanwhile."""


def as_text(results: Results) -> str:
    """Return the results as JSON with one row of text for each comparison, so that versions can be compared."""
    runs = []
    for found in results.runs:
        head = msgspec.json.encode(msgspec.structs.replace(found, lines=())).decode()
        rows = ",\n  ".join(msgspec.json.encode(one).decode() for one in found.lines)
        runs.append(head.replace('"lines":[]', f'"lines":[\n  {rows}]' if rows else '"lines":[]'))
    head = msgspec.json.encode(msgspec.structs.replace(results, runs=())).decode()
    return head.replace('"runs":[]', '"runs":[\n {}]'.format(",\n ".join(runs))) + "\n"


def read(path: Path) -> Results | None:
    """Return the results in a file; None if there is none."""
    return msgspec.json.decode(path.read_bytes(), type=Results) if path.exists() else None


def digits(number: float) -> str:
    """Return a number with three digits that count."""
    if number and abs(number) < 0.001:
        return f"{number:.1e}"
    if abs(number) >= 1000:
        return f"{number:,.0f}"
    return f"{number:.{max(0, 2 - (len(str(int(abs(number)))) - 1))}f}"

"""What `arena db verify` shows: how far it is, and what is wrong in sentences with the command that mends it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Group

from arena.cli.display.live import Redrawn, duration
from arena.cli.open_store import naming_store

if TYPE_CHECKING:
    from results.findings import Finding

BAR_CELLS = 24

_UNITS = {"file": "file", "ratings": "matches", "versions": "versions", "games": "games"}
"""What is counted, by what is being checked."""


@dataclass(slots=True)
class Stage:
    """One of the things that are checked one after another."""

    what: str
    done: int = 0
    of: int = 0
    begun_s: float = field(default_factory=time.monotonic)

    @property
    def rate(self) -> str:
        """How fast it goes, and how long it still takes."""
        if self.what == "file" or not self.done:
            return ""
        per_s = self.done / max(1e-9, time.monotonic() - self.begun_s)
        return f"{per_s:.1f} {_UNITS[self.what]}/s · {duration((self.of - self.done) / per_s)} left"


class LiveVerify(Redrawn[Stage]):
    """Shows how far a verification is."""

    def __init__(self) -> None:
        super().__init__(None, BAR_CELLS)
        self.stage = Stage("file")

    def tell(self, what: str, done: int, of: int) -> None:
        """Take what `Store.verify` tells."""
        if what != self.stage.what:
            self.stage = Stage(what)
        self.stage.done, self.stage.of = done, of
        self.show(self.stage)

    def line(self, stage: Stage) -> str:
        """Return how far it is."""
        if stage.what == "file":
            return "verifying the file"
        return f"verifying {stage.what}: {stage.done} of {stage.of} {_UNITS[stage.what]} · {stage.rate}"

    def frame(self, stage: Stage) -> Group:
        """Return the bar."""
        known: dict[str, Any] = {"completed": stage.done, "total": None if stage.what == "file" else stage.of}
        self.bar.update(self.task, description=stage.what, rate=stage.rate, **known)
        return Group(self.bar)


def advice(findings: "Sequence[Finding]", store: Path) -> list[str]:
    """Return what mends a store, in the order in which to do it; nothing where nothing in it is wrong.

    Only a ledger that is sound is worth computing anything from.
    """
    from results.findings import Mend

    at = naming_store(store)
    mends = {finding.mend for finding in findings}
    steps = []
    if Mend.BACKUP in mends:
        steps.append(f"go back to a backup, as only that has what was there: arena db restore FILE{at}")
    elif Mend.REBUILD in mends:
        steps.append(f"compute ratings and totals again: arena db rebuild{at}")
    if Mend.RESUBMIT in mends:
        steps.append(f"submit the folders whose files are wrong again: arena submit FOLDER{at}")
    if Mend.BACKUP in mends:
        steps.append(f"see what is left to mend: arena db verify{at}")
    return steps


def since(text: str | None) -> int | str | None:
    """Return a number of match, or a time in UTC to the second. Raises BadParameter for anything else."""
    if text is None or text.isdecimal():
        return None if text is None else int(text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is neither a match number nor a time such as 2026-11-20 or 2026-11-20T14:00",
            param_hint="--since",
        ) from None
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    return moment.replace(tzinfo=None).isoformat(timespec="seconds")

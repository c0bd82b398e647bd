"""How the bots of a run are kept: chosen once, and the same for all its workers."""

from dataclasses import dataclass, field
from pathlib import Path

from arena.core.errors import MachineRefuses, UsageError
from arena.sandbox.bounds import Bounds
from arena.sandbox.bubblewrap import Tools
from arena.sandbox.cgroups import Delegation, sweep
from arena.sandbox.probe import REQUIRED, ProbeReport, probe
from arena.sandbox.run_folder import sweep_dead
from arena.sandbox.runtimes import Runtimes
from results.isolation import Level, Wanted


@dataclass(frozen=True, slots=True)
class Confinement:
    """What every bot of a run is started with. Picklable."""

    level: Level = Level.PROCESS
    tools: Tools | None = None
    """None: no sandbox, the bots run as processes of the user."""
    delegation: Delegation | None = None
    """Where there are control groups of our own: each bot gets one."""
    bounds: Bounds = field(default_factory=Bounds)
    pondering: bool = False
    """Whether a bot may think while it is not its turn."""
    runtimes: Runtimes = field(default_factory=Runtimes)
    """The programs that bots may start."""


UNCONFINED = Confinement()


@dataclass(frozen=True, slots=True)
class WantedConfinement:
    """How bots are to be kept, whichever machine they run on. Plain data."""

    sandbox: Wanted = "auto"
    bounds: Bounds = field(default_factory=Bounds)
    pondering: bool = False
    """Whether a bot may think while it is not its turn."""


def choose(
    wanted: Wanted,
    bounds: Bounds,
    private: tuple[Path, ...] = (),
    *,
    pondering: bool = False,
    runtimes: Runtimes | None = None,
) -> tuple[Confinement, ProbeReport]:
    """Return how bots are to be kept, and what the probe found; `private` are folders that no bot may see.

    `runtimes` are the programs that bots may start by name; default: Arena's Python alone. What killed runs of this
    user have left is swept first.

    Raises UsageError for `require` where the machine does not give that much, with the reasons and the remedies, and
    MachineRefuses where it is out of what it takes to find out: bots do not run less confined for that.
    """
    runtimes = runtimes or Runtimes()
    sweep_dead()
    if wanted == "off":
        return Confinement(bounds=bounds, pondering=pondering, runtimes=runtimes), ProbeReport(
            Level.PROCESS, ()
        )
    report = probe(private)
    for check in report.missing:
        if check.is_refused:
            raise MachineRefuses(
                f"it could not be found out how bots are confined here: {check.trouble}", check.remedy
            )
    if wanted == "require" and report.level < REQUIRED:
        first, *missing = report.lines()
        raise UsageError(
            "sandbox: level "
            f"{REQUIRED.word!r} is required, and {first}" + "".join(f"\n  {line}" for line in missing),
            'mend what is missing, or set sandbox to "auto" if you trust the bots',
        )
    if report.delegation is not None:
        sweep(report.delegation)
    return Confinement(report.level, report.tools, report.delegation, bounds, pondering, runtimes), report

"""The confinement of the bots of a run: chosen once, and the same for all workers."""

from pathlib import Path

from msgspec import Struct, field

from arena.core.errors import MachineRefuses, UsageError
from arena.sandbox.bot_program import Bounds
from arena.sandbox.bubblewrap import Tools
from arena.sandbox.cgroups import Delegation, sweep
from arena.sandbox.probe import REQUIRED, ProbeReport, probe
from arena.sandbox.run_folder import sweep_dead
from arena.sandbox.runtimes import Runtimes
from results.base.isolation_levels import Level, Wanted


class Confinement(Struct, frozen=True):
    """How every bot of a run is confined. Picklable."""

    level: Level = Level.PROCESS
    tools: Tools | None = None
    """None: no sandbox; bots run as ordinary processes of the user."""
    delegation: Delegation | None = None
    """Where each bot gets a control group of its own; None if none are available."""
    bounds: Bounds = field(default_factory=Bounds)
    pondering: bool = False
    """Whether bots may think outside their turns."""
    runtimes: Runtimes = field(default_factory=Runtimes)
    """The programs that bots may start."""


UNCONFINED = Confinement()


class WantedConfinement(Struct, frozen=True):
    """How bots should be confined on any machine. Plain data."""

    sandbox: Wanted = "auto"
    bounds: Bounds = field(default_factory=Bounds)
    pondering: bool = False
    """Whether bots may think outside their turns."""


def choose(
    wanted: Wanted,
    bounds: Bounds,
    private: tuple[Path, ...] = (),
    *,
    pondering: bool = False,
    runtimes: Runtimes | None = None,
) -> tuple[Confinement, ProbeReport]:
    """Return the confinement for this machine, and what the probe found; `private` are folders that no bot may see.

    `runtimes` are the programs that bots may start by name; default: only Arena's Python. First cleans up what
    killed runs of this user have left behind.

    Raises UsageError for `require` if this machine can't provide that level, with reasons and remedies.
    Raises MachineRefuses if the machine lacks the resources for the probe: bots never run less confined because of
    that.
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
                f"could not find out how bots can be confined: {check.trouble}", check.remedy
            )
    if wanted == "require" and report.level < REQUIRED:
        first, *missing = report.lines()
        raise UsageError(
            "sandbox: level "
            f"{REQUIRED.word!r} is required, and {first}" + "".join(f"\n  {line}" for line in missing),
            'fix what is missing, or set sandbox to "auto" if you trust the bots',
        )
    if report.delegation is not None:
        sweep(report.delegation)
    return Confinement(report.level, report.tools, report.delegation, bounds, pondering, runtimes), report

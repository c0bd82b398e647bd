"""How bots are confined, from what the league file wants and what the machine supports."""

from collections.abc import Iterable
from pathlib import Path

from arena.config.league_file import LimitsTable
from arena.sandbox.bot_program import MIB, Bounds, refuse_unknown_program
from arena.sandbox.confinement import Confinement, choose
from arena.sandbox.probe import REQUIRED, ProbeReport
from arena.sandbox.runtimes import Runtimes
from arena.submissions.launch_spec import private_beside, program_of, runtimes_beside
from results.base.isolation_levels import Wanted
from results.records import EntryRecord
from results.store import Store


def confine(
    store: Path, wanted: Wanted, limits: LimitsTable | None = None, *, pondering: bool = False
) -> tuple[Confinement, ProbeReport]:
    """Return how bots are confined, and the report of the probe. Bots never see the ledger or the files next to it.

    `store` is its path; it need not exist yet.

    Raises UsageError if the machine can't give what is required, or if the settings file has a mistake.
    """
    return choose(
        wanted,
        bounds_of(limits or LimitsTable()),
        private_beside(store),
        pondering=pondering,
        runtimes=runtimes_beside(store),
    )


def refuse_unknown_programs(store: Store, entries: Iterable[EntryRecord], runtimes: Runtimes | None) -> None:
    """Raise UsageError if an entry's files are gone or its program isn't in `runtimes` (None: other machines)."""
    for entry in entries:
        if entry.version is None:
            continue
        program = program_of(store, entry.version, entry.args)
        if runtimes is not None:
            refuse_unknown_program(program, runtimes, f"entry {entry.label!r} ({entry.version.reference})")


def bounds_of(limits: LimitsTable) -> Bounds:
    """Return the limits for one bot, from a league file."""
    return Bounds(
        memory_bytes=limits.memory_mib * MIB,
        address_bytes=limits.address_mib * MIB,
        processes=limits.processes,
        descriptors=limits.descriptors,
        file_bytes=limits.file_mib * MIB,
        scratch_bytes=limits.scratch_mib * MIB,
        shared_bytes=limits.scratch_mib * MIB,
        scratch_files=limits.scratch_files,
    )


def warning(wanted: Wanted, report: ProbeReport | None) -> list[str]:
    """Return a line for each bot that is not confined; `report`: None if bots run elsewhere."""
    if wanted == "off":
        return ["sandbox = off: bots run with your permissions; run only bots that you trust"]
    return report.lines() if report is not None and report.level < REQUIRED else []


def note(wanted: Wanted, report: ProbeReport | None) -> str:
    """Return a note about a sandbox that lacks something; empty if nothing is missing."""
    if wanted == "off" or report is None or report.level < REQUIRED or not report.missing:
        return ""
    return f"sandbox: {report.level.word} (details: arena doctor)"

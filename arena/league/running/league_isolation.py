"""How the bots of a league, a match or a check are kept: from what the league file says and the machine gives."""

from collections.abc import Iterable

from arena.config.league_file import LimitsTable
from arena.sandbox.bounds import MIB, Bounds
from arena.sandbox.confinement import Confinement, choose
from arena.sandbox.probe import REQUIRED, ProbeReport
from arena.sandbox.runtimes import Runtimes
from arena.submissions.versions import private_of, program_of, refuse_unknown_program, runtimes_of
from results.isolation_levels import Wanted
from results.records import EntryRecord
from results.store import Store


def confine(
    store: Store, wanted: Wanted, limits: LimitsTable | None = None, *, pondering: bool = False
) -> tuple[Confinement, ProbeReport]:
    """Return how bots are kept, and what the probe found; the ledger and what lies beside it are never shown.

    Raises UsageError where more is required than the machine gives, or for a settings file that is no good.
    """
    return choose(
        wanted,
        bounds_of(limits or LimitsTable()),
        private_of(store),
        pondering=pondering,
        runtimes=runtimes_of(store),
    )


def refuse_unknown_programs(store: Store, entries: Iterable[EntryRecord], runtimes: Runtimes | None) -> None:
    """Raise UsageError for an entry whose files are gone, or whose program is not among `runtimes`.

    `runtimes`: None where bots run on other machines.
    """
    for entry in entries:
        if entry.version is None:
            continue
        program = program_of(store, entry.version, entry.args)
        if runtimes is not None:
            refuse_unknown_program(program, runtimes, f"entry {entry.label!r} ({entry.version.reference})")


def bounds_of(limits: LimitsTable) -> Bounds:
    """Return the bounds on one bot that a league file sets."""
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
    """Return what an organiser must know about how the bots are kept, a line each; none where they are confined.

    `report`: None where they run on other machines.
    """
    if wanted == "off":
        return [
            "sandbox = off: bots run as processes of yours, with your rights; run only bots that you trust"
        ]
    return report.lines() if report is not None and report.level < REQUIRED else []


def note(wanted: Wanted, report: ProbeReport | None) -> str:
    """Return, for bots that are confined, how, and where to read more; empty where nothing is missing."""
    if wanted == "off" or report is None or report.level < REQUIRED or not report.missing:
        return ""
    return f"sandbox: {report.level.word} (details: arena doctor)"

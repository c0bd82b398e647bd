"""The work of a league for its executor, which prepares it here or sends it to other machines."""

import zlib
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from arena import registry
from arena.config.league_file import LeagueFile
from arena.core.errors import ArenaError
from arena.core.game import AnyGame
from arena.core.replay import check, deal_follows
from arena.core.ticket import Ticket, WorkEntry
from arena.executors.base import Lost
from arena.league.definition.stored import versions_of
from arena.league.running import work_units
from arena.league.running.league_isolation import bounds_of
from arena.league.running.local_games import PreparedGames, prepare
from arena.sandbox.confinement import WantedConfinement
from arena.sandbox.probe import ProbeReport
from arena.submissions.kept_version_files import versions_folder
from arena.submissions.launch_spec import manifest_in, private_beside, runtimes_beside
from arena.submissions.version_files_by_hash import KeptVersions, VersionRefused, packed_version
from protocol.messages import Clock, Limits
from results.base.isolation_levels import Wanted
from results.records import EntryRecord, GameRecord
from results.store import Store

MOST_BYTES = 2**28
"""Largest replay body that is unpacked."""


def trouble_in(game: str, ticket: Ticket, result: work_units.Result, *, by_rules: bool) -> str:
    """Return what is wrong with a ticket's result, `by_rules`: also with its replay and deal; empty if nothing."""
    if isinstance(result, Lost | work_units.Failure):
        return "" if result.ticket == ticket else "it is of another ticket"
    if isinstance(result, work_units.Excused):
        if result.ticket != ticket:
            return "it is of another ticket"
        result = result.game
    if result.key != ticket.key:
        return f"it is game {result.match_no}.{result.rotation}"
    if tuple(seat.entry_no for seat in result.seats) != ticket.entries:
        return "other entries sit at the table"
    return _trouble_in_replay(registry.game(game), ticket, result) if by_rules else ""


def _trouble_in_replay(game: AnyGame, ticket: Ticket, record: GameRecord) -> str:
    try:
        text = zlib.decompressobj().decompress(record.body, MOST_BYTES)
        body: dict[str, Any] = msgspec.json.decode(text, type=dict[str, Any])
        if sha256(text).hexdigest() != record.fingerprint:
            return "its replay has another fingerprint"
        check(game, body)
        for name, found in (
            ("scores", [seat.score for seat in record.seats]),
            ("ranks", [seat.rank for seat in record.seats]),
        ):
            if list(body[name]) != found:
                return f"its {name} are not those of its replay"
        if not deal_follows(game, ticket.ruleset, len(record.seats), body, ticket.match_seed):
            return "its deal does not follow from the seed"
    except (zlib.error, msgspec.MsgspecError, KeyError, TypeError) as error:
        return f"its replay can't be read: {error}"
    except ArenaError as error:
        return f"its replay breaks the rules: {error}"
    return ""


DEFAULT_EXECUTOR = "processes"


def work_of(file: LeagueFile, entries: Sequence[EntryRecord], sandbox: Wanted) -> work_units.GameWork:
    """Return the work of a league as plain data. Raises UsageError if the store has lost a version."""
    clock, limits = file.clock, file.limits
    return work_units.GameWork(
        game=file.game,
        rules_version=registry.game(file.game).info.version,
        entries=work_entries(entries),
        wanted=WantedConfinement(sandbox, bounds_of(limits), file.pondering),
        clock=Clock(clock.ready_ms, clock.move_ms, clock.bank_ms, clock.margin_ms),
        limits=Limits(limits.line_bytes, limits.depth, limits.output_bytes, limits.note_chars),
        pace_ms=clock.pace_ms,
        startup_ms=clock.startup_ms,
    )


def work_entries(entries: Sequence[EntryRecord]) -> dict[int, WorkEntry]:
    """Return what a machine needs to start each entry, by number. Raises UsageError if the store has lost a version."""
    versions = versions_of(entries)
    found = {}
    for entry in entries:
        version = versions[entry.entry_no]
        manifest = manifest_in(version)
        found[entry.entry_no] = WorkEntry(
            label=entry.label,
            sha256=version.sha256,
            command=manifest.command_with(entry.args),
            engine=manifest.engine,
            reuse=manifest.reuse,
            machine=str(version.build.get("machine", "")),
            is_deterministic=bool(version.deterministic),
        )
    return found


class LeagueWork:
    """A `PortableWork`: the work of a league, with the versions kept next to its store."""

    def __init__(self, store: Store, work: work_units.GameWork) -> None:
        self._store = store
        self._work = work
        self._folder = versions_folder(store)
        self._hashes = {entry.sha256 for entry in work.entries.values()}
        self._prepared: PreparedGames | None = None
        self.probe: ProbeReport | None = None
        """The report of the sandbox probe; None until the work is prepared here."""

    def prepare(self) -> PreparedGames:
        """Return the work prepared for this machine; later calls return the same. Raises as `local_games.prepare`."""
        if self._prepared is None:
            self._prepared, self.probe = prepare(
                self._work,
                KeptVersions(self._folder),
                runtimes_beside(self._store.path),
                private_beside(self._store.path),
            )
        return self._prepared

    def admit(self, entries: Iterable[WorkEntry]) -> None:
        """Let other machines have the versions of entries that have joined the league."""
        self._hashes.update(entry.sha256 for entry in entries)

    def pack(self) -> bytes:
        """Return the work as bytes for another machine."""
        return work_units.pack_work(self._work)

    def pack_tickets(self, tickets: Sequence[Any]) -> bytes:
        """Return tickets as bytes for another machine."""
        return work_units.pack_tickets(tickets)

    def unpack_results(self, packed: bytes) -> list[Any]:
        """Return the results that another machine has packed. Raises BadUnit."""
        return list(work_units.unpack_results(packed))

    def trouble_in(self, ticket: Any, result: Any, *, by_rules: bool) -> str:
        """Return what is wrong with a result from another machine; empty if nothing is."""
        return trouble_in(self._work.game, ticket, result, by_rules=by_rules)

    def is_repeatable(self, ticket: Any) -> bool:
        """Return whether every seated version was found to be deterministic when it was submitted."""
        newcomers = dict(ticket.newcomers)
        entries = (self._work.entries.get(no) or newcomers.get(no) for no in ticket.entries)
        return all(entry is not None and entry.is_deterministic for entry in entries)

    def differ(self, result: Any, other: Any) -> bool:
        """Return whether two results of the same ticket are of different games, if both are games without a fault."""
        both = (result, other)
        if not all(
            isinstance(one, GameRecord) and not any(seat.verdict for seat in one.seats) for one in both
        ):
            return False
        return bool(result.fingerprint != other.fingerprint)

    def version(self, sha256: str) -> bytes:
        """Return a version of the league as bytes for another machine. Raises ArenaError if it is not available."""
        if sha256 not in self._hashes:
            raise VersionRefused(f"{sha256[:80]!r} is not a version in this league")
        return packed_version(self._folder, sha256)

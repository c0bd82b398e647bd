"""Reads a league from the ledger: its file, its definition and its versions."""

from collections.abc import Iterable

from arena.config.errors import BadFile
from arena.config.league_file import LeagueFile
from arena.config.reading import convert
from arena.core.errors import UsageError
from arena.league.definition.define import Definition, Lineup, define
from results.records import EntryRecord, LeagueRecord, VersionRecord
from results.store import Store


def file_of(league: LeagueRecord) -> LeagueFile:
    """Return the league file as it was when the league was created. Raises UsageError if it cannot be used."""
    try:
        return convert(league.config, LeagueFile, f"league {league.name}")
    except BadFile as error:
        raise UsageError(
            str(error),
            "the league's definition in the store is damaged, or another version of Arena wrote it; run "
            "`arena db verify` to find out",
        ) from None


def definition_of(store: Store, league: LeagueRecord) -> Definition:
    """Return the definition of a league in the ledger. Raises UsageError if the rules have changed since."""
    entries = store.entries.all(league.uuid)
    lineup = Lineup(
        authors={entry.entry_no: entry.version.author for entry in entries if entry.version is not None},
        labels={entry.entry_no: entry.label for entry in entries},
        starts={entry.entry_no: entry.prior or league.scale.start for entry in entries},
        scale=league.scale,
    )
    definition = define(file_of(league), len(entries), league.name, lineup=lineup)
    rules, info = league.ruleset, definition.game.info
    if rules is not None and rules.version != info.version:
        raise UsageError(
            f"{league.name} is played with version {rules.version} of the rules of {info.name}, but version "
            f"{info.version} is installed",
            "continue with the version it was started with, or create a new league",
        )
    return definition


def versions_of(entries: Iterable[EntryRecord]) -> dict[int, VersionRecord]:
    """Return the version of each entry, by number. Raises UsageError if the store has lost one."""
    versions = {}
    for entry in entries:
        if entry.version is None:
            raise UsageError(
                f"the version of {entry.label} is missing from the store",
                "run `arena db verify` to see what else is missing, and restore a backup",
            )
        versions[entry.entry_no] = entry.version
    return versions

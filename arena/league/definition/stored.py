"""A league as the ledger holds it: its file, its rules and its versions, for those who look it up or run it."""

from collections.abc import Iterable

from arena.config.errors import BadFile
from arena.config.league_file import LeagueFile
from arena.config.reading import convert
from arena.core.errors import UsageError
from arena.league.definition.define import Definition, Lineup, define
from results.records import EntryRecord, LeagueRecord, VersionRecord
from results.store import Store


def file_of(league: LeagueRecord) -> LeagueFile:
    """Return the league file as it was when the league was created. Raises UsageError where it cannot be used."""
    try:
        return convert(league.config, LeagueFile, f"league {league.name}")
    except BadFile as error:
        raise UsageError(
            str(error),
            "its settings in the store are damaged, or another version wrote them: `arena db verify` says which",
        ) from None


def definition_of(store: Store, league: LeagueRecord) -> Definition:
    """Return the definition of a league in the ledger. Raises UsageError where the rules have changed since."""
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
            f"{league.name} is played by version {rules.version} of the rules of {info.name}; version {info.version} "
            "is installed",
            "go on with the program it was begun with, or create a new league",
        )
    return definition


def versions_of(entries: Iterable[EntryRecord]) -> dict[int, VersionRecord]:
    """Return the version of each entry, by number. Raises UsageError where the store has lost one."""
    versions = {}
    for entry in entries:
        if entry.version is None:
            raise UsageError(
                f"the version that {entry.label} plays with is missing in the store",
                "`arena db verify` says what else is; go back to a backup",
            )
        versions[entry.entry_no] = entry.version
    return versions

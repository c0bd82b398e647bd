"""Reads a league from the ledger: its file, its definition at each match, its results, and its versions."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from arena.config.league_file import LeagueFile
from arena.core.errors import ArenaError, UsageError
from arena.league.definition.checked_definition import (
    Definition,
    Lineup,
    authors_apart,
    authors_of,
    resolve,
    schedule_of,
)
from arena.registry import blaming
from arena.schedules.base import Bracketed, Field, Final, Finished, Open, Placed, Placing
from results.base.advice import Advice, run
from results.base.scoring import Partners
from results.records import EntryRecord, LeagueEvent, LeagueRecord, MatchRecord, VersionRecord
from results.records.bracket import BracketRound
from results.records.roster import BENCHED, UNBENCHED, Bench, Roster, arrivals, roster_at
from results.store import Store


def config_of(file: LeagueFile, partners: Partners) -> dict[str, Any]:
    """Return what a league stores of its file, with who are partners."""
    config: dict[str, Any] = msgspec.to_builtins(file)
    if config["teams"] is None:
        del config["teams"]
    for bot in config["bots"]:
        if bot["team"] is None:
            del bot["team"]
    if partners.sides:
        config["partners"] = msgspec.to_builtins(partners, str_keys=True)
    return config


def file_of(league: LeagueRecord, changed: Mapping[str, Any] | None = None) -> LeagueFile:
    """Return a league's first file, with some keys (`table.key`) `changed` since. Raises UsageError."""
    config = league.config
    for key, value in (changed or {}).items():
        table, _, name = key.partition(".")
        config = {**config, table: {**config.get(table, {}), name: value}}
    try:
        return msgspec.convert({key: config[key] for key in config if key != "partners"}, LeagueFile)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"league {league.name}: {error}",
            Advice(
                "the league's definition in the store is damaged, or another version of Arena wrote it; run ",
                *(run("db verify"), " to find out"),
            ),
        ) from None


def definition_of(store: Store, league: LeagueRecord) -> Definition:
    """Return the definition of a league for its next match. Raises UsageError if its rules changed."""
    planned = store.leagues.progress(league.uuid).matches_planned
    return StoredDefinition(store, league).at(planned)


def known_results(store: Store, league: LeagueRecord, match: MatchRecord) -> int | None:
    """Return below which number a schedule knew all results when it planned a match; None if that isn't known."""
    if not league.traits.chooses_each:
        return None
    field = Field(tuple(entry.entry_no for entry in store.entries.all(league.uuid)), (len(match.entries),))
    try:
        schedule, settings = schedule_of(file_of(league))
        with blaming("schedule", schedule.name, schedule):
            seen = schedule.sees(field, settings, match.match_no)
            return max(0, min(seen, match.match_no))
    except ArenaError:
        return None


class StoredDefinition:
    """The definition of a league in the ledger at each of its matches, as its events make it."""

    def __init__(self, store: Store, league: LeagueRecord, first: Definition | None = None) -> None:
        """Read the league; `first` replaces its own definition until an event changes it. Raises UsageError."""
        self._store = store
        self._league = league
        self.events: list[LeagueEvent] = store.leagues.events(league.uuid)
        """As of the latest call of `at`."""
        self._entries = store.entries.all(league.uuid)
        self.first = first or self._first()
        """The definition of the first match."""
        self.roster = Roster(0)
        """The roster of the latest call of `at`."""
        self._known: tuple[int, int] | None = None
        self._benched: dict[int, Mapping[int, Bench]] = {}
        """By number of points where the bench changes: the entries on it from there on."""
        self._now = self.first

    def at(self, match_no: int) -> Definition:
        """Return the definition for a match; all matches before it must be planned."""
        # Events are only ever added, and there may be thousands.
        if self._known is None or self._store.leagues.event_count(self._league.uuid) != len(self.events):
            newer = self._store.leagues.events(self._league.uuid, len(self.events))
            self.events = [*self.events, *newer]
            self._entries = self._store.entries.all(self._league.uuid)
            self._benched.clear()
        events = self.events
        known = len(events), max((e.at_match_no for e in events if e.at_match_no <= match_no), default=-1)
        if known != self._known:
            self.roster = roster_at(events, match_no)
            self._now = self._changed(self.roster)
            self._known = known
        return self._now

    @property
    def labels(self) -> dict[int, str]:
        """Labels of all entries by number, as of the latest call of `at`."""
        return {entry.entry_no: entry.label for entry in self._entries}

    @property
    def authors(self) -> dict[int, str]:
        """Authors of all entries by number, as of the latest call of `at`."""
        return {entry.entry_no: entry.version.author for entry in self._entries if entry.version is not None}

    def benched_at(self, match_no: int) -> Mapping[int, Bench]:
        """Return the entries that forfeit a match without being started, as of the latest call of `at`."""
        changes = [event for event in self.events if event.kind in (BENCHED, UNBENCHED)]
        point = sum(event.at_match_no <= match_no for event in changes)
        if point not in self._benched:
            self._benched[point] = roster_at(changes, match_no).benched
        return self._benched[point]

    def forget(self) -> None:
        """Read everything again at the next call of `at`."""
        self.events, self._known = [], None

    def next_event(self, match_no: int) -> int | None:
        """Return the number of the first match after that one from which an event holds, as of the latest call."""
        return min((event.at_match_no for event in self.events if event.at_match_no > match_no), default=None)

    def _first(self) -> Definition:
        league = self._league
        late = arrivals(self.events)
        entries = [entry for entry in self._entries if entry.entry_no not in late]
        lineup = self._lineup(entry.entry_no for entry in entries)
        definition = self._resolved(file_of(league), lineup, len(entries))
        rules, info = league.ruleset, definition.game.info
        if rules is not None and rules.version != info.version:
            raise UsageError(
                f"{league.name} is played with version {rules.version} of the rules of {info.name}, but version "
                f"{info.version} is installed",
                "continue with the version it was started with, or create a new league",
            )
        return definition

    def _resolved(self, file: LeagueFile, lineup: Lineup, entries: int) -> Definition:
        """Return the definition by a file, of the entries that the league began with. Raises UsageError."""
        try:
            return resolve(file, entries, lineup)
        except UsageError as error:
            raise UsageError(f"{self._league.name}: {error}", error.advice) from None

    def _changed(self, roster: Roster) -> Definition:
        """Return the first definition with what the events up to a match have changed."""
        first = self.first
        if roster.set:
            # A ladder may aim at a bot that joined later.
            lineup = replace(self._lineup(first.field.entries), labels=self.labels)
            first = self._resolved(file_of(self._league, roster.set), lineup, len(first.field.entries))
        if not first.endless:  # a round is finished with its field: a benched entry stays in it and forfeits
            events = [event for event in self.events if event.kind not in (BENCHED, UNBENCHED)]
            roster = roster_at(events, roster.match_no)
        if not isinstance(first.schedule, Open) or not (roster.has_changed or roster.awaited):
            return first
        playing = [
            entry.entry_no
            for entry in self._entries
            if roster.plays(entry.entry_no)
            and entry.entry_no not in roster.benched
            and self._league.partners.units([entry.entry_no]) == (entry.entry_no,)
        ]
        lineup = self._lineup(playing)
        changed_at = roster.changed_at
        # Who once played with others must not have the games rated that only its own bots play, say while those
        # others are out for the day.
        ever = {e.entry_no: e.version for e in self._entries if e.entry_no not in roster.awaited}
        apart = authors_apart(first.file, authors_of(ever))
        field = Field(
            tuple(playing),
            first.field.seats,
            {entry: author for entry, author in apart.items() if entry in lineup.labels},
            lineup.scale,
            self.labels,
            dict(lineup.starts),
            changed_at,
            self._store.matches.get(self._league.uuid, changed_at - 1).round_no + 1 if changed_at else 0,
            {entry: match_no for entry, match_no in roster.joined.items() if entry in lineup.labels},
            Final(*roster.final) if roster.final else None,
            {heir: entry for entry, heir in roster.replaced_by.items()},
        )
        return replace(first, field=field)

    def _lineup(self, numbers: Iterable[int]) -> Lineup:
        wanted = set(numbers)
        entries = [entry for entry in self._entries if entry.entry_no in wanted]
        scale = self._league.scale
        return Lineup(
            authors=authors_of({entry.entry_no: entry.version for entry in entries}),
            labels={entry.entry_no: entry.label for entry in entries},
            starts={entry.entry_no: entry.prior or scale.start for entry in entries},
            scale=scale,
            teams=self._league.partners.teams,
        )


AT_A_TIME = 512
"""Number of results read at once."""


def finished(store: Store, league: str, first: int, end: int) -> Iterator[Finished]:
    """Yield the matches from number `first` to `end` − 1, which must be over, void ones too, block by block."""
    partners = store.leagues.get(league).partners
    for start in range(first, end, AT_A_TIME):
        last = min(start + AT_A_TIME, end) - 1
        results = {result.match_no: result for result in store.matches.results(league, start, last)}
        for match in store.matches.all(league, first=start, last=last):
            result = results.get(match.match_no)
            shares = result.shares if result else None
            yield Finished(
                *(match.match_no, match.round_no, partners.units(match.entries), shares, match.games),
                rated=match.rated,
                deal_no=match.deal_no,
                scores=result.scores if result else None,
            )


def versions_of(entries: Iterable[EntryRecord]) -> dict[int, VersionRecord]:
    """Return the version of each entry, by number. Raises UsageError if the store has lost one."""
    versions = {}
    for entry in entries:
        if entry.version is None:
            raise UsageError(
                f"the version of {entry.label} is missing from the store",
                Advice("run ", run("db verify"), " to see what else is missing, and restore a backup"),
            )
        versions[entry.entry_no] = entry.version
    return versions


def with_labels(line: str, labels: Mapping[int, str]) -> str:
    """Return a line with every `#` and entry number replaced by the entry's label.

    >>> with_labels("#0 beats #7", {0: "crumb"})
    'crumb beats #7'
    """
    return re.sub(r"#(\d+)", lambda found: labels.get(int(found[1]), found[0]), line)


def format_places(store: Store, league: LeagueRecord) -> dict[int, Placing]:
    """Return where every entry stands by the format after the finished matches; empty if ratings decide, or unknown."""
    definition = _with_own_standings(store, league)
    if definition is None or not isinstance(definition.schedule, Placed):
        return {}
    results = finished(store, league.uuid, 0, store.leagues.progress(league.uuid).matches_counted)
    placings = definition.schedule.placing(definition.field, definition.schedule_settings, results)
    labels = definition.field.labels
    return {one.entry: replace(one, note=with_labels(one.note, labels)) for one in placings}


def bracket_of(store: Store, league: LeagueRecord) -> tuple[BracketRound, ...]:
    """Return the rounds of a knock-out after every match that is over, also those to come; else as `format_places`."""
    definition = _with_own_standings(store, league)
    if definition is None or not isinstance(definition.schedule, Bracketed):
        return ()
    open_nos = {match.match_no for match in store.matches.open(league.uuid)}
    planned = store.leagues.progress(league.uuid).matches_planned
    results = (one for one in finished(store, league.uuid, 0, planned) if one.match_no not in open_nos)
    return definition.schedule.bracket(definition.field, definition.schedule_settings, results)


def _with_own_standings(store: Store, league: LeagueRecord) -> Definition | None:
    """Return the definition of a league whose format decides who has won; None for others, and if it can't be read."""
    if league.ruleset is None or not league.traits.places:
        return None
    try:
        return definition_of(store, league)
    except ArenaError:
        return None

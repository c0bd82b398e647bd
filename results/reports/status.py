"""What goes on in a store now: the runner, its leagues, the entries that don't play, what waits, disk and errors."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from results.base.clock import utc_text
from results.records import CommandRecord, LeagueEvent, LeagueRecord
from results.records.roster import Roster, roster_at
from results.reports.quotas import league_quotas
from results.reports.states import SHOWN_DAYS, NewcomerRow, absent_rows, newcomer_rows, state_of_league
from results.reports.status_rows import (
    CommandRow,
    DiskRow,
    ErrorsRow,
    FaultCountRow,
    InboxRow,
    LeagueStatusRow,
    PlatformErrorRow,
    PlayingRow,
    QuotaRow,
    QuotaWhat,
    RefusedRow,
    RunnerRow,
    RunnerState,
    StatusRow,
    TroubleRow,
)

if TYPE_CHECKING:
    from results.store import Store
    from results.store.activity import LeagueActivity
    from results.store.store_folder import DiskUse, Runner

LOOK_AGAIN_S = 10.0
"""How old what takes longer to find out may be: newcomers, faults, sizes."""
QUOTAS_AGAIN_S = 60.0
"""How old the budgets may be: they are sums over the games of a day."""
MOST_REFUSED = 50
"""Refused commands are looked for among this many, the newest."""


@dataclass(slots=True)
class _Entries:
    """The entries of a league and its events, as of a number of events."""

    events: Sequence[LeagueEvent]
    labels: dict[int, str]


@dataclass(slots=True)
class _Slow:
    """What takes longer to find out, as of a moment."""

    found_s: float
    newcomers: list[NewcomerRow]
    platform: list[PlatformErrorRow]
    faults: list[FaultCountRow]
    disk: "DiskUse"
    games: int
    """Games in the store, of all leagues."""


@dataclass(slots=True)
class StatusReader:
    """Reads the status of a store again and again, and remembers what can't have changed in between."""

    store: "Store"
    league: str | None = None
    """The name or uuid of the only league to report on."""
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    _entries: dict[str, tuple[int, _Entries]] = field(default_factory=dict, init=False)
    """By league, with how many events it had."""
    _slow: _Slow | None = field(default=None, init=False)
    _quotas: tuple[float, list[QuotaRow]] | None = field(default=None, init=False)
    """Budgets that are used up, with when they were looked up."""
    _refused: tuple[int, list[CommandRecord]] = field(default=(0, []), init=False)
    """The number of the newest command that was taken up, and the latest ones."""

    def read(self, runner: "Runner", waiting: Sequence[CommandRow], files: int) -> StatusRow:
        """Return the status. `waiting` are the commands in the inbox, of so many files. Raises UnknownLeague."""
        activity = self.store.activity.now()
        leagues = [one for one in activity.leagues if self._is_shown(one)]
        if self.league is not None and not leagues:
            self.store.leagues.get(self.league)  # raises UnknownLeague, unless it is one of single games
        notes = runner.notes if runner.is_running else None
        names = {league.name for league in leagues}
        moment = self.now()
        rows, absent = [], []
        for league in leagues:
            entries = self._entries_of(league)
            roster = roster_at(entries.events, league.matches_planned)
            rows.append(_league_row(self.store, league, roster, entries.labels, runner))
            if league.state != "finished" and league.rated:
                left_since = moment - timedelta(days=SHOWN_DAYS)
                absent += absent_rows(league.name, entries.events, roster, entries.labels, left_since)
        slow = self._found_slowly(leagues, moment)
        rate = notes.games_per_s_minute if notes else 0.0
        return StatusRow(
            at=utc_text(moment),
            store=str(self.store.path),
            runner=_runner_row(runner),
            leagues=rows,
            playing=[
                PlayingRow(
                    league=game.league,
                    game=f"{game.match_no}.{game.rotation}",
                    bots=list(game.bots),
                    worker=game.worker,
                    since=game.since,
                )
                for game in (notes.playing if notes else ())
                if self.league is None or game.league in names
            ],
            absent=absent,
            newcomers=slow.newcomers,
            quotas=self._quotas_used_up(leagues),
            inbox=InboxRow(
                files=files,
                waiting=list(waiting),
                refused=self._refused_lately(activity.newest_command, moment),
            ),
            disk=_disk_row(slow.disk, slow.games, rate),
            errors=ErrorsRow(
                platform=slow.platform,
                faults=slow.faults,
                refusals=[TroubleRow(what=one.what, at=one.at) for one in (notes.refusals if notes else ())],
                recent=[TroubleRow(what=one.what, at=one.at) for one in (notes.errors if notes else ())],
            ),
        )

    def _is_shown(self, league: "LeagueActivity") -> bool:
        """Return whether a league is part of the report: of comparisons, only those that aren't over."""
        if self.league is not None:
            return self.league in (league.uuid, league.name)
        return league.rated or league.state == "running"

    def _entries_of(self, league: "LeagueActivity") -> _Entries:
        known = self._entries.get(league.uuid)
        if known is None or known[0] != league.events:
            entries = self.store.entries.all(league.uuid)
            known = (
                league.events,
                _Entries(
                    self.store.leagues.events(league.uuid), {entry.entry_no: entry.label for entry in entries}
                ),
            )
            self._entries[league.uuid] = known
            self._slow = None
        return known[1]

    def _found_slowly(self, leagues: Sequence["LeagueActivity"], moment: datetime) -> _Slow:
        from results.store.store_folder import disk_use

        if self._slow is not None and self.clock() < self._slow.found_s + LOOK_AGAIN_S:
            return self._slow
        store = self.store
        slow = _Slow(self.clock(), [], [], [], disk_use(store.path), store.activity.games())
        day, hour = utc_text(moment - timedelta(days=1)), utc_text(moment - timedelta(hours=1))
        week = moment - timedelta(days=SHOWN_DAYS)
        for league in leagues:
            slow.platform += [
                PlatformErrorRow(
                    league=league.name,
                    verdict=failed.verdict,
                    games=failed.attempts,
                    void_matches=failed.void,
                    newest_at=failed.newest_at,
                    newest=failed.newest_detail,
                )
                for failed in store.activity.failed_attempts(league.uuid, day)
            ]
            slow.faults += [
                FaultCountRow(league=league.name, verdict=verdict, games=games)
                for verdict, games in store.activity.faults(league.uuid, hour).items()
            ]
            if league.rated and league.state != "finished":
                events = self._entries_of(league).events
                if events:
                    slow.newcomers += newcomer_rows(store, store.leagues.get(league.uuid), events, week)
        self._slow = slow
        return slow

    def _quotas_used_up(self, leagues: Sequence["LeagueActivity"]) -> list[QuotaRow]:
        if self._quotas is not None and self.clock() < self._quotas[0] + QUOTAS_AGAIN_S:
            return self._quotas[1]
        found = []
        for league in leagues:
            if league.rated and league.state != "finished":
                found += quotas_used_up(self.store, self.store.leagues.get(league.uuid))
        self._quotas = self.clock(), found
        return found

    def _refused_lately(self, newest: int, moment: datetime) -> list[RefusedRow]:
        """Return the commands that were refused in the last 24 hours; `newest` is the number of the newest command."""
        if self._refused[0] != newest:
            self._refused = newest, self.store.commands.newest(MOST_REFUSED)
        since = utc_text(moment - timedelta(days=1))
        return [
            RefusedRow(kind=record.kind, by=record.by, at=record.taken_at, why=record.said)
            for record in self._refused[1]
            if record.outcome == "refused" and record.taken_at >= since
        ]


def quotas_used_up(store: "Store", league: LeagueRecord) -> list[QuotaRow]:
    """Return the budgets of a league's bots and authors that are used up today.

    Active versions aren't among them: they only limit who may join.
    """
    quotas = league_quotas(store, league)
    cases: list[tuple[str, bool, QuotaWhat, float, float | None, str]] = []
    for bot in quotas.entries:
        cases.append(
            (bot.label, False, "CPU seconds today", bot.cpu_used_s, bot.cpu_allowed_s, bot.resets_at)
        )
        cases.append((bot.label, False, "games today", bot.games_used, bot.games_allowed, bot.resets_at))
    for author in quotas.authors:
        at = author.resets_at
        cases += [
            (author.author, True, "CPU seconds today", author.cpu_used_s, author.cpu_allowed_s, at),
            (author.author, True, "games today", author.games_used, author.games_allowed, at),
            (author.author, True, "versions today", author.versions_entered, author.versions_allowed, at),
        ]
    return [
        QuotaRow(
            league=league.name,
            who=who,
            is_author=is_author,
            what=what,
            used=round(used, 3),
            allowed=allowed,
            resets_at=resets_at,
        )
        for who, is_author, what, used, allowed, resets_at in cases
        if allowed is not None and used >= allowed
    ]


def _runner_row(runner: "Runner") -> RunnerRow:
    notes, holder = runner.notes, runner.holder
    state: RunnerState = "running" if runner.is_running else "killed" if runner.was_killed else "none"
    running = notes if state == "running" else None
    return RunnerRow(
        state=state,
        pid=holder.pid if runner.is_running and holder else notes.pid if notes else None,
        does=notes.does if notes else holder.does if runner.is_running and holder else "",
        since=notes.since if notes else None,
        seen_at=notes.written_at if notes else None,
        league=running.league.name if running and running.league else None,
        league_since=running.league.since if running and running.league else None,
        games=notes.games if notes else 0,
        games_per_s=notes.games_per_s if notes else 0.0,
        games_per_s_minute=running.games_per_s_minute if running else 0.0,
        queued=running.queued if running else 0,
        next="arena run" if state == "killed" else "",
    )


def _league_row(
    store: "Store",
    league: "LeagueActivity",
    roster: Roster,
    labels: Mapping[int, str],
    runner: "Runner",
) -> LeagueStatusRow:
    state, why, since = state_of_league(store, league, roster, runner)
    notes = runner.notes if state == "running" and runner.is_running else None
    return LeagueStatusRow(
        name=league.name,
        state=state,
        why=why,
        since=since,
        bots=sum(roster.plays(no) and no not in roster.benched for no in labels),
        matches=league.matches_done,
        matches_planned=league.matches_planned,
        games=league.games_done,
        games_per_s=notes.games_per_s_minute
        if notes and notes.league and notes.league.name == league.name
        else 0.0,
    )


def _disk_row(disk: "DiskUse", games: int, games_per_s: float) -> DiskRow:
    bytes_per_s = games_per_s * disk.store_bytes / games if games else 0.0
    return DiskRow(
        store_bytes=disk.store_bytes,
        wal_bytes=disk.wal_bytes,
        files_bytes=disk.files_bytes,
        files_complete=disk.files_complete,
        free_bytes=disk.free_bytes,
        lasts_s=round(disk.free_bytes / bytes_per_s) if bytes_per_s and disk.free_bytes is not None else None,
    )

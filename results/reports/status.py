"""What goes on in a store now: the runner, its leagues, the entries that don't play, what waits, disk and errors."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from msgspec import Struct, structs

from results.base.clock import utc_text
from results.records import CommandRecord, LeagueEvent
from results.records.roster import roster_at
from results.reports.columns import row_from
from results.reports.league_states import SHOWN_DAYS, NewcomerRow, absent_rows, newcomer_rows
from results.reports.status_rows import (
    CommandRow,
    ErrorsRow,
    FaultCountRow,
    InboxRow,
    PlatformErrorRow,
    PlayingRow,
    QuotaRow,
    RefusedRow,
    StatusRow,
    TroubleRow,
    budgets,
    disk_row,
    league_status_row,
    runner_row,
)
from results.store import Store
from results.store.beside_store import DiskUse, Runner, disk_use
from results.store.status_queries import LeagueActivity

LOOK_AGAIN_S = 10.0
"""How old what takes longer to find out may be: newcomers, faults, sizes."""
QUOTAS_AGAIN_S = 60.0
"""How old the budgets may be: they are sums over the games of a day."""
MOST_REFUSED = 50
"""Refused commands are looked for among this many, the newest."""


class _Slow(Struct):
    """What takes longer to find out, as of a moment."""

    found_s: float
    newcomers: list[NewcomerRow]
    platform: list[PlatformErrorRow]
    faults: list[FaultCountRow]
    disk: DiskUse
    games: int
    """Games in the store, of all leagues."""


@dataclass(slots=True)
class StatusReader:
    """Reads the status of a store again and again, and remembers what can't have changed in between."""

    store: Store
    league: str | None = None
    """The name or uuid of the only league to report on."""
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    _entries: dict[str, tuple[Sequence[LeagueEvent], dict[int, str]]] = field(
        default_factory=dict, init=False
    )
    """By league: its events, and the labels of its entries as of these."""
    _slow: _Slow | None = field(default=None, init=False)
    _quotas: tuple[float, list[QuotaRow]] | None = field(default=None, init=False)
    """Budgets that are used up, with when they were looked up."""
    _refused: tuple[int, list[CommandRecord]] = field(default=(0, []), init=False)
    """The number of the newest command that was taken up, and the latest ones."""

    def read(self, runner: Runner, waiting: Sequence[CommandRow], files: int) -> StatusRow:
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
            events, labels = self._entries_of(league)
            roster = roster_at(events, league.matches_planned)
            rows.append(league_status_row(league, roster, labels, runner))
            if league.state != "finished" and league.rated:
                left_since = moment - timedelta(days=SHOWN_DAYS)
                absent += absent_rows(league.name, events, roster, labels, left_since)
        slow = self._found_slowly(leagues, moment)
        rate = notes.games_per_s_minute if notes else 0.0
        return StatusRow(
            at=utc_text(moment),
            store=str(self.store.path),
            runner=runner_row(runner),
            leagues=rows,
            playing=[
                row_from(game, PlayingRow, game=f"{game.match_no}.{game.rotation}", bots=list(game.bots))
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
            disk=disk_row(slow.disk, slow.games, rate),
            errors=ErrorsRow(
                platform=slow.platform,
                faults=slow.faults,
                refusals=[row_from(one, TroubleRow) for one in (notes.refusals if notes else ())],
                recent=[row_from(one, TroubleRow) for one in (notes.errors if notes else ())],
            ),
        )

    def _is_shown(self, league: LeagueActivity) -> bool:
        """Return whether a league is part of the report: of comparisons, only those that aren't over."""
        if self.league is not None:
            return self.league in (league.uuid, league.name)
        return league.rated or league.state == "running"

    def _entries_of(self, league: LeagueActivity) -> tuple[Sequence[LeagueEvent], dict[int, str]]:
        if league.uuid not in self._entries or len(self._entries[league.uuid][0]) != league.events:
            events, labels = self.store.leagues.events(league.uuid), self.store.entries.labels(league.uuid)
            self._entries[league.uuid] = events, labels
            self._slow = None
        return self._entries[league.uuid]

    def _found_slowly(self, leagues: Sequence[LeagueActivity], moment: datetime) -> _Slow:
        if self._slow is not None and self.clock() < self._slow.found_s + LOOK_AGAIN_S:
            return self._slow
        store = self.store
        slow = _Slow(self.clock(), [], [], [], disk_use(store.path), store.activity.games())
        day, hour = utc_text(moment - timedelta(days=1)), utc_text(moment - timedelta(hours=1))
        week = moment - timedelta(days=SHOWN_DAYS)
        for league in leagues:
            slow.platform += [
                row_from(
                    failed,
                    PlatformErrorRow,
                    league=league.name,
                    games=failed.attempts,
                    void_matches=failed.void,
                    newest=failed.newest_detail,
                )
                for failed in store.activity.failed_attempts(league.uuid, day)
            ]
            slow.faults += [
                FaultCountRow(league=league.name, verdict=verdict, games=games)
                for verdict, games in store.activity.faults(league.uuid, hour).items()
            ]
            if league.rated and league.state != "finished":
                events, _ = self._entries_of(league)
                if events:
                    slow.newcomers += newcomer_rows(store, store.leagues.get(league.uuid), events, week)
        self._slow = slow
        return slow

    def _quotas_used_up(self, leagues: Sequence[LeagueActivity]) -> list[QuotaRow]:
        if self._quotas is not None and self.clock() < self._quotas[0] + QUOTAS_AGAIN_S:
            return self._quotas[1]
        found = [
            structs.replace(row, used=round(row.used, 3))
            for league in leagues
            if league.rated and league.state != "finished"
            for row in budgets(self.store, self.store.leagues.get(league.uuid))
            if row.used >= row.allowed
        ]
        self._quotas = self.clock(), found
        return found

    def _refused_lately(self, newest: int, moment: datetime) -> list[RefusedRow]:
        """Return the commands that were refused in the last 24 hours; `newest` is the number of the newest command."""
        if self._refused[0] != newest:
            self._refused = newest, self.store.commands.newest(MOST_REFUSED)
        since = utc_text(moment - timedelta(days=1))
        return [
            row_from(record, RefusedRow, at=record.taken_at, why=record.said)
            for record in self._refused[1]
            if record.outcome == "refused" and record.taken_at >= since
        ]

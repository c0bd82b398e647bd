"""The rows of a store's status, and how each of them is made.

They are also what `arena status --json` prints, so fields are added, but not renamed or removed, while `VERSION`
stays the same.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from results.base.clock import day_after, utc_day
from results.base.text import one_line
from results.records import LeagueRecord
from results.records.query_rows import DayUse, total_use
from results.records.roster import Roster, arrivals, roster_at
from results.reports.columns import Column, ReportRow, row_from
from results.reports.league_states import AbsentRow, LeagueState, NewcomerRow, goes_on, state_of_league
from results.store import Store
from results.store.beside_store import DiskUse, Runner
from results.store.status_queries import LeagueActivity

VERSION = 1

RunnerState = Literal["running", "killed", "none"]
QuotaWhat = Literal["CPU seconds today", "games today", "versions today"]


class RunnerRow(ReportRow, frozen=True, kw_only=True):
    """The process that plays the leagues of a store."""

    state: RunnerState
    """running: it holds the store's lock · killed: it ended without saying so, and no other runs · none."""
    pid: int | None
    does: str
    """Words that follow the process: `serves leagues`."""
    since: str | None
    seen_at: str | None
    """When it last noted what it does."""
    league: str | None
    league_since: str | None
    games: int
    games_per_s: float
    games_per_s_minute: float
    queued: int
    """Games that workers have been given and will play next."""
    next: str
    """The command that continues, if it was killed; empty for a comparison, a race or a tune, and otherwise."""


def runner_row(runner: Runner) -> RunnerRow:
    """Return what the process does, and its rates."""
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
        next=goes_on(notes.does) if state == "killed" and notes else "",
    )


class LeagueStatusRow(ReportRow, frozen=True, kw_only=True):
    """One league."""

    name: Annotated[str, Column("league", priority=0)]
    state: Annotated[LeagueState, Column(priority=1)]
    """What each means is in `states.LEAGUE_STATES`."""
    why: Annotated[str, Column(wide=True, priority=2)]
    since: Annotated[str | None, Column(priority=7)]
    """Since when it is played, waits or rests, if the runner says so; interrupted: when its runner was last seen."""
    bots: Annotated[int, Column("playing", priority=6)]
    matches: Annotated[int, Column(decimals=0, priority=4)]
    matches_planned: int
    games: Annotated[int, Column(decimals=0, priority=3)]
    games_per_s: Annotated[float, Column("games/s", 1, priority=5)]


def league_status_row(
    league: LeagueActivity, roster: Roster, labels: Mapping[int, str], runner: Runner
) -> LeagueStatusRow:
    """Return the state and the progress of a league; `roster` is that of its next match, `labels` by entry number."""
    state, why, since = state_of_league(league, roster, runner)
    notes = runner.notes if state == "running" and runner.is_running else None
    return row_from(
        league,
        LeagueStatusRow,
        state=state,
        why=why,
        since=since,
        bots=sum(roster.plays(no) and no not in roster.benched for no in labels),
        matches=league.matches_done,
        games=league.games_done,
        games_per_s=notes.games_per_s_minute if notes and notes.plays(league.uuid) else 0.0,
    )


class PlayingRow(ReportRow, frozen=True, kw_only=True):
    """A game that is being played."""

    league: Annotated[str, Column(priority=0)]
    game: Annotated[str, Column(right=True, priority=1)]
    bots: Annotated[
        list[str], Column(wide=True, priority=0, drawn=lambda row: ", ".join(map(one_line, row.bots)))
    ]
    """By seat."""
    worker: Annotated[int, Column(priority=5)]
    since: Annotated[str, Column(priority=4)]


class CommandRow(ReportRow, frozen=True, kw_only=True):
    """A command that waits in the inbox."""

    kind: Annotated[
        str, Column("command", priority=0, drawn=lambda row: row.kind or f"no command: {row.file}")
    ]
    """Empty if the file isn't a command; then the runner will refuse it."""
    by: Annotated[str, Column(priority=1)]
    since: Annotated[str, Column(priority=2)]
    file: str


class RefusedRow(ReportRow, frozen=True, kw_only=True):
    """A command that was refused."""

    kind: Annotated[str, Column("command", priority=0, drawn=lambda row: row.kind or "no command")]
    by: Annotated[str, Column(priority=2)]
    at: Annotated[str, Column(priority=3)]
    why: Annotated[str, Column(wide=True, priority=1)]


class InboxRow(ReportRow, frozen=True, kw_only=True):
    """The inbox."""

    files: int
    waiting: list[CommandRow]
    """The first of them."""
    refused: list[RefusedRow]
    """In the last 24 hours, the newest first."""


class QuotaRow(ReportRow, frozen=True, kw_only=True):
    """A budget of a bot or an author in a league."""

    league: Annotated[str, Column(priority=2)]
    who: Annotated[
        str, Column("bot or author", priority=0, drawn=lambda row: f"{row.who}{' (author)' * row.is_author}")
    ]
    is_author: bool
    what: Annotated[QuotaWhat, Column("budget", priority=1)]
    used: Annotated[float, Column(decimals=0, priority=3)]
    allowed: Annotated[float, Column(decimals=0, priority=3)]
    resets_at: Annotated[str, Column("until", priority=4)]
    """When the next day begins."""


def budgets(store: Store, league: LeagueRecord) -> Iterator[QuotaRow]:
    """Yield what each bot and each author of a league with `[quota]` may use today, and has used.

    Bots that have retired have no budget; what they used counts for their authors. Active versions aren't among these:
    they only limit who may join.
    """
    config: object = league.config  # the store may be damaged
    limits: Any = config.get("quota") if isinstance(config, dict) else None
    if not isinstance(limits, dict) or all(limit is None for limit in limits.values()):
        return
    today = utc_day(store.now())
    events = store.leagues.events(league.uuid)
    roster = roster_at(events, max([0, *(event.at_match_no for event in events)]))
    fresh = arrivals(event for event in events if utc_day(event.at) == today)
    use = store.games.use_of_day(league.uuid, today, store.games.first_of_day(league.uuid, today))
    by_author: dict[str, list[int]] = defaultdict(list)
    found: list[tuple[str, bool, QuotaWhat, float, float | None]] = []
    for entry in store.entries.all(league.uuid):
        if entry.version:
            by_author[entry.version.author].append(entry.entry_no)
        if entry.entry_no not in roster.retired:
            used = use.get(entry.entry_no, DayUse())
            found.append(
                (entry.label, False, "CPU seconds today", used.cpu_ns / 1e9, limits.get("cpu_s_per_day"))
            )
            found.append((entry.label, False, "games today", used.games, limits.get("games_per_day")))
    for author, numbers in sorted(by_author.items()):
        used = total_use(use[number] for number in numbers if number in use)
        entered = sum(number in fresh for number in numbers)
        found += [
            (author, True, "CPU seconds today", used.cpu_ns / 1e9, limits.get("author_cpu_s_per_day")),
            (author, True, "games today", used.games, limits.get("author_games_per_day")),
            (author, True, "versions today", entered, limits.get("versions_per_day")),
        ]
    for who, is_author, what, so_far, allowed in found:
        if allowed is not None:
            yield QuotaRow(
                league=league.name,
                who=who,
                is_author=is_author,
                what=what,
                used=so_far,
                allowed=allowed,
                resets_at=f"{day_after(today)}T00:00:00.000Z",
            )


class DiskRow(ReportRow, frozen=True, kw_only=True):
    """The room that the store takes, in bytes."""

    store_bytes: int
    wal_bytes: int
    files_bytes: int
    files_complete: bool
    """Whether all files were counted."""
    free_bytes: int | None
    lasts_s: float | None
    """For how long the free space lasts at the rate of the last minute and the mean size of a game; null if nothing is
    played."""


def disk_row(disk: DiskUse, games: int, games_per_s: float) -> DiskRow:
    """Return sizes, and how long the free space lasts for a store of so many games at this rate."""
    bytes_per_s = games_per_s * disk.store_bytes / games if games else 0.0
    free = disk.free_bytes
    return row_from(
        disk, DiskRow, lasts_s=None if free is None or not bytes_per_s else round(free / bytes_per_s)
    )


class PlatformErrorRow(ReportRow, frozen=True, kw_only=True):
    """Games that failed because of the platform, in the last 24 hours."""

    league: Annotated[str, Column(priority=0)]
    verdict: Annotated[str, Column("error", priority=1)]
    games: Annotated[int, Column(decimals=0, priority=3)]
    """Failed attempts; each was played again, unless its match is void."""
    void_matches: Annotated[int, Column(decimals=0, priority=4)]
    newest_at: Annotated[str, Column("last", priority=5)]
    newest: Annotated[str, Column("what happened", wide=True, priority=2)]
    """What happened in the newest."""


class FaultCountRow(ReportRow, frozen=True, kw_only=True):
    """Seats forfeited for one reason in the last hour."""

    league: str
    verdict: str
    games: int


class TroubleRow(ReportRow, frozen=True, kw_only=True):
    """Something that the runner noted."""

    what: str
    at: str


class ErrorsRow(ReportRow, frozen=True, kw_only=True):
    """What went wrong."""

    platform: list[PlatformErrorRow]
    faults: list[FaultCountRow]
    refusals: list[TroubleRow]
    """What the machine refused the runner, the newest last."""
    recent: list[TroubleRow]
    """The runner's latest failed games, the newest last."""


class StatusRow(ReportRow, frozen=True, kw_only=True):
    """All that goes on in a store."""

    version: int = VERSION
    at: str
    store: str
    runner: RunnerRow
    leagues: list[LeagueStatusRow]
    playing: list[PlayingRow]
    absent: list[AbsentRow]
    """Entries that are paused or benched, and those that left in the last 7 days."""
    newcomers: list[NewcomerRow]
    """Entries that joined later and have no sure place yet, or joined in the last 7 days."""
    quotas: list[QuotaRow]
    """Budgets that are used up."""
    inbox: InboxRow
    disk: DiskRow
    errors: ErrorsRow

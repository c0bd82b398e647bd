"""The rows of a store's status.

They are also what `arena status --json` prints, so fields are added, but not renamed or removed, while `VERSION`
stays the same.
"""

from typing import Literal

from results.reports.columns import ReportRow
from results.reports.states import AbsentRow, LeagueState, NewcomerRow

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
    """The league that it plays."""
    league_since: str | None
    games: int
    """Games played since it began."""
    games_per_s: float
    """Since it began."""
    games_per_s_minute: float
    """Over the last minute."""
    queued: int
    """Games that workers have been given and will play next."""
    next: str
    """The command that continues, if it was killed; otherwise empty."""


class LeagueStatusRow(ReportRow, frozen=True, kw_only=True):
    """One league."""

    name: str
    state: LeagueState
    """What each means is in `states.LEAGUE_STATES`."""
    why: str
    """Why it isn't played; empty if that goes without saying."""
    since: str | None
    """Since when it is played, waits or rests, if the runner says so; interrupted: when its runner was last seen."""
    bots: int
    """Entries that play."""
    matches: int
    """Matches with all their games."""
    matches_planned: int
    games: int
    games_per_s: float
    """Over the last minute."""


class PlayingRow(ReportRow, frozen=True, kw_only=True):
    """A game that is being played."""

    league: str
    game: str
    """`MATCH.ROTATION`."""
    bots: list[str]
    """By seat."""
    worker: int
    since: str


class CommandRow(ReportRow, frozen=True, kw_only=True):
    """A command that waits in the inbox."""

    kind: str
    """Empty if the file isn't a command; then the runner will refuse it."""
    by: str
    since: str
    file: str


class RefusedRow(ReportRow, frozen=True, kw_only=True):
    """A command that was refused."""

    kind: str
    by: str
    at: str
    why: str


class InboxRow(ReportRow, frozen=True, kw_only=True):
    """The inbox."""

    files: int
    """Files that wait."""
    waiting: list[CommandRow]
    """The first of them."""
    refused: list[RefusedRow]
    """In the last 24 hours, the newest first."""


class QuotaRow(ReportRow, frozen=True, kw_only=True):
    """A budget of a league that is used up."""

    league: str
    who: str
    """The bot, or the author."""
    is_author: bool
    what: QuotaWhat
    used: float
    allowed: float
    resets_at: str
    """When the next day begins."""


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


class PlatformErrorRow(ReportRow, frozen=True, kw_only=True):
    """Games that failed through no fault of a bot, in the last 24 hours."""

    league: str
    verdict: str
    games: int
    """Failed attempts; each was played again, unless its match is void."""
    void_matches: int
    newest_at: str
    newest: str
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

"""Leagues as a whole: what they play, their progress and state."""

from typing import TYPE_CHECKING

from msgspec import Struct

from results.isolation_levels import weakest
from results.records import LeagueRecord
from results.reports.rows import ReportRow
from results.reports.states import LeagueState, state_of_league
from results.roster import ENDED, SETTLED

if TYPE_CHECKING:
    from results.store import Store


class LeagueSummary(Struct, frozen=True, kw_only=True):
    """The heading of every report of a league."""

    name: str
    game: str | None
    """None for `casual`, where every match has its own."""
    ruleset: str | None
    games: int
    """Finished."""
    state: LeagueState | None
    """None for `casual`, which takes single games at any time and never ends."""
    is_settled: bool
    """Whether it is finished because its order is certain."""
    is_sealed: bool
    """Whether the deals are derived from a secret that nobody could know or choose."""
    weakest_isolation: str | None
    """The weakest level at which a game was played, as stored in the ledger; None before the first game."""


class LeagueRow(ReportRow, frozen=True, kw_only=True):
    """The progress of a league."""

    name: str
    game: str | None
    ruleset: str | None
    entries: int
    matches: int
    """Matches with all their games."""
    games: int
    faults: int
    """Games in which a bot was forfeited, summed over the bots."""
    state: LeagueState | None


def league_summary(store: "Store", league: LeagueRecord) -> LeagueSummary:
    """Return the heading of a league's reports."""
    rules = league.ruleset
    return LeagueSummary(
        name=league.name,
        game=rules.game if rules else None,
        ruleset=rules.name if rules else None,
        games=store.leagues.progress(league.uuid).games_done,
        state=_state_of(store, league),
        is_settled=any(
            event.kind == ENDED and event.data.get("by") == SETTLED
            for event in store.leagues.events(league.uuid)
        ),
        is_sealed=league.sealed,
        weakest_isolation=weakest(store.games.sandbox_levels(league.uuid)),
    )


def league_row(store: "Store", league: LeagueRecord) -> LeagueRow:
    """Return the progress of a league."""
    rules, progress = league.ruleset, store.leagues.progress(league.uuid)
    return LeagueRow(
        name=league.name,
        game=rules.game if rules else None,
        ruleset=rules.name if rules else None,
        entries=len(store.entries.all(league.uuid)),
        matches=progress.matches_done,
        games=progress.games_done,
        faults=sum(row.faults for row in store.ratings.standings(league.uuid)),
        state=_state_of(store, league),
    )


def _state_of(store: "Store", league: LeagueRecord) -> LeagueState | None:
    from results.store.runner_file import runner_of

    if not league.ruleset:
        return None
    return state_of_league(store, league, store.entries.roster(league.uuid), runner_of(store.path)).state

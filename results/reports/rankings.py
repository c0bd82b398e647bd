"""Rankings: ratings and totals, with an order-free fit to all matches beside them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct, field

from results.analysis.fit import Strength, share_of
from results.clock import utc_text
from results.query_rows import Standing
from results.ratings.base import Scale
from results.records import LeagueRecord
from results.reports.field_states import FieldStates
from results.reports.fit_cache import KeptFit, fit_of
from results.reports.leagues import LeagueSummary, league_summary
from results.reports.movement import (
    NOT_MOVED,
    Movement,
    Place,
    earlier_standings,
    moved_since,
    places,
)
from results.reports.rows import ReportRow, keys_of
from results.reports.selection import Recount, Report, Selection, recount
from results.reports.states import EntryState
from results.scoring import LEAST_MATCHES
from results.standings import ranked

if TYPE_CHECKING:
    from results.store import Store


class RankingRow(ReportRow, frozen=True, kw_only=True):
    """One entry. Entries with too few matches for a rank come last and have the rank None.

    Entries that have been retired or replaced are where their rating puts them, and have no rank.
    """

    rank: int | None
    """From 1, in ranking order; equal ratings share a rank."""
    label: str
    mu: float | None
    """This and the next two are None in a table without ratings, which is ordered by share."""
    sigma: float | None
    """None if the rating system has none."""
    conservative: float | None
    """The value that rankings are ordered by: with TrueSkill μ − 3σ."""
    matches: int
    games: int
    wins: float
    """Games won; a win shared among k counts 1/k."""
    share_percent: float | None = field(name="share")
    """Mean share of a game in percent (0 to 100); None before the first."""
    faults: int
    """Games it forfeited."""
    fit_elo: float | None
    """Strength by the fit, in Elo points above the mean; without a fit, this and its other values are None."""
    fit_elo_low: float | None
    fit_elo_high: float | None
    """The ends of its 95 % interval; None without intervals."""
    fit_share_percent: float | None = field(name="fit_share")
    """Expected share of matches against a bot at the mean, in percent (0 to 100)."""
    fit_rank: int | None
    """By the fit, among the entries that have a rank."""
    fit_through: int | None
    """The fit is based on all matches below this number."""
    apart: bool | None
    """Whether it is certain, at 95 %, which is stronger, this entry or the one above; None for the first entry and
    without intervals."""
    disputes: tuple[str, ...]
    """Labels of the entries ranked above it that are certainly weaker by the fit."""
    needs: int
    """Number of matches still needed for a rank."""
    retired: bool
    version: str | None
    """`author/bot@3`; None for a player that isn't a submitted bot."""
    state: EntryState = "active"
    state_why: str = ""
    """Why it is paused or benched, or the label of the entry that replaced it."""
    is_new: bool = field(default=False, name="new")
    """It joined while the league ran, and its place is less sure than the others': `standings.newcomers`."""
    joined_match: int | None = None
    """The first match that it could play; None: it was there from the start."""
    rank_before: int | None = None
    """At the moment since which movement is shown; None: it had none, or movement isn't shown."""
    moved_places: int | None = None
    """Places gained since then, negative if lost; None if it has or had no rank."""
    moved_rating: float | None = None
    """How much the value that rankings are ordered by has changed since then; None if it had no rank then, or
    without ratings."""


STATE_KEYS = ("state", "state_why", "new", "joined_match")
"""Columns of leagues whose field changes."""
MOVEMENT_KEYS = ("rank_before", "moved_places", "moved_rating")
"""Columns of rankings with movement."""
RATING_KEYS = ("mu", "sigma", "conservative")
FIT_KEYS = (
    "fit_elo",
    "fit_elo_low",
    "fit_elo_high",
    "fit_share",
    "fit_rank",
    "fit_through",
    "apart",
    "disputes",
)
"""With `RATING_KEYS`: columns that rankings without ratings don't have."""


class Rankings(Struct, frozen=True, kw_only=True):
    """The rankings of a league, with general information about them."""

    league: LeagueSummary
    scale: Scale
    """What the ratings mean."""
    rows: tuple[RankingRow, ...]
    """Best first."""
    least_matches: int
    """With fewer matches, an entry has no rank."""
    rated_matches: int
    """Number of matches counted in the rankings."""
    rating_stopped_at: int | None
    """The finished match at which the rating system failed, so that the rankings end before it."""
    waiting_games: int
    """Games that are not rated yet, as their match or an earlier one is unfinished."""
    fit: KeptFit | None
    is_rated: bool = True
    """Whether the entries have ratings; without, they are ordered by share."""
    moves: bool = False
    """Whether the league's field has ever changed, or will."""
    recount: Recount | None = None
    """The matches that were counted, if not all are."""
    movement: Movement | None = None
    """Since when movement is shown."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns in JSON and CSV."""
        left_out = {
            *(() if self.moves else STATE_KEYS),
            *(() if self.movement else MOVEMENT_KEYS),
            *(() if self.is_rated else (*RATING_KEYS, *FIT_KEYS)),
        }
        return tuple(key for key in keys_of(RankingRow) if key not in left_out)


def rankings(
    store: "Store",
    league: LeagueRecord,
    fit: KeptFit | None = None,
    least_matches: int | None = None,
    *,
    selection: Selection | None = None,
    fits_selection: bool = False,
    since: datetime | None = None,
    report: Report | None = None,
) -> Rankings:
    """Return the rankings of a league, optionally with a fit beside them. For `least_matches`, see `least_matches_of`.

    `selection`: count only these matches, rate them again, and use no other `fit` than a new one of these matches, if
    `fits_selection` · `since`: also tell how the entries have moved since the rankings of that moment · `report` is
    called now and then while matches are rated again. Raises RatingMissing, RatingFailed, UnknownName.
    """
    rated = store.leagues.progress(league.uuid).matches_counted
    least = least_matches_of(league, least_matches)
    stored = store.ratings.standings(league.uuid)
    states = FieldStates(store, league, stored)
    movement = (
        None if since is None else Movement(since, store.matches.first_after(league.uuid, utc_text(since)))
    )
    counted = None
    standings: Sequence[Standing] = stored
    if selection is not None and not selection.is_everything:
        counted = recount(store, league, selection, movement.match_no if movement else None, report)
        standings = [row for row in counted.standings if row.matches or states.of(row.entry_no).is_ranked]
        fit = fit_of(counted.parts, counted.matches) if fits_selection and counted.is_rated else None
    before: Mapping[int, Place] | None = None
    if movement is not None:
        earlier = counted.before if counted else earlier_standings(store, league, stored, movement.match_no)
        before = places(states.ranked_before(movement.match_no, earlier or ()), least)
    is_rated = counted.is_rated if counted else True
    return Rankings(
        league=league_summary(store, league),
        scale=league.scale,
        rows=_rows(league, standings, least, fit, states, before, is_rated=is_rated),
        least_matches=least,
        rating_stopped_at=store.leagues.rating_stopped_at(league.uuid),
        rated_matches=counted.matches if counted else rated,
        waiting_games=len(store.games.keys(league.uuid, rated)) if league.rated else 0,
        fit=fit,
        is_rated=is_rated,
        moves=states.moves,
        recount=counted,
        movement=movement,
    )


def ranking_rows(
    store: "Store", league: LeagueRecord, fit: KeptFit | None = None, least_matches: int | None = None
) -> tuple[RankingRow, ...]:
    """Return the entries of a league, best first, reading only derived tables and events.

    `fit`: an order-free fit to show beside them · `least_matches`: with fewer, an entry has no rank; None: use
    `least_matches_of`.
    """
    standings = store.ratings.standings(league.uuid)
    states = FieldStates(store, league, standings)
    return _rows(league, standings, least_matches_of(league, least_matches), fit, states)


def _rows(
    league: LeagueRecord,
    standings: Sequence[Standing],
    least_matches: int,
    fit: KeptFit | None,
    states: FieldStates,
    before: Mapping[int, Place] | None = None,
    *,
    is_rated: bool = True,
) -> tuple[RankingRow, ...]:
    """Return the rows of those that are part of the league already; `before`: where they were, to tell movement."""
    found = {row.entry_no: states.of(row.entry_no) for row in standings if states.is_shown(row.entry_no)}
    ordered = ranked((row for row in standings if row.entry_no in found), least_matches)
    now = places([row for row in ordered if found[row.entry_no].is_ranked], least_matches)
    strengths = {} if fit is None else {one.entry_no: one for one in fit.fit.strengths}
    by_fit = sorted(strengths[entry_no].elo for entry_no in now if entry_no in strengths)
    rows = []
    above: list[Standing] = []
    for row in ordered:
        state, place = found[row.entry_no], now.get(row.entry_no)
        strength = strengths.get(row.entry_no)
        surely = (strength.surely_above if strength else None) or ()
        is_fitted = place is not None and strength is not None
        moved = moved_since(before, row.entry_no, place) if before is not None else NOT_MOVED
        rows.append(
            RankingRow(
                rank=place.rank if place else None,
                label=row.label,
                mu=row.mu if is_rated else None,
                sigma=row.sigma if is_rated and league.scale.has_sigma else None,
                conservative=row.conservative if is_rated else None,
                matches=row.matches,
                games=row.games,
                wins=row.wins,
                share_percent=None if row.share is None else 100 * row.share,
                faults=row.faults,
                fit_elo=strength.elo if strength else None,
                fit_elo_low=strength.low if strength else None,
                fit_elo_high=strength.high if strength else None,
                fit_share_percent=100 * share_of(strength.elo) if strength else None,
                fit_rank=1 + sum(elo > strength.elo for elo in by_fit) if strength and is_fitted else None,
                fit_through=fit.through if fit and strength else None,
                apart=_are_apart(strengths, above[-1], row) if is_fitted and above else None,
                disputes=tuple(other.label for other in above if place and other.entry_no in surely),
                needs=max(0, max(1, least_matches) - row.matches) if state.is_ranked else 0,
                retired=not state.is_ranked,
                version=row.version,
                state=state.state,
                state_why=state.why,
                is_new=state.is_new,
                joined_match=state.joined_match,
                rank_before=moved.rank_before,
                moved_places=moved.places,
                moved_rating=moved.rating if is_rated else None,
            )
        )
        if place is not None:
            above.append(row)
    return tuple(rows)


def least_matches_of(league: LeagueRecord, given: int | None = None) -> int:
    """Return the number of matches that an entry needs for a rank: the given one, or a default for the league.

    While a league runs, a few matches say little. Once it is finished, every entry that played has a rank, and the
    fit's intervals show how certain it is.
    """
    if given is not None:
        return given
    return 1 if league.state == "finished" else LEAST_MATCHES


def is_fit_due(store: "Store", league: LeagueRecord, fit: KeptFit | None, least_matches: int | None) -> bool:
    """Return whether a finished league has ranks to compare with a fit, but no current fit."""
    if league.state != "finished":
        return False
    if fit is not None and fit.through == store.leagues.progress(league.uuid).matches_counted:
        return False
    least = least_matches_of(league, least_matches)
    return any(row.matches >= least for row in store.ratings.standings(league.uuid))


def _are_apart(strengths: Mapping[int, Strength], upper: Standing, lower: Standing) -> bool | None:
    """Return whether it is certain which of two is stronger; None without intervals."""
    first, second = strengths.get(upper.entry_no), strengths[lower.entry_no]
    if first is None or first.surely_above is None or second.surely_above is None:
        return None
    return lower.entry_no in first.surely_above or upper.entry_no in second.surely_above

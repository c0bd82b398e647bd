"""Rankings: ratings and totals, with an order-free fit to all matches beside them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from statistics import median
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, field

from results.clock import utc_text
from results.query_rows import Standing
from results.ratings.base import Rating, Scale
from results.ratings.succession import taken_over
from results.records import LeagueRecord
from results.reports.circles import MOST_ENTRIES, circles_of, circles_of_parts, contradicting
from results.reports.field_states import FieldStates
from results.reports.fit_cache import (
    AnyFit,
    FitBy,
    KeptLeastSquares,
    fit_by_of,
    fit_of,
    is_chosen,
    kept_fit,
    new_fit,
)
from results.reports.fitted_strengths import (
    NO_COLUMNS,
    are_apart,
    fitted_strengths,
    matches_to_tell_neighbours,
    named,
    place_ranges,
)
from results.reports.leagues import LeagueSummary, league_summary
from results.reports.movement import (
    NOT_MOVED,
    Movement,
    Place,
    earlier_standings,
    moved_since,
    places,
)
from results.reports.neighbours import Undecided, undecided
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
    """The value that rankings are ordered by: μ, or μ − 3σ in older leagues (`Scale.deviations`)."""
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
    """Expected share of a game against a bot at the mean, ties as halves, in percent (0 to 100)."""
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
    fit_by: str | None = None
    """`scores` or `shares`; this and the next three are None without a fit by one of them."""
    fit_value: float | None = None
    """Strength by the fit, in points per game (shares: in percent of a share) above the mean."""
    fit_low: float | None = None
    fit_high: float | None = None
    """The ends of its 95 % interval; None without an interval."""
    fit_above: tuple[str, ...] | None = None
    """Labels of the entries that it is stronger than, each pair told apart at 95 %; this and the next four are None
    without a fit with intervals."""
    fit_above_familywise: tuple[str, ...] | None = None
    """The same at 95 % for all pairs of the league together."""
    apart_familywise: bool | None = None
    """As `apart`, at 95 % for all pairs of the league together."""
    fit_place_best: int | None = None
    """The best place by strength that it may have, among the entries that have a rank; with 95 %, all entries are
    between their best and worst places."""
    fit_place_worst: int | None = None
    matches_to_tell: int | None = None
    """About how many matches the league needs in all to tell it apart from the entry above, pair by pair, in four
    leagues of five, if the two are as far apart as they look. None for the first entry, if they are told apart,
    beyond `MOST_TO_TELL`, and without a fit with intervals."""


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
PLACES_KEYS = ("fit_elo", "fit_elo_low", "fit_elo_high", "fit_share")
"""Those of them that only a fit by places has."""
LEAST_SQUARES_KEYS = (
    "fit_by",
    "fit_value",
    "fit_low",
    "fit_high",
)
"""Columns that only a fit by scores or shares has."""
CLAIM_KEYS = (
    "fit_above",
    "fit_above_familywise",
    "apart_familywise",
    "fit_place_best",
    "fit_place_worst",
    "matches_to_tell",
)
"""Columns of any fit with intervals."""


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
    fit: AnyFit | None
    fit_by: FitBy = FitBy.PLACES
    """What the fit is by, or would be."""
    by_fit: bool = False
    """Whether they are ordered by the fit, see `deciding_strengths`; otherwise by rating."""
    is_rated: bool = True
    """Whether the entries have ratings; without, they are ordered by share."""
    moves: bool = False
    """Whether the league's field has ever changed, or will."""
    recount: Recount | None = None
    """The matches that were counted, if not all are."""
    movement: Movement | None = None
    """Since when movement is shown."""
    circles: tuple[tuple[str, ...], ...] = ()
    """Labels of bots that surely beat each other in a circle: each the next, and the last the first."""
    contradictions: tuple[tuple[str, str], ...] = ()
    """Labels of a bot that surely beats another, and of that one, which the fit surely places above it."""

    undecided: tuple[Undecided, ...] = ()
    """The neighbours that are not told apart, pair by pair; those first that would be told soonest."""
    chosen: bool = False
    """Whether the results decide who meets whom, as on a ladder."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns in JSON and CSV."""
        left_out = {
            *(() if self.moves else STATE_KEYS),
            *(() if self.movement else MOVEMENT_KEYS),
            *(() if self.is_rated else (*RATING_KEYS, *FIT_KEYS, *LEAST_SQUARES_KEYS, *CLAIM_KEYS)),
            *(LEAST_SQUARES_KEYS if self.fit_by is FitBy.PLACES else PLACES_KEYS),
        }
        return tuple(key for key in keys_of(RankingRow) if key not in left_out)


def rankings(
    store: "Store",
    league: LeagueRecord,
    fit: AnyFit | None = None,
    least_matches: int | None = None,
    *,
    fit_by: FitBy | None = None,
    selection: Selection | None = None,
    fits_selection: bool = False,
    since: datetime | None = None,
    report: Report | None = None,
) -> Rankings:
    """Return the rankings of a league, optionally with a fit beside them. For `least_matches`, see `least_matches_of`.

    `fit_by`: what a new fit is by; None: as `fit_by_of` · `selection`: count only these matches, rate them again, and
    use no other `fit` than a new one of these matches, if `fits_selection` · `since`: also tell how the entries have
    moved since the rankings of that moment · `report` is called now and then while matches are rated again. Raises
    RatingMissing, RatingFailed, UnknownName.
    """
    rated = store.leagues.progress(league.uuid).matches_counted
    by = fit.by if fit else fit_by or fit_by_of(store, league)
    stored, states = _standings(store, league)
    least = least_matches_of(league, stored, least_matches)
    movement = (
        None if since is None else Movement(since, store.matches.first_after(league.uuid, utc_text(since)))
    )
    counted = None
    standings: Sequence[Standing] = stored
    if selection is not None and not selection.is_everything:
        counted = recount(store, league, selection, movement.match_no if movement else None, report)
        standings = [row for row in counted.standings if row.matches or states.of(row.entry_no).is_ranked]
        fit = (
            fit_of(store, league.uuid, by, counted.match_nos) if fits_selection and counted.is_rated else None
        )
    before: Mapping[int, Place] | None = None
    order = None if counted or movement else deciding_strengths(store, league)
    if movement is not None:
        earlier = counted.before if counted else earlier_standings(store, league, stored, movement.match_no)
        before = places(states.ranked_before(movement.match_no, earlier or ()), least)
    is_rated = counted.is_rated if counted else True
    circles, contradictions = _claims(store, league, stored, counted, fit) if is_rated else ((), ())
    rows = _rows(league, standings, least, fit, states, before, order, is_rated=is_rated)
    return Rankings(
        league=league_summary(store, league),
        scale=league.scale,
        rows=rows,
        undecided=undecided(rows),
        by_fit=order is not None,
        least_matches=least,
        rating_stopped_at=store.leagues.rating_stopped_at(league.uuid),
        rated_matches=counted.matches if counted else rated,
        waiting_games=len(store.games.keys(league.uuid, rated)) if league.rated else 0,
        fit=fit,
        fit_by=by,
        is_rated=is_rated,
        moves=states.moves,
        chosen=is_chosen(league),
        recount=counted,
        movement=movement,
        circles=circles,
        contradictions=contradictions,
    )


Labels = tuple[str, ...]


def _claims(
    store: "Store",
    league: LeagueRecord,
    stored: Sequence[Standing],
    counted: Recount | None,
    fit: AnyFit | None,
) -> tuple[tuple[Labels, ...], tuple[tuple[str, str], ...]]:
    """Return the labels of circles, and of contradictions; none in a large field, where only statistics look."""
    if len(stored) > MOST_ENTRIES:
        return (), ()
    labels = {row.entry_no: row.label for row in stored}
    found = circles_of_parts(counted.parts, len(stored)) if counted else circles_of(store, league)
    return (
        tuple(tuple(labels[entry] for entry in circle) for circle in found.circles),
        tuple(
            (labels[claim.entry_no], labels[claim.beaten_no]) for claim in contradicting(found.claims, fit)
        ),
    )


def _standings(store: "Store", league: LeagueRecord) -> tuple[list[Standing], FieldStates]:
    """Return the standings of a league and what became of its entries.

    An entry that has just taken over gets its rating once all matches before its first have results; until then, it
    has the one that its predecessor would leave it now.
    """
    stored = store.ratings.standings(league.uuid)
    states = FieldStates(store, league, stored)
    rows = {row.entry_no: row for row in stored}
    widen = league.config.get("rating", {}).get("widen")
    for heir, predecessor in states.heirs if widen is not None else ():
        if not rows[heir].matches and not store.entries.has_prior(league.uuid, heir):
            left = Rating(rows[predecessor].mu, rows[predecessor].sigma)
            first = taken_over(left, widen, league.scale.start)
            rows[heir] = msgspec.structs.replace(
                rows[heir], mu=first.mu, sigma=first.sigma, conservative=league.scale.conservative(first)
            )
    return list(rows.values()), states


def ranking_rows(
    store: "Store", league: LeagueRecord, fit: AnyFit | None = None, least_matches: int | None = None
) -> tuple[RankingRow, ...]:
    """Return the entries of a league, best first, reading only derived tables and events.

    `fit`: an order-free fit to show beside them · `least_matches`: with fewer, an entry has no rank; None: use
    `least_matches_of`.
    """
    standings, states = _standings(store, league)
    least = least_matches_of(league, standings, least_matches)
    return _rows(league, standings, least, fit, states, order=deciding_strengths(store, league))


def in_ranking_order(store: "Store", league: LeagueRecord) -> list[Standing]:
    """Return the standings of a league's entries in the order of its rankings."""
    standings, states = _standings(store, league)
    least = least_matches_of(league, standings)
    shown = (row for row in standings if states.is_shown(row.entry_no))
    return ranked(shown, least, deciding_strengths(store, league))


def _rows(
    league: LeagueRecord,
    standings: Sequence[Standing],
    least_matches: int,
    fit: AnyFit | None,
    states: FieldStates,
    before: Mapping[int, Place] | None = None,
    order: Mapping[int, float] | None = None,
    *,
    is_rated: bool = True,
) -> tuple[RankingRow, ...]:
    """Return the rows of those that are part of the league already.

    `before`: where they were, to tell movement · `order`: strengths that they are ordered by, if not by ratings.
    """
    found = {row.entry_no: states.of(row.entry_no) for row in standings if states.is_shown(row.entry_no)}
    ordered = ranked((row for row in standings if row.entry_no in found), least_matches, order)
    now = places([row for row in ordered if found[row.entry_no].is_ranked], least_matches, order)
    labels = {row.entry_no: row.label for row in standings}
    strengths = fitted_strengths(fit)
    ranges = place_ranges(strengths, now)
    by_fit = sorted(strengths[entry_no].value for entry_no in now if entry_no in strengths)
    rows = []
    above: list[Standing] = []
    for row in ordered:
        state, place = found[row.entry_no], now.get(row.entry_no)
        strength = strengths.get(row.entry_no)
        surely = set((strength.above if strength else None) or ())
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
                **(strength.columns if strength else NO_COLUMNS),
                fit_rank=1 + sum(value > strength.value for value in by_fit)
                if strength and is_fitted
                else None,
                fit_through=fit.through if fit and strength else None,
                apart=are_apart(strengths, above[-1].entry_no, row.entry_no) if is_fitted and above else None,
                fit_above=named(strength.above, labels) if strength else None,
                fit_above_familywise=named(strength.above_familywise, labels) if strength else None,
                apart_familywise=are_apart(strengths, above[-1].entry_no, row.entry_no, familywise=True)
                if is_fitted and above
                else None,
                fit_place_best=ranges[row.entry_no][0] if row.entry_no in ranges else None,
                fit_place_worst=ranges[row.entry_no][1] if row.entry_no in ranges else None,
                matches_to_tell=matches_to_tell_neighbours(strengths, fit.through, above[-1], row)
                if fit and is_fitted and above
                else None,
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


def least_matches_of(league: LeagueRecord, standings: Iterable[Standing], given: int | None = None) -> int:
    """Return the number of matches that an entry needs for a rank: the given one, or a default for the league.

    While a league runs, a few matches say little. Once it is finished, every entry that played about as much as the
    others has a rank, and the fit's intervals show how certain it is. If rankings are ordered by μ alone, an entry
    with less than half of the median number of matches still has none: a lucky start must not put it first.
    """
    if given is not None:
        return given
    if league.state != "finished":
        return LEAST_MATCHES
    if league.scale.deviations or not league.scale.has_sigma:
        return 1
    played = [row.matches for row in standings if row.matches]
    return max(1, min(LEAST_MATCHES, int(median(played)) // 2)) if played else 1


def is_fit_due(store: "Store", league: LeagueRecord, fit: AnyFit | None, least_matches: int | None) -> bool:
    """Return whether a finished league has ranks to compare with a fit, but no current fit."""
    if league.state != "finished":
        return False
    if fit is not None and fit.through == store.leagues.progress(league.uuid).matches_counted:
        return False
    standings = store.ratings.standings(league.uuid)
    least = least_matches_of(league, standings, least_matches)
    return any(row.matches >= least for row in standings)


def ordering_fit(store: "Store", league: LeagueRecord) -> AnyFit | None:
    """Return the cached fit of a league; make and cache it first if it is due and decides the order."""
    by = fit_by_of(store, league)
    fit = kept_fit(store, league.uuid, by)
    decides = by is not FitBy.PLACES and league.rated and not league.scale.deviations
    return new_fit(store, league.uuid, by) if decides and is_fit_due(store, league, fit, None) else fit


def deciding_strengths(store: "Store", league: LeagueRecord) -> Mapping[int, float] | None:
    """Return the strengths, by entry number, that a league is ordered by; None if by ratings.

    A league by scores is ordered by its strength in points once it is finished and all its matches are fitted. While
    it runs, the fit is behind. Leagues ordered with `deviations` are from before this was so, or want their own order.
    """
    if league.state != "finished" or not league.rated or league.scale.deviations:
        return None
    by = fit_by_of(store, league)
    fit = None if by is FitBy.PLACES else kept_fit(store, league.uuid, by)
    if not isinstance(fit, KeptLeastSquares):
        return None
    if fit.through != store.leagues.progress(league.uuid).matches_counted:
        return None
    return {one.entry_no: one.value for one in fit.fit.strengths}

"""Rankings: ratings and totals, with an order-free fit to all matches beside them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field

from results.analysis.fit import Strength, share_of
from results.query_rows import Standing
from results.ratings.base import Scale
from results.records import LeagueRecord
from results.reports.fit_cache import KeptFit
from results.reports.leagues import LeagueSummary, league_summary
from results.reports.rows import ReportRow
from results.scoring import LEAST_MATCHES
from results.standings import ranked

if TYPE_CHECKING:
    from results.store import Store


class RankingRow(ReportRow, frozen=True, kw_only=True):
    """One entry. Entries with too few matches for a rank come last and have the rank None."""

    rank: int | None
    """From 1, in ranking order; equal ratings share a rank."""
    label: str
    mu: float
    sigma: float | None
    """None if the rating system has none."""
    conservative: float
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


def rankings(
    store: "Store", league: LeagueRecord, fit: KeptFit | None = None, least_matches: int | None = None
) -> Rankings:
    """Return the rankings of a league, optionally with a fit beside them. For `least_matches`, see `ranking_rows`."""
    rated = store.leagues.progress(league.uuid).matches_counted
    return Rankings(
        league=league_summary(store, league),
        scale=league.scale,
        rows=ranking_rows(store, league, fit, least_matches),
        least_matches=least_matches_of(league, least_matches),
        rating_stopped_at=store.leagues.rating_stopped_at(league.uuid),
        rated_matches=rated,
        waiting_games=len(store.games.keys(league.uuid, rated)) if league.rated else 0,
        fit=fit,
    )


def ranking_rows(
    store: "Store", league: LeagueRecord, fit: KeptFit | None = None, least_matches: int | None = None
) -> tuple[RankingRow, ...]:
    """Return the entries of a league, best first, reading only derived tables.

    `fit`: an order-free fit to show beside them · `least_matches`: with fewer, an entry has no rank; None: use
    `least_matches_of`.
    """
    least_matches = least_matches_of(league, least_matches)
    standings = ranked(store.ratings.standings(league.uuid), least_matches)
    strengths = {} if fit is None else {one.entry_no: one for one in fit.fit.strengths}
    fitted = [row for row in standings if row.matches >= least_matches and row.entry_no in strengths]
    by_fit = sorted(strengths[row.entry_no].elo for row in fitted)
    rows = []
    above: list[Standing] = []
    for row in standings:
        is_ranked = row.matches >= max(1, least_matches)
        strength = strengths.get(row.entry_no)
        surely = (strength.surely_above if strength else None) or ()
        is_fitted = is_ranked and strength is not None
        rows.append(
            RankingRow(
                rank=row.place if is_ranked else None,
                label=row.label,
                mu=row.mu,
                sigma=row.sigma if league.scale.has_sigma else None,
                conservative=row.conservative,
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
                disputes=tuple(other.label for other in above if is_ranked and other.entry_no in surely),
                needs=0 if is_ranked else max(1, least_matches) - row.matches,
                retired=row.retired,
                version=row.version,
            )
        )
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

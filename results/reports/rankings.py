"""Rankings: ratings, totals, and beside them an order-free fit to all matches."""

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
    """One entry. Those with too few matches for a rank come last; so do their ranks, which are None."""

    rank: int | None
    """From 1, by what rankings are ordered by; equal ratings share a rank."""
    label: str
    mu: float
    sigma: float | None
    """None where the rating system has none."""
    conservative: float
    """What rankings are ordered by: with TrueSkill μ − 3σ."""
    matches: int
    games: int
    wins: float
    """Games won; a win shared among k counts 1/k."""
    share_percent: float | None = field(name="share")
    """Mean share of a game, 0 to 100; None before the first."""
    faults: int
    """Games in which it was forfeited."""
    fit_elo: float | None
    """Strength by the fit, in Elo points above the mean; this and all else of the fit is None where there is none."""
    fit_elo_low: float | None
    fit_elo_high: float | None
    """The ends of its 95 % interval; None where none was drawn."""
    fit_share_percent: float | None = field(name="fit_share")
    """Share of matches that it is expected to take from a bot at the mean, 0 to 100."""
    fit_rank: int | None
    """By the fit, among the entries that have a rank."""
    fit_through: int | None
    """The fit rests on all matches below this number."""
    apart: bool | None
    """Whether it is sure, at 95 %, which is stronger, it or the entry above; None for the first, and without intervals.
    """
    disputes: tuple[str, ...]
    """Labels of the entries ranked above it that are weaker for sure by the fit."""
    needs: int
    """Matches that are missing for a rank."""
    retired: bool
    version: str | None
    """`author/bot@3`; None for a player that is no submitted bot."""


class Rankings(Struct, frozen=True, kw_only=True):
    """The rankings of a league, with what has to be said of them as a whole."""

    league: LeagueSummary
    scale: Scale
    """What the ratings mean."""
    rows: tuple[RankingRow, ...]
    """The best first."""
    least_matches: int
    """With fewer an entry has no rank."""
    rated_matches: int
    """Matches that are in the rankings."""
    fit: KeptFit | None


def rankings(
    store: "Store", league: LeagueRecord, fit: KeptFit | None = None, least_matches: int | None = None
) -> Rankings:
    """Return the rankings of a league, with a fit beside them or without. `least_matches` as for `ranking_rows`."""
    return Rankings(
        league=league_summary(store, league),
        scale=league.scale,
        rows=ranking_rows(store, league, fit, least_matches),
        least_matches=least_matches_of(league, least_matches),
        rated_matches=store.leagues.progress(league.uuid).matches_counted,
        fit=fit,
    )


def ranking_rows(
    store: "Store", league: LeagueRecord, fit: KeptFit | None = None, least_matches: int | None = None
) -> tuple[RankingRow, ...]:
    """Return the entries of a league, the best first: read from derived tables only.

    `fit`: an order-free fit to be shown beside · `least_matches`: with fewer an entry has no rank; None: as
    `least_matches_of` says.
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
    """Return the matches that an entry needs for a rank: what was given, or else what suits the league.

    While a league runs, few matches say little. Once it is finished, everybody who played has a rank, and the
    fit's intervals tell how sure it is.
    """
    if given is not None:
        return given
    return 1 if league.state == "finished" else LEAST_MATCHES


def is_fit_due(store: "Store", league: LeagueRecord, fit: KeptFit | None, least_matches: int | None) -> bool:
    """Return whether a league that is over has ranks to be held against a fit, and none that is up to date."""
    if league.state != "finished":
        return False
    if fit is not None and fit.through == store.leagues.progress(league.uuid).matches_counted:
        return False
    least = least_matches_of(league, least_matches)
    return any(row.matches >= least for row in store.ratings.standings(league.uuid))


def _are_apart(strengths: Mapping[int, Strength], upper: Standing, lower: Standing) -> bool | None:
    """Return whether it is sure which of two is stronger; None where no intervals were drawn."""
    first, second = strengths.get(upper.entry_no), strengths[lower.entry_no]
    if first is None or first.surely_above is None or second.surely_above is None:
        return None
    return lower.entry_no in first.surely_above or upper.entry_no in second.surely_above

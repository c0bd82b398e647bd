"""Rankings: ratings and totals, with an order-free fit to all matches beside them."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from statistics import median
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from results.analysis.fit_results import Strength as FittedStrength
from results.base.clock import utc_text
from results.base.scoring import LEAST_MATCHES
from results.ratings.base import Rating, taken_over
from results.records import LeagueRecord
from results.records.query_rows import Standing, ranked
from results.records.roster import Roster
from results.reports.circles import circles_among, circles_of, contradicting
from results.reports.columns import percent, row_from
from results.reports.fits import (
    UNITS,
    CachedFit,
    FitBy,
    are_apart,
    cached_fit,
    fit_by_of,
    fit_of,
    matches_to_tell_neighbours,
    new_fit,
    place_ranges,
)
from results.reports.history import Movement, earlier_standings, moved_since, places
from results.reports.league_states import FieldStates
from results.reports.leagues import league_summary
from results.reports.ranking_columns import (
    Claims,
    Counted,
    FormatStanding,
    Placing,
    RankingRow,
    Rankings,
    Scores,
    Strength,
    undecided,
)
from results.reports.recounted_matches import MOST_ENTRIES, Recount, Report, Selection, recount, remembered
from results.store import Store


def rankings(
    store: Store,
    league: LeagueRecord,
    fit: CachedFit | None = None,
    least_matches: int | None = None,
    *,
    fit_by: FitBy | None = None,
    selection: Selection | None = None,
    fits_selection: bool = False,
    since: datetime | None = None,
    report: Report | None = None,
    by_format: Mapping[int, Placing] = MappingProxyType({}),
) -> Rankings:
    """Return the rankings of a league, optionally with a fit beside them. For `least_matches`, see `least_matches_of`.

    A league without ratings has rows only if matches are selected, such as `EVERY_MATCH`, as all are read for them.
    `fit_by`: what a new fit is by; None: as `fit_by_of` · `selection`: count only these matches, rate them again, and
    use no other `fit` than a new one of these matches, if `fits_selection` · `since`: also tell how the entries have
    moved since the rankings of that moment · `by_format`: by entry number, where it stands by the rules of the
    league's format; it orders all rows, unless only some matches are counted · `report` is called now and then while
    matches are rated again. Raises RatingMissing, RatingFailed, UnknownName.
    """
    rated = store.leagues.progress(league.uuid).matches_counted
    by = fit.by if fit else fit_by or fit_by_of(league)
    stored, states = _standings(store, league)
    least = least_matches_of(league, stored, least_matches)
    movement = (
        None if since is None else Movement(since, store.matches.first_after(league.uuid, utc_text(since)))
    )
    counted = None
    standings: Sequence[Standing] = stored
    if selection is not None and not selection.is_everything:
        counted = recount(store, league, selection, movement.match_no if movement else None, report)
        standings = [row for row in counted.standings if row.matches or not states.of(row.entry_no).is_gone]
        fit = (
            fit_of(store, league.uuid, by, counted.match_nos) if fits_selection and counted.is_rated else None
        )
    before: Mapping[int, Standing] | None = None
    order: Mapping[int, float] | None = None
    by_share = False
    if counted or movement:
        by_format = {}
    elif by_format:
        least = 1
    else:
        order, by_share = deciding_order(store, league), is_by_share(store, league)
        least = 1 if by_share and least_matches is None else least
    if movement is not None:
        earlier = counted.before if counted else earlier_standings(store, league, stored, movement.match_no)
        before = places(states.ranked_before(movement.match_no, earlier or ()), least)
    is_rated = counted.is_rated if counted else True
    circles, contradictions = _claims(store, league, stored, counted, fit) if is_rated else ((), ())
    rows = _rows(league, standings, least, fit, states, before, order, by_format, is_rated=is_rated)
    if league.counts_scores:
        rows = _with_scores(rows, standings, fit, {} if counted else _scores_of(store, league))
    return Rankings(
        league=league_summary(store, league),
        scale=league.scale,
        rows=rows,
        undecided=undecided(rows),
        by_fit=order is not None and not by_format and not by_share,
        by_share=by_share,
        least_matches=least,
        rating_stopped_at=store.leagues.rating_stopped_at(league.uuid),
        rated_matches=counted.matches if counted else rated,
        waiting_games=len(store.games.keys(league.uuid, rated)) if league.rated else 0,
        fit=fit.summary if fit else None,
        fit_by=by,
        is_rated=is_rated,
        counts_scores=league.counts_scores,
        moves=states.moves,
        chosen=league.traits.chooses,
        lacks_standings=bool(league.traits.places) and not (by_format or counted or movement),
        own_standings=(league.traits.places or None) if by_format else None,
        recount=Counted(counted.matches, counted.of) if counted else None,
        movement=movement,
        circles=circles,
        contradictions=contradictions,
    )


Labels = tuple[str, ...]


def _claims(
    store: Store,
    league: LeagueRecord,
    stored: Sequence[Standing],
    counted: Recount | None,
    fit: CachedFit | None,
) -> tuple[tuple[Labels, ...], tuple[tuple[str, str], ...]]:
    """Return the labels of circles, and of contradictions; none in a large field, where only statistics look."""
    if len(stored) > MOST_ENTRIES:
        return (), ()
    labels = {row.entry_no: row.label for row in stored}
    found = circles_among(counted.meetings, len(stored)) if counted else circles_of(store, league)
    return (
        tuple(tuple(labels[entry] for entry in circle) for circle in found.circles),
        tuple(
            (labels[claim.entry_no], labels[claim.opponent_no]) for claim in contradicting(found.claims, fit)
        ),
    )


def _standings(store: Store, league: LeagueRecord) -> tuple[list[Standing], FieldStates]:
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
            rows[heir] = msgspec.structs.replace(rows[heir], mu=first.mu, sigma=first.sigma)
    return list(rows.values()), states


def ranking_rows(
    store: Store,
    league: LeagueRecord,
    fit: CachedFit | None = None,
    by_format: Mapping[int, Placing] = MappingProxyType({}),
) -> tuple[RankingRow, ...]:
    """Return the entries of a league, best first, reading only derived tables and events.

    `fit`: an order-free fit to show beside them · `by_format`: as in `rankings`.
    """
    standings, states = _standings(store, league)
    least = _least(store, league, standings)
    return _rows(league, standings, least, fit, states, None, deciding_order(store, league), by_format)


def _with_scores(
    rows: Sequence[RankingRow],
    standings: Sequence[Standing],
    fit: CachedFit | None,
    scores: Mapping[int, Sequence[tuple[float, int]]],
) -> tuple[RankingRow, ...]:
    """Return the rows with their scores, and how far each is behind the one above.

    `scores`: by entry, each score in ascending order, and how many games had it.
    """
    numbers = {row.label: row.entry_no for row in standings}
    means = {row.label: row.score for row in standings}
    strengths = fit.strengths if fit else {}
    upper: FittedStrength | None = None
    found = []
    for row in rows:
        of_entry = scores.get(numbers[row.label], ())
        one = strengths.get(numbers[row.label])
        behind = half = None
        if row.rank is not None and one is not None:
            stronger = [other.value for other in strengths.values() if other.value > one.value]
            if upper is not None and upper.value == min(stronger, default=one.value):
                behind, half = upper.value - one.value, one.behind_half
            upper = one
        mean = means[row.label]
        shown = Scores(
            mean=0.0 if mean is None else mean,
            median=_median(of_entry),
            best=of_entry[-1][0] if of_entry else None,
            behind=behind,
            behind_low=None if half is None or behind is None else behind - half,
            behind_high=None if half is None or behind is None else behind + half,
        )
        found.append(
            msgspec.structs.replace(row, scores=None if mean is None else shown, mu=None, sigma=None)
        )
    return tuple(found)


def _median(scores: Sequence[tuple[float, int]]) -> float | None:
    """Return the median of scores in ascending order, each with how many games had it; None without any."""
    games = sum(count for _, count in scores)
    if not games:
        return None
    middle = []
    for wanted in ((games - 1) // 2, games // 2):
        below = 0
        for score, count in scores:
            below += count
            if below > wanted:
                middle.append(score)
                break
    return sum(middle) / 2


def _scores_of(store: Store, league: LeagueRecord) -> Mapping[int, Sequence[tuple[float, int]]]:
    """Return `Totals.scores`, read once as long as nothing is added: a visitor can't have it read again and again."""
    key = league.uuid, store.leagues.progress(league.uuid).matches_counted, store.ratings.digest(league.uuid)
    return remembered(store, "scores", key, lambda: store.totals.scores(league.uuid), 16)


class Ranked(NamedTuple):
    """An entry with its rank; None without one."""

    rank: int | None
    entry: Standing


def ranked_entries(
    store: Store, league: LeagueRecord, by_format: Mapping[int, Placing] = MappingProxyType({})
) -> list[Ranked]:
    """Return the entries of a league in the order of its rankings, with the same ranks; `by_format`: as there."""
    standings, states = _standings(store, league)
    shown = [row for row in standings if states.is_shown(row.entry_no)]
    least = _least(store, league, standings)
    ordered, now = _in_order(shown, states, least, deciding_order(store, league), by_format)
    return [Ranked(now[row.entry_no].place if row.entry_no in now else None, row) for row in ordered]


def first_entries(
    store: Store,
    league: LeagueRecord,
    most: int,
    roster: Roster,
    by_format: Mapping[int, Placing] = MappingProxyType({}),
) -> list[Ranked]:
    """Return the first of `ranked_entries` that have a rank, without reading all of a field that ratings order.

    On a ladder on which nobody has a rank yet: the first of those that have played. `roster`: of its next match.
    """
    if by_format or not league.rated or league.state == "finished" or is_by_share(store, league):
        return [row for row in ranked_entries(store, league, by_format) if row.rank is not None][:most]
    least, gone = least_matches_of(league, ()), roster.awaited | roster.retired.keys()
    if found := store.ratings.leaders(league.uuid, most, least, gone):
        return [Ranked(row.place, row) for row in found]
    return [Ranked(None, row) for row in store.ratings.leaders(league.uuid, most, 1, gone)]


def in_ranking_order(
    store: Store, league: LeagueRecord, by_format: Mapping[int, Placing] = MappingProxyType({})
) -> list[Standing]:
    """Return the standings of a league's entries in the order of its rankings."""
    return [row.entry for row in ranked_entries(store, league, by_format)]


def _least(store: Store, league: LeagueRecord, standings: Iterable[Standing]) -> int:
    """Return how many matches an entry needs for a rank: one where everybody plays equally often anyway."""
    return 1 if is_by_share(store, league) else least_matches_of(league, standings)


def _in_order(
    rows: Sequence[Standing],
    states: FieldStates,
    least_matches: int,
    order: Mapping[int, float] | None,
    by_format: Mapping[int, Placing],
) -> tuple[list[Standing], Mapping[int, Standing]]:
    """Return entries in the order of the rankings, and those with a rank, by number, with their places."""
    if not by_format:
        ordered = ranked(rows, least_matches, order)
        return ordered, places(
            [row for row in ordered if not states.of(row.entry_no).is_gone], least_matches, order
        )
    last = len(rows) + 1
    placed = [
        msgspec.structs.replace(
            row, place=by_format[row.entry_no].place if row.entry_no in by_format else last
        )
        for row in rows
    ]
    placed.sort(key=lambda row: (row.place, -(row.share or 0.0), row.entry_no))
    has_begun = any(row.matches for row in rows)
    return placed, {
        row.entry_no: row
        for row in placed
        if has_begun and row.entry_no in by_format and not states.of(row.entry_no).is_gone
    }


def _rows(
    league: LeagueRecord,
    standings: Sequence[Standing],
    least_matches: int,
    fit: CachedFit | None,
    states: FieldStates,
    before: Mapping[int, Standing] | None = None,
    order: Mapping[int, float] | None = None,
    by_format: Mapping[int, Placing] = MappingProxyType({}),
    *,
    is_rated: bool = True,
) -> tuple[RankingRow, ...]:
    """Return the rows of those that are part of the league already.

    `before`: where they were, to tell movement · `order`: what they are ordered by, if not by ratings · `by_format`:
    where they stand by the league's format.
    """
    found = {row.entry_no: states.of(row.entry_no) for row in standings if states.is_shown(row.entry_no)}
    shown = [row for row in standings if row.entry_no in found]
    ordered, now = _in_order(shown, states, least_matches, order, by_format)
    labels = {row.entry_no: row.label for row in standings}
    fitted = _Fitted(fit, labels, now)
    rows = []
    above: dict[int, Standing] = {}
    for row in ordered:
        state, place = found[row.entry_no], now.get(row.entry_no)
        rows.append(
            row_from(
                row,
                RankingRow,
                rank=place.place if place else None,
                mu=row.mu if is_rated else None,
                sigma=row.sigma if is_rated and league.scale.has_sigma else None,
                share_percent=percent(row.share),
                strength=fitted.strength(row.entry_no),
                claims=fitted.claims(row, {} if by_format else above),
                standing=row_from(by_format[row.entry_no], FormatStanding)
                if row.entry_no in by_format
                else None,
                needs=0 if state.is_gone or by_format else max(0, max(1, least_matches) - row.matches),
                retired=state.is_gone,
                state=state.state,
                state_why=state.why,
                is_new=state.is_new,
                joined_match=state.joined_match,
                moved=None if before is None else moved_since(before, row.entry_no, place, is_rated=is_rated),
            )
        )
        if place is not None:
            above[row.entry_no] = row
    return tuple(rows)


class _Fitted:
    """What a fit says of the entries of rankings."""

    def __init__(self, fit: CachedFit | None, labels: Mapping[int, str], ranked: Collection[int]) -> None:
        """`labels`: by entry number · `ranked`: the entries that have a rank."""
        self._fit = fit
        self._labels = labels
        self._ranked = ranked
        self._strengths: dict[int, FittedStrength] = fit.strengths if fit else {}
        self._ranges = place_ranges(self._strengths, ranked)
        self._values = sorted(self._strengths[entry].value for entry in ranked if entry in self._strengths)

    def strength(self, entry_no: int) -> Strength | None:
        one = self._strengths.get(entry_no)
        if self._fit is None or one is None:
            return None
        return row_from(
            one,
            Strength,
            unit=UNITS[self._fit.by],
            share_percent=percent(one.share),
            rank=1 + len(self._values) - bisect_right(self._values, one.value)
            if entry_no in self._ranked
            else None,
            through=self._fit.through,
        )

    def claims(self, row: Standing, above: dict[int, Standing]) -> Claims | None:
        """Return the claims about an entry; `above`: those ranked above it, by number, best first."""
        one = self._strengths.get(row.entry_no)
        if self._fit is None or one is None or one.above is None:
            return None
        is_ranked = row.entry_no in self._ranked
        apart = apart_familywise = needed = None
        if above and is_ranked:
            upper = next(reversed(above.values()))
            apart = are_apart(self._strengths, upper.entry_no, row.entry_no)
            apart_familywise = are_apart(self._strengths, upper.entry_no, row.entry_no, familywise=True)
            needed = matches_to_tell_neighbours(self._strengths, self._fit.through, upper, row)
        weaker = set(one.above).intersection(above) if is_ranked else ()
        best, worst = self._ranges.get(row.entry_no, (None, None))
        return Claims(
            above=self._named(one.above),
            above_familywise=self._named(one.above_familywise or ()),
            apart=apart,
            apart_familywise=apart_familywise,
            place_best=best,
            place_worst=worst,
            matches_to_tell=needed,
            disputes=tuple(above[entry].label for entry in above if entry in weaker) if weaker else (),
            drift=one.drift,
        )

    def _named(self, entries: Iterable[int]) -> tuple[str, ...]:
        return tuple(filter(None, map(self._labels.get, entries)))


def least_matches_of(league: LeagueRecord, standings: Iterable[Standing], given: int | None = None) -> int:
    """Return the number of matches that an entry needs for a rank: the given one, or a default for the league.

    While a league runs, a few matches say little. Once it is finished, every entry that played about as much as the
    others has a rank, and the fit's intervals show how certain it is. An entry with less than half of the median
    number of matches still has none if ratings have a σ: a lucky start must not put it first.
    """
    if given is not None:
        return given
    if league.state != "finished":
        return LEAST_MATCHES
    if not league.scale.has_sigma:
        return 1
    played = [row.matches for row in standings if row.matches]
    return max(1, min(LEAST_MATCHES, int(median(played)) // 2)) if played else 1


def is_fit_due(store: Store, league: LeagueRecord, fit: CachedFit | None, least_matches: int | None) -> bool:
    """Return whether a finished league has ranks to compare with a fit, but no current fit."""
    if league.state != "finished":
        return False
    if fit is not None and fit.through == store.leagues.progress(league.uuid).matches_counted:
        return False
    standings = store.ratings.standings(league.uuid)
    least = least_matches_of(league, standings, least_matches)
    return any(row.matches >= least for row in standings)


def ordering_fit(store: Store, league: LeagueRecord) -> CachedFit | None:
    """Return the cached fit of a league; make and cache it first if it is due and decides the order."""
    by = fit_by_of(league)
    fit = cached_fit(store, league.uuid, by)
    decides = by is not FitBy.PLACES and league.rated
    return new_fit(store, league.uuid, by) if decides and is_fit_due(store, league, fit, None) else fit


def _is_even(store: Store, league: LeagueRecord) -> bool:
    """Return whether everybody meets everybody: nobody has joined late or left, and no bots are kept apart."""
    if not league.traits.even:
        return False
    authors = [entry.author for entry in store.entries.all(league.uuid) if entry.author is not None]
    roster = store.entries.roster(league.uuid)
    apart = len(set(authors)) < len(authors) and not league.config.get("same_author")
    return not (apart or roster.has_changed or roster.awaited)


def is_by_share(store: Store, league: LeagueRecord) -> bool:
    """Return whether the mean share orders a league, as everybody meets everybody equally often."""
    return league.rated and _is_even(store, league) and fit_by_of(league) is FitBy.PLACES


def deciding_order(store: Store, league: LeagueRecord) -> Mapping[int, float] | None:
    """Return what a league's entries are ordered by, highest first, by entry number; None if by their ratings.

    A league by scores is ordered by its strength in points once it is finished and all its matches are fitted. While
    it runs, the fit is behind. Another league in which everybody meets everybody equally often is ordered by the mean
    share.
    """
    if is_by_share(store, league):
        return {row.entry_no: row.share or 0.0 for row in store.ratings.standings(league.uuid)}
    if league.state != "finished" or not league.rated:
        return None
    by = fit_by_of(league)
    fit = None if by is FitBy.PLACES else cached_fit(store, league.uuid, by)
    if fit is None or fit.through != store.leagues.progress(league.uuid).matches_counted:
        return None
    return {entry: one.value for entry, one in fit.strengths.items()}

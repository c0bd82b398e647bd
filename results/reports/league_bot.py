"""Everything that the pages show of one entry of a league, read from sums where there are any."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from results.records import EntryRecord, LeagueRecord, SeatRecord
from results.records.query_rows import FinishedGame, Placing
from results.reports import ranking_columns
from results.reports.faults import LatestFaultRow, latest_faults
from results.reports.fits import FitBy, cached_fit, fit_by_of
from results.reports.head_to_head import CountedBy, PairRow, pair_row
from results.reports.history import RatingCourse, rating_courses
from results.reports.ranking_columns import RankingRow
from results.reports.rankings import ranking_rows, rankings
from results.reports.statistics import (
    DecisionTimeRow,
    FaultCauseRow,
    SeatRow,
    TableSizeRow,
    decision_time_rows,
    fault_cause_rows,
    seat_rows,
    table_size_rows,
)
from results.store import Store

MOST_OPPONENTS = 10
"""Of more opponents, only the best and the worst are shown."""
MOST_FAULTS = 8
MOST_GAMES = 20
PLACINGS_OF = 5000
"""Ranks and margins are counted over this many of its latest games."""
SPANS = 240
"""The most points of the line of its rating."""


class RankShare(Struct, frozen=True, kw_only=True):
    """How often an entry finished at one rank."""

    rank: int
    games: int
    percent: float
    """Of the games at tables of this size (0 to 100)."""
    lead: float
    """Mean of its score minus the best of the others': negative behind a winner."""


class Ranks(Struct, frozen=True, kw_only=True):
    """At which ranks of tables of one size an entry finished, in games without a fault."""

    seats: int
    games: int
    ranks: tuple[RankShare, ...]
    lead_won: float | None
    """Mean lead in the games that it won alone or shared; None if there were none."""
    lead_lost: float | None
    """Mean lead, which is negative, in the others; None if there were none."""


class GameOfBot(NamedTuple):
    """A game that an entry played."""

    record: FinishedGame
    own: SeatRecord
    """If it had several seats, the first."""
    others: tuple[tuple[str, float], ...]
    """Label and score of the others, the best first."""


class ToldApart(Struct, frozen=True, kw_only=True):
    """Labels of the entries that are told apart from one, on one side of it, best first."""

    all_together: tuple[str, ...]
    """At 95 % for all pairs of the league together."""
    pair_by_pair: tuple[str, ...]
    """Besides, if only this one claim is made."""


class LeagueBot(Struct, frozen=True, kw_only=True):
    """One entry of a league."""

    row: RankingRow | None
    """Its line of the rankings; None in a league without ratings."""
    of: int
    """How many entries have a rank."""
    below: ToldApart
    """The entries that are surely weaker by the latest fit that is kept."""
    above: ToldApart
    fit_by: FitBy
    course: RatingCourse | None
    """None before its first match."""
    opponents: int
    best: tuple[PairRow, ...]
    """Those it does best against, surely best first; all opponents, if they are few."""
    worst: tuple[PairRow, ...]
    """Those it does worst against, surely worst first; empty if `best` has all."""
    seats: tuple[SeatRow, ...]
    sizes: tuple[TableSizeRow, ...]
    causes: tuple[FaultCauseRow, ...]
    faults: tuple[LatestFaultRow, ...]
    ranks: tuple[Ranks, ...]
    times: DecisionTimeRow | None
    games: tuple[GameOfBot, ...]


def league_bot(
    store: Store, league: LeagueRecord, entry: EntryRecord, by_format: Mapping[int, ranking_columns.Placing]
) -> LeagueBot:
    """Return what is known of an entry. `by_format`: as in `rankings`."""
    no = entry.entry_no
    fit_by = fit_by_of(league)
    fit = cached_fit(store, league.uuid, fit_by)
    rows = ranking_rows(store, league, fit, by_format=by_format) if league.rated else ()
    if league.counts_scores:
        rows = rankings(store, league, fit).rows
    row = next((row for row in rows if row.label == entry.label), None)
    labels = store.entries.labels(league.uuid)
    pairs = _pairs(store, league, no, labels)
    is_all = len(pairs) <= MOST_OPPONENTS
    half = MOST_OPPONENTS // 2
    return LeagueBot(
        row=row,
        of=sum(row.rank is not None for row in rows),
        below=_claims([(other.label, row, other) for other in rows] if row else ()),
        above=_claims([(other.label, other, row) for other in rows] if row else ()),
        fit_by=fit_by,
        course=next(iter(rating_courses(store, league, SPANS, (no,))), None) if league.rated else None,
        opponents=len(pairs),
        best=tuple(
            sorted(pairs, key=lambda pair: (-pair.low_percent, pair.opponent))[: None if is_all else half]
        ),
        worst=()
        if is_all
        else tuple(sorted(pairs, key=lambda pair: (pair.high_percent, pair.opponent))[:half]),
        seats=() if league.counts_scores else tuple(seat_rows(store, league, no)),
        sizes=tuple(table_size_rows(store, league, no)) if league.rated and not league.counts_scores else (),
        causes=tuple(fault_cause_rows(store, league, no)),
        faults=tuple(
            latest_faults(store, league, store.games.faults(league.uuid, entries=[no]), MOST_FAULTS)
        ),
        ranks=() if league.counts_scores else _ranks(store.games.placings(league.uuid, no, PLACINGS_OF)),
        times=next(iter(decision_time_rows(store, league, no)), None),
        games=tuple(
            _game(game, no, labels)
            for game in store.games.all(league.uuid, entries=[no], newest_first=True, limit=MOST_GAMES)
        ),
    )


def _claims(pairs: Sequence[tuple[str, RankingRow, RankingRow]]) -> ToldApart:
    """Return the labels of the pairs whose first entry is surely stronger than the second."""
    familywise = [
        label for label, one, other in pairs if one.claims and other.label in one.claims.above_familywise
    ]
    pairwise = [label for label, one, other in pairs if one.claims and other.label in one.claims.above]
    return ToldApart(
        all_together=tuple(familywise),
        pair_by_pair=tuple(label for label in pairwise if label not in familywise),
    )


def _pairs(store: Store, league: LeagueRecord, no: int, labels: dict[int, str]) -> list[PairRow]:
    found = (
        pair_row(pair, labels, CountedBy.MATCHES) for pair in store.totals.head_to_head(league.uuid, [no])
    )
    return [row for row in found if row is not None]


def _ranks(placings: Sequence[Placing]) -> tuple[Ranks, ...]:
    """Return the distribution of ranks and the margins, by table size."""
    found = []
    for seats in sorted({one.seats for one in placings}):
        of_size = {one.rank: one for one in placings if one.seats == seats}
        games = sum(one.games for one in of_size.values())
        won, lost = of_size.get(1), [one for rank, one in of_size.items() if rank > 1]
        found.append(
            Ranks(
                seats=seats,
                games=games,
                ranks=tuple(
                    RankShare(
                        rank=one.rank,
                        games=one.games,
                        percent=100 * one.games / games,
                        lead=one.lead / one.games,
                    )
                    for one in (of_size.get(rank, Placing(seats, rank, 0, 0)) for rank in range(1, seats + 1))
                    if one.games
                ),
                lead_won=won.lead / won.games if won else None,
                lead_lost=sum(one.lead for one in lost) / sum(one.games for one in lost) if lost else None,
            )
        )
    return tuple(found)


def _game(game: FinishedGame, entry_no: int, labels: dict[int, str]) -> GameOfBot:
    own = next(seat for seat in game.seats if seat.entry_no == entry_no)
    others = sorted((seat for seat in game.seats if seat is not own), key=lambda seat: (seat.rank, seat.seat))
    return GameOfBot(game, own, tuple((labels[seat.entry_no], seat.score) for seat in others))

"""Totals: sums over the games of a league. Reading them costs the same for any number of games, but for parts."""

from collections.abc import Collection, Iterator
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import CompoundSelect, Select, select

from results.base.scoring import UNIT, DealSums, game_shares, match_ranks
from results.records.query_rows import EntryStatistics, HeadToHead, PairPart, SeatResult, SeatStatistics
from results.records.totals_fold import PairParts
from results.store.database import rows
from results.store.league_rows import LeaguePart, progress_row
from results.store.tables.derived import ENTRY_TOTAL, FAULT_TOTAL, LUCK_TOTAL, PAIR_TOTAL, SEAT_TOTAL
from results.store.tables.leagues import ENTRY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


_FEW = 16
"""Entries whose pairs are looked for one by one."""

_PLACES = """
    SELECT match_no, rotation, entry_no, rank FROM seat JOIN match USING (league_id, match_no)
    WHERE seat.league_id = :league AND seat.match_no >= :first AND seat.match_no < :end
        AND match.state = 'done' AND match.rated
    ORDER BY seat.match_no, seat.rotation, seat.seat
    """


def _pairs_of(league: int, entries: Collection[int] | None) -> Select[Any] | CompoundSelect[Any]:
    """Return the query for the pairs of a league, or those with one of some entries.

    Pairs are found by their lower entry. Those in which a few entries are the higher ones are looked for by each lower
    one, as long as that is less than reading all pairs.
    """
    query = select(PAIR_TOTAL).where(PAIR_TOTAL.c.league_id == league)
    if entries is None:
        return query
    lower, higher = PAIR_TOTAL.c.entry_a.in_(entries), PAIR_TOTAL.c.entry_b.in_(entries)
    if len(entries) > _FEW:
        return query.where(lower | higher)
    below = select(ENTRY.c.entry_no).where(
        ENTRY.c.league_id == league, ENTRY.c.entry_no < max(entries, default=0)
    )
    as_higher = query.where(higher, PAIR_TOTAL.c.entry_a.in_(below), PAIR_TOTAL.c.entry_a.not_in(entries))
    return query.where(lower).union_all(as_higher)


class Totals(LeaguePart):
    """Sums over the games of a league: by entry, by seat, by pair of entries."""

    def head_to_head(self, league: str, entries: Collection[int] | None = None) -> list[HeadToHead]:
        """Return how each pair of entries did against each other, seen from both sides, by entry and opponent.

        `entries`: return only the rows of these entries, against all opponents.
        """
        with self._reading(league) as (connection, row):
            found = connection.execute(_pairs_of(row.id, entries)).all()
        pairs = []
        for pair in found:
            below = pair.games - pair.games_above - pair.games_tied
            matches_below = pair.matches - pair.matches_above - pair.matches_tied
            for entry, opponent, above, matches_above in (
                (pair.entry_a, pair.entry_b, pair.games_above, pair.matches_above),
                (pair.entry_b, pair.entry_a, below, matches_below),
            ):
                if entries is None or entry in entries:
                    of_games = (pair.games, above, pair.games_tied)
                    of_matches = (pair.matches, matches_above, pair.matches_tied)
                    pairs.append(HeadToHead(entry, opponent, *of_games, *of_matches))
        return sorted(pairs, key=lambda pair: (pair.entry_no, pair.opponent_no))

    def pair_parts(self, league: str) -> list[PairPart]:
        """Return how each pair of entries did in each part of the matches.

        Nothing keeps them up to date, so this reads every game counted in the rankings, block by block. Empty for a
        league without ratings.
        """
        with self._reading(league) as (connection, row):
            end = progress_row(connection, row.id).next_match_no if row.rated else 0
        parts = PairParts()
        for first in range(0, end, BLOCK):
            with self._database.reading() as connection:
                seats = rows(connection, _PLACES, league=row.id, first=first, end=min(first + BLOCK, end))
            for match_no, of_match in groupby(seats, key=itemgetter(0)):
                sums: dict[int, int] = {}
                for _, game in groupby(of_match, key=itemgetter(1)):
                    of_game = list(game)
                    shares = game_shares([rank for *_, rank in of_game])
                    for (_, _, entry, _), share in zip(of_game, shares, strict=True):
                        sums[entry] = sums.get(entry, 0) + share
                parts.add(match_no, list(sums), match_ranks(list(sums.values())))
        return parts.rows()

    def by_seat(self, league: str) -> list[SeatStatistics]:
        """Return how each entry did at each seat, by entry, table size and seat."""
        with self._reading(league) as (connection, row):
            totals = connection.execute(
                select(SEAT_TOTAL)
                .where(SEAT_TOTAL.c.league_id == row.id)
                .order_by(SEAT_TOTAL.c.entry_no, SEAT_TOTAL.c.seats, SEAT_TOTAL.c.seat)
            )
            return [
                SeatStatistics(
                    *(total.entry_no, total.seats, total.seat, total.games),
                    total.wins / UNIT,
                    total.share / UNIT / total.games,
                    total.score / total.games,
                )
                for total in totals
            ]

    def by_entry(self, league: str) -> list[EntryStatistics]:
        """Return the statistics of each entry that has played: decisions, times, faults by verdict."""
        names = EntryStatistics.__struct_fields__[2:-1]
        with self._reading(league) as (connection, row):
            faults: dict[int, dict[str, int]] = {}
            for fault in connection.execute(select(FAULT_TOTAL).where(FAULT_TOTAL.c.league_id == row.id)):
                faults.setdefault(fault.entry_no, {})[fault.verdict] = fault.games
            totals = connection.execute(
                select(ENTRY.c.entry_no, ENTRY.c.label, *(ENTRY_TOTAL.c[name] for name in names))
                .join(
                    ENTRY_TOTAL,
                    (ENTRY.c.league_id == ENTRY_TOTAL.c.league_id)
                    & (ENTRY.c.entry_no == ENTRY_TOTAL.c.entry_no),
                )
                .where(ENTRY_TOTAL.c.league_id == row.id)
                .order_by(ENTRY.c.entry_no)
            )
            return [
                EntryStatistics(**total._mapping, faults=faults.get(total.entry_no, {})) for total in totals
            ]

    def deal_sums(self, league: str) -> list[DealSums]:
        """Return the sums behind the luck of the deals, by entry, number of seats and games per match."""
        with self._reading(league) as (connection, row):
            sums = connection.execute(
                select(*(LUCK_TOTAL.c[name] for name in DealSums.__struct_fields__))
                .where(LUCK_TOTAL.c.league_id == row.id)
                .order_by(LUCK_TOTAL.c.entry_no, LUCK_TOTAL.c.seats, LUCK_TOTAL.c.games)
            )
            return [DealSums(*each) for each in sums]


BLOCK = 8192
"""Number of matches to read at a time."""

_ENTRIES = 1 << 31
"""More than any number of an entry."""

_SMALL = 1 << 8
"""More than any seat or rank."""

_SEATS = """
    FROM seat JOIN match USING (league_id, match_no)
    WHERE seat.league_id = :league AND seat.match_no >= :first AND seat.match_no < :end
        AND match.state = 'done' AND match.rated = :rated
    ORDER BY seat.match_no, seat.rotation, seat.seat
    """
_RESULTS = f"SELECT {', '.join(SeatResult._fields[:-1])}, verdict IS NOT NULL {_SEATS}"
# Fewer values are made for each seat, which take most of the time.
_PACKED = (
    f"SELECT seat.match_no * {_ENTRIES} + entry_no, ((rotation * {_SMALL} + seat) * {_SMALL} + rank) * 2 "
    f"+ (verdict IS NOT NULL), score {_SEATS}"
)


class Seats(LeaguePart):
    """The seats of a league's games."""

    def results(self, league: str) -> Iterator[list[SeatResult]]:
        """Yield how each seat of the games counted in the rankings ended, some whole matches at a time, in order.

        Each block is read in its own transaction.
        """
        for number, first, end in self._blocks(league):
            with self._database.reading() as connection:
                found = rows(connection, _RESULTS, league=number, rated=True, first=first, end=end)
            yield list(map(SeatResult._make, found))

    def arrays(
        self, league: str, through: int, first: int = 0, *, rated: bool = True
    ) -> "Iterator[Integers]":
        """Yield the same for the matches from `first` to `through` − 1, as arrays with a row for each seat.

        Columns are those of `SeatResult`. It takes half of the time. `rated = False`: of the matches that aren't rated.
        """
        import numpy as np

        for number, begin, end in self._blocks(league, through, first):
            with self._database.reading() as connection:
                found = rows(connection, _PACKED, league=number, rated=rated, first=begin, end=end)
            match, place, score = np.array(found, dtype=np.int64).reshape(-1, 3).T
            at, rank = np.divmod(place // 2, _SMALL)
            rotation, seat = np.divmod(at, _SMALL)
            yield np.column_stack(
                [match // _ENTRIES, rotation, seat, match % _ENTRIES, rank, score, place % 2]
            )

    def _blocks(
        self, league: str, through: int | None = None, first: int = 0
    ) -> Iterator[tuple[int, int, int]]:
        """Yield the league's number, the first match of each block, and the one after its last."""
        with self._reading(league) as (connection, row):
            end = progress_row(connection, row.id).next_match_no
        if through is not None:
            end = min(end, through)
        for begin in range(first, end, BLOCK):
            yield row.id, begin, min(begin + BLOCK, end)

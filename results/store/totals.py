"""Totals: sums over the games of a league. Reading them costs the same for any number of games, but for parts."""

from collections.abc import Collection
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import CompoundSelect, Select, bindparam, select

from results.pair_parts import PairParts
from results.query_rows import EntryStatistics, HeadToHead, PairPart, SeatStatistics
from results.scoring import UNIT, game_shares, match_ranks
from results.statistics import DealSums
from results.store.bulk import Prepared
from results.store.database import Part
from results.store.league_rows import league_row, progress_row
from results.store.seat_results import BLOCK
from results.store.tables import TABLES

_entry = TABLES["entry"]
_entry_total = TABLES["entry_total"]
_seat_total = TABLES["seat_total"]
_fault_total = TABLES["fault_total"]
_pair_total = TABLES["pair_total"]
_luck_total = TABLES["luck_total"]
_match = TABLES["match"]
_seat = TABLES["seat"]

_FEW = 16
"""Entries whose pairs are looked for one by one."""

_PLACES = Prepared(
    select(_seat.c.match_no, _seat.c.rotation, _seat.c.entry_no, _seat.c.rank)
    .join(_match, (_match.c.league_id == _seat.c.league_id) & (_match.c.match_no == _seat.c.match_no))
    .where(_seat.c.league_id == bindparam("league"), _match.c.state == "done", _match.c.rated)
    .where(_seat.c.match_no >= bindparam("first"), _seat.c.match_no < bindparam("end"))
    .order_by(_seat.c.match_no, _seat.c.rotation, _seat.c.seat)
)


def _pairs_of(league: int, entries: Collection[int] | None) -> Select[Any] | CompoundSelect[Any]:
    """Return the query for the pairs of a league, or those with one of some entries.

    Pairs are found by their lower entry. Those in which a few entries are the higher ones are looked for by each lower
    one, as long as that is less than reading all pairs.
    """
    query = select(_pair_total).where(_pair_total.c.league_id == league)
    if entries is None:
        return query
    lower, higher = _pair_total.c.entry_a.in_(entries), _pair_total.c.entry_b.in_(entries)
    if len(entries) > _FEW:
        return query.where(lower | higher)
    below = select(_entry.c.entry_no).where(
        _entry.c.league_id == league, _entry.c.entry_no < max(entries, default=0)
    )
    as_higher = query.where(higher, _pair_total.c.entry_a.in_(below), _pair_total.c.entry_a.not_in(entries))
    return query.where(lower).union_all(as_higher)


class Totals(Part):
    """Sums over the games of a league: by entry, by seat, by pair of entries."""

    def head_to_head(self, league: str, entries: Collection[int] | None = None) -> list[HeadToHead]:
        """Return how each pair of entries did against each other, seen from both sides, by entry and opponent.

        `entries`: return only the rows of these entries, against all opponents.
        """
        with self._database.reading() as connection:
            number = league_row(connection, league).id
            rows = connection.execute(_pairs_of(number, entries))
            pairs = []
            for row in rows:
                games_below = row.games - row.games_above - row.games_tied
                matches_below = row.matches - row.matches_above - row.matches_tied
                for entry, opponent, games_above, matches_above in (
                    (row.entry_a, row.entry_b, row.games_above, row.matches_above),
                    (row.entry_b, row.entry_a, games_below, matches_below),
                ):
                    if entries is not None and entry not in entries:
                        continue
                    pairs.append(
                        HeadToHead(
                            entry,
                            opponent,
                            row.games,
                            games_above,
                            row.games_tied,
                            row.matches,
                            matches_above,
                            row.matches_tied,
                        )
                    )
        return sorted(pairs, key=lambda pair: (pair.entry_no, pair.opponent_no))

    def pair_parts(self, league: str) -> list[PairPart]:
        """Return how each pair of entries did in each part of the matches.

        Nothing keeps them up to date, so this reads every game counted in the rankings, block by block. Empty for a
        league without ratings.
        """
        with self._database.reading() as connection:
            row = league_row(connection, league)
            end = progress_row(connection, row.id).next_match_no if row.rated else 0
        parts = PairParts()
        for first in range(0, end, BLOCK):
            with self._database.reading() as connection:
                seats = _PLACES.rows(connection, league=row.id, first=first, end=min(first + BLOCK, end))
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
        with self._database.reading() as connection:
            number = league_row(connection, league).id
            rows = connection.execute(
                select(_seat_total)
                .where(_seat_total.c.league_id == number)
                .order_by(_seat_total.c.entry_no, _seat_total.c.seats, _seat_total.c.seat)
            )
            return [
                SeatStatistics(
                    row.entry_no,
                    row.seats,
                    row.seat,
                    row.games,
                    row.wins / UNIT,
                    row.share / UNIT / row.games,
                    row.score / row.games,
                )
                for row in rows
            ]

    def by_entry(self, league: str) -> list[EntryStatistics]:
        """Return the statistics of each entry that has played: decisions, times, faults by verdict."""
        with self._database.reading() as connection:
            number = league_row(connection, league).id
            faults: dict[int, dict[str, int]] = {}
            for row in connection.execute(select(_fault_total).where(_fault_total.c.league_id == number)):
                faults.setdefault(row.entry_no, {})[row.verdict] = row.games
            rows = connection.execute(
                select(_entry_total, _entry.c.label)
                .join(
                    _entry,
                    (_entry.c.league_id == _entry_total.c.league_id)
                    & (_entry.c.entry_no == _entry_total.c.entry_no),
                )
                .where(_entry_total.c.league_id == number)
                .order_by(_entry_total.c.entry_no)
            )
            return [
                EntryStatistics(
                    row.entry_no,
                    row.label,
                    row.matches,
                    row.games,
                    row.decisions,
                    row.wall_ns,
                    row.max_wall_ns,
                    row.cpu_ns,
                    faults.get(row.entry_no, {}),
                )
                for row in rows
            ]

    def deal_sums(self, league: str) -> list[DealSums]:
        """Return the sums behind the luck of the deals, by entry, number of seats and games per match."""
        with self._database.reading() as connection:
            number = league_row(connection, league).id
            names = DealSums.__struct_fields__
            rows = connection.execute(
                select(*(_luck_total.c[name] for name in names))
                .where(_luck_total.c.league_id == number)
                .order_by(_luck_total.c.entry_no, _luck_total.c.seats, _luck_total.c.games)
            )
            return [DealSums(*row) for row in rows]

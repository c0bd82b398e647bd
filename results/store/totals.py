"""Totals: sums over the games of a league. Reading them costs the same for any number of games."""

from collections.abc import Collection, Iterator
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from results.base.scoring import UNIT, DealSums, Partners
from results.records.query_rows import EntryStatistics, HeadToHead, SeatResult, SeatStatistics
from results.store.database import Row, named_rows, rows, to_text
from results.store.league_rows import LeaguePart, league_row, partners_of, progress_row
from results.store.sqlite_file import Connection

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


_FEW = 16
"""Entries whose pairs are looked for one by one."""

_SCORES = """
    SELECT entry_no, score, count(*) FROM seat JOIN match USING (league_id, match_no)
    WHERE seat.league_id = :league AND seat.match_no < :end AND match.state = 'done' AND match.rated
        AND (verdict IS NOT NULL OR NOT EXISTS (
            SELECT 1 FROM seat AS other WHERE other.league_id = seat.league_id AND other.match_no = seat.match_no
                AND other.rotation = seat.rotation AND other.verdict IS NOT NULL))
    GROUP BY entry_no, score ORDER BY entry_no, score
    """


def _pairs_of(connection: Connection, league: int, entries: Collection[int] | None) -> list[Row]:
    """Return the pairs of a league, or those with one of some entries.

    Pairs are found by their lower entry. Those in which a few entries are the higher ones are looked for by each lower
    one, as long as that is less than reading all pairs.
    """
    text = "SELECT * FROM pair_total WHERE league_id = :league"
    if entries is None:
        return named_rows(connection, text, league=league)
    some = "(SELECT value FROM json_each(:some))"
    if len(entries) > _FEW:
        text += f" AND (entry_a IN {some} OR entry_b IN {some})"
    else:
        below = "(SELECT entry_no FROM entry WHERE league_id = :league AND entry_no < :highest)"
        text += (
            f" AND entry_a IN {some} UNION ALL {text} "
            f"AND entry_b IN {some} AND entry_a IN {below} AND entry_a NOT IN {some}"
        )
    highest = max(entries, default=0)
    return named_rows(connection, text, league=league, some=to_text(sorted(entries)), highest=highest)


class Totals(LeaguePart):
    """Sums over the games of a league: by entry, by seat, by pair of entries."""

    def head_to_head(self, league: str, entries: Collection[int] | None = None) -> list[HeadToHead]:
        """Return how each pair of entries (or those of `entries`) did against each other, seen from both sides."""
        with self._reading(league) as (connection, row):
            found = _pairs_of(connection, row.id, entries)
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

    def scores(self, league: str) -> dict[int, list[tuple[float, int]]]:
        """Return by entry each score that its counted games had, ascending, and how many had it; reads every game.

        Counted as mean scores are: see `ratings_and_totals_fold.counts_score`.
        """
        found: dict[int, list[tuple[float, int]]] = {}
        with self._reading(league) as (connection, row):
            end = progress_row(connection, row.id).next_match_no
            for entry, score, games in rows(connection, _SCORES, league=row.id, end=end):
                found.setdefault(entry, []).append((score, games))
        return found

    def by_seat(self, league: str) -> list[SeatStatistics]:
        """Return how each entry did at each seat, by entry, table size and seat."""
        with self._reading(league) as (connection, row):
            text = "SELECT * FROM seat_total WHERE league_id = :league ORDER BY entry_no, seats, seat"
            totals = named_rows(connection, text, league=row.id)
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
            text = "SELECT entry_no, verdict, games FROM fault_total WHERE league_id = :league"
            for entry, verdict, games in rows(connection, text, league=row.id):
                faults.setdefault(entry, {})[verdict] = games
            text = (
                f"SELECT entry_no, label, {', '.join(names)} FROM entry JOIN entry_total USING (league_id, entry_no) "
                "WHERE league_id = :league ORDER BY entry_no"
            )
            totals = rows(connection, text, league=row.id)
            return [EntryStatistics(*(*total, faults.get(total[0], {}))) for total in totals]

    def deal_sums(self, league: str) -> list[DealSums]:
        """Return the sums behind the luck of the deals, by entry, number of seats and games per match."""
        text = (
            f"SELECT {', '.join(DealSums.__struct_fields__)} FROM luck_total "
            "WHERE league_id = :league ORDER BY entry_no, seats, games"
        )
        return [DealSums(*each) for each in self._rows(league, text)]


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


def _by_team(seats: list[SeatResult], partners: Partners) -> list[SeatResult]:
    """Return the seats of games of fixed teams as those of games between the teams, one for each.

    A team has forfeited if its side is out: with its first forfeit, or only with those of all its members.
    """
    found = []
    is_out = any if partners.forfeit_loses == "side" else all
    for _, game in groupby(seats, key=itemgetter(0, 1)):
        of_game = list(game)
        sides = partners.at(len(of_game))
        for side in range(max(sides) + 1):
            members = [seat for seat in of_game if sides[seat.seat] == side]
            (unit,) = partners.units([members[0].entry_no])
            found.append(
                members[0]._replace(
                    seat=side,
                    entry_no=unit,
                    rank=1 + (members[0].rank - 1) // len(members),
                    forfeited=int(is_out(seat.forfeited for seat in members)),
                )
            )
    return found


class Seats(LeaguePart):
    """The seats of a league's games."""

    def results(self, league: str, through: int | None = None, first: int = 0) -> Iterator[list[SeatResult]]:
        """Yield how each seat of the games counted in the rankings ended, some whole matches at a time, in order.

        Of the matches from `first` to `through` − 1; None: of all from there.
        """
        for number, begin, end in self._blocks(league, through, first):
            with self._database.reading() as connection:
                found = rows(connection, _RESULTS, league=number, rated=True, first=begin, end=end)
                partners = partners_of(league_row(connection, league))
            seats = list(map(SeatResult._make, found))
            yield _by_team(seats, partners) if partners.teams else seats

    def arrays(self, league: str, through: int, *, rated: bool = True) -> "Iterator[Integers]":
        """Yield the same for all matches up to `through` − 1, as arrays with a row for each seat.

        Columns are those of `SeatResult`. It takes half of the time. `rated = False`: of the matches that aren't rated.
        """
        import numpy as np

        for number, begin, end in self._blocks(league, through):
            with self._database.reading() as connection:
                found = rows(connection, _PACKED, league=number, rated=rated, first=begin, end=end)
                partners = partners_of(league_row(connection, league))
            rows_of = np.array(found, dtype=None if found else np.int64).reshape(-1, 3)
            match, place, score = rows_of.T
            if rows_of.dtype != np.int64:  # scores with decimals; floats don't hold such large numbers
                match, place = np.array([row[:2] for row in found], dtype=np.int64).T
            at, rank = np.divmod(place // 2, _SMALL)
            rotation, seat = np.divmod(at, _SMALL)
            seats = np.column_stack(
                [match // _ENTRIES, rotation, seat, match % _ENTRIES, rank, score, place % 2]
            )
            if partners.teams:
                teams = _by_team(list(map(SeatResult._make, seats.tolist())), partners)
                seats = np.array(teams, dtype=seats.dtype).reshape(-1, len(SeatResult._fields))
            yield seats

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

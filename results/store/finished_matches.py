"""Reads finished matches in the order in which the fold needs them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from sqlalchemy import Connection, bindparam, select

from results.canonical import from_text
from results.fold import FinishedMatch
from results.records import SeatRecord
from results.store.bulk import Prepared
from results.store.seats import SEAT_COLUMNS, seat_record
from results.store.tables import TABLES

_match = TABLES["match"]
_seat = TABLES["seat"]

BLOCK = 512
"""Number of matches to read at a time."""

Games = Sequence[Sequence[SeatRecord]]
"""The games of a match, by rotation and seat."""

_DONE = Prepared(
    select(_match.c.match_no, _match.c.entries, _match.c.rated)
    .where(_match.c.league_id == bindparam("league"), _match.c.state == "done")
    .where(_match.c.match_no >= bindparam("first"), _match.c.match_no < bindparam("end"))
    .order_by(_match.c.match_no)
)
_SEATS = (
    select(_seat.c.match_no, _seat.c.rotation, *SEAT_COLUMNS)
    .where(_seat.c.league_id == bindparam("league"))
    .where(_seat.c.match_no >= bindparam("first"), _seat.c.match_no < bindparam("end"))
    .order_by(_seat.c.match_no, _seat.c.rotation, _seat.c.seat)
)


def finished_matches(
    connection: Connection, league: int, first: int, end: int, in_hand: Mapping[int, Games] | None = None
) -> Iterator[FinishedMatch]:
    """Return the finished matches, rated or not, in order from `first` to `end` − 1, reading one block at a time.

    `in_hand`: the complete games of matches that were just added, by number; they aren't read again.
    """
    for start in range(first, end, BLOCK):
        span = {"league": league, "first": start, "end": min(start + BLOCK, end)}
        done = _DONE.rows(connection, **span)
        of_match = in_hand or {}
        if not all(match_no in of_match for match_no, *_ in done):
            of_match = _games(connection, span)
        for match_no, entries, rated in done:
            yield FinishedMatch(
                match_no, tuple(from_text(entries)), of_match.get(match_no, []), rated=bool(rated)
            )


def _games(connection: Connection, span: Mapping[str, int]) -> dict[int, Games]:
    seats = connection.execute(_SEATS, span).all()
    return {
        match_no: [[seat_record(row[2:]) for row in game] for _, game in groupby(rows, key=itemgetter(1))]
        for match_no, rows in groupby(seats, key=itemgetter(0))
    }

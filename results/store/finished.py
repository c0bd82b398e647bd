"""Finished matches, read in order as the fold takes them."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select

from results.canonical import from_text
from results.fold import SeatResult
from results.store.tables import TABLES

_match = TABLES["match"]
_seat = TABLES["seat"]

BLOCK = 512
"""How many matches are read at a time."""

_DONE = (
    select(_match.c.match_no, _match.c.entries)
    .where(_match.c.league_id == bindparam("league"), _match.c.state == "done")
    .where(_match.c.match_no >= bindparam("first"), _match.c.match_no < bindparam("end"))
    .order_by(_match.c.match_no)
)
_SEATS = (
    select(_seat.c.match_no, *(_seat.c[name] for name in SeatResult._fields))
    .where(_seat.c.league_id == bindparam("league"))
    .where(_seat.c.match_no >= bindparam("first"), _seat.c.match_no < bindparam("end"))
    .order_by(_seat.c.match_no, _seat.c.rotation, _seat.c.seat)
)


class FinishedMatch(NamedTuple):
    """A match with all its games in."""

    match_no: int
    entries: tuple[int, ...]
    """In base order."""
    games: list[list[SeatResult]]
    """By rotation and seat."""


def finished_matches(connection: Connection, league: int, first: int, end: int) -> Iterator[FinishedMatch]:
    """Return the matches that are done, in order, from `first` to `end` − 1; a block is read at a time."""
    for start in range(first, end, BLOCK):
        span = {"league": league, "first": start, "end": min(start + BLOCK, end)}
        done = connection.execute(_DONE, span).all()
        seats = connection.execute(_SEATS, span).all()
        of_match = {
            match_no: [
                list(game)
                for _, game in groupby((SeatResult(*row[1:]) for row in rows), key=lambda seat: seat.rotation)
            ]
            for match_no, rows in groupby(seats, key=itemgetter(0))
        }
        for match_no, entries in done:
            yield FinishedMatch(match_no, tuple(from_text(entries)), of_match.get(match_no, []))

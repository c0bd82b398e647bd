"""How the seats of all counted games ended: the input of fits that need every game."""

from collections.abc import Iterator

from sqlalchemy import bindparam, select

from results.query_rows import SeatResult
from results.store.bulk import Prepared
from results.store.database import Part
from results.store.league_rows import league_row, progress_row
from results.store.tables import TABLES

_match = TABLES["match"]
_seat = TABLES["seat"]

BLOCK = 8192
"""Number of matches to read at a time."""

_RESULTS = Prepared(
    select(*(_seat.c[name] for name in SeatResult._fields[:-1]), _seat.c.verdict.is_not(None))
    .join(_match, (_match.c.league_id == _seat.c.league_id) & (_match.c.match_no == _seat.c.match_no))
    .where(_seat.c.league_id == bindparam("league"), _match.c.state == "done")
    .where(_seat.c.match_no >= bindparam("first"), _seat.c.match_no < bindparam("end"))
    .order_by(_seat.c.match_no, _seat.c.rotation, _seat.c.seat)
)


class Seats(Part):
    """The seats of a league's games."""

    def results(self, league: str) -> Iterator[list[SeatResult]]:
        """Yield how each seat of the games counted in the rankings ended, some whole matches at a time, in order.

        Each block is read in its own transaction.
        """
        with self._database.reading() as connection:
            number = league_row(connection, league).id
            end = progress_row(connection, number).next_match_no
        for first in range(0, end, BLOCK):
            with self._database.reading() as connection:
                rows = _RESULTS.rows(connection, league=number, first=first, end=min(first + BLOCK, end))
            yield list(map(SeatResult._make, rows))

"""How the seats of all counted games ended: the input of fits that need every game."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select

from results.query_rows import SeatResult
from results.store.bulk import Prepared
from results.store.database import Part
from results.store.league_rows import league_row, progress_row
from results.store.tables import TABLES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

_match = TABLES["match"]
_seat = TABLES["seat"]

BLOCK = 8192
"""Number of matches to read at a time."""

_ENTRIES = 1 << 31
"""More than any number of an entry."""

_SMALL = 1 << 8
"""More than any seat or rank."""

_SEATS = (
    select(*(_seat.c[name] for name in SeatResult._fields[:-1]), _seat.c.verdict.is_not(None))
    .join(_match, (_match.c.league_id == _seat.c.league_id) & (_match.c.match_no == _seat.c.match_no))
    .where(_seat.c.league_id == bindparam("league"), _match.c.state == "done")
    .where(
        _match.c.rated == bindparam("rated"),
        _seat.c.match_no >= bindparam("first"),
        _seat.c.match_no < bindparam("end"),
    )
    .order_by(_seat.c.match_no, _seat.c.rotation, _seat.c.seat)
)
_RESULTS = Prepared(_SEATS)
# Fewer values are made for each seat, which take most of the time.
_PACKED = Prepared(
    _SEATS.with_only_columns(
        _seat.c.match_no * _ENTRIES + _seat.c.entry_no,
        ((_seat.c.rotation * _SMALL + _seat.c.seat) * _SMALL + _seat.c.rank) * 2
        + _seat.c.verdict.is_not(None),
        _seat.c.score,
    )
)


class Seats(Part):
    """The seats of a league's games."""

    def results(self, league: str) -> Iterator[list[SeatResult]]:
        """Yield how each seat of the games counted in the rankings ended, some whole matches at a time, in order.

        Each block is read in its own transaction.
        """
        for number, first, end in self._blocks(league):
            with self._database.reading() as connection:
                rows = _RESULTS.rows(connection, league=number, rated=True, first=first, end=end)
            yield list(map(SeatResult._make, rows))

    def arrays(
        self, league: str, through: int, first: int = 0, *, rated: bool = True
    ) -> "Iterator[Integers]":
        """Yield the same for the matches from `first` to `through` − 1, as arrays with a row for each seat.

        Columns are those of `SeatResult`. It takes half of the time. `rated = False`: of the matches that aren't rated.
        """
        import numpy as np

        for number, begin, end in self._blocks(league, through, first):
            with self._database.reading() as connection:
                rows = _PACKED.rows(connection, league=number, rated=rated, first=begin, end=end)
            match, place, score = np.array(rows, dtype=np.int64).reshape(-1, 3).T
            at, rank = np.divmod(place // 2, _SMALL)
            rotation, seat = np.divmod(at, _SMALL)
            yield np.column_stack(
                [match // _ENTRIES, rotation, seat, match % _ENTRIES, rank, score, place % 2]
            )

    def _blocks(
        self, league: str, through: int | None = None, first: int = 0
    ) -> Iterator[tuple[int, int, int]]:
        """Yield the league's number, the first match of each block, and the one after its last."""
        with self._database.reading() as connection:
            number = league_row(connection, league).id
            end = progress_row(connection, number).next_match_no
        if through is not None:
            end = min(end, through)
        for begin in range(first, end, BLOCK):
            yield number, begin, min(begin + BLOCK, end)

"""Ratings over the course of a league, at as many moments as can be shown."""

from sqlalchemy import func, select

from results.reports import RatingAfter
from results.sql.database import Database
from results.sql.league_rows import league_id, league_row
from results.sql.tables import TABLES

_point = TABLES["rating_point"]
_progress = TABLES["progress"]


class History(Database):
    """The part of a store that tells how ratings came about."""

    def rating_course(self, league: str, spans: int, entry_no: int | None = None) -> list[RatingAfter]:
        """Return the last rating of each entry in each of so many equal spans of the league, by entry and match.

        The league's matches so far, in the rankings or not, are cut into `spans` (1 or more); an entry that
        played nothing in a span has no row for it. Where wanted of one entry. What `rating_history` returns
        match by match grows with the league; this does not.
        """
        if spans < 1:
            raise ValueError(f"{spans} spans")
        with self.reading() as session:
            number = league_id(league_row(session, league))
            connection = session.connection()
            planned = connection.execute(
                select(_progress.c.matches_planned).where(_progress.c.league_id == number)
            ).scalar_one()
            span = _point.c.match_no * spans // max(1, planned)
            last = (
                # Beside the greatest match number of a group SQLite returns the other columns of its row.
                select(_point.c.entry_no, func.max(_point.c.match_no), _point.c.mu, _point.c.sigma)
                .where(_point.c.league_id == number)
                .group_by(_point.c.entry_no, span)
                .order_by(_point.c.entry_no, func.max(_point.c.match_no))
            )
            if entry_no is not None:
                last = last.where(_point.c.entry_no == entry_no)
            return [
                RatingAfter(entry, match_no, mu, sigma, mu - 3 * sigma)
                for entry, match_no, mu, sigma in connection.execute(last)
            ]

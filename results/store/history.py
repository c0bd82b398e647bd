"""Ratings over the course of a league, at as many moments as can be shown."""

from collections.abc import Iterator

from sqlalchemy import func, select

from results.query_rows import RatingAfter
from results.store.database import Database
from results.store.finished import BLOCK
from results.store.rows import league_id, league_row
from results.store.tables import TABLES

_point = TABLES["rating_point"]
_progress = TABLES["progress"]


class History(Database):
    """The part of a store that tells how ratings came about."""

    def rating_history(self, league: str, entry_no: int | None = None) -> Iterator[RatingAfter]:
        """Yield the rating after each match, by match and entry, where wanted of one entry.

        Each block of matches is read at a moment of its own: however long the reader takes, nothing is held in
        memory, and the writer need not wait.
        """
        with self.reading() as session:
            number = league_id(league_row(session, league))
            end = (
                session.connection()
                .execute(select(_progress.c.next_match_no).where(_progress.c.league_id == number))
                .scalar_one()
            )
        query = (
            select(_point.c.entry_no, _point.c.match_no, _point.c.mu, _point.c.sigma)
            .where(_point.c.league_id == number)
            .order_by(_point.c.match_no, _point.c.entry_no)
        )
        if entry_no is not None:
            query = query.where(_point.c.entry_no == entry_no)
        for first in range(0, end, BLOCK):
            block = query.where(_point.c.match_no >= first, _point.c.match_no < min(first + BLOCK, end))
            with self.reading() as session:
                points = session.connection().execute(block).all()
            yield from (
                RatingAfter(entry, match_no, mu, sigma, mu - 3 * sigma)
                for entry, match_no, mu, sigma in points
            )

    def rating_course(self, league: str, spans: int, entry_no: int | None = None) -> list[RatingAfter]:
        """Return the last rating of each entry in each of so many equal spans of the league, by entry and match.

        The league's matches so far, in the rankings or not, are cut into `spans` (1 or more); an entry that
        played nothing in a span has no row for it. Where wanted of one entry. What `rating_history` yields
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

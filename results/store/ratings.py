"""Ratings: the rankings and their history. Reading the rankings costs the same for any number of games."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, bindparam, func, select

from results.base.errors import UnknownGame
from results.base.scoring import UNIT
from results.ratings.base import Rating
from results.records import EntryRecord
from results.records.fold import EntryTotal
from results.records.query_rows import RatingAfter, Standing, ranked
from results.store.derived_tables import BLOCK, starts
from results.store.entries import entry_records, roster_of
from results.store.league_rows import LeaguePart, league_row, progress_row, scale_of
from results.store.tables.checksums import refuse_missing
from results.store.tables.games import ENTRY_TOTAL, GAME, RATING, RATING_POINT

_earlier = RATING_POINT.alias()

_LAST = select(RATING.c.entry_no, RATING.c.last_match_no, RATING.c.mu, RATING.c.sigma).where(
    RATING.c.league_id == bindparam("league")
)
_POINT = (
    select(RATING_POINT.c.mu, RATING_POINT.c.sigma)
    .where(RATING_POINT.c.league_id == bindparam("league"), RATING_POINT.c.entry_no == bindparam("entry"))
    .where(RATING_POINT.c.match_no <= bindparam("match"))
    .order_by(RATING_POINT.c.match_no.desc())
    .limit(1)
)

_SO_FAR = (
    select(RATING.c.entry_no, RATING_POINT.c.mu, RATING_POINT.c.sigma)
    .join(
        RATING_POINT,
        (RATING_POINT.c.league_id == RATING.c.league_id) & (RATING_POINT.c.entry_no == RATING.c.entry_no),
    )
    .where(
        RATING.c.league_id == bindparam("league"),
        RATING_POINT.c.match_no
        == select(func.max(_earlier.c.match_no))
        .where(
            _earlier.c.league_id == RATING.c.league_id,
            _earlier.c.entry_no == RATING.c.entry_no,
            _earlier.c.match_no < bindparam("through"),
        )
        .correlate(RATING)
        .scalar_subquery(),
    )
    .order_by(RATING.c.entry_no)
)
"""The ratings as they were before match `through`; a few steps in an index for each entry."""

_OF_ONE = 64
"""How many times as many matches to read at a time of one entry, which has one point in each at most."""


class Ratings(LeaguePart):
    """The ratings of entries, now and after each match."""

    def standings(self, league: str) -> list[Standing]:
        """Return a league's rankings, best first; empty for an unrated league.

        Raises StoreDamaged if an entry has been lost.
        """
        with self._reading(league) as (connection, row):
            if not row.rated:
                return []
            refuse_missing(connection, row.id, row.name, ("entry",))
            start = starts(connection, row.id, scale_of(row))
            ratings, totals = (
                {
                    found.entry_no: found
                    for found in connection.execute(select(table).where(table.c.league_id == row.id))
                }
                for table in (RATING, ENTRY_TOTAL)
            )
            gone = roster_of(connection, row).retired
            return ranked(
                _standing(
                    entry,
                    start[entry.entry_no],
                    ratings.get(entry.entry_no),
                    totals.get(entry.entry_no) or EntryTotal(),
                    entry.entry_no in gone,
                )
                for entry in entry_records(connection, row)
            )

    def after(self, league: str, match_no: int) -> dict[int, Rating]:
        """Return the ratings of all entries by number, after a match and all before it; −1: the initial ratings.

        For adaptive schedules, which must not see any later results. Empty for an unrated league. Raises UnknownGame
        if the match is not counted in the rankings yet.
        """
        with self._reading(league) as (connection, row):
            if not row.rated:
                return {}
            _refuse_uncounted(connection, row, match_no)
            ratings = starts(connection, row.id, scale_of(row))
            later = []
            for entry, last_match_no, *rating in connection.execute(_LAST, {"league": row.id}):
                if last_match_no <= match_no:
                    ratings[entry] = Rating(*rating)
                else:
                    later.append(entry)
            for entry in later if match_no >= 0 else ():
                point = connection.execute(
                    _POINT, {"league": row.id, "entry": entry, "match": match_no}
                ).one_or_none()
                if point is not None:
                    ratings[entry] = Rating(*point)
            return ratings

    def changed(self, league: str, first: int, match_no: int) -> dict[int, Rating]:
        """Return what `after` has of those who played from match `first` to that match, at a cost for these only.

        Raises UnknownGame like `after`.
        """
        with self._reading(league) as (connection, row):
            if not row.rated:
                return {}
            _refuse_uncounted(connection, row, match_no)
            query = (
                select(RATING_POINT.c.entry_no, RATING_POINT.c.mu, RATING_POINT.c.sigma)
                .where(RATING_POINT.c.league_id == row.id, RATING_POINT.c.match_no.between(first, match_no))
                .order_by(RATING_POINT.c.match_no)
            )
            return {entry: Rating(mu, sigma) for entry, mu, sigma in connection.execute(query)}

    def matches_before(self, league: str, match_no: int) -> dict[int, int]:
        """Return how many rated matches below a number each entry played, by entry; missing means none."""
        with self._database.reading() as connection:
            query = (
                select(RATING_POINT.c.entry_no, func.count())
                .where(RATING_POINT.c.league_id == league_row(connection, league).id)
                .where(RATING_POINT.c.match_no < match_no)
                .group_by(RATING_POINT.c.entry_no)
            )
            return {entry: matches for entry, matches in connection.execute(query)}  # noqa: C416 - rows aren't pairs to mypy

    def before(self, league: str, match_no: int) -> dict[int, tuple[Rating, int]]:
        """Return the rating of each entry before a match, and how many matches it had played, for displays.

        Entries without a match below that number are missing. Faster than `after` and `matches_before` together.
        """
        with self._reading(league) as (connection, row):
            last = (
                select(
                    RATING_POINT.c.entry_no,
                    func.max(RATING_POINT.c.match_no).label("match_no"),
                    func.count().label("matches"),
                )
                .where(RATING_POINT.c.league_id == row.id, RATING_POINT.c.match_no < match_no)
                .group_by(RATING_POINT.c.entry_no)
                .subquery()
            )
            query = select(last.c.entry_no, RATING_POINT.c.mu, RATING_POINT.c.sigma, last.c.matches).join(
                RATING_POINT,
                (RATING_POINT.c.league_id == row.id)
                & (RATING_POINT.c.match_no == last.c.match_no)
                & (RATING_POINT.c.entry_no == last.c.entry_no),
            )
            return {
                entry: (Rating(mu, sigma), matches) for entry, mu, sigma, matches in connection.execute(query)
            }

    def history(self, league: str, entry_no: int | None = None) -> Iterator[RatingAfter]:
        """Yield the rating after each match, by match and entry, optionally only of one entry.

        Each block of matches is read in its own transaction, so however long the reader takes, this uses little memory
        and doesn't block the writer.
        """
        with self._reading(league) as (connection, row):
            end = progress_row(connection, row.id).next_match_no
        query = (
            select(RATING_POINT.c.entry_no, RATING_POINT.c.match_no, RATING_POINT.c.mu, RATING_POINT.c.sigma)
            .where(RATING_POINT.c.league_id == row.id)
            .order_by(RATING_POINT.c.match_no, RATING_POINT.c.entry_no)
        )
        if entry_no is not None:
            query = query.where(RATING_POINT.c.entry_no == entry_no)
        size = BLOCK if entry_no is None else _OF_ONE * BLOCK
        for first in range(0, end, size):
            stop = min(first + size, end)
            block = query.where(RATING_POINT.c.match_no >= first, RATING_POINT.c.match_no < stop)
            if entry_no is not None:
                block = block.where(_is_of(row.id, entry_no, first, stop))
            with self._database.reading() as connection:
                points = connection.execute(block).all()
            yield from (RatingAfter(entry, match_no, mu, sigma) for entry, match_no, mu, sigma in points)

    def course(self, league: str, spans: int, entry_no: int | None = None) -> list[RatingAfter]:
        """Return the last rating of each entry in each of `spans` equal spans of the league, by entry and match.

        The league's matches so far, counted in the rankings or not, are divided into `spans` (1 or more). An entry
        without matches in a span has no row for it. Optionally returns only one entry. Unlike `history`, the result
        doesn't grow with the league.
        """
        if spans < 1:
            raise ValueError(f"{spans} spans")
        with self._reading(league) as (connection, row):
            planned = progress_row(connection, row.id).matches_planned
            span = RATING_POINT.c.match_no * spans // max(1, planned)
            last = (
                # With max(match_no) in a group, SQLite takes the other columns from that row.
                select(
                    RATING_POINT.c.entry_no,
                    func.max(RATING_POINT.c.match_no),
                    RATING_POINT.c.mu,
                    RATING_POINT.c.sigma,
                )
                .where(RATING_POINT.c.league_id == row.id)
                .group_by(RATING_POINT.c.entry_no, span)
                .order_by(RATING_POINT.c.entry_no, func.max(RATING_POINT.c.match_no))
            )
            if entry_no is not None:
                last = last.where(RATING_POINT.c.entry_no == entry_no, _is_of(row.id, entry_no, 0))
            return [
                RatingAfter(entry, match_no, mu, sigma)
                for entry, match_no, mu, sigma in connection.execute(last)
            ]

    def digest(self, league: str) -> str:
        """Return SHA-256 over `entry_no mu sigma` of every entry that has played, one line each, with all bits."""
        with self._database.reading() as connection:
            return digest_of_ratings(connection, league_row(connection, league))

    def prefix_digest(self, league: str, through: int) -> str:
        """Return SHA-256 over what would be another if any match below `through` had been played again.

        That is the rating of each entry then, and the games of the last match: replays, times and durations. It takes
        the same time for any number of matches.
        """
        digest = sha256()
        with self._reading(league) as (connection, row):
            for rating in connection.execute(_SO_FAR, {"league": row.id, "through": through}):
                digest.update(_exactly(rating.entry_no, rating.mu, rating.sigma))
            last = (
                select(func.max(GAME.c.match_no))
                .where(GAME.c.league_id == row.id, GAME.c.match_no < through)
                .scalar_subquery()
            )
            games = (
                select(
                    GAME.c.match_no, GAME.c.rotation, GAME.c.fingerprint, GAME.c.wall_ns, GAME.c.finished_at
                )
                .where(GAME.c.league_id == row.id, GAME.c.match_no == last)
                .order_by(GAME.c.rotation)
            )
            for game in connection.execute(games):
                digest.update(f"{' '.join(map(str, game))}\n".encode())
        return digest.hexdigest()


def _is_of(league: int, entry_no: int, first: int, stop: int | None = None) -> ColumnElement[bool]:
    """Return the condition that an entry played a match from `first` to `stop` − 1.

    SQLite finds them in the index of entries; without this it would read the points of all entries.
    """
    own = RATING_POINT.alias()
    matches = select(own.c.match_no).where(
        own.c.league_id == league, own.c.entry_no == entry_no, own.c.match_no >= first
    )
    return RATING_POINT.c.match_no.in_(matches if stop is None else matches.where(own.c.match_no < stop))


def digest_of_ratings(connection: Connection, row: Row[Any]) -> str:
    """Return SHA-256 over the ratings of a league; floats are in hexadecimal, which is exact."""
    digest = sha256()
    for rating in connection.execute(
        select(RATING).where(RATING.c.league_id == row.id).order_by(RATING.c.entry_no)
    ):
        digest.update(_exactly(rating.entry_no, rating.mu, rating.sigma))
    return digest.hexdigest()


def _exactly(entry_no: int, mu: float, sigma: float) -> bytes:
    """Return the line of an entry's rating in a digest, with all bits."""
    return f"{entry_no} {mu.hex()} {sigma.hex()}\n".encode()


def _refuse_uncounted(connection: Connection, league: Row[Any], match_no: int) -> None:
    """Raise UnknownGame if a match is not counted in the rankings yet."""
    if match_no >= progress_row(connection, league.id).next_match_no:
        raise UnknownGame(f"match {match_no} of league {league.name!r} is not in the rankings yet")


def _standing(entry: EntryRecord, start: Rating, rating: Any, total: Any, retired: bool) -> Standing:
    now = rating or start
    return Standing(
        place=0,
        entry_no=entry.entry_no,
        label=entry.label,
        version=entry.version.reference if entry.version else None,
        mu=now.mu,
        sigma=now.sigma,
        matches=total.matches,
        games=total.games,
        wins=total.wins / UNIT,
        share=total.share / UNIT / total.games if total.games else None,
        score=total.score / total.games if total.games else None,
        faults=total.faults,
        change=rating.last_change if rating else None,
        last_match_no=rating.last_match_no if rating else None,
        retired=retired,
    )

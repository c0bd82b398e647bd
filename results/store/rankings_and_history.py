"""Ratings: the rankings and their history. Reading the rankings costs the same for any number of games."""

from collections.abc import Collection, Container, Iterable, Iterator
from hashlib import sha256
from typing import Any

from results.base.errors import UnknownGame
from results.base.scoring import UNIT
from results.ratings.base import Rating, Scale
from results.records.query_rows import Standing, ranked
from results.records.ratings_and_totals_fold import EntryTotal, RatingPoint, standing
from results.store.bot_versions import REFERENCE
from results.store.database import Row, rows, to_text, value
from results.store.entries import roster_of
from results.store.league_rows import LeaguePart, league_row, partners_of, progress_row, scale_of
from results.store.schema.checked_rows import refuse_missing
from results.store.sqlite_file import Connection
from results.store.updating_derived_tables import BLOCK, starts

_POINT = """
    SELECT mu, sigma FROM rating_point WHERE league_id = :league AND entry_no = :entry AND match_no <= :match
    ORDER BY match_no DESC LIMIT 1
    """
_BEFORE = """
    SELECT entry_no, mu, sigma, matches FROM (
        SELECT entry_no, max(match_no) AS match_no, count(*) AS matches FROM rating_point
        WHERE league_id = :league AND match_no < :match_no GROUP BY entry_no
    ) JOIN rating_point USING (match_no, entry_no) WHERE league_id = :league
    """
_STANDINGS = f"""
    SELECT entry_no, label, {REFERENCE}, coalesce(mu, prior_mu), coalesce(sigma, prior_sigma), last_match_no,
        last_change, {", ".join(f"entry_total.{name}" for name in EntryTotal.__struct_fields__)}
    FROM entry LEFT JOIN rating USING (league_id, entry_no) LEFT JOIN entry_total USING (league_id, entry_no)
        LEFT JOIN version ON version.id = version_id
        LEFT JOIN bot ON bot.id = bot_id LEFT JOIN author ON author.id = author_id
    WHERE league_id = :league
    """
_LEADERS = f"""
    {_STANDINGS} AND entry_no IN (
        SELECT entry_no FROM rating JOIN entry_total USING (league_id, entry_no)
        WHERE league_id = :league AND matches >= :least AND entry_no NOT IN (SELECT value FROM json_each(:gone))
        ORDER BY mu DESC, share / {UNIT}.0 / games DESC, entry_no LIMIT :most
    )
    """
_OF_ENTRY = (
    "AND entry_no = :entry AND match_no IN (SELECT match_no FROM rating_point "
    "WHERE league_id = :league AND entry_no = :entry AND match_no >= :first AND match_no < :stop) "
)
"""SQLite finds the matches of an entry in the index of entries; without this it would read the points of all."""

_OF_ONE = 64
"""How many times as many matches to read at a time of one entry, which has one point in each at most."""


class Ratings(LeaguePart):
    """The ratings of entries, now and after each match."""

    def standings(self, league: str) -> list[Standing]:
        """Return rankings, best first; empty for an unrated league. May raise StoreDamaged."""
        with self._reading(league) as (connection, row):
            if not row.rated:
                return []
            refuse_missing(connection, row.id, row.name, ("entry",))
            found = rows(connection, _STANDINGS, league=row.id)
            if teams := partners_of(row).teams:
                members = {entry for team in teams for entry in team[1:]}
                found = [one for one in found if one[0] not in members]
            return ranked(_standings(found, scale_of(row), roster_of(connection, row).retired))

    def leaders(self, league: str, most: int, least_matches: int, gone: Collection[int]) -> list[Standing]:
        """Return the highest rated entries, with their places, of those that aren't gone and have played so often.

        The same as the first of `standings` without the others, but reads only these of a large field.
        """
        with self._reading(league) as (connection, row):
            values = {"most": most, "least": least_matches, "gone": to_text(sorted(gone))}
            return ranked(_standings(rows(connection, _LEADERS, league=row.id, **values), scale_of(row)))

    def faults(self, league: str) -> int:
        """Return how many games of the rankings were forfeited."""
        with self._reading(league) as (connection, row):
            text = "SELECT sum(faults) FROM entry_total WHERE league_id = :league"
            return int(value(connection, text, league=row.id) or 0) if row.rated else 0

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
            text = "SELECT entry_no, last_match_no, mu, sigma FROM rating WHERE league_id = :league"
            for entry, last_match_no, *rating in rows(connection, text, league=row.id):
                if last_match_no <= match_no:
                    ratings[entry] = Rating(*rating)
                else:
                    later.append(entry)
            for entry in later if match_no >= 0 else ():
                for point in rows(connection, _POINT, league=row.id, entry=entry, match=match_no):
                    ratings[entry] = Rating(*point)
            return ratings

    def changed(self, league: str, first: int, match_no: int) -> dict[int, Rating]:
        """Return what `after` has of those who played from match `first` to that match, at a cost for these only."""
        with self._reading(league) as (connection, row):
            if not row.rated:
                return {}
            _refuse_uncounted(connection, row, match_no)
            text = (
                "SELECT entry_no, mu, sigma FROM rating_point WHERE league_id = :league "
                "AND match_no BETWEEN :first AND :last ORDER BY match_no"
            )
            points = rows(connection, text, league=row.id, first=first, last=match_no)
            return {entry: Rating(mu, sigma) for entry, mu, sigma in points}

    def matches_before(self, league: str, match_no: int) -> dict[int, int]:
        """Return how many rated matches below a number each entry played, by entry; missing means none."""
        text = (
            "SELECT entry_no, count(*) FROM rating_point WHERE league_id = :league AND match_no < :match_no "
            "GROUP BY entry_no"
        )
        return dict(self._rows(league, text, match_no=match_no))

    def before(self, league: str, match_no: int) -> dict[int, tuple[Rating, int]]:
        """Return each entry's rating before a match and how many it had played, if any: faster than `after`."""
        found = self._rows(league, _BEFORE, match_no=match_no)
        return {entry: (Rating(mu, sigma), matches) for entry, mu, sigma, matches in found}

    def history(
        self, league: str, entry_no: int | None = None, first: int = 0, through: int | None = None
    ) -> Iterator[RatingPoint]:
        """Yield the rating after each match, by match and entry; each block in its own transaction.

        Of the matches from `first` to `through` − 1; None: of all from there.
        """
        with self._reading(league) as (connection, row):
            end = progress_row(connection, row.id).next_match_no
        end = end if through is None else min(end, through)
        text = (
            "SELECT match_no, entry_no, mu, sigma FROM rating_point WHERE league_id = :league "
            f"AND match_no >= :first AND match_no < :stop {'' if entry_no is None else _OF_ENTRY}"
            "ORDER BY match_no, entry_no"
        )
        size = BLOCK if entry_no is None else _OF_ONE * BLOCK
        for begin in range(first, end, size):
            span = {"first": begin, "stop": min(begin + size, end)}
            with self._database.reading() as connection:
                points = rows(connection, text, league=row.id, entry=entry_no, **span)
            yield from (RatingPoint(*point) for point in points)

    def course(self, league: str, spans: int, entry_no: int | None = None) -> list[RatingPoint]:
        """Return the last rating of each entry in each of `spans` equal spans of the league, by entry and match.

        The league's matches so far, counted in the rankings or not, are divided into `spans` (1 or more). An entry
        without matches in a span has no row for it. Optionally returns only one entry. Unlike `history`, the result
        doesn't grow with the league.
        """
        if spans < 1:
            raise ValueError(f"{spans} spans")
        with self._reading(league) as (connection, row):
            planned = progress_row(connection, row.id).matches_planned
            text = (
                # With max(match_no) in a group, SQLite takes the other columns from that row.
                "SELECT max(match_no), entry_no, mu, sigma FROM rating_point WHERE league_id = :league "
                f"{'' if entry_no is None else _OF_ENTRY}"
                "GROUP BY entry_no, match_no * :spans / :planned ORDER BY entry_no, max(match_no)"
            )
            values = {
                "entry": entry_no,
                "first": 0,
                "stop": planned,
                "spans": spans,
                "planned": max(1, planned),
            }
            return [RatingPoint(*point) for point in rows(connection, text, league=row.id, **values)]

    def digest(self, league: str) -> str:
        """Return SHA-256 over `entry_no mu sigma` of every entry that has played, one line each, with all bits."""
        with self._database.reading() as connection:
            return digest_of_ratings(connection, league_row(connection, league))


def _standings(found: Iterable[Any], scale: Scale, retired: Container[int] = ()) -> Iterator[Standing]:
    """Return rows of `_STANDINGS`, without places."""
    for number, label, version, mu, sigma, match_no, change, *sums in found:
        yield standing(
            number,
            label,
            version,
            None if sums[0] is None else EntryTotal(*sums),
            None if match_no is None else (match_no, change),
            scale.start if mu is None else Rating(mu, sigma),
            retired=number in retired,
        )


def digest_of_ratings(connection: Connection, row: Row) -> str:
    """Return SHA-256 over the ratings of a league; floats are in hexadecimal, which is exact."""
    digest = sha256()
    text = "SELECT entry_no, mu, sigma FROM rating WHERE league_id = :league ORDER BY entry_no"
    for rating in rows(connection, text, league=row.id):
        digest.update(_exactly(*rating))
    return digest.hexdigest()


def _exactly(entry_no: int, mu: float, sigma: float) -> bytes:
    """Return the line of an entry's rating in a digest, with all bits."""
    return f"{entry_no} {mu.hex()} {sigma.hex()}\n".encode()


def _refuse_uncounted(connection: Connection, league: Row, match_no: int) -> None:
    """Raise UnknownGame if a match is not counted in the rankings yet."""
    if match_no >= progress_row(connection, league.id).next_match_no:
        raise UnknownGame(f"match {match_no} of league {league.name!r} is not in the rankings yet")

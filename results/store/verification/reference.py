"""Compares the ratings of leagues with those that the trueskill package computes."""

from typing import NamedTuple

from sqlalchemy import Connection, select

from results.fold import Fold
from results.ratings.by_the_package import ByThePackage
from results.ratings.rater import Rater
from results.ratings.trueskill import RATING
from results.store.database import Database
from results.store.finished_matches import BLOCK, finished_matches
from results.store.folding import Report, position, rater_of, starts
from results.store.league_rows import LeagueFacts, some_league_facts
from results.store.tables import TABLES

MOST_DIFFERENCE = 1e-6
"""How far a μ or σ may differ, in units of β. Rounding differs from 1e-12 on; in a few matches it also decides whether
messages are passed once more, which moves ratings by up to 1e-7."""
_rating = TABLES["rating"]


class Compared(NamedTuple):
    """One league, rated again by the package."""

    league: str
    matches: int
    difference: float
    """The largest difference of a μ or σ, in units of β."""

    @property
    def agrees(self) -> bool:
        """Whether the ratings are the package's."""
        return self.difference <= MOST_DIFFERENCE


def compare_with_package(
    database: Database, league: str | None = None, progress: Report | None = None
) -> list[Compared]:
    """Implement `Store.compare_with_package`."""
    with database.reading() as connection:
        return [
            _compared(connection, facts, progress)
            for facts in some_league_facts(connection, league)
            if facts.rated and facts.rating == RATING.name
        ]


def _compared(connection: Connection, league: LeagueFacts, progress: Report | None) -> Compared:
    own = rater_of(league)
    fold = Fold(
        Rater(ByThePackage(), own.settings, own.scale), starts(connection, league.number, league.scale)
    )
    end = position(connection, league.number).next_match_no
    for start in range(0, end, BLOCK):
        stop = min(start + BLOCK, end)
        for match in finished_matches(connection, league.number, start, stop):
            fold.add(match)
        fold.points.clear()
        if progress:
            progress(stop, end)
    stored = connection.execute(
        select(_rating.c.entry_no, _rating.c.mu, _rating.c.sigma).where(_rating.c.league_id == league.number)
    )
    largest = 0.0
    for entry_no, mu, sigma in stored:
        found = fold.ratings[entry_no]
        largest = max(largest, abs(mu - found.mu), abs(sigma - found.sigma))
    return Compared(league.name, end, largest / own.scale.unit)

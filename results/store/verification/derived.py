"""Checks derived tables: folds the ledger again and compares every bit."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from results.base.errors import RatingFailed, RatingMissing
from results.base.plugins import BrokenPlugin
from results.ratings import Rater
from results.ratings.trueskill import RATING as TRUESKILL
from results.ratings.trueskill import REFERENCE
from results.records.query_rows import Finding, Mend
from results.records.ratings_and_totals_fold import Fold, RatingPoint
from results.store.database import Database, Row, named_rows, rows, value
from results.store.league_rows import all_leagues, scale_of
from results.store.sqlite_file import Connection
from results.store.updating_derived_tables import (
    BLOCK,
    Report,
    counted,
    finished_matches,
    position,
    rater_of,
    rows_of,
    starts,
)


def check_derived(connection: Connection, league: Row, progress: Report) -> Iterator[Finding]:
    """Compare a league's derived tables with a new fold of its ledger; `progress` receives numbers of matches."""
    number = league.id
    found = named_rows(connection, "SELECT * FROM progress WHERE league_id = :league", league=number)
    if not found:
        return
    (stored,) = found
    for name, count in counted(connection, number).items():
        if stored[name] != count:
            yield _finding(league, f"table progress: {name} is {stored[name]}, and should be {count}")
    reached, end = position(connection, number)
    if reached != end:
        text = "table progress: the rankings stop here, though later matches are finished"
        yield _finding(league, text, reached)
    if not league.rated:
        return
    try:
        fold = Fold(rater_of(league), starts(connection, number, scale_of(league)))
        for start in range(0, end, BLOCK):
            stop = min(start + BLOCK, end)
            yield from _check_points(connection, league, fold, start, min(stop, stored["next_match_no"]))
            progress(stop, end)
        yield from _check_totals(connection, league, fold)
    except RatingMissing:
        text = f"the rating system {league.rating!r} is not installed"
        yield Finding("derived", league.name, None, None, text, Mend.INSTALL)
    except (RatingFailed, BrokenPlugin) as error:
        yield Finding("derived", league.name, None, None, str(error), Mend.FIX)
    except Exception as error:  # noqa: BLE001  # damaged rows
        text = f"what is derived can't be computed again ({type(error).__name__}: {error})"
        yield Finding("derived", league.name, None, None, text, Mend.BACKUP)


def of_several(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the findings, with one for all leagues of a rating system that is missing or fails."""
    unchecked: dict[tuple[Mend, str], list[str]] = {}
    for finding in findings:
        if finding.mend in (Mend.INSTALL, Mend.FIX) and finding.league is not None:
            unchecked.setdefault((finding.mend, finding.text), []).append(finding.league)
        else:
            yield finding
    for (mend, text), leagues in unchecked.items():
        of = f"league {leagues[0]}" if len(leagues) == 1 else f"{len(leagues)} leagues"
        not_checked = "" if mend is Mend.INSTALL else "not checked: "
        yield Finding("derived", None, None, None, f"{not_checked}ratings and totals of {of}: {text}", mend)


def _check_points(
    connection: Connection, league: Row, fold: Fold, start: int, stop: int
) -> Iterator[Finding]:
    """Fold a block of matches and compare the ratings after each."""
    fold.points.clear()
    for match in finished_matches(connection, league, start, stop):
        fold.add(match)
    stored = [
        RatingPoint(*point)
        for point in rows(
            connection,
            "SELECT match_no, entry_no, mu, sigma FROM rating_point WHERE league_id = :league "
            "AND match_no >= :start AND match_no < :stop ORDER BY match_no, entry_no",
            league=league.id,
            start=start,
            stop=stop,
        )
    ]
    if _bits(stored) != _bits(sorted(fold.points)):
        there, right = set(_bits(stored)), set(_bits(fold.points))
        match_no = min((point[0] for point in there ^ right), default=start)
        yield _finding(league, "table rating_point: it does not match the ledger", match_no)


def _check_totals(connection: Connection, league: Row, fold: Fold) -> Iterator[Finding]:
    text = "SELECT match_no FROM rating_point WHERE league_id = :league AND match_no >= :end LIMIT 1"
    beyond = value(connection, text, league=league.id, end=position(connection, league.id).end)
    if beyond is not None:
        yield _finding(league, "table rating_point: it covers matches that are not finished", beyond)
    for name, right in rows_of(fold).items():
        if name == "rating_point":
            continue
        columns = [column for column in connection.columns(name) if column != "league_id"]
        keys = [column for column in connection.keys(name) if column != "league_id"]
        text = f"SELECT {', '.join(columns)} FROM {name} WHERE league_id = :league"
        stored = rows(connection, text, league=league.id)
        for wrong in sorted(set(_bits(stored)) ^ set(_bits(right)), key=repr)[:1]:
            key = ", ".join(f"{column} {wrong[columns.index(column)]}" for column in keys)
            yield _finding(league, f"table {name}: it does not match the ledger (row with {key})")


def _finding(league: Row, text: str, match_no: int | None = None) -> Finding:
    return Finding("derived", league.name, match_no, None, text, Mend.REBUILD)


def _bits(rows: list[Any]) -> list[tuple[Any, ...]]:
    """Return rows with floats encoded so that only equal bits are equal."""
    return [tuple(value.hex() if isinstance(value, float) else value for value in row) for row in rows]


MOST_DIFFERENCE = 1e-6
"""How far a μ or σ may differ, in units of β. Rounding differs from 1e-12 on; in a few matches it also decides whether
messages are passed once more, which moves ratings by up to 1e-7."""


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


def compare_with_package(database: Database, progress: Report) -> list[Compared]:
    """Rate the matches of all leagues with the trueskill package, and compare the results.

    Leagues of other rating systems are left out. `progress` is called with (matches rated, matches to rate).
    """
    with database.reading() as connection:
        return [
            _compared(connection, each, progress)
            for each in all_leagues(connection)
            if each.rated and each.rating == TRUESKILL.name
        ]


def _compared(connection: Connection, league: Row, progress: Report) -> Compared:
    own = rater_of(league)
    fold = Fold(Rater(REFERENCE, own.settings, own.scale), starts(connection, league.id, scale_of(league)))
    end = position(connection, league.id).next_match_no
    for start in range(0, end, BLOCK):
        stop = min(start + BLOCK, end)
        for match in finished_matches(connection, league, start, stop):
            fold.add(match)
        fold.points.clear()
        progress(stop, end)
    text = "SELECT entry_no, mu, sigma FROM rating WHERE league_id = :league"
    stored = rows(connection, text, league=league.id)
    largest = 0.0
    for entry_no, mu, sigma in stored:
        found = fold.ratings[entry_no]
        largest = max(largest, abs(mu - found.mu), abs(sigma - found.sigma))
    return Compared(league.name, end, largest / own.scale.unit)

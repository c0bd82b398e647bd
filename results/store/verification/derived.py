"""Checks derived tables: folds the ledger again and compares every bit."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, select

from results.base.errors import RatingFailed, RatingMissing
from results.base.plugins import BrokenPlugin
from results.ratings import Rater
from results.ratings.trueskill import RATING as TRUESKILL
from results.ratings.trueskill import ByThePackage
from results.records.query_rows import Finding, Mend
from results.records.totals_fold import Fold, RatingPoint
from results.store.database import Database
from results.store.derived_tables import (
    BLOCK,
    Report,
    counted,
    finished_matches,
    position,
    rater_of,
    rows_of,
    starts,
)
from results.store.league_rows import scale_of, some_leagues
from results.store.tables import TABLES
from results.store.tables.derived import PROGRESS, RATING, RATING_POINT


def check_derived(connection: Connection, league: Row[Any], progress: Report | None) -> Iterator[Finding]:
    """Compare a league's derived tables with a new fold of its ledger; `progress` receives numbers of matches."""
    number = league.id
    found = connection.execute(select(PROGRESS).where(PROGRESS.c.league_id == number)).first()
    if found is None:
        return
    stored = found._mapping
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
            if progress:
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
    connection: Connection, league: Row[Any], fold: Fold, start: int, stop: int
) -> Iterator[Finding]:
    """Fold a block of matches and compare the ratings after each."""
    fold.points.clear()
    for match in finished_matches(connection, league.id, start, stop):
        fold.add(match)
    stored = [
        RatingPoint(*point)
        for point in connection.execute(
            select(RATING_POINT.c.match_no, RATING_POINT.c.entry_no, RATING_POINT.c.mu, RATING_POINT.c.sigma)
            .where(
                RATING_POINT.c.league_id == league.id,
                RATING_POINT.c.match_no >= start,
                RATING_POINT.c.match_no < stop,
            )
            .order_by(RATING_POINT.c.match_no, RATING_POINT.c.entry_no)
        )
    ]
    if _bits(stored) != _bits(sorted(fold.points)):
        there, right = set(_bits(stored)), set(_bits(fold.points))
        match_no = min((point[0] for point in there ^ right), default=start)
        yield _finding(league, "table rating_point: it does not match the ledger", match_no)


def _check_totals(connection: Connection, league: Row[Any], fold: Fold) -> Iterator[Finding]:
    beyond = connection.execute(
        select(RATING_POINT.c.match_no)
        .where(
            RATING_POINT.c.league_id == league.id,
            RATING_POINT.c.match_no >= position(connection, league.id).end,
        )
        .limit(1)
    ).scalar()
    if beyond is not None:
        yield _finding(league, "table rating_point: it covers matches that are not finished", beyond)
    for name, rows in rows_of(fold).items():
        if name == "rating_point":
            continue
        table = TABLES[name]
        columns = [column.name for column in table.columns if column.name != "league_id"]
        keys = [column for column in table.primary_key if column.name != "league_id"]
        stored = [
            tuple(found)
            for found in connection.execute(
                select(*(table.c[column] for column in columns))
                .where(table.c.league_id == league.id)
                .order_by(*keys)
            )
        ]
        for wrong in sorted(set(_bits(stored)) ^ set(_bits(rows)), key=repr)[:1]:
            key = ", ".join(f"{k.name} {wrong[columns.index(k.name)]}" for k in keys)
            yield _finding(league, f"table {name}: it does not match the ledger (row with {key})")


def _finding(league: Row[Any], text: str, match_no: int | None = None) -> Finding:
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


def compare_with_package(
    database: Database, league: str | None = None, progress: Report | None = None
) -> list[Compared]:
    """Implement `Store.compare_with_package`."""
    with database.reading() as connection:
        return [
            _compared(connection, each, progress)
            for each in some_leagues(connection, league)
            if each.rated and each.rating == TRUESKILL.name
        ]


def _compared(connection: Connection, league: Row[Any], progress: Report | None) -> Compared:
    own = rater_of(league)
    fold = Fold(
        Rater(ByThePackage(), own.settings, own.scale), starts(connection, league.id, scale_of(league))
    )
    end = position(connection, league.id).next_match_no
    for start in range(0, end, BLOCK):
        stop = min(start + BLOCK, end)
        for match in finished_matches(connection, league.id, start, stop):
            fold.add(match)
        fold.points.clear()
        if progress:
            progress(stop, end)
    stored = connection.execute(
        select(RATING.c.entry_no, RATING.c.mu, RATING.c.sigma).where(RATING.c.league_id == league.id)
    )
    largest = 0.0
    for entry_no, mu, sigma in stored:
        found = fold.ratings[entry_no]
        largest = max(largest, abs(mu - found.mu), abs(sigma - found.sigma))
    return Compared(league.name, end, largest / own.scale.unit)

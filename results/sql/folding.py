"""Moving the derived tables forward over the complete prefix of matches, within a transaction."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from sqlalchemy import Connection, Table, delete, func, literal_column, select, update
from sqlalchemy.dialects.sqlite import Insert, insert
from sqlmodel import Session

from results.canonical import from_text
from results.fold import Fold
from results.ratings import rating_system
from results.ratings.base import Rating, RatingSystem
from results.sql.finished import BLOCK, finished_matches
from results.sql.league_rows import league_id
from results.sql.tables import DERIVED, TABLES, LeagueRow

_match = TABLES["match"]
_entry = TABLES["entry"]
_rating = TABLES["rating"]
_progress = TABLES["progress"]

Report = Callable[[int, int], None]
"""Told how many of how many matches are done, now and then."""


def system_of(row: LeagueRow) -> RatingSystem:
    """Return the rating system of a league. Raises UnknownRating, BadRating."""
    return rating_system(row.rating, from_text(row.rating_options))


def fold_forward(session: Session, row: LeagueRow, report: Report | None = None) -> None:
    """Fold all matches up to the first that is still planned; nothing for a league that is not rated.

    Raises what the rating system raises; the transaction is then to be rolled back.
    """
    if not row.rated:
        return
    connection = session.connection()
    number = league_id(row)
    first, planned = connection.execute(
        select(_progress.c.next_match_no, _progress.c.matches_planned).where(_progress.c.league_id == number)
    ).one()
    end = connection.execute(
        select(_match.c.match_no)
        .where(
            _match.c.league_id == number,
            _match.c.match_no >= first,
            _match.c.state == literal_column("'planned'"),
        )
        .order_by(_match.c.match_no)
        .limit(1)
    ).scalar()
    end = planned if end is None else end
    if first == end:
        return
    system = system_of(row)
    for start in range(first, end, BLOCK):
        stop = min(start + BLOCK, end)
        matches = list(finished_matches(connection, number, start, stop))
        playing = {entry for match in matches for entry in match.entries}
        fold = Fold(system, _ratings(connection, number, playing, system))
        for match in matches:
            fold.add(*match)
        _write(connection, number, fold)
        if report:
            report(stop, end)
    connection.execute(update(_progress).where(_progress.c.league_id == number).values(next_match_no=end))


def forget(session: Session, row: LeagueRow) -> None:
    """Empty a league's derived tables, so that the fold begins again."""
    number = league_id(row)
    connection = session.connection()
    for name in DERIVED:
        connection.execute(delete(TABLES[name]).where(TABLES[name].c.league_id == number))
    connection.execute(
        update(_progress)
        .where(_progress.c.league_id == number)
        .values(next_match_no=0, **counted(connection, number))
    )


def counted(connection: Connection, number: int) -> dict[str, int]:
    """Return a league's progress, counted from the ledger."""
    states = {
        state: (matches, games)
        for state, matches, games in connection.execute(
            select(_match.c.state, func.count(), func.sum(_match.c.games))
            .where(_match.c.league_id == number)
            .group_by(_match.c.state)
        )
    }
    game = TABLES["game"]
    return {
        "matches_planned": sum(matches for matches, _ in states.values()),
        "matches_done": states.get("done", (0, 0))[0],
        "matches_void": states.get("void", (0, 0))[0],
        "games_planned": sum(games for _, games in states.values()),
        "games_done": connection.execute(
            select(func.count()).select_from(game).where(game.c.league_id == number)
        ).scalar_one(),
    }


def starts(connection: Connection, number: int, system: RatingSystem) -> dict[int, Rating]:
    """Return where the rating of each entry starts, by number."""
    rows = connection.execute(
        select(_entry.c.entry_no, _entry.c.prior_mu, _entry.c.prior_sigma).where(_entry.c.league_id == number)
    )
    return {entry: system.initial() if mu is None else Rating(mu, sigma) for entry, mu, sigma in rows}


def rows_of(fold: Fold) -> dict[str, list[dict[str, Any]]]:
    """Return what a fold has counted as rows of the derived tables, without the league, by table."""
    return {
        "rating": [
            {
                "entry_no": entry,
                "mu": fold.ratings[entry].mu,
                "sigma": fold.ratings[entry].sigma,
                "last_match_no": match_no,
                "last_change": change,
            }
            for entry, (match_no, change) in sorted(fold.last.items())
        ],
        "rating_point": [point._asdict() for point in fold.points],
        "entry_total": [
            {"entry_no": entry, **msgspec.structs.asdict(total)}
            for entry, total in sorted(fold.entries.items())
        ],
        "seat_total": [
            {"entry_no": entry, "seats": seats, "seat": seat, **msgspec.structs.asdict(total)}
            for (entry, seats, seat), total in sorted(fold.seats.items())
        ],
        "fault_total": [
            {"entry_no": entry, "verdict": verdict, "games": games}
            for (entry, verdict), games in sorted(fold.faults.items())
        ],
        "pair_total": [
            {"entry_a": a, "entry_b": b, **msgspec.structs.asdict(total)}
            for (a, b), total in sorted(fold.pairs.items())
        ],
    }


def _ratings(
    connection: Connection, number: int, entries: Iterable[int], system: RatingSystem
) -> dict[int, Rating]:
    """Return the ratings of entries as they stand: the start of those that have not played."""
    ratings = starts(connection, number, system)
    rows = connection.execute(
        select(_rating.c.entry_no, _rating.c.mu, _rating.c.sigma).where(_rating.c.league_id == number)
    )
    ratings.update({entry: Rating(mu, sigma) for entry, mu, sigma in rows})
    return {entry: ratings[entry] for entry in entries}


def _write(connection: Connection, number: int, fold: Fold) -> None:
    for name, rows in rows_of(fold).items():
        if rows:
            connection.execute(_INTO[name], [{"league_id": number, **row} for row in rows])


def _replacing(table: Table) -> Insert:
    """Return the statement that writes rows over those of the same key."""
    statement = insert(table)
    values = {c.name: statement.excluded[c.name] for c in table.columns if not c.primary_key}
    return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=values)


def _adding(table: Table) -> Insert:
    """Return the statement that adds rows to those of the same key; of a `max_` column the larger stays."""
    statement = insert(table)
    values = {
        c.name: func.max(c, statement.excluded[c.name])
        if c.name.startswith("max_")
        else c + statement.excluded[c.name]
        for c in table.columns
        if not c.primary_key
    }
    return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=values)


_INTO = {
    "rating": _replacing(TABLES["rating"]),
    "rating_point": insert(TABLES["rating_point"]),
    "entry_total": _adding(TABLES["entry_total"]),
    "seat_total": _adding(TABLES["seat_total"]),
    "fault_total": _adding(TABLES["fault_total"]),
    "pair_total": _adding(TABLES["pair_total"]),
}

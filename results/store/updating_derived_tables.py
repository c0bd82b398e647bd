"""Updates the derived tables for all finished matches before the first gap, within a transaction."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec
from msgspec import structs

from results.base.errors import FoldFailed, FoldProblem, LedgerError, RatingFailed, RatingMissing
from results.base.scoring import Partners, Sides
from results.ratings import Rater, league_rater
from results.ratings.base import Rating, Scale
from results.records import SeatRecord
from results.records.ratings_and_totals_fold import FinishedMatch, Fold
from results.store.database import (
    Database,
    Row,
    from_text,
    insert,
    insert_or,
    replaced,
    rows,
    summed,
    to_text,
    undoing,
    write,
)
from results.store.games import SEAT_COLUMNS, seat_record
from results.store.league_rows import all_leagues, partners_of, scale_of
from results.store.schema.checked_rows import refuse_missing, refuse_missing_games, refuse_missing_of_store
from results.store.sqlite_file import Connection

DERIVED = ("rating", "rating_point", "entry_total", "seat_total", "fault_total", "pair_total", "luck_total")
"""Tables that can be dropped and refolded. `progress` is one too, but also counts unrated leagues."""

BLOCK = 512
"""Number of matches to read at a time."""

Games = Sequence[Sequence[SeatRecord]]
"""The games of a match, by rotation and seat."""

_DONE = (
    "SELECT match_no, entries, rated FROM match WHERE league_id = :league AND state = 'done' "
    "AND match_no >= :first AND match_no < :end ORDER BY match_no"
)
_SEATS = (
    f"SELECT match_no, rotation, {SEAT_COLUMNS} FROM seat WHERE league_id = :league "
    "AND match_no >= :first AND match_no < :end ORDER BY match_no, rotation, seat"
)


def finished_matches(
    connection: Connection, league: Row, first: int, end: int, in_hand: Mapping[int, Games] | None = None
) -> Iterator[FinishedMatch]:
    """Return the finished matches, rated or not, in order from `first` to `end` − 1, reading one block at a time.

    `in_hand`: the complete games of matches that were just added, by number; they aren't read again.
    """
    partners = partners_of(league)
    for start in range(first, end, BLOCK):
        span = {"league": league.id, "first": start, "end": min(start + BLOCK, end)}
        done = rows(connection, _DONE, **span)
        of_match = in_hand or {}
        if not all(match_no in of_match for match_no, *_ in done):
            of_match = _games(connection, span)
        for match_no, entries, rated in done:
            table = tuple(from_text(entries))
            games = of_match.get(match_no, [])
            sides = partners.at(len(table))
            if partners.teams:
                games = [by_team(game, sides, partners) for game in games]
                table, sides = partners.units(table), ()
            yield FinishedMatch(match_no, table, games, rated=bool(rated), sides=sides)


def by_team(game: Sequence[SeatRecord], sides: Sides, partners: Partners) -> list[SeatRecord]:
    """Return a game of fixed teams as one between the teams: a seat for each, with the first verdict of its members."""
    found = []
    for side in range(max(sides) + 1):
        members = [seat for seat in game if sides[seat.seat] == side]
        (unit,) = partners.units([members[0].entry_no])
        found.append(
            structs.replace(
                next((seat for seat in members if seat.verdict is not None), members[0]),
                seat=side,
                entry_no=unit,
                rank=1 + (members[0].rank - 1) // len(members),
                decisions=sum(seat.decisions for seat in members),
                wall_ns=sum(seat.wall_ns for seat in members),
                max_wall_ns=max(seat.max_wall_ns for seat in members),
                cpu_ns=sum(seat.cpu_ns for seat in members),
            )
        )
    return found


def _games(connection: Connection, span: Mapping[str, int]) -> dict[int, Games]:
    seats = rows(connection, _SEATS, **span)
    return {
        match_no: [[seat_record(row[2:]) for row in game] for _, game in groupby(of_match, key=itemgetter(1))]
        for match_no, of_match in groupby(seats, key=itemgetter(0))
    }


Report = Callable[[int, int], None]
"""Called now and then with the numbers of done and of all matches."""

_MOVE = "UPDATE progress SET next_match_no = ? WHERE league_id = ?"
_FIRST_OPEN = (
    "SELECT match_no FROM match WHERE league_id = :league AND match_no >= :first AND state = 'planned' "
    "ORDER BY match_no LIMIT 1"
)
_NOW = (
    "SELECT entry.entry_no, coalesce(mu, prior_mu), coalesce(sigma, prior_sigma) FROM entry "
    "LEFT JOIN rating USING (league_id, entry_no) "
    "WHERE league_id = :league AND entry_no IN (SELECT value FROM json_each(:entries))"
)


class Position(NamedTuple):
    """How far a league is folded, and how far it could be."""

    next_match_no: int
    end: int
    """The first match that is still planned, or the number of matches if there is none."""


def position(connection: Connection, league: int) -> Position:
    """Return how far the derived tables are, and how far the ledger is complete."""
    text = "SELECT next_match_no, matches_planned FROM progress WHERE league_id = :league"
    ((first, planned),) = rows(connection, text, league=league)
    found = rows(connection, _FIRST_OPEN, league=league, first=first)
    return Position(first, found[0][0] if found else planned)


def rater_of(league: Row) -> Rater:
    """Return the rater for a league's matches. Raises RatingMissing, BrokenPlugin, BadRating."""
    return league_rater(league.name, league.rating, from_text(league.rating_options), scale_of(league))


def fold_forward(
    connection: Connection, league: Row, in_hand: Mapping[int, Games] | None = None
) -> FoldProblem | None:
    """Fold all matches up to the first that is still planned. If the league isn't rated, only count them.

    Return what went wrong; None if nothing did. If the rating system fails, the fold stops before that match and
    counts everything before it. For `in_hand`, see `finished_matches`.
    """
    first, end = position(connection, league.id)
    if first == end:
        return None
    if not league.rated:
        write(connection, _MOVE, [(end, league.id)])
        return None
    try:
        system = rater_of(league)
    except RatingMissing as error:
        reason = f"rated by {error.system!r}, and no such rating system is installed"
        return FoldProblem(league.name, reason, missing=error.system)
    except LedgerError as error:
        return FoldProblem(league.name, str(error))
    problem = None
    for start in range(first, end, BLOCK):
        stop = min(start + BLOCK, end)
        matches = list(finished_matches(connection, league, start, stop, in_hand))
        playing = {entry for match in matches for entry in match.entries}
        found = rows(connection, _NOW, league=league.id, entries=to_text(list(playing)))
        ratings = _rated(found, scale_of(league))
        fold = Fold(system, ratings, _scored(connection, league.id) if system.counts_scores else {})
        for match in matches:
            try:
                fold.add(match)
            except RatingFailed as error:
                problem = FoldProblem(league.name, str(error), match.match_no)
                stop = match.match_no
                break
        _write(connection, league.id, fold)
        write(connection, _MOVE, [(stop, league.id)])
        if problem:
            break
    return problem


def refold(connection: Connection, league: Row) -> None:
    """Empty a league's derived tables and fold its ledger from the start. Raises FoldFailed."""
    for name in DERIVED:
        connection.execute(f"DELETE FROM {name} WHERE league_id = ?", (league.id,))
    values = {"next_match_no": 0, **counted(connection, league.id)}
    setting = ", ".join(f"{name} = :{name}" for name in values)
    connection.execute(
        f"UPDATE progress SET {setting} WHERE league_id = :league", {**values, "league": league.id}
    )
    if problem := fold_forward(connection, league):
        hint = "nothing has changed; fix the rating system and try again"
        raise FoldFailed([problem], str(problem), hint)


def counted(connection: Connection, number: int) -> dict[str, int]:
    """Return a league's progress, counted in the ledger."""
    text = (
        "SELECT count(*), coalesce(sum(state = 'done'), 0), coalesce(sum(state = 'void'), 0), "
        "coalesce(sum(games), 0), (SELECT count(*) FROM game WHERE league_id = :league), "
        "coalesce(sum(games) FILTER (WHERE state = 'done' AND NOT rated), 0) FROM match WHERE league_id = :league"
    )
    return dict(
        zip(list(connection.columns("progress"))[2:], *rows(connection, text, league=number), strict=True)
    )


def starts(connection: Connection, league: int, scale: Scale) -> dict[int, Rating]:
    """Return the initial rating of each entry, by number."""
    text = "SELECT entry_no, prior_mu, prior_sigma FROM entry WHERE league_id = :league"
    return _rated(rows(connection, text, league=league), scale)


def rows_of(fold: Fold) -> dict[str, list[tuple[Any, ...]]]:
    """Return a fold's counts as rows of the derived tables, by table; values in column order, without the league."""
    values = msgspec.structs.astuple
    return {
        "rating": [
            (entry, fold.ratings[entry].mu, fold.ratings[entry].sigma, match_no, change)
            for entry, (match_no, change) in sorted(fold.last.items())
        ],
        "rating_point": list(fold.points),
        "entry_total": [(entry, *values(total)) for entry, total in sorted(fold.entries.items())],
        "seat_total": [(*key, *values(total)) for key, total in sorted(fold.seats.items())],
        "fault_total": [(*key, games) for key, games in sorted(fold.faults.items())],
        "pair_total": [(*key, *values(total)) for key, total in sorted(fold.pairs.items())],
        "luck_total": [(*key, *values(total)) for key, total in sorted(fold.luck.items())],
    }


def _scored(connection: Connection, league: int) -> dict[int, tuple[int, float]]:
    """Return how many games each entry has played, and the sum of their scores."""
    text = "SELECT entry_no, games, score FROM entry_total WHERE league_id = :league"
    return {entry: (games, score) for entry, games, score in rows(connection, text, league=league)}


def _rated(found: Iterable[tuple[int, float | None, float]], scale: Scale) -> dict[int, Rating]:
    return {entry: scale.start if mu is None else Rating(mu, sigma) for entry, mu, sigma in found}


def _write(connection: Connection, league: int, fold: Fold) -> None:
    for name, counted in rows_of(fold).items():
        new = [(league, *row) for row in counted]
        if name == "rating_point":
            insert(connection, name, new)
        else:
            insert_or(connection, name, new, replaced if name == "rating" else summed)


_MOST_NAMED = 5


def rebuild(database: Database) -> None:
    """Drop all derived tables and fold the ledger again, in one transaction.

    This also rebuilds the indexes and drops derived rows of leagues that don't exist. Raises StoreDamaged if rows of
    the ledger have been lost; then nothing changes. Raises FoldFailed if a rating system fails or is missing; its
    leagues stay unchanged, all others are rebuilt.
    """
    failed: list[FoldProblem] = []
    with database.changing() as connection:
        leagues = all_leagues(connection)
        refuse_missing_of_store(connection)
        for each in leagues:
            refuse_missing(connection, each.id, each.name, ("entry", "match", "league_event"))
            refuse_missing_games(connection, each.id, each.name)
        connection.execute("REINDEX")
        for name in (*DERIVED, "progress"):
            connection.execute(f"DELETE FROM {name} WHERE league_id NOT IN (SELECT id FROM league)")
        for each in leagues:
            try:
                with undoing(connection):
                    refold(connection, each)
            except FoldFailed as error:
                failed += error.problems
    if failed:
        others = "" if len(leagues) == len(failed) else "all other leagues are rebuilt; "
        raise FoldFailed(
            failed,
            "; ".join(_reasons(failed)),
            f"{others}install or fix its package and rebuild again; nothing stored is lost",
        )


def _reasons(failed: Sequence[FoldProblem]) -> Iterator[str]:
    """Yield why leagues were not rebuilt, each reason once."""
    alike: dict[tuple[str, str], list[FoldProblem]] = {}
    for problem in failed:
        alike.setdefault((problem.missing, problem.reason), []).append(problem)
    for (missing, reason), of_reason in alike.items():
        if len(of_reason) == 1:
            yield str(of_reason[0])
            continue
        more = f" and {len(of_reason) - _MOST_NAMED} more" if len(of_reason) > _MOST_NAMED else ""
        listed = ", ".join(
            repr(one.league) + ("" if one.match_no is None else f" (match {one.match_no})")
            for one in of_reason[:_MOST_NAMED]
        )
        yield f"leagues {listed}{more}{' are ' if missing else ': '}{reason}"


def catch_up(database: Database) -> None:
    """Fold everything that is in the ledger but not yet in the derived tables, after an upgrade of the store.

    If a rating system fails, `rebuild` reports it later.
    """
    with database.changing() as connection:
        for each in all_leagues(connection):
            fold_forward(connection, each)

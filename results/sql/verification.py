"""Looking a store over: whether every table is what the ledger says it must be."""

import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection, Row, func, select

from results.errors import LedgerError
from results.fold import Fold, RatingPoint
from results.reports import Finding
from results.sql.database import Database
from results.sql.finished import BLOCK, finished_matches
from results.sql.folding import Report, counted, fold_forward, position, refold, rows_of, starts, system_of
from results.sql.league_rows import LeagueFacts, all_league_facts, league_facts
from results.sql.tables import TABLES

_match = TABLES["match"]
_league = TABLES["league"]
_game = TABLES["game"]
_seat = TABLES["seat"]
_replay = TABLES["replay"]
_progress = TABLES["progress"]
_point = TABLES["rating_point"]

CheckBody = Callable[[dict[str, Any]], str | None]
"""Plays a replay body through the rules; returns what is wrong in words, None if nothing is."""


class Verification(Database):
    """The part of a store that checks and mends what is derived."""

    def rebuild(self, league: str | None = None, progress: Report | None = None) -> None:
        """Drop the derived tables of one league, or of all, and fold the ledger again, in one transaction.

        `progress` is told (matches folded, matches to fold). Raises StoreBusy while a process runs one of
        the leagues, and FoldFailed where a rating system fails; then nothing has changed.
        """
        with self.reading() as session:
            leagues = _leagues(session.connection(), league)
        with ExitStack() as held:
            for facts in leagues:
                held.enter_context(self.lock_of(facts.uuid, facts.name))
            with self.changing() as connection:
                for facts in leagues:
                    refold(connection, facts, progress)

    def catch_up(self) -> None:
        """Fold what is in the ledger and not yet in the derived tables, after a step to a newer form of the store.

        A rating system that fails is left for `rebuild` to tell.
        """
        with self.changing() as connection:
            for facts in all_league_facts(connection):
                fold_forward(connection, facts)

    def verify(
        self,
        league: str | None = None,
        *,
        progress: Report | None = None,
        check_body: CheckBody | None = None,
        sample: int | None = None,
    ) -> list[Finding]:
        """Check one league, or all and the file itself; return what is wrong, nothing if all is well.

        Every derived table is computed beside and compared bit for bit; every kept replay's fingerprint is
        computed again and its result compared with the seats. `check_body` is called with replay bodies: all,
        or a `sample` of about that many per league, evenly spread. `progress` is told (matches checked,
        matches to check). Changes nothing.
        """
        findings: list[Finding] = []
        with self.reading() as session:
            connection = session.connection()
            if league is None:
                findings += _check_file(connection)
            for facts in _leagues(connection, league):
                findings += _check_league(connection, facts, progress, check_body, sample)
        return findings


def _leagues(connection: Connection, name: str | None) -> list[LeagueFacts]:
    return all_league_facts(connection) if name is None else [league_facts(connection, name)]


def _check_file(connection: Connection) -> Iterator[Finding]:
    for (problem,) in connection.exec_driver_sql("PRAGMA integrity_check(20)"):
        if problem != "ok":
            yield Finding("file", None, None, None, str(problem))
    for table, _, parent, _ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
        yield Finding("file", None, None, None, f"a row of {table} refers to none of {parent}")


def _check_league(
    connection: Connection,
    league: LeagueFacts,
    progress: Report | None,
    check_body: CheckBody | None,
    sample: int | None,
) -> Iterator[Finding]:
    number = league.number
    stored = connection.execute(select(_progress).where(_progress.c.league_id == number)).one()._mapping
    secret, commitment = connection.execute(
        select(_league.c.secret, _league.c.commitment).where(_league.c.id == number)
    ).one()
    if sha256(secret).hexdigest() != commitment:
        yield Finding("file", league.name, None, None, "the secret is not the one committed to")
    now = counted(connection, number)
    for name, count in now.items():
        if stored[name] != count:
            yield Finding(
                "derived", league.name, None, None, f"progress: {name} is {stored[name]}, not {count}"
            )
    fold: Fold | None = None
    if league.rated:
        try:
            system = system_of(league)
            fold = Fold(system, starts(connection, number, system))
        except LedgerError as error:
            yield Finding("derived", league.name, None, None, f"can't be folded again: {error}")
    planned = now["matches_planned"]
    every = max(1, now["games_done"] // sample) if sample else 1
    seen = 0
    for start in range(0, planned, BLOCK):
        stop = min(start + BLOCK, planned)
        yield from _check_states(connection, league, start, stop, stored["next_match_no"])
        seats = _seats(connection, number, start, stop)
        for game in _games(connection, number, start, stop):
            seen += 1
            at_seats = seats.get((game.match_no, game.rotation), [])
            yield from _check_game(league, game, at_seats, check_body if seen % every == 0 else None)
        if fold is not None:
            try:
                yield from _check_fold(connection, league, fold, start, min(stop, stored["next_match_no"]))
            except Exception as error:  # noqa: BLE001  # damaged rows, or anybody's rating system
                yield Finding("derived", league.name, None, None, f"can't be folded again: {error!r}")
                fold = None
        if progress:
            progress(stop, planned)
    reached, end = position(connection, number)
    if reached != end:
        text = "the rankings stop here, though later matches are finished"
        yield Finding("derived", league.name, reached, None, text)
    if fold is not None:
        yield from _check_totals(connection, league, fold)


def _check_states(
    connection: Connection, league: LeagueFacts, start: int, stop: int, counted_to: int
) -> Iterator[Finding]:
    """Look whether a match is done exactly if all its games are in."""
    games = (
        select(func.count())
        .where(_game.c.league_id == _match.c.league_id, _game.c.match_no == _match.c.match_no)
        .scalar_subquery()
    )
    found = connection.execute(
        select(_match.c.match_no, _match.c.state, _match.c.games, games.label("games_in"))
        .where(_match.c.league_id == league.number, _match.c.match_no >= start, _match.c.match_no < stop)
        .order_by(_match.c.match_no)
    ).all()
    for number, match in enumerate(found, start):
        if match.match_no != number:
            yield Finding("match", league.name, number, None, "there is a gap in the numbers of matches")
            return
        if match.state != "void" and (match.state == "done") != (match.games_in == match.games):
            text = f"it is {match.state}, with {match.games_in} of {match.games} games in"
            yield Finding("match", league.name, match.match_no, None, text)
        if match.state == "planned" and match.match_no < counted_to:
            text = "the rankings go beyond it, though it is not finished"
            yield Finding("derived", league.name, match.match_no, None, text)


def _games(connection: Connection, number: int, start: int, stop: int) -> list[Row[Any]]:
    return list(
        connection.execute(
            select(_game.c.match_no, _game.c.rotation, _game.c.fingerprint, _replay.c.body)
            .select_from(_game.outerjoin(_replay, _same_game()))
            .where(_game.c.league_id == number, _game.c.match_no >= start, _game.c.match_no < stop)
            .order_by(_game.c.match_no, _game.c.rotation)
        )
    )


def _same_game() -> Any:
    return (
        (_replay.c.league_id == _game.c.league_id)
        & (_replay.c.match_no == _game.c.match_no)
        & (_replay.c.rotation == _game.c.rotation)
    )


def _seats(connection: Connection, number: int, start: int, stop: int) -> dict[Any, list[Row[Any]]]:
    """Return the seats of these matches by match, rotation and seat."""
    rows = connection.execute(
        select(_seat)
        .where(_seat.c.league_id == number, _seat.c.match_no >= start, _seat.c.match_no < stop)
        .order_by(_seat.c.match_no, _seat.c.rotation, _seat.c.seat)
    )
    return {key: list(seats) for key, seats in groupby(rows, key=attrgetter("match_no", "rotation"))}


def _check_game(
    league: LeagueFacts, game: Row[Any], seats: list[Row[Any]], check_body: CheckBody | None
) -> Iterator[Finding]:
    """Hold a kept replay against the game's fingerprint, its seats and the rules."""
    if game.body is None:
        return

    def finding(kind: str, text: str) -> Finding:
        return Finding(kind, league.name, game.match_no, game.rotation, text)

    try:
        text = zlib.decompress(game.body)
    except zlib.error as error:
        yield finding("fingerprint", f"the replay can't be decompressed: {error}")
        return
    if (found := sha256(text).hexdigest()) != game.fingerprint:
        yield finding("fingerprint", f"the replay's fingerprint is {found}, not {game.fingerprint}")
        return
    try:
        body = json.loads(text)
        told = _told_by_body(body)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        yield finding("seat", f"the replay's body has no result: {error!r}")
        return
    stored = _told_by_seats(seats)
    for what in stored:
        if told[what] != stored[what]:
            yield finding("seat", f"{what} are {stored[what]} at the seats and {told[what]} in the replay")
    if check_body and (wrong := check_body(body)):
        yield finding("rules", wrong)


def _told_by_body(body: Mapping[str, Any]) -> dict[str, Any]:
    faults = {fault["seat"]: (fault["verdict"], fault["at_decision"]) for fault in body["faults"]}
    return {"scores": list(body["scores"]), "ranks": list(body["ranks"]), "faults": faults}


def _told_by_seats(seats: list[Row[Any]]) -> dict[str, Any]:
    return {
        "scores": [seat.score for seat in seats],
        "ranks": [seat.rank for seat in seats],
        "faults": {seat.seat: (seat.verdict, seat.at_decision) for seat in seats if seat.verdict is not None},
    }


def _check_fold(
    connection: Connection, league: LeagueFacts, fold: Fold, start: int, stop: int
) -> Iterator[Finding]:
    """Fold a block of matches beside, and compare the ratings after each."""
    fold.points.clear()
    for match in finished_matches(connection, league.number, start, stop):
        fold.add(*match)
    stored = [
        RatingPoint(*point)
        for point in connection.execute(
            select(_point.c.match_no, _point.c.entry_no, _point.c.mu, _point.c.sigma)
            .where(_point.c.league_id == league.number, _point.c.match_no >= start, _point.c.match_no < stop)
            .order_by(_point.c.match_no, _point.c.entry_no)
        )
    ]
    if _bits(stored) != _bits(sorted(fold.points)):
        there, right = set(_bits(stored)), set(_bits(fold.points))
        match_no = min(point[0] for point in there ^ right) if there ^ right else start
        yield Finding("derived", league.name, match_no, None, "rating_point: not what the ledger comes to")


def _check_totals(connection: Connection, league: LeagueFacts, fold: Fold) -> Iterator[Finding]:
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
                .where(table.c.league_id == league.number)
                .order_by(*keys)
            )
        ]
        right = [tuple(found[column] for column in columns) for found in rows]
        for wrong in sorted(set(_bits(stored)) ^ set(_bits(right)), key=repr)[:1]:
            key = ", ".join(f"{k.name} {wrong[columns.index(k.name)]}" for k in keys)
            yield Finding("derived", league.name, None, None, f"{name}: not what the ledger comes to ({key})")


def _bits(rows: list[Any]) -> list[tuple[Any, ...]]:
    """Return rows with floats written so that only equal bits are equal."""
    return [tuple(value.hex() if isinstance(value, float) else value for value in row) for row in rows]

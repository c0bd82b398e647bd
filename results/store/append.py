"""Adds finished games to the ledger."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from results.base.advice import Advice, run
from results.base.errors import FoldFailed, FoldProblem, LedgerConflict
from results.base.scoring import is_ranking
from results.records import AttemptRecord, GameRecord
from results.store.database import Database, Row, from_text, insert, rows, to_text, write
from results.store.games import seat_values
from results.store.kept_replays import drop_beyond, kept
from results.store.league_rows import league_row
from results.store.schema.checked_rows import MATCH_STATES, count, of_row, packed
from results.store.segments.files import Segment
from results.store.segments.lookup import remove_files
from results.store.sqlite_file import Connection
from results.store.updating_derived_tables import Games, fold_forward

_MOST_SCORE = 1 << 40
"""The largest score that SQLite's integers can sum over millions of games."""
_MOST_NS = 1 << 50
"""The longest time, for the same reason: 13 days."""

_MATCHES = (
    "SELECT match_no, entries, games, state, rated FROM match "
    "WHERE league_id = :league AND match_no IN (SELECT value FROM json_each(:match_nos))"
)
_GAMES = (
    "SELECT match_no, rotation, fingerprint FROM game "
    "WHERE league_id = :league AND match_no IN (SELECT value FROM json_each(:match_nos))"
)
_SET_STATE = "UPDATE match SET state = ?, checksum = checksum + ? WHERE league_id = ? AND match_no = ?"
_COUNT = (
    "UPDATE progress SET games_done = games_done + :fresh, matches_done = matches_done + :done, "
    "matches_void = matches_void + :void, games_unrated = games_unrated + :unrated WHERE league_id = :league"
)


def append(
    database: Database,
    games: Sequence[GameRecord],
    attempts: Sequence[AttemptRecord] = (),
    void_matches: Sequence[tuple[str, int]] = (),
) -> None:
    """Implement `Store.append`."""
    conflicts: list[str] = []
    problems: list[FoldProblem] = []
    gone: list[Segment] = []
    with database.changing() as connection:
        of_games, of_void = [game.league for game in games], [league for league, _ in void_matches]
        for uuid in dict.fromkeys([*of_games, *(attempt.league for attempt in attempts), *of_void]):
            league = league_row(connection, uuid)
            stored = _store(
                connection,
                league,
                [game for game in games if game.league == uuid],
                [attempt for attempt in attempts if attempt.league == uuid],
                {match_no for league_uuid, match_no in void_matches if league_uuid == uuid},
            )
            conflicts += stored.conflicts
            gone += stored.gone
            if problem := fold_forward(connection, league, in_hand=stored.whole):
                problems.append(problem)
    remove_files(database, gone)
    if conflicts:
        raise LedgerConflict(conflicts)
    if problems:
        raise FoldFailed(
            problems,
            str(problems[0]),
            Advice("the games are in the ledger; after fixing this, count them with ", run("db rebuild")),
        )


class _Planned(NamedTuple):
    """The parts of a planned match that its games are checked against."""

    entries: list[int]
    """Sorted."""
    games: int
    state: str
    rated: bool


class _Stored(NamedTuple):
    """The result of storing a chunk."""

    conflicts: list[str]
    """Differences from the ledger, in words."""
    whole: dict[int, Games]
    """By number: the games of matches that this chunk completed on its own."""
    gone: list[Segment]
    """Segments that no longer hold any replay."""


def _store(
    connection: Connection,
    league: Row,
    games: Sequence[GameRecord],
    attempts: Sequence[AttemptRecord],
    void: set[int],
) -> _Stored:
    """Store everything of one league that agrees with the ledger."""
    match_nos = {game.match_no for game in games} | {attempt.match_no for attempt in attempts} | void
    of_matches = {"league": league.id, "match_nos": to_text(list(match_nos))}
    planned = {
        match_no: _Planned(sorted(from_text(entries)), games, state, bool(rated))
        for match_no, entries, games, state, rated in rows(connection, _MATCHES, **of_matches)
    }
    there = {
        (match_no, rotation): fingerprint
        for match_no, rotation, fingerprint in rows(connection, _GAMES, **of_matches)
    }
    conflicts: list[str] = []
    fresh: list[GameRecord] = []
    for game in games:
        key = (game.match_no, game.rotation)
        name = f"game {league.name}/{game.match_no}.{game.rotation}"
        match = planned.get(game.match_no)
        if problem := _problem(game, match):
            conflicts.append(f"{name}: {problem}")
        elif key not in there:
            there[key] = game.fingerprint
            fresh.append(game)
        elif there[key] != game.fingerprint:
            conflicts.append(
                f"{name} is in the ledger with fingerprint {there[key]}, "
                f"and came again with {game.fingerprint}"
            )
    _insert_games(connection, league, fresh)
    conflicts += _insert_attempts(connection, league, attempts, planned)
    games_in = Counter(match_no for match_no, _ in there)
    conflicts += _finish_matches(connection, league, void, planned, games_in, len(fresh))
    gone = drop_beyond(connection, league.id, league.keep_replays, fresh=len(fresh)) if fresh else []
    return _Stored(conflicts, _whole(fresh, planned), gone)


def _whole(games: Sequence[GameRecord], planned: dict[int, _Planned]) -> dict[int, Games]:
    """Return, by number, the matches that have all their games in this chunk, with the seats by rotation."""
    of_match: dict[int, list[GameRecord]] = {}
    for game in games:
        of_match.setdefault(game.match_no, []).append(game)
    return {
        match_no: [game.seats for game in sorted(of_one, key=lambda game: game.rotation)]
        for match_no, of_one in of_match.items()
        if len(of_one) == planned[match_no].games
    }


def _problem(game: GameRecord, planned: _Planned | None) -> str:
    """Return why the ledger can't hold a record; empty if it can."""
    if planned is None:
        return "its match is not planned"
    if not 0 <= game.rotation < planned.games:
        return f"its match has {planned.games} games"
    if [seat.seat for seat in game.seats] != list(range(len(planned.entries))):
        return f"its seats are {[seat.seat for seat in game.seats]}, of {len(planned.entries)} at the table"
    if sorted(seat.entry_no for seat in game.seats) != planned.entries:
        return f"the entries at its seats are not those of the match, {planned.entries}"
    if not is_ranking(tuple([seat.rank for seat in game.seats])):
        return f"{[seat.rank for seat in game.seats]} are not valid ranks"
    for seat in game.seats:
        if seat.verdict is not None and seat.verdict.is_platform:
            return f"seat {seat.seat} has the verdict {seat.verdict.value!r}, which is for platform errors"
        if not abs(seat.score) <= _MOST_SCORE:
            return f"seat {seat.seat} has the score {seat.score}, beyond ±{_MOST_SCORE}"
        if not all(0 <= ns <= _MOST_NS for ns in (seat.wall_ns, seat.max_wall_ns, seat.cpu_ns)):
            return f"seat {seat.seat} has times out of range"
    return ""


def _insert_games(connection: Connection, league: Row, games: Sequence[GameRecord]) -> None:
    """Insert the rows of games, each with the checksums of all its rows; values are in column order."""
    of_games: list[tuple[Any, ...]] = []
    of_seats: list[tuple[Any, ...]] = []
    of_replays: list[tuple[Any, ...]] = []
    of_logs: list[tuple[Any, ...]] = []
    for game in games:
        key = (league.id, game.match_no, game.rotation)
        row = (
            *(*key, game.fingerprint, game.decisions, game.wall_ns),
            *(game.sandbox, game.worker, game.finished_at),
        )
        seats = [(*key, *seat_values(seat)) for seat in game.seats]
        replay = 0
        if kept(game, league.keep_replays):
            of_replays.append((*key, game.body, game.timing))
            replay = of_row(of_replays[-1])
        logs = [0] * len(seats)
        for log in game.logs:
            if log.head or log.tail:
                of_logs.append((*key, log.seat, log.head, log.tail, log.dropped_bytes))
                logs[log.seat] = of_row(of_logs[-1])
        checksums = packed(of_row(row), replay, [of_row(seat) for seat in seats], logs)
        of_games.append((*row, False, checksums))
        of_seats += seats
    for name, added in (("game", of_games), ("seat", of_seats), ("replay", of_replays), ("log", of_logs)):
        insert(connection, name, added)


def _insert_attempts(
    connection: Connection, league: Row, attempts: Sequence[AttemptRecord], planned: dict[int, _Planned]
) -> list[str]:
    """Store failed attempts; return those that can't be stored, in words."""
    conflicts = []
    new: list[tuple[Any, ...]] = []
    for attempt in attempts:
        name = f"attempt at game {league.name}/{attempt.match_no}.{attempt.rotation}"
        if attempt.match_no not in planned:
            conflicts.append(f"{name}: its match is not planned")
        elif not attempt.verdict.is_platform:
            conflicts.append(f"{name}: {attempt.verdict.value!r} is not a platform error")
        else:
            row = (
                *(league.id, attempt.match_no, attempt.rotation, attempt.at, attempt.attempt),
                *(attempt.verdict.value, attempt.detail, attempt.worker, attempt.entry_no),
            )
            new.append((*row, of_row(row)))
    if added := insert(connection, "attempt", new, "ON CONFLICT DO NOTHING"):
        count(connection, "attempt", league.id, added)
    return conflicts


def _finish_matches(
    connection: Connection,
    league: Row,
    void: set[int],
    planned: dict[int, _Planned],
    games_in: Counter[int],
    fresh: int,
) -> list[str]:
    """Set the state of matches that have become done or void, and count them; return conflicts in words."""
    conflicts = []
    states = {}
    for match_no, match in planned.items():
        if match.state == "planned" and games_in[match_no] == match.games:
            states[match_no] = "done"
    for match_no in sorted(void):
        name = f"match {match_no} of league {league.name!r}"
        if match_no not in planned:
            conflicts.append(f"{name} can't be void: it is not planned")
        elif "done" in (planned[match_no].state, states.get(match_no)):
            conflicts.append(f"{name} can't be void: all its games are in")
        elif planned[match_no].state == "planned":
            states[match_no] = "void"
    if states:
        # Checksums hold the state, and that of `planned` is 0.
        steps = [(new, MATCH_STATES.index(new), league.id, match_no) for match_no, new in states.items()]
        write(connection, _SET_STATE, steps)
    if states or fresh:
        became = Counter(states.values())
        done = [planned[match_no] for match_no, state in states.items() if state == "done"]
        unrated = sum(match.games for match in done if not match.rated)
        counts = {"fresh": fresh, "done": len(done), "void": became["void"], "unrated": unrated}
        write(connection, _COUNT, [{"league": league.id, **counts}])
    return conflicts

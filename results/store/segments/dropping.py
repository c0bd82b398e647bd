"""Drops replays that a policy no longer keeps from segments; a segment that keeps some of them is written anew."""

from collections.abc import Iterator
from contextlib import suppress

from sqlalchemy import Connection

from results.store.database import Database
from results.store.segments.files import Segment, folder_of, reading, settle, writing
from results.store.segments.ledger_rows import (
    Span,
    drop_empty,
    drop_segment,
    drop_span,
    enter,
    next_number,
    spans_in,
)
from results.store.segments.rolling import SPANS
from results.store.segments.rows import all_segments

_AT_FAULT = (
    "EXISTS (SELECT 1 FROM ledger.seat WHERE seat.league_id = replay.league_id AND seat.match_no = replay.match_no "
    "AND seat.rotation = replay.rotation AND seat.verdict IS NOT NULL)"
)
_MARK = "UPDATE game SET pruned = 1 WHERE league_id = ? AND match_no = ? AND rotation = ?"
_MARK_ALL = (
    "UPDATE game SET pruned = 1 WHERE league_id = ? AND match_no BETWEEN ? AND ? "
    "AND substr(checksums, 5, 4) <> x'00000000'"
)


def drop_older(connection: Connection, league: int, beyond: tuple[int, int]) -> list[Segment]:
    """Drop segments whose replays of a league are all older than a game; return those that hold nothing any more.

    `beyond`: match and rotation of the newest game whose replay isn't kept.
    """
    going = [
        number
        for (number,) in connection.exec_driver_sql(
            "SELECT segment_id FROM segment_span WHERE league_id = ? AND last_match < ?", (league, beyond[0])
        )
    ]
    for number in going:
        drop_span(connection, league, number)
    return drop_empty(connection) if going else []


class Pruned:
    """What pruning the segments of a league did."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.replays = 0
        self.gone: list[Segment] = []
        """Segments whose files are to be removed once that is committed."""
        self.away: list[Segment] = []
        """Segments that keep some of the league's replays and drop others, but aren't here."""


def prune(
    database: Database,
    connection: Connection,
    league: int,
    beyond: tuple[int, int] | None,
    *,
    only_faults: bool,
) -> Pruned:
    """Drop replays of a league: up to a game (match, rotation), or with `only_faults` all games without a fault.

    With neither, all of them. The games whose replays are dropped are marked as pruned.
    """
    done = Pruned()
    for segment in all_segments(connection):
        for span in spans_in(connection, segment.number):
            if span.league != league or (beyond is not None and span.first_match > beyond[0]):
                continue
            if not only_faults and (beyond is None or span.last_match < beyond[0]):
                connection.exec_driver_sql(_MARK_ALL, (league, span.first_match, span.last_match))
                drop_span(connection, league, segment.number)
                done.replays += span.games
            elif not (folder_of(database) / segment.name).exists():
                done.away.append(segment)
            else:
                condition, values = (
                    (_AT_FAULT, ()) if beyond is None else ("(match_no, rotation) > (?, ?)", beyond)
                )
                _rewrite(database, connection, segment, span, condition, values, done)
    done.gone += drop_empty(connection)
    return done


def _rewrite(
    database: Database,
    connection: Connection,
    segment: Segment,
    span: Span,
    condition: str,
    values: tuple[int, ...],
    done: Pruned,
) -> None:
    """Replace a segment by one without the replays of a league that don't meet a condition."""
    path = folder_of(database) / segment.name
    with reading(path, segment):  # so that nothing is taken over from a damaged file
        pass
    growing = database.files / "segment.growing"
    staying = [kept.league for kept in spans_in(connection, segment.number) if kept.league != span.league]
    with writing(growing, path) as file:
        file.execute("COMMIT")
        file.execute("ATTACH ? AS ledger", (f"{database.path.absolute().as_uri()}?mode=ro",))
        file.execute("BEGIN")
        others = "".join(f" OR league_id = {int(other)}" for other in staying)
        file.execute(
            "INSERT INTO main.replay SELECT * FROM source.replay AS replay "  # noqa: S608  # our own conditions
            f"WHERE (league_id = ? AND {condition}){others} ORDER BY rowid",
            (span.league, *values),
        )
        file.execute("INSERT INTO main.league SELECT * FROM source.league")
        going: Iterator[tuple[int, int]] = file.execute(
            f"SELECT match_no, rotation FROM source.replay AS replay WHERE league_id = ? AND NOT ({condition})",  # noqa: S608  # likewise
            (span.league, *values),
        )
        dropped = 0
        for match_no, rotation in going:
            connection.exec_driver_sql(_MARK, (span.league, match_no, rotation))
            dropped += 1
        spans = [Span(*row) for row in file.execute(SPANS)]
    if not dropped:
        growing.unlink()
        return
    done.replays += dropped
    done.gone.append(segment)
    number = next_number(connection)
    drop_segment(connection, segment)
    if spans:
        enter(connection, settle(growing, folder_of(database), number, database.now()), spans)
    else:
        with suppress(FileNotFoundError):
            growing.unlink()

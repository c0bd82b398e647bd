"""Moves older replays from the store to new segments, while it grows.

The file of a segment is complete, has its name, and has reached the disk before the ledger says in one transaction
that the replays are there and no longer in the store. Killed in between, a file is left that the ledger doesn't know.
"""

from collections.abc import Sequence

from results.errors import LedgerError, StoreBusy
from results.records import GameRecord
from results.store.database import Database
from results.store.segments.files import Segment, folder_of, settle, writing
from results.store.segments.ledger_rows import Span, enter, next_number

SEGMENT_GAMES = 1_000_000
SEGMENT_BYTES = 256 << 20
"""Replays are moved once the store has so many, or so many bytes of them."""
LOOKS = 16
"""How often to look in the time in which as many come in."""

_SAMPLE = 64
_WAITING = (
    "SELECT (SELECT max(rowid) FROM replay) - (SELECT min(rowid) FROM replay) + 1, "
    "(SELECT avg(size) FROM (SELECT length(body) + length(timing) AS size FROM replay ORDER BY rowid DESC LIMIT ?))"
)
_LAST = (
    "SELECT max(row) FROM (SELECT row, size, sum(size) OVER (ORDER BY row) AS total FROM "
    "(SELECT rowid AS row, length(body) + length(timing) AS size FROM replay ORDER BY rowid LIMIT ?)) "
    "WHERE total - size < ?"
)
SPANS = (
    "SELECT league_id, min(match_no), max(match_no), count(*) FROM main.replay GROUP BY league_id ORDER BY 1"
)


class Roller:
    """Moves replays of one store when there are enough of them."""

    def __init__(self, database: Database) -> None:
        """Begin with a look at the first games that are added."""
        self._database = database
        self._games = SEGMENT_GAMES
        self._bytes = SEGMENT_BYTES

    def added(self, games: Sequence[GameRecord]) -> None:
        """Move replays if it is time, now that games were added. Never fails: then they stay where they are."""
        self._games += len(games)
        self._bytes += sum(len(game.body) + len(game.timing) for game in games)
        is_time = self._games * LOOKS >= SEGMENT_GAMES or self._bytes * LOOKS >= SEGMENT_BYTES
        if not is_time or self._database.is_together:
            return
        self._games = self._bytes = 0
        try:
            if _is_due(self._database):
                roll(self._database)
        except (LedgerError, OSError):  # a full disk, which the next games will meet
            return


def _is_due(database: Database) -> bool:
    """Return whether the store has enough replays for a segment; their size is estimated from the newest."""
    games, mean_bytes = _waiting(database)
    return games >= SEGMENT_GAMES or games * mean_bytes >= SEGMENT_BYTES


def due_at(database: Database) -> int:
    """Return how many replays the store has when a segment is written, estimated from the size of the newest."""
    _, mean_bytes = _waiting(database)
    return SEGMENT_GAMES if not mean_bytes else max(1, min(SEGMENT_GAMES, int(SEGMENT_BYTES / mean_bytes)))


def _waiting(database: Database) -> tuple[int, float]:
    """Return about how many replays are in the store, and the mean size in bytes of the newest; zeros without any."""
    with database.reading() as connection:
        ((games, mean_bytes),) = connection.exec_driver_sql(_WAITING, (_SAMPLE,))
    return games or 0, float(mean_bytes or 0)


def roll(database: Database, games: int | None = None, size_bytes: int | None = None) -> Segment | None:
    """Move the oldest replays of the store to a new segment, up to a number and a size; return None if there are none.

    Raises StoreFailed and StoreFull; then the replays stay where they are.
    """
    with database.reading() as connection:
        bounds = (games or SEGMENT_GAMES, size_bytes or SEGMENT_BYTES)
        last = connection.exec_driver_sql(_LAST, bounds).scalar()
        number = next_number(connection)
    if last is None:
        return None
    growing = database.files / "segment.growing"
    with writing(growing, database.path) as file:
        file.execute(
            "INSERT INTO main.replay SELECT league_id, match_no, rotation, body, timing FROM source.replay "
            "WHERE rowid <= ? ORDER BY rowid",
            (last,),
        )
        file.execute(
            "INSERT INTO main.league SELECT id, uuid, name FROM source.league "
            "WHERE id IN (SELECT DISTINCT league_id FROM main.replay)"
        )
        spans = [Span(*row) for row in file.execute(SPANS)]
    segment = settle(growing, folder_of(database), number, database.now())
    with database.changing() as connection:
        moved = connection.exec_driver_sql("DELETE FROM replay WHERE rowid <= ?", (last,)).rowcount
        if moved != sum(span.games for span in spans):
            raise StoreBusy(f"{database.path} changed while replays were moved", "nothing was moved")
        enter(connection, segment, spans)
    return segment

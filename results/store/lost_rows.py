"""Refuses to work on a ledger that has lost rows, because anything computed from the rest would be wrong."""

from collections.abc import Sequence

from sqlalchemy import Connection

from results.advice import Advice, run
from results.errors import StoreDamaged
from results.store.tables import COUNTED

_NUMBERED = {"entry": "entry_no", "league_event": "event_no", "match": "match_no"}
_PLURALS = {"entry": "entries", "match": "matches"}
_MOST_NAMED = 5
_GAMES_LOST = (
    "SELECT m.match_no FROM match m WHERE m.league_id = ? AND m.state = 'done' AND m.games > "
    "(SELECT count(*) FROM game g WHERE g.league_id = m.league_id AND g.match_no = m.match_no) ORDER BY 1"
)
_SEATS_LOST = (
    "SELECT DISTINCT m.match_no FROM match m JOIN game g USING (league_id, match_no) WHERE m.league_id = ? "
    "AND json_valid(m.entries) AND json_array_length(m.entries) > (SELECT count(*) FROM seat s "
    "WHERE s.league_id = g.league_id AND s.match_no = g.match_no AND s.rotation = g.rotation) ORDER BY 1"
)


def refuse_missing(
    connection: Connection, league: int, name: str, tables: Sequence[str] = ("entry", "match")
) -> None:
    """Raise StoreDamaged, naming them, if numbered rows of a league were written but are missing."""
    for table in tables:
        column = _NUMBERED[table]
        written = _written(connection, table, league)
        counted = f"SELECT count(*) FROM {table} WHERE league_id = ?"  # noqa: S608  # our own names
        if connection.exec_driver_sql(counted, (league,)).scalar_one() >= written:
            continue
        rows = connection.exec_driver_sql(
            f"SELECT {column} FROM {table} WHERE league_id = ?",  # noqa: S608  # our own names
            (league,),
        )
        there = {number for (number,) in rows}
        gone = [number for number in range(written) if number not in there]
        if gone:
            what = table.replace("_", " ")
            raise _damaged(f"{what if len(gone) == 1 else _PLURALS.get(table, what + 's')} ", gone, name)


def refuse_missing_games(connection: Connection, league: int, name: str) -> None:
    """Raise StoreDamaged if a finished match of a league has lost a game, or a game a seat."""
    for what, text in (("games", _GAMES_LOST), ("seats", _SEATS_LOST)):
        if gone := [number for (number,) in connection.exec_driver_sql(text, (league,))]:
            raise _damaged(f"{what} of {'match' if len(gone) == 1 else 'matches'} ", gone, name, plural=True)


def refuse_missing_of_store(connection: Connection) -> None:
    """Raise StoreDamaged if a table of the whole store has lost rows."""
    for table in COUNTED:
        there = connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one()  # noqa: S608  # our own names
        if (lost := _written(connection, table, 0) - there) > 0:
            raise StoreDamaged(
                f"the store is damaged: {lost} of the rows of table {table} are missing", _HINT
            )


_HINT = Advice(
    *("run ", run("db verify"), " to see what else is damaged; restore a backup with "),
    run("db restore", "FILE"),
)


def _written(connection: Connection, table: str, league: int) -> int:
    text = "SELECT rows FROM row_count WHERE table_name = ? AND league_id = ?"
    return int(connection.exec_driver_sql(text, (table, league)).scalar() or 0)


def _damaged(what: str, gone: Sequence[int], league: str, *, plural: bool = False) -> StoreDamaged:
    more = f" and {len(gone) - _MOST_NAMED} more" if len(gone) > _MOST_NAMED else ""
    listed = ", ".join(map(str, gone[:_MOST_NAMED])) + more
    verb = "are" if plural or len(gone) > 1 else "is"
    return StoreDamaged(f"the store is damaged: {what}{listed} of league {league} {verb} missing", _HINT)

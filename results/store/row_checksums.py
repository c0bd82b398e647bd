"""Checksums and counts of rows: computed for new rows, and for everything that a store holds.

Rows are taken raw, as SQLite returns them, in column order. Migrations also use the functions for whole tables,
which read the columns from the file, because a migration works on the tables of its time.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import Boolean, Connection, Float, Table, select, update

from results.checksums import MATCH_STATES, of_match, of_row, packed

_AT_A_TIME = 1000
"""Number of rows to write with one statement."""

OWN_COLUMNS = frozenset({"checksum", "checksums", "pruned"})
"""Columns without a checksum: the checksums themselves, and a mark that is checked against the replays."""


def columns_of(connection: Connection, table: str) -> list[str]:
    """Return the columns of a table in the file, in order."""
    return [column.name for column in connection.exec_driver_sql(f"PRAGMA table_info({table})")]


def checked_columns(connection: Connection, table: str) -> list[str]:
    """Return the columns that checksums cover."""
    return [name for name in columns_of(connection, table) if name not in OWN_COLUMNS]


def key_columns(connection: Connection, table: str) -> list[str]:
    """Return the primary key's columns of a table in the file, in order."""
    info = connection.exec_driver_sql(f"PRAGMA table_info({table})").all()
    return [column.name for column in sorted(info, key=lambda column: column.pk) if column.pk]


# While rows are written


def raw(kind: object, value: Any) -> Any:
    """Return a value as SQLite will return it: booleans as integers, numbers in a float column as floats."""
    if value is not None and isinstance(kind, Boolean):
        return int(value)
    if value is not None and isinstance(kind, Float):
        return float(value)
    return value


def seal(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Store the checksums of existing rows of a table; `rows` are their raw values by column."""
    keys = [column.name for column in table.primary_key]
    checked = [column.name for column in table.columns if column.name not in OWN_COLUMNS]
    _set(
        connection,
        table.name,
        "checksum",
        keys,
        [(of_row([row[name] for name in checked]), *(row[key] for key in keys)) for row in rows],
    )


def change_row(connection: Connection, table: Table, number: int, values: Mapping[str, Any]) -> None:
    """Change columns of one row of a table with an `id`, and store its new checksum."""
    connection.execute(update(table).where(table.c.id == number).values(values))
    row = connection.execute(select(table).where(table.c.id == number)).one()
    seal(
        connection, table, [{column.name: raw(column.type, row[i]) for i, column in enumerate(table.columns)}]
    )


def count(connection: Connection, table: str, league: int, added: int) -> None:
    """Count rows added to a table; `league` is 0 for a table of the whole store."""
    connection.exec_driver_sql(
        "INSERT INTO row_count (table_name, league_id, rows) VALUES (?, ?, ?) "
        "ON CONFLICT DO UPDATE SET rows = rows + excluded.rows",
        (table, league, added),
    )


# Everything in a store


def seal_rows(connection: Connection, table: str) -> None:
    """Compute the checksum of every row of a table that has one checksum per row."""
    columns, keys = checked_columns(connection, table), key_columns(connection, table)
    at = [columns.index(key) for key in keys]
    rows = connection.exec_driver_sql(f"SELECT {_list(columns)} FROM {_quoted(table)}")  # noqa: S608  # our own names
    for part in rows.partitions(_AT_A_TIME):
        new = [(of_row(tuple(row)), *(row[i] for i in at)) for row in part]
        _set(connection, table, "checksum", keys, new)


def seal_matches(connection: Connection) -> None:
    """Compute the checksum of every match."""
    columns, keys = checked_columns(connection, "match"), key_columns(connection, "match")
    at, state = [columns.index(key) for key in keys], columns.index("state")
    rows = connection.exec_driver_sql(f"SELECT {_list(columns)} FROM match")  # noqa: S608  # our own names
    for part in rows.partitions(_AT_A_TIME):
        new = [(match_checksum(row, state), *(row[i] for i in at)) for row in part]
        _set(connection, "match", "checksum", keys, new)


def match_checksum(row: Sequence[Any], state: int) -> int:
    """Return the checksum of a match's raw values; `state` is the index of the state among them."""
    if row[state] not in MATCH_STATES:
        return 0
    return of_match([*row[:state], *row[state + 1 :]], row[state])


def seal_games(connection: Connection) -> None:
    """Compute the checksums of every game with its replay, seats and logs."""
    keys = ("league_id", "match_no", "rotation")
    streams = {
        name: _by_game(connection, name, checked_columns(connection, name))
        for name in ("replay", "seat", "log")
    }
    nothing: tuple[tuple[int, ...], list[Any]] = ((), [])
    ahead = {name: next(stream, nothing) for name, stream in streams.items()}
    for part in _partitions(_by_game(connection, "game", checked_columns(connection, "game"))):
        new = []
        for key, (game,) in part:
            found: dict[str, list[Any]] = {}
            for name, stream in streams.items():
                while ahead[name][0] and ahead[name][0] < key:
                    ahead[name] = next(stream, nothing)
                found[name] = ahead[name][1] if ahead[name][0] == key else []
            new.append((packed_rows(game, found["replay"], found["seat"], found["log"]), *key))
        _set(connection, "game", "checksums", keys, new)


def packed_rows(
    game: Sequence[Any], replay: Sequence[Any], seats: Sequence[Any], logs: Sequence[Any]
) -> bytes:
    """Return a game's packed checksums from raw rows: its own, its replay's (one or none), its seats', its logs'."""
    by_seat = {log[3]: of_row(tuple(log)) for log in logs}
    return packed(
        of_row(tuple(game)),
        of_row(tuple(replay[0])) if replay else 0,
        [of_row(tuple(seat)) for seat in seats],
        [by_seat.get(seat[3], 0) for seat in seats],
    )


def _by_game(
    connection: Connection, table: str, columns: Sequence[str]
) -> Iterator[tuple[tuple[int, ...], list[Any]]]:
    """Read a table in key order; return the rows of each game with the game's key."""
    text = f"SELECT {_list(columns)} FROM {table} ORDER BY league_id, match_no, rotation"  # noqa: S608  # our own names
    rows = connection.exec_driver_sql(text + (", seat" if "seat" in columns else ""))
    for key, of_game in groupby(rows.yield_per(_AT_A_TIME), key=itemgetter(0, 1, 2)):
        yield key, list(of_game)


def _partitions(
    games: Iterator[tuple[tuple[int, ...], list[Any]]],
) -> Iterator[list[tuple[tuple[int, ...], list[Any]]]]:
    while part := [game for _, game in zip(range(_AT_A_TIME), games, strict=False)]:
        yield part


def count_all(connection: Connection, table: str, *, by_league: bool) -> None:
    """Count the current rows of a table."""
    league, group = ("league_id", " GROUP BY league_id") if by_league else ("0", "")
    connection.exec_driver_sql(
        f"INSERT OR REPLACE INTO row_count (table_name, league_id, rows) "  # noqa: S608  # our own names
        f"SELECT '{table}', {league}, count(*) FROM {_quoted(table)}{group}"
    )


def _set(
    connection: Connection, table: str, column: str, keys: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Write the first value of each of `rows` into the row with its key."""
    if rows:
        where = " AND ".join(f"{_quoted(key)} = ?" for key in keys)
        text = f"UPDATE {_quoted(table)} SET {column} = ? WHERE {where}"  # noqa: S608  # our own names
        connection.exec_driver_sql(text, list(rows))


def _list(columns: Sequence[str]) -> str:
    return ", ".join(_quoted(column) for column in columns)


def _quoted(name: str) -> str:
    return f'"{name}"'

"""Checksums and counts of rows: computed for new rows, and for everything that a store holds.

Rows are taken raw, as SQLite returns them, in column order. Migrations also use the functions for whole tables,
which read the columns from the file, because a migration works on the tables of its time.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple
from zlib import crc32

import msgspec
from sqlalchemy import Boolean, Connection, Float, Table, select, update

from results.base.advice import Advice, run
from results.base.errors import StoreDamaged
from results.store.tables import COUNTED

MATCH_STATES = ("planned", "done", "void")
"""The two lowest bits of a match's checksum hold its state, so changing the state is an addition."""

_encode = msgspec.msgpack.Encoder().encode


def of_row(values: Sequence[Any]) -> int:
    """Return the CRC-32 of a row's values (integers, floats, texts, bytes, None), never 0.

    The values are encoded with MessagePack, in which values of different types or lengths never give the same bytes.
    """
    return crc32(_encode(values)) or 1


def of_match(values: Sequence[Any], state: str) -> int:
    """Return the checksum of a match, over its state and all its other values."""
    return of_row(values) * 4 + MATCH_STATES.index(state)


def state_of_match(checksum: int) -> str | None:
    """Return the state in a match's checksum; None if there is none."""
    code = checksum % 4
    return MATCH_STATES[code] if code < len(MATCH_STATES) else None


class GameChecksums(NamedTuple):
    """The checksums of one game's rows, each from `of_row`, or 0 if the row doesn't exist."""

    game: int
    replay: int
    seats: tuple[int, ...]
    logs: tuple[int, ...]
    """By seat; `seats` has as many."""


def packed(game: int, replay: int, seats: Sequence[int], logs: Sequence[int]) -> bytes:
    """Return a game's checksums as stored: four bytes each, little-endian, followed by the CRC-32 of all these."""
    form = _FORMS.get(len(seats)) or _FORMS.setdefault(len(seats), struct.Struct(f"<{2 + 2 * len(seats)}I"))
    content = form.pack(game, replay, *seats, *logs)
    return content + crc32(content).to_bytes(4, "little")


def unpacked(stored: object) -> GameChecksums | None:
    """Return the packed checksums; None if the bytes are damaged or missing."""
    if not isinstance(stored, bytes) or len(stored) < 12 or len(stored) % 8 != 4:
        return None
    content, own = stored[:-4], int.from_bytes(stored[-4:], "little")
    if crc32(content) != own:
        return None
    game, replay, *rest = struct.unpack(f"<{len(content) // 4}I", content)
    seats = len(rest) // 2
    return GameChecksums(game, replay, tuple(rest[:seats]), tuple(rest[seats:]))


_FORMS: dict[int, struct.Struct] = {}


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

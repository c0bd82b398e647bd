"""Rows: their checksums and counts, adding and changing single ones, and which have been lost.

Checksums are of the raw values of a row, as SQLite returns them, in column order.
"""

import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import msgspec
from sqlalchemy import Boolean, ColumnElement, Connection, Float, Table, select, update

from results.base.advice import Advice, run
from results.base.errors import StoreDamaged
from results.store.database import write
from results.store.tables import COUNTED, COUNTED_BY_LEAGUE, TABLES
from results.store.tables.base import adding

if TYPE_CHECKING:
    from sqlmodel import SQLModel


# Checksums

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


def match_checksum(row: Sequence[Any], state: int) -> int:
    """Return the checksum of a match's raw values; `state` is the index of the state among them."""
    if row[state] not in MATCH_STATES:
        return 0
    return of_match([*row[:state], *row[state + 1 :]], row[state])


# Single rows

_OWN_COLUMNS = frozenset({"checksum", "checksums", "pruned"})
"""Columns without a checksum: the checksums themselves, and a mark that is checked against the replays."""
_ADDED_SINGLY = ("author", "bot", "version", "ruleset", "league", "entry", "league_event", "command")
_COUNT = adding(TABLES["row_count"])


def checked_columns(table: str) -> list[str]:
    """Return the columns of a table that checksums cover, in order."""
    return [name for name in TABLES[table].columns.keys() if name not in _OWN_COLUMNS]  # noqa: SIM118 - not a dict


def key_columns(table: str) -> list[str]:
    """Return the columns of a table's primary key, in order."""
    return [column.name for column in TABLES[table].primary_key]


@cache
def _class_of(table: Table) -> "type[SQLModel]":
    """Return a class for the rows of a table, made from its columns.

    SQLModel is loaded by those who write: that takes longer than most commands take to read.
    """
    from sqlmodel import Field, SQLModel

    content: dict[str, Any] = {"__table__": table, "__module__": __name__, "__annotations__": {}}
    for column in table.columns:
        kind, default = column.type.python_type, getattr(column.default, "arg", None)
        may_lack = column.nullable or column.name == "id"
        content["__annotations__"][column.name] = kind | None if may_lack else kind
        lacking: dict[str, Any] = {"default": default} if may_lack or default is not None else {}
        content[column.name] = Field(sa_column=column, **lacking)
    make: Any = type(SQLModel)
    made: type[SQLModel] = make(f"{table.name}_row", (SQLModel,), content, table=True)
    return made


def prepare_adding() -> None:
    """Load what it takes to add rows, which takes long the first time."""
    for name in _ADDED_SINGLY:
        _class_of(TABLES[name])


def add_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Add rows to a table, with their checksums, and count them; return them as objects with all columns.

    Columns that are left out get their defaults.
    """
    from sqlmodel import Session

    kind = _class_of(table)
    with Session(connection) as session:
        added = [kind(**row) for row in rows]
        session.add_all(added)
        session.flush()
        found = [
            {column.name: _raw(column.type, getattr(row, column.name)) for column in table.columns}
            for row in added
        ]
    if "checksum" in table.columns:
        _seal(connection, table, found)
    if table.name in COUNTED:
        count(connection, table.name, 0, len(rows))
    elif table.name in COUNTED_BY_LEAGUE:
        for league, number in Counter(row["league_id"] for row in found).items():
            count(connection, table.name, league, number)
    return added


def add_row(connection: Connection, table: Table, **values: Any) -> Any:
    """Do the same with one row, given by its columns."""
    return add_rows(connection, table, [values])[0]


def number_of(connection: Connection, table: Table, key: Mapping[str, Any], **more: Any) -> int:
    """Return the `id` of the row with the values of `key`; if there is none, one is added, with `more` values."""
    same = [table.c[name] == value for name, value in key.items()]
    found = connection.execute(select(table.c.id).where(*same)).scalar()
    return int(add_row(connection, table, **key, **more).id if found is None else found)


def change_rows(
    connection: Connection, table: Table, which: ColumnElement[bool], values: Mapping[str, Any]
) -> None:
    """Change columns of the rows of a table that meet a condition, and store their new checksums."""
    changed = connection.execute(update(table).where(which).values(values).returning(*table.columns)).all()
    _seal(
        connection,
        table,
        [
            {column.name: _raw(column.type, row[i]) for i, column in enumerate(table.columns)}
            for row in changed
        ],
    )


def _raw(kind: object, value: Any) -> Any:
    """Return a value as SQLite will return it: booleans as integers, numbers in a float column as floats."""
    if value is not None and isinstance(kind, Boolean):
        return int(value)
    if value is not None and isinstance(kind, Float):
        return float(value)
    return value


def _seal(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Store the checksums of existing rows of a table; `rows` are their raw values by column."""
    checked, keys = checked_columns(table.name), key_columns(table.name)
    sums = [(of_row([row[name] for name in checked]), *(row[key] for key in keys)) for row in rows]
    _set_checksums(connection, table.name, keys, sums)


def count(connection: Connection, table: str, league: int, added: int) -> None:
    """Count rows added to a table; `league` is 0 for a table of the whole store."""
    write(connection, _COUNT, [(table, league, added)])


def seal_rows(connection: Connection, table: str) -> None:
    """Compute the checksum of every row of a table that has one checksum per row, by the columns in the file.

    For migrations, which work on the tables of their time.
    """
    info = connection.exec_driver_sql(f"PRAGMA table_info({table})").all()
    columns = [column.name for column in info if column.name not in _OWN_COLUMNS]
    keys = [column.name for column in sorted(info, key=lambda column: column.pk) if column.pk]
    listed = ", ".join(f'"{name}"' for name in columns)
    rows = connection.exec_driver_sql(f'SELECT {listed} FROM "{table}"').all()  # noqa: S608  # our own names
    at = [columns.index(key) for key in keys]
    _set_checksums(connection, table, keys, [(of_row(tuple(row)), *(row[i] for i in at)) for row in rows])


def _set_checksums(
    connection: Connection, table: str, keys: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Write the first value of each of `rows` as the checksum of the row with its key."""
    if rows:
        where = " AND ".join(f'"{key}" = ?' for key in keys)
        connection.exec_driver_sql(f'UPDATE "{table}" SET checksum = ? WHERE {where}', list(rows))  # noqa: S608  # our own names


# Lost rows

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

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

from results.base.advice import Advice, run
from results.base.errors import StoreDamaged
from results.store.database import insert_or, inserting, rows, summed, value
from results.store.sqlite_file import Connection

if TYPE_CHECKING:
    from sqlmodel import SQLModel

COUNTED = ("author", "bot", "version", "ruleset", "league", "command", "segment")
"""Tables of the whole store whose rows are deleted only on request: leagues, versions that no league holds, and
segments whose replays are dropped."""

COUNTED_BY_LEAGUE = ("entry", "league_event", "match", "attempt", "segment_span")
"""Tables of leagues whose rows are never deleted, or only with segments. Games are counted with their matches, seats
with their games."""


# Checksums

MATCH_STATES = ("planned", "done", "void")
"""The two lowest bits of a match's checksum hold its state, so changing the state is an addition."""

_encode = msgspec.msgpack.Encoder().encode


def of_row(values: Sequence[Any]) -> int:
    """Return the CRC-32 of a row's values (integers, floats, texts, bytes, None), never 0.

    The values are encoded with MessagePack, in which values of different types or lengths never give the same bytes.
    """
    return crc32(_encode(values)) or 1


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
    """Return the checksum of a match's raw values, over its state and all others; `state`: its place among them."""
    if row[state] not in MATCH_STATES:
        return 0
    return of_row([*row[:state], *row[state + 1 :]]) * 4 + MATCH_STATES.index(row[state])


# Single rows

_OWN_COLUMNS = frozenset({"checksum", "checksums", "pruned"})
"""Columns without a checksum: the checksums themselves, and a mark that is checked against the replays."""
_ADDED_SINGLY = ("author", "bot", "version", "ruleset", "league", "entry", "league_event", "command")


def checked_columns(connection: Connection, table: str) -> list[str]:
    """Return the columns of a table that checksums cover, in order."""
    return [name for name in connection.columns(table) if name not in _OWN_COLUMNS]


@cache
def _class_of(table: str) -> "type[SQLModel]":
    """Return a class for the rows of a table, made from its columns.

    SQLModel is loaded by those who add single rows: that takes longer than most commands take to read.
    """
    from sqlmodel import Field, SQLModel

    from results.store.schema.all_tables import TABLES

    content: dict[str, Any] = {"__table__": TABLES[table], "__module__": __name__, "__annotations__": {}}
    for column in TABLES[table].columns:
        kind, default = column.type.python_type, getattr(column.default, "arg", None)
        may_lack = column.nullable or column.name == "id"
        content["__annotations__"][column.name] = kind | None if may_lack else kind
        lacking: dict[str, Any] = {"default": default} if may_lack or default is not None else {}
        content[column.name] = Field(sa_column=column, **lacking)
    make: Any = type(SQLModel)
    made: type[SQLModel] = make(f"{table}_row", (SQLModel,), content, table=True)
    return made


def prepare_adding() -> None:
    """Load what it takes to add rows, which takes long the first time."""
    for name in _ADDED_SINGLY:
        _class_of(name)


def add_rows(connection: Connection, table: str, rows: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Add rows to a table, with checksums, and count them; return them with their defaults."""
    kind, names, text = _class_of(table), connection.columns(table), inserting(connection, table)
    added: list[Any] = [kind(**row) for row in rows]
    for row in added:
        number = connection.execute(text, [getattr(row, name) for name in names]).lastrowid
        if connection.keys(table) == ["id"]:
            row.id = number
    if "checksum" in names:
        seal_rows(connection, table, [[getattr(row, key) for key in connection.keys(table)] for row in added])
    if table in COUNTED:
        count(connection, table, 0, len(rows))
    elif table in COUNTED_BY_LEAGUE:
        for league, number in Counter(row.league_id for row in added).items():
            count(connection, table, league, number)
    return added


def add_row(connection: Connection, table: str, **values: Any) -> Any:
    """Do the same with one row, given by its columns."""
    return add_rows(connection, table, [values])[0]


def number_of(connection: Connection, table: str, key: Mapping[str, Any], **more: Any) -> int:
    """Return the `id` of the row with the values of `key`; if there is none, one is added, with `more` values."""
    found = value(connection, f"SELECT id FROM {table} WHERE {_equal(key)}", **key)
    return int(add_row(connection, table, **key, **more).id if found is None else found)


def change_rows(
    connection: Connection, table: str, which: Mapping[str, Any], values: Mapping[str, Any]
) -> None:
    """Change columns of the rows of a table that have the values of `which`, and store their new checksums."""
    keys = ", ".join(connection.keys(table))
    changed = rows(connection, f"SELECT {keys} FROM {table} WHERE {_equal(which)}", **which)
    setting = ", ".join(f"{name} = :new_{name}" for name in values)
    given = {**which, **{f"new_{name}": new for name, new in values.items()}}
    connection.execute(f"UPDATE {table} SET {setting} WHERE {_equal(which)}", given)
    seal_rows(connection, table, changed)


def _equal(values: Mapping[str, Any]) -> str:
    return " AND ".join(f"{name} = :{name}" for name in values)


def count(connection: Connection, table: str, league: int, added: int) -> None:
    """Count rows added to a table; `league` is 0 for a table of the whole store."""
    insert_or(connection, "row_count", [(table, league, added)], summed)


def seal_rows(connection: Connection, table: str, which: Sequence[Sequence[Any]] | None = None) -> None:
    """Store the checksums of the rows of a table with these keys, or of all of them, as they are in the file."""
    keys = connection.keys(table)
    if which is None:
        which = rows(connection, f"SELECT {', '.join(keys)} FROM {table}")
    where = " AND ".join(f"{key} = ?" for key in keys)
    read = f"SELECT {', '.join(checked_columns(connection, table))} FROM {table} WHERE {where}"
    for key in which:
        (row,) = connection.execute(read, key).fetchall()
        connection.execute(f"UPDATE {table} SET checksum = ? WHERE {where}", (of_row(row), *key))


# Lost rows

_NUMBERED = {"entry": "entry_no", "league_event": "event_no", "match": "match_no"}
_PLURALS = {"entry": "entries", "match": "matches"}
_MOST_NAMED = 5
_GAMES_LOST = (
    "SELECT m.match_no FROM match m WHERE m.league_id = :league AND m.state = 'done' AND m.games > "
    "(SELECT count(*) FROM game g WHERE g.league_id = m.league_id AND g.match_no = m.match_no) ORDER BY 1"
)
_SEATS_LOST = (
    "SELECT DISTINCT m.match_no FROM match m JOIN game g USING (league_id, match_no) WHERE m.league_id = :league "
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
        counted = f"SELECT count(*) FROM {table} WHERE league_id = :league"
        if value(connection, counted, league=league) >= written:
            continue
        text = f"SELECT {column} FROM {table} WHERE league_id = :league"
        there = {number for (number,) in rows(connection, text, league=league)}
        gone = [number for number in range(written) if number not in there]
        if gone:
            what = table.replace("_", " ")
            raise _damaged(f"{what if len(gone) == 1 else _PLURALS.get(table, what + 's')} ", gone, name)


def refuse_missing_games(connection: Connection, league: int, name: str) -> None:
    """Raise StoreDamaged if a finished match of a league has lost a game, or a game a seat."""
    for what, text in (("games", _GAMES_LOST), ("seats", _SEATS_LOST)):
        if gone := [number for (number,) in rows(connection, text, league=league)]:
            raise _damaged(f"{what} of {'match' if len(gone) == 1 else 'matches'} ", gone, name, plural=True)


def refuse_missing_of_store(connection: Connection) -> None:
    """Raise StoreDamaged if a table of the whole store has lost rows."""
    for table in COUNTED:
        there = value(connection, f"SELECT count(*) FROM {table}")
        if (lost := _written(connection, table, 0) - there) > 0:
            raise StoreDamaged(
                f"the store is damaged: {lost} of the rows of table {table} are missing", _HINT
            )


_HINT = Advice(
    *("run ", run("db verify"), " to see what else is damaged; restore a backup with "),
    run("db restore", "FILE"),
)


def _written(connection: Connection, table: str, league: int) -> int:
    text = "SELECT rows FROM row_count WHERE table_name = :table AND league_id = :league"
    return int(value(connection, text, table=table, league=league) or 0)


def _damaged(what: str, gone: Sequence[int], league: str, *, plural: bool = False) -> StoreDamaged:
    more = f" and {len(gone) - _MOST_NAMED} more" if len(gone) > _MOST_NAMED else ""
    listed = ", ".join(map(str, gone[:_MOST_NAMED])) + more
    verb = "are" if plural or len(gone) > 1 else "is"
    return StoreDamaged(f"the store is damaged: {what}{listed} of league {league} {verb} missing", _HINT)

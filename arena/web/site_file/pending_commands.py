"""Commands of the site: written here first, so that they can be delivered again after a kill."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from arena.web.site_file.site_database import Transaction, from_row
from results.base.advice import Advice, unpacked

State = Literal["waiting", "done", "refused"]


@dataclass(frozen=True, slots=True)
class SiteCommand:
    """A command that an account has given."""

    uuid: str
    """Identifies it in the ledger too: the ledger takes each id once."""
    account: str
    kind: str
    """As in `arena.league.inbox.dispatch`."""
    data: dict[str, Any]
    created_at: str
    state: State
    answer: str
    """What it did, or why it was refused."""
    advice: Advice
    """What to do about a refusal; may be empty."""
    answered_at: str | None


def add(db: Transaction, uuid: str, account: str, kind: str, data: dict[str, Any], now: str) -> bool:
    """Write a command down; return False if there is one with this id already, which stays as it is."""
    row = (uuid, account, kind, json.dumps(data), now)
    return bool(
        db.execute(
            "INSERT OR IGNORE INTO commands (uuid, account, kind, data, created_at, state) "
            "VALUES (?, ?, ?, ?, ?, 'waiting')",
            row,
        ).rowcount
    )


def find(db: Transaction, uuid: str) -> SiteCommand | None:
    """Return a command; None if there is none with this id."""
    row = db.execute("SELECT * FROM commands WHERE uuid = ?", (uuid,)).fetchone()
    return None if row is None else _command(row)


def answered(db: Transaction, uuid: str, state: State, answer: str, now: str, advice: object = "") -> None:
    """Write down what became of a command; `advice`: what to do about a refusal, if there is anything."""
    db.execute(
        "UPDATE commands SET state = ?, answer = ?, hint = ?, answered_at = ? WHERE uuid = ? AND state = 'waiting'",
        (state, answer, Advice(advice).packed(), now, uuid),
    )


def waiting(db: Transaction, most: int = 100) -> list[SiteCommand]:
    """Return commands without an answer, the oldest first."""
    rows = db.execute(
        "SELECT * FROM commands WHERE state = 'waiting' ORDER BY created_at, rowid LIMIT ?", (most,)
    )
    return [_command(row) for row in rows]


def newest(db: Transaction, most: int, account: str | None = None) -> list[SiteCommand]:
    """Return the newest commands, of one account or of all, the newest first."""
    rows = db.execute(
        "SELECT * FROM commands WHERE ? IS NULL OR account = ? ORDER BY created_at DESC, rowid DESC LIMIT ?",
        (account, account, most),
    )
    return [_command(row) for row in rows]


def _command(row: Any) -> SiteCommand:
    return from_row(SiteCommand, row, data=json.loads(row["data"]), advice=unpacked(row["hint"]))


MOST_KEPT = 10_000
"""How many notes are kept: the newest."""


@dataclass(frozen=True, slots=True)
class NotedTable:
    """A table."""

    id: str
    owner: str
    """The key of the person's account, or of a guest's browser."""
    game: str
    uuid: str
    """The id of the command that enters the game into the ledger."""
    started_at: str
    ended_at: str | None
    words: str
    """Why the game broke off; empty if it didn't, or if nobody knows."""


def table_opened(db: Transaction, table: NotedTable) -> None:
    """Note a table that is being opened."""
    db.execute(
        "INSERT INTO played_tables (id, owner, game, uuid, started_at) VALUES (?, ?, ?, ?, ?)",
        (table.id, table.owner, table.game, table.uuid, table.started_at),
    )
    db.execute(
        "DELETE FROM played_tables WHERE rowid <= (SELECT max(rowid) FROM played_tables) - ?", (MOST_KEPT,)
    )


def table_ended(db: Transaction, number: str, words: str, now: str) -> None:
    """Note that a table has ended. `words`: why its game broke off, if it did."""
    db.execute("UPDATE played_tables SET ended_at = ?, words = ? WHERE id = ?", (now, words, number))


def find_table(db: Transaction, number: str) -> NotedTable | None:
    """Return a table; None if it isn't known, or not any more."""
    row = db.execute("SELECT * FROM played_tables WHERE id = ?", (number,)).fetchone()
    return None if row is None else from_row(NotedTable, row)

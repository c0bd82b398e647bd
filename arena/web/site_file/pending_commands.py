"""Commands of the site: written here first, so that they can be delivered again after a kill."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from arena.web.site_file.file import Transaction, from_row
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

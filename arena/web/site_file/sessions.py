"""Sessions: what a browser's cookie stands for. The cookie has a random id, the file its hash."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from hmac import compare_digest
from typing import Any

from arena.web.site_file.accounts import Role
from arena.web.site_file.file import Transaction
from arena.web.site_file.secret_texts import MOST_CHARS, hashed, new_session_id
from results.clock import utc_text

LASTS = timedelta(days=30)
"""How long a session lasts at most."""
IDLE = timedelta(days=14)
"""A session that isn't used for this long ends."""
SEEN_AGAIN = timedelta(hours=1)
"""How often the use of a session is noted."""
_FORGOTTEN = timedelta(days=30)
"""How long ended sessions are kept."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session, without its id in the cookie."""

    id: int
    account: str
    created_at: str
    seen_at: str
    """When it was last used, to the hour."""
    address: str
    """Where it began."""
    browser: str
    """What the browser says of itself."""


@dataclass(frozen=True, slots=True)
class Member:
    """Whose session a cookie stands for."""

    session: int
    account: str
    role: Role
    is_stale: bool
    """Whether `seen` is due."""


def begin(db: Transaction, account: str, token: int, now: str, address: str, browser: str) -> str:
    """Begin a session; return its id, for the cookie."""
    secret = new_session_id()
    db.execute(
        "DELETE FROM sessions WHERE max(seen_at, coalesce(ended_at, '')) < ?", (_before(now, _FORGOTTEN),)
    )
    db.execute(
        "INSERT INTO sessions (account, token, hash, created_at, seen_at, expires_at, address, browser) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (account, token, hashed(secret), now, now, _before(now, -LASTS), address[:100], browser[:200]),
    )
    return secret


def member(db: Transaction, secret: str, now: str) -> Member | None:
    """Return whose session this is; None if there is none, or if it has ended."""
    if len(secret) > MOST_CHARS:
        return None
    given = hashed(secret)
    row = db.execute(
        "SELECT sessions.*, role FROM sessions JOIN accounts ON accounts.name = sessions.account "
        "JOIN tokens ON tokens.id = sessions.token "
        "WHERE sessions.hash = ? AND ended_at IS NULL AND closed_at IS NULL AND revoked_at IS NULL",
        (given,),
    ).fetchone()
    if row is None or not compare_digest(given, row["hash"]):
        return None
    if now >= row["expires_at"] or row["seen_at"] < _before(now, IDLE):
        return None
    return Member(row["id"], row["account"], row["role"], row["seen_at"] < _before(now, SEEN_AGAIN))


def seen(db: Transaction, session: int, now: str) -> None:
    """Note that a session is used."""
    db.execute("UPDATE sessions SET seen_at = ? WHERE id = ?", (now, session))


def open_ones(db: Transaction, account: str, now: str) -> list[Session]:
    """Return the sessions of an account that haven't ended, the one used last first."""
    rows = db.execute(
        "SELECT * FROM sessions WHERE account = ? AND ended_at IS NULL AND expires_at > ? AND seen_at >= ? "
        "ORDER BY seen_at DESC, id DESC",
        (account, now, _before(now, IDLE)),
    )
    return [_session(row) for row in rows]


def end(db: Transaction, account: str, session: int, now: str) -> bool:
    """End a session of an account; return False if it has no such session."""
    return bool(
        db.execute(
            "UPDATE sessions SET ended_at = ? WHERE id = ? AND account = ? AND ended_at IS NULL",
            (now, session, account),
        ).rowcount
    )


def _before(now: str, span: timedelta) -> str:
    return utc_text(datetime.fromisoformat(now) - span)


def _session(row: Any) -> Session:
    return Session(
        row["id"], row["account"], row["created_at"], row["seen_at"], row["address"], row["browser"]
    )

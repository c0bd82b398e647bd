"""Webhooks of accounts: their addresses, which are secrets, the messages to them, and what is known of each league.

What is known of a league and the messages about it are written in one transaction, and a message is marked before it
is sent. So no restart tells anything twice.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from arena.core.errors import UsageError
from arena.web.site_file.site_database import Transaction, from_row
from results.base.clock import utc_text

Event = Literal["finished", "leader", "overtaken", "paused"]
Became = Literal["sent", "later", "refused"]
"""What became of an attempt. `later`: it may succeed another time. `refused`: it never will."""
EVENTS: dict[Event, str] = {
    "finished": "a league is finished",
    "leader": "a league has a new leader",
    "overtaken": "my bot was overtaken",
    "paused": "my bot is paused or benched",
}
TABLES = """
CREATE TABLE x_webhooks_addresses (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    account TEXT NOT NULL REFERENCES accounts (name),
    address TEXT NOT NULL,
    host TEXT NOT NULL,
    events TEXT NOT NULL,
    created_at TEXT NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    ended_at TEXT
);
CREATE TABLE x_webhooks_messages (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook INTEGER NOT NULL,
    account TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at TEXT NOT NULL,
    next_at TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'sending', 'sent', 'failed')),
    words TEXT NOT NULL DEFAULT ''
);
CREATE INDEX x_webhooks_messages_by_account ON x_webhooks_messages (account, created_at);
CREATE INDEX x_webhooks_messages_waiting ON x_webhooks_messages (next_at) WHERE state IN ('waiting', 'sending');
CREATE TABLE x_webhooks_leagues (
    league TEXT PRIMARY KEY,
    seen TEXT NOT NULL
);
"""
"""In the site's file. What has an account in the column `account` is removed when that is closed."""
TEST = "test"
MOST = 3
"""Webhooks of one account."""
MOST_PER_HOUR = 60
"""Messages to one account."""
MOST_TESTS = 5
"""Of them, in an hour, those that somebody asks for."""
MOST_ATTEMPTS = 5
MOST_FAILURES = 10
"""Messages in a row that couldn't be delivered; nothing more is sent then."""
_FIRST_WAIT = timedelta(minutes=1)
_WAITS_GROW = 5
_KEPT = timedelta(days=1)
_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook, without what follows its host: nobody sees that again."""

    number: int
    account: str
    host: str
    events: tuple[Event, ...]
    created_at: str
    failures: int
    ended_at: str | None
    """When it was given up; None while messages are sent."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message, for its owner."""

    webhook: int
    kind: str
    """One of `EVENTS`, or `test`."""
    created_at: str
    state: str
    """`waiting`, `sending`, `sent` or `failed`."""
    attempts: int
    words: str
    """What became of the last attempt."""


@dataclass(frozen=True, slots=True)
class Due:
    """A message that is sent now."""

    number: int
    webhook: int
    account: str
    address: str
    body: str
    attempts: int
    """With this one."""


def add(db: Transaction, account: str, address: str, host: str, events: Collection[Event], now: str) -> int:
    """Add a webhook to an account; return its number. Raises UsageError if the account has too many."""
    if len(of_account(db, account)) >= MOST:
        raise UsageError(f"you have {MOST} webhooks", "remove one first")
    chosen = " ".join(one for one in EVENTS if one in events)
    if not chosen:
        raise UsageError("nothing is chosen that you want to hear of", "tick at least one")
    return int(
        db.execute(
            "INSERT INTO x_webhooks_addresses (account, address, host, events, created_at) VALUES (?, ?, ?, ?, ?)",
            (account, address, host, chosen, now),
        ).lastrowid
        or 0
    )


def remove(db: Transaction, account: str, number: int) -> bool:
    """Remove a webhook of an account, with its address and all messages to it; return False if it has no such one."""
    db.execute("PRAGMA secure_delete = ON")  # nothing of the address stays in the file
    found = db.execute(
        "DELETE FROM x_webhooks_addresses WHERE number = ? AND account = ?", (number, account)
    ).rowcount
    if found:  # that there were messages still counts
        db.execute(
            "UPDATE x_webhooks_messages SET body = '', state = 'failed' WHERE webhook = ? AND state <> 'sent'",
            (number,),
        )
    return bool(found)


def of_account(db: Transaction, account: str) -> list[Webhook]:
    """Return the webhooks of an account, the oldest first."""
    return _webhooks(db, "w.account = ?", account)


def listening(db: Transaction) -> list[tuple[Webhook, bool]]:
    """Return every webhook that gets messages, and whether its account organises."""
    organisers = {row["name"] for row in db.execute("SELECT name FROM accounts WHERE role = 'organiser'")}
    found = _webhooks(db, "ended_at IS NULL AND closed_at IS NULL")
    return [(one, one.account in organisers) for one in found]


def _webhooks(db: Transaction, condition: str, *values: object) -> list[Webhook]:
    rows = db.execute(
        "SELECT w.* FROM x_webhooks_addresses AS w JOIN accounts ON accounts.name = w.account "  # noqa: S608 - our own
        f"WHERE {condition} ORDER BY number",
        values,
    )
    return [from_row(Webhook, row, events=tuple(row["events"].split())) for row in rows]


def messages_of(db: Transaction, account: str, most: int) -> list[Message]:
    """Return the latest messages of an account, the newest first."""
    rows = db.execute(
        "SELECT * FROM x_webhooks_messages WHERE account = ? ORDER BY number DESC LIMIT ?", (account, most)
    )
    return [from_row(Message, row) for row in rows]


def send(db: Transaction, webhook: Webhook, kind: str, body: str, now: str) -> bool:
    """Put a message in the queue; return False if the account has had as many as it may have in an hour."""
    of_tests, of_all = db.execute(
        "SELECT coalesce(sum(kind = ?), 0), count(*) FROM x_webhooks_messages WHERE account = ? AND created_at > ?",
        (TEST, webhook.account, _later(now, -_HOUR)),
    ).fetchone()
    if of_all >= MOST_PER_HOUR or (kind == TEST and of_tests >= MOST_TESTS):
        return False
    db.execute("DELETE FROM x_webhooks_messages WHERE created_at < ?", (_later(now, -_KEPT),))
    db.execute(
        "INSERT INTO x_webhooks_messages (webhook, account, kind, body, created_at, next_at, state) "
        "VALUES (?, ?, ?, ?, ?, ?, 'waiting')",
        (webhook.number, webhook.account, kind, body, now, now),
    )
    return True


def due(db: Transaction, busy: Collection[str], now: str) -> Due | None:
    """Return the message that is due first; None if there is none. `busy`: accounts to leave."""
    rows = db.execute(
        "SELECT m.*, address FROM x_webhooks_messages AS m JOIN x_webhooks_addresses AS w ON w.number = webhook "
        "JOIN accounts ON accounts.name = w.account WHERE state = 'waiting' AND next_at <= ? "
        "AND ended_at IS NULL AND closed_at IS NULL ORDER BY next_at, m.number",
        (now,),
    )
    found = next((row for row in rows if row["account"] not in busy), None)
    return None if found is None else from_row(Due, found, attempts=found["attempts"] + 1)


def claim(db: Transaction, busy: Collection[str], now: str) -> Due | None:
    """Return what `due` does, marked as being sent."""
    if (found := due(db, busy, now)) is not None:
        db.execute(
            "UPDATE x_webhooks_messages SET state = 'sending', attempts = ? WHERE number = ?",
            (found.attempts, found.number),
        )
    return found


def became(db: Transaction, due: Due, outcome: Became, words: str, now: str) -> None:
    """Note what became of an attempt; a message is tried again later, but not too often."""
    again = outcome == "later" and due.attempts < MOST_ATTEMPTS
    state = "sent" if outcome == "sent" else "waiting" if again else "failed"
    db.execute(
        "UPDATE x_webhooks_messages SET state = ?, words = ?, next_at = ?, body = CASE WHEN ? THEN body ELSE '' END "
        "WHERE number = ? AND state = 'sending'",
        (state, words, _later(now, _FIRST_WAIT * _WAITS_GROW ** (due.attempts - 1)), again, due.number),
    )
    if state == "sent":
        db.execute("UPDATE x_webhooks_addresses SET failures = 0 WHERE number = ?", (due.webhook,))
    elif state == "failed":
        db.execute(
            "UPDATE x_webhooks_addresses SET failures = failures + 1, "
            "ended_at = CASE WHEN failures + 1 >= ? THEN ? ELSE ended_at END WHERE number = ?",
            (MOST_FAILURES, now, due.webhook),
        )


def give_up_interrupted(db: Transaction) -> None:
    """Mark what a server before this one was sending: it may have arrived, so it isn't sent again."""
    db.execute(
        "UPDATE x_webhooks_messages SET state = 'failed', body = '', words = 'the server was stopped meanwhile' "
        "WHERE state = 'sending'"
    )


def known(db: Transaction) -> dict[str, str]:
    """Return what is known of each league, by uuid."""
    return {row["league"]: row["seen"] for row in db.execute("SELECT * FROM x_webhooks_leagues")}


def note(db: Transaction, league: str, seen: str) -> None:
    """Write down what is known of a league."""
    db.execute("INSERT OR REPLACE INTO x_webhooks_leagues (league, seen) VALUES (?, ?)", (league, seen))


def forget_others(db: Transaction, leagues: Iterable[str]) -> None:
    """Forget leagues that aren't among these."""
    for league in known(db).keys() - set(leagues):
        db.execute("DELETE FROM x_webhooks_leagues WHERE league = ?", (league,))


def _later(now: str, span: timedelta) -> str:
    return utc_text(datetime.fromisoformat(now) + span)

"""The audit log: who did what, and when. Triggers in the file refuse changes. Never write a token into it."""

from dataclasses import dataclass

from arena.web.site_file.file import Transaction, from_row

MOST_CHARS = 500


@dataclass(frozen=True, slots=True)
class AuditLine:
    """Something that somebody did."""

    id: int
    at: str
    who: str
    """An account, or `command line (USER)`."""
    what: str
    command: str | None
    """The id of the command that was asked for, if that is what it was."""
    address: str
    """Where the request came from; empty on the command line."""


def note(
    db: Transaction, now: str, who: str, what: str, address: str = "", command: str | None = None
) -> None:
    """Add a line to the log. `what`: a clause such as `signed in`; never a secret. `command`: the id of one."""
    db.execute(
        "INSERT INTO audit (at, who, what, command, address) VALUES (?, ?, ?, ?, ?)",
        (now, who[:MOST_CHARS], what[:MOST_CHARS], command, address[:100]),
    )


def count(db: Transaction) -> int:
    """Return how many lines there are."""
    return int(db.execute("SELECT count(*) FROM audit").fetchone()[0])


def newest(db: Transaction, most: int, before: int | None = None) -> list[AuditLine]:
    """Return the newest lines, the newest first; `before`: only those with a smaller number."""
    rows = db.execute(
        "SELECT * FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?",
        (max(0, min(before or 2**62, 2**62)), most),
    ).fetchall()
    return [from_row(AuditLine, row) for row in rows]


_FORGOTTEN_S = 86_400.0


def wait_s(db: Transaction, what: str, key: str, now_s: float, window_s: float, most: int) -> float:
    """Return how long `key`, such as an address, has to wait until it did something less than `most` times in a window.

    0 if it did so less often in the last `window_s` seconds.
    """
    found = db.execute(
        "SELECT at_s FROM attempts WHERE what = ? AND key = ? AND at_s > ? AND at_s <= ?"
        " ORDER BY at_s DESC LIMIT 1 OFFSET ?",
        (what, key, now_s - window_s, now_s, most - 1),
    ).fetchone()
    return 0.0 if found is None else float(found[0]) + window_s - now_s


def add(db: Transaction, what: str, key: str, now_s: float) -> None:
    """Note that something was done; forgets what is older than a day."""
    db.execute("DELETE FROM attempts WHERE what = ? AND at_s < ?", (what, now_s - _FORGOTTEN_S))
    db.execute("INSERT INTO attempts (what, key, at_s) VALUES (?, ?, ?)", (what, key[:200], now_s))


def get(db: Transaction, name: str) -> str:
    """Return a value; empty if there is none."""
    row = db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    return "" if row is None else str(row["value"])


def put(db: Transaction, name: str, value: str) -> None:
    """Write a value down, in place of an earlier one."""
    db.execute("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", (name, value))

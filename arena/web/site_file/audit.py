"""The audit log: who did what, and when. Triggers in the file refuse changes. Never write a token into it."""

from dataclasses import dataclass

from arena.web.site_file.site_database import Transaction, from_row

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


_HAVING = "FROM audit WHERE instr(lower(who || ' ' || what), lower(?))"


def count(db: Transaction, text: str = "") -> int:
    """Return how many lines there are; `text`: only those that have it in who did what."""
    return int(db.execute(f"SELECT count(*) {_HAVING}", (text,)).fetchone()[0])


def newest(db: Transaction, most: int, skip: int = 0, text: str = "") -> list[AuditLine]:
    """Return the newest lines, the newest first, without the first `skip`; `text`: as in `count`."""
    rows = db.execute(f"SELECT * {_HAVING} ORDER BY id DESC LIMIT ? OFFSET ?", (text, most, skip)).fetchall()
    return [from_row(AuditLine, row) for row in rows]

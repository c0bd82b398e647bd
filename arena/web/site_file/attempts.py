"""Limits on how often something may be done, by a window that slides: a row for each time."""

from arena.web.site_file.file import Transaction

_FORGOTTEN_S = 86_400.0


def count(db: Transaction, what: str, key: str, now_s: float, window_s: float) -> int:
    """Return how often something was done by `key`, such as an address, in the last `window_s` seconds."""
    (found,) = db.execute(
        "SELECT count(*) FROM attempts WHERE what = ? AND key = ? AND at_s > ? AND at_s <= ?",
        (what, key, now_s - window_s, now_s),
    ).fetchone()
    return int(found)


def add(db: Transaction, what: str, key: str, now_s: float) -> None:
    """Note that something was done; forgets what is older than a day."""
    db.execute("DELETE FROM attempts WHERE what = ? AND at_s < ?", (what, now_s - _FORGOTTEN_S))
    db.execute("INSERT INTO attempts (what, key, at_s) VALUES (?, ?, ?)", (what, key[:200], now_s))

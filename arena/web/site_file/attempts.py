"""Limits on how often something may be done, by a window that slides: a row for each time."""

from arena.web.site_file.file import Transaction

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

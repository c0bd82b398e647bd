"""Single values that a server leaves for the next one, by name."""

from arena.web.site_file.file import Transaction


def get(db: Transaction, name: str) -> str:
    """Return a value; empty if there is none."""
    row = db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    return "" if row is None else str(row["value"])


def put(db: Transaction, name: str, value: str) -> None:
    """Write a value down, in place of an earlier one."""
    db.execute("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", (name, value))

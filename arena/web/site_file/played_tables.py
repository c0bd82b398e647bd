"""Tables at which people play, noted so that a server that was started again can say what became of them."""

from dataclasses import dataclass

from arena.web.site_file.file import Transaction

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


def opened(db: Transaction, table: NotedTable) -> None:
    """Note a table that is being opened."""
    db.execute(
        "INSERT INTO played_tables (id, owner, game, uuid, started_at) VALUES (?, ?, ?, ?, ?)",
        (table.id, table.owner, table.game, table.uuid, table.started_at),
    )
    db.execute(
        "DELETE FROM played_tables WHERE rowid <= (SELECT max(rowid) FROM played_tables) - ?", (MOST_KEPT,)
    )


def ended(db: Transaction, number: str, words: str, now: str) -> None:
    """Note that a table has ended. `words`: why its game broke off, if it did."""
    db.execute("UPDATE played_tables SET ended_at = ?, words = ? WHERE id = ?", (now, words, number))


def find(db: Transaction, number: str) -> NotedTable | None:
    """Return a table; None if it isn't known, or not any more."""
    row = db.execute("SELECT * FROM played_tables WHERE id = ?", (number,)).fetchone()
    return None if row is None else NotedTable(*row)

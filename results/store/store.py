"""The store: one SQLite file that holds the ledger and all that is computed from it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from results.errors import StoreFailed
from results.store.append import Ledger
from results.store.copying import copy
from results.store.entries import Entries
from results.store.games import Games
from results.store.history import History
from results.store.leagues import Leagues
from results.store.matches import Schedule
from results.store.queries import Queries
from results.store.replays import Replays
from results.store.verification.verify import Verification
from results.store.versions import Versions


class Store(Versions, Leagues, Entries, Schedule, Ledger, Queries, History, Games, Replays, Verification):
    """An open store. Leagues are named by name or uuid everywhere.

    One process may write while any number read. Every method is one transaction;
    errors are `LedgerError`s with a hint.
    """

    def __enter__(self) -> "Store":
        return self

    @contextmanager
    def league_lock(self, league: str) -> Iterator[int]:
        """Hold the right to run a league; it ends with the context, or with the process, however that ends.

        Gives the descriptor of the lock: whoever inherits it has that right too, until it ends.
        Raises StoreBusy, naming the process that has it.
        """
        record = self.league(league)
        with self.lock_of(record.uuid, record.name) as lock:
            yield lock

    def backup(self, path: Path | str) -> None:
        """Copy the store to a new file, also while it is written to. Raises StoreFailed if the file exists."""
        target = Path(path)
        if target.exists():
            raise StoreFailed(f"{target} exists already", "choose another name for the backup")
        copy(self._engine, self.path, target)

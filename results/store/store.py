"""The store: one SQLite file that holds the ledger and all that is computed from it."""

from pathlib import Path
from typing import Any

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


class Store(Schedule, Ledger, Queries, History, Games, Replays, Verification):
    """An open store. Leagues are named by name or uuid everywhere.

    One process may write while any number read. Every method is one transaction;
    errors are `LedgerError`s with a hint.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.versions = Versions(self)
        self.leagues = Leagues(self)
        self.entries = Entries(self)

    def __enter__(self) -> "Store":
        return self

    def backup(self, path: Path | str) -> None:
        """Copy the store to a new file, also while it is written to. Raises StoreFailed if the file exists."""
        target = Path(path)
        if target.exists():
            raise StoreFailed(f"{target} exists already", "choose another name for the backup")
        copy(self._engine, self.path, target)

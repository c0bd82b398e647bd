"""The store: one SQLite file that holds the ledger and everything computed from it."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from results.base.errors import NameRefused, StoreMissing
from results.records import AttemptRecord, GameRecord
from results.store.beside_store import Cache
from results.store.bot_versions import Versions
from results.store.database import Connections, Database, copy, files_beside
from results.store.entries import Entries
from results.store.games import Games
from results.store.kept_replays import Replays
from results.store.leagues import Leagues
from results.store.matches import Matches
from results.store.rankings_and_history import Ratings
from results.store.segments.files import copy_missing
from results.store.segments.lookup import segments_in
from results.store.segments.moving_replays import Segments
from results.store.status_queries import Activity, Commands
from results.store.store_lock import WRITES, holding
from results.store.totals import Seats, Totals


class Store(Database):
    """An open store: `append` adds finished games; each subject has its own part, as in `store.leagues.get(name)`.

    Leagues are always identified by name or uuid. One process may write while any number read. Every method,
    here and in the parts, is one transaction; all errors are `LedgerError`s with a hint.
    """

    def __init__(self, path: Path, connections: Connections, version: int, **options: Any) -> None:
        """For the arguments see `Database`."""
        super().__init__(path, connections, version, **options)
        self.versions = Versions(self)
        self.leagues = Leagues(self)
        self.entries = Entries(self)
        self.matches = Matches(self)
        self.games = Games(self)
        self.seats = Seats(self)
        self.replays = Replays(self)
        self.ratings = Ratings(self)
        self.totals = Totals(self)
        self.segments = Segments(self)
        self.commands = Commands(self)
        self.activity = Activity(self)
        self.cache = Cache(self.files)

    def append(
        self,
        games: Sequence[GameRecord],
        attempts: Sequence[AttemptRecord] = (),
        void_matches: Sequence[tuple[str, int]] = (),
    ) -> None:
        """Store finished games, failed attempts and void matches, and update the derived tables; see `append`."""
        from results.store.append import append

        append(self, games, attempts, void_matches)
        self.segments.added(games)

    def holding(self, does: str = WRITES) -> AbstractContextManager[int]:
        """Hold the lock of this store and yield its descriptor; see `results.store.store_lock.holding`."""
        return holding(self.path, does)

    def backup(self, path: Path | str, *, segments: bool = True) -> int:
        """Copy the store to a new file, even while it is being written to; return the number of segments copied.

        Segments that are here are copied next to it, unless they are there already; with `segments` false, none is.
        Raises NameRefused if the file exists, StoreMissing if its folder doesn't, and SegmentDamaged.
        """
        target = Path(path)
        if not target.absolute().parent.is_dir():
            raise StoreMissing(f"there is no folder {target.absolute().parent}", "create it first")
        if target.exists():
            raise NameRefused(f"{target} exists already", "choose another name for the backup")
        copy(self.connections, self.path, target)
        if not segments:
            return 0
        try:
            beside = files_beside(target) / self.segments.folder.name
            return copy_missing(self.segments.folder, beside, segments_in(target))
        except BaseException:
            target.unlink(missing_ok=True)
            raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

"""The store: one SQLite file that holds the ledger and everything computed from it."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from results.base.errors import NameRefused, StoreMissing
from results.records import AttemptRecord, GameRecord
from results.records.query_rows import Finding
from results.store.bot_versions import Versions
from results.store.database import Database, copy, files_beside
from results.store.entries import Entries
from results.store.games import Games
from results.store.kept_replays import Replays
from results.store.league_activity import Activity, Commands
from results.store.leagues import Leagues
from results.store.matches import Matches
from results.store.ratings import Ratings
from results.store.segments.files import copy_missing
from results.store.segments.lookup import segments_in
from results.store.segments.rolling import Segments
from results.store.store_folder import Cache
from results.store.store_lock import WRITES, holding
from results.store.totals import Seats, Totals

if TYPE_CHECKING:  # what only some commands do is imported when it is done
    from results.store.derived_tables import Report
    from results.store.verification.derived import Compared
    from results.store.verification.games import CheckBody
    from results.store.verification.verify import CheckFiles, Tell


class Store:
    """An open store: `append` adds finished games; each subject has its own part, as in `store.leagues.get(name)`.

    Leagues are always identified by name or uuid. One process may write while any number read. Every method,
    here and in the parts, is one transaction; all errors are `LedgerError`s with a hint.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        """The file and its transactions, for the parts of the store."""
        self.versions = Versions(database)
        self.leagues = Leagues(database)
        self.entries = Entries(database)
        self.matches = Matches(database)
        self.games = Games(database)
        self.seats = Seats(database)
        self.replays = Replays(database)
        self.ratings = Ratings(database)
        self.totals = Totals(database)
        self.segments = Segments(database)
        self.commands = Commands(database)
        self.activity = Activity(database)
        self.cache = Cache(database.files)

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self.database.path

    @property
    def files(self) -> Path:
        """The folder next to the store for versions, logs and locks: `arena.files` of `arena.sqlite`."""
        return self.database.files

    @property
    def readonly(self) -> bool:
        """Whether it was opened for reading only."""
        return self.database.readonly

    def now(self) -> str:
        """Return the time of day, in the format of `clock.utc_text`."""
        return self.database.now()

    def append(
        self,
        games: Sequence[GameRecord],
        attempts: Sequence[AttemptRecord] = (),
        void_matches: Sequence[tuple[str, int]] = (),
    ) -> None:
        """Store finished games, failed attempts and void matches, and update the derived tables; see `append`."""
        from results.store.append import append

        append(self.database, games, attempts, void_matches)
        self.segments.added(games)

    def holding(self, does: str = WRITES) -> AbstractContextManager[int]:
        """Hold the lock of this store and yield its descriptor; see `results.store.store_lock.holding`."""
        return holding(self.path, does)

    @property
    def writes(self) -> int:
        """How many transactions that may write were begun. The lock holder sees no change while it is the same."""
        return self.database.writes

    def together(self) -> AbstractContextManager[None]:
        """Run everything inside the block in one transaction, which an error rolls back."""
        return self.database.together()

    def verify(
        self,
        league: str | None = None,
        *,
        tell: "Tell | None" = None,
        check_body: "CheckBody | None" = None,
        check_files: "CheckFiles | None" = None,
        check_source: "CheckFiles | None" = None,
        sample: int | None = None,
        since: int | str | None = None,
        jobs: int = 1,
        rules_key: bytes = b"",
        everything: bool = False,
    ) -> list[Finding]:
        """Check one league, or all of them and the file itself; return the problems found.

        This compares every row with its checksum and every table with the number of rows written. It recomputes every
        derived table and compares all bits. It checks every kept replay's fingerprint, and its result against the
        seats. It calls `check_body` with replay bodies: all, or a `sample` of about that many per league, evenly
        spread. It calls `check_files` for every version, and `check_source` for what one was built from.

        `since`: skip matches, games, replays and logs before this match number, or before the first match with a game
        that ended at or after this time (UTC, ISO 8601 without its offset). Everything else is checked completely.
        `jobs`: number of processes that check games; with more than one, `check_body` must be a module-level function.

        `rules_key`, which differs for other rules: remember, next to the store, which games `check_body` found right,
        and don't call it again for them unless `everything` is to be checked.

        Changes nothing in the store. Raises StoreFailed if a process ends early.
        """
        from results.store.verification.verify import verify

        return verify(
            self.database,
            league,
            tell=tell,
            check_body=check_body,
            check_files=check_files,
            check_source=check_source,
            sample=sample,
            since=since,
            jobs=jobs,
            cache=self.cache,
            rules_key=rules_key,
            everything=everything,
        )

    def compare_with_package(
        self, league: str | None = None, progress: "Report | None" = None
    ) -> "list[Compared]":
        """Rate the matches of one league, or of all, with the trueskill package, and compare the results.

        Leagues of other rating systems are left out. `progress` is called with (matches rated, matches to rate).
        """
        from results.store.verification.derived import compare_with_package

        return compare_with_package(self.database, league, progress)

    def rebuild(self, league: str | None = None, progress: "Report | None" = None) -> None:
        """Drop the derived tables of one league, or of all, and fold the ledger again, in one transaction.

        For all leagues, this also rebuilds the indexes and drops derived rows of leagues that don't exist.
        `progress` is called with (matches folded, matches to fold). Raises StoreBusy while a process runs one of
        the leagues, and StoreDamaged if rows of the ledger have been lost; in both cases nothing changes. Raises
        FoldFailed if a rating system fails or is missing; its leagues stay unchanged, all others are rebuilt.
        """
        from results.store.derived_tables import rebuild

        rebuild(self.database, league, progress)

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
        copy(self.database.connections, self.path, target)
        if not segments:
            return 0
        try:
            beside = files_beside(target) / self.segments.folder.name
            return copy_missing(self.segments.folder, beside, segments_in(target))
        except BaseException:
            target.unlink(missing_ok=True)
            raise

    def close(self) -> None:
        """Close the file. Leaving it open or killing the process loses nothing."""
        self.database.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

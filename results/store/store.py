"""The store: one SQLite file that holds the ledger and all that is computed from it."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from results.errors import StoreFailed
from results.findings import Finding
from results.records import AttemptRecord, GameRecord
from results.store.append import append
from results.store.copying import copy
from results.store.database import Database
from results.store.entries import Entries
from results.store.folding import Report
from results.store.games import Games
from results.store.leagues import Leagues
from results.store.matches import Matches
from results.store.ratings import Ratings
from results.store.rebuilding import rebuild
from results.store.replays import Replays
from results.store.totals import Totals
from results.store.verification.games import CheckBody
from results.store.verification.verify import CheckFiles, Tell, verify
from results.store.versions import Versions


class Store:
    """An open store: `append` takes finished games in, and each subject is a part, such as `store.leagues.get(name)`.

    Leagues are named by name or uuid everywhere. One process may write while any number read. Every method,
    here and in the parts, is one transaction; errors are `LedgerError`s with a hint.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        """The file, and transactions on it: for the parts of the store."""
        self.versions = Versions(database)
        self.leagues = Leagues(database)
        self.entries = Entries(database)
        self.matches = Matches(database)
        self.games = Games(database)
        self.replays = Replays(database)
        self.ratings = Ratings(database)
        self.totals = Totals(database)

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self.database.path

    @property
    def files(self) -> Path:
        """The folder beside the store for versions, logs and locks: `arena.files` of `arena.sqlite`."""
        return self.database.files

    @property
    def readonly(self) -> bool:
        """Whether it was opened to change nothing."""
        return self.database.readonly

    def append(
        self,
        games: Sequence[GameRecord],
        attempts: Sequence[AttemptRecord] = (),
        void_matches: Sequence[tuple[str, int]] = (),
    ) -> None:
        """Store finished games, failed attempts and matches given up, and move the derived tables forward.

        All in one transaction: after the return everything is stored, also if the process is killed. A game
        that is there already, with the same fingerprint, is nothing. `void_matches`: (league, match_no).

        Raises LedgerConflict for games that differ from those that are there, or from what was planned, and
        FoldFailed if the rating system failed; in both cases everything else has been stored. Any other
        error: nothing has.
        """
        append(self.database, games, attempts, void_matches)

    def together(self) -> AbstractContextManager[None]:
        """Have all that is read and written meanwhile be one transaction, which an error undoes as a whole."""
        return self.database.together()

    def verify(
        self,
        league: str | None = None,
        *,
        tell: Tell | None = None,
        check_body: CheckBody | None = None,
        check_files: CheckFiles | None = None,
        sample: int | None = None,
        since: int | str | None = None,
        jobs: int = 1,
    ) -> list[Finding]:
        """Check one league, or all and the file itself; return what is wrong, nothing if all is well.

        Every row is held against its checksum, every table against the number of rows written. Every derived
        table is computed beside and compared bit for bit; every kept replay's fingerprint is computed again and
        its result compared with the seats. `check_body` is called with replay bodies: all, or a `sample` of
        about that many per league, evenly spread. `check_files` is called for every version.

        `since`: matches, games, replays and logs before are passed over: before this number of match, or before
        the first match with a game that ended at or after this time (UTC, ISO 8601 without its offset). All
        else is checked whole.
        `jobs`: processes that check games; with more than one, `check_body` has to be a function of a module.

        Changes nothing. Raises StoreFailed where a process ends before its work.
        """
        return verify(
            self.database,
            league,
            tell=tell,
            check_body=check_body,
            check_files=check_files,
            sample=sample,
            since=since,
            jobs=jobs,
        )

    def rebuild(self, league: str | None = None, progress: Report | None = None) -> None:
        """Drop the derived tables of one league, or of all, and fold the ledger again, in one transaction.

        Of all: the indexes are made anew too, and derived rows of leagues that are not there are dropped.
        `progress` is told (matches folded, matches to fold). Raises StoreBusy while a process runs one of
        the leagues, and StoreDamaged where rows of the ledger have been lost; then nothing has changed. Raises
        FoldFailed where a rating system fails or is missing; then its leagues have not changed, and the others have.
        """
        rebuild(self.database, league, progress)

    def backup(self, path: Path | str) -> None:
        """Copy the store to a new file, also while it is written to. Raises StoreFailed if the file exists."""
        target = Path(path)
        if target.exists():
            raise StoreFailed(f"{target} exists already", "choose another name for the backup")
        copy(self.database.engine, self.path, target)

    def close(self) -> None:
        """Close the file. It may also be left open or killed: nothing is lost."""
        self.database.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

"""The segments of a store, for those who list, ship and fetch them."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from results.records import GameRecord
from results.store.database import Database, Part
from results.store.segments.files import Segment, folder_of
from results.store.segments.ledger_rows import note_of, spans_in
from results.store.segments.rolling import Roller, due_at, roll
from results.store.segments.rows import all_segments
from results.store.segments.shipping import Report, Shipped, fetch, ship, shipped_to


class SegmentState(NamedTuple):
    """A segment, and where it is."""

    segment: Segment
    games: int
    """Number of its replays."""
    is_here: bool
    shipped_to: Path | None
    """The folder to which it was shipped last, as far as that is noted here."""


class Segments(Part):
    """Files of older replays, to which the store moves them while it grows."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._roller = Roller(database)

    @property
    def folder(self) -> Path:
        """The folder next to the store that has the segments that are here."""
        return folder_of(self._database)

    def added(self, games: Sequence[GameRecord]) -> None:
        """Move replays to a new segment if there are enough, now that games were added. Never fails."""
        self._roller.added(games)

    def roll(self, games: int | None = None, size_bytes: int | None = None) -> Segment | None:
        """Move the oldest replays to a new segment at once, up to a number of games and a size.

        Return None if there are no replays in the store. Raises StoreFailed and StoreFull.
        """
        return roll(self._database, games, size_bytes)

    def all(self) -> list[SegmentState]:
        """Return all segments, oldest first."""
        with self._database.reading() as connection:
            found = [
                (segment, sum(span.games for span in spans_in(connection, segment.number)))
                for segment in all_segments(connection)
            ]
        return [
            SegmentState(
                segment,
                games,
                (self.folder / segment.name).exists(),
                shipped_to(self.folder / segment.name),
            )
            for segment, games in found
        ]

    def waiting(self) -> int:
        """Return about how many replays are in the store itself."""
        with self._database.reading() as connection:
            text = "SELECT (SELECT max(rowid) FROM replay) - (SELECT min(rowid) FROM replay) + 1"
            return int(connection.exec_driver_sql(text).scalar() or 0)

    def due_at(self) -> int:
        """Return at about how many replays in the store a segment is written, as large as the newest replays are."""
        return due_at(self._database)

    def unknown_files(self) -> list[str]:
        """Return the names of files in the folder of segments that belong to no segment of this ledger."""
        known = {state.segment.name for state in self.all()}
        known |= {note_of(Path(name)).name for name in known}
        if not self.folder.is_dir():
            return []
        return sorted(path.name for path in self.folder.iterdir() if path.name not in known)

    def ship(self, folder: Path, *, remove: bool = False, report: Report | None = None) -> Shipped:
        """Copy all segments to a folder; see `shipping.ship`."""
        return ship(self._database, folder, remove=remove, report=report)

    def fetch(
        self, numbers: Sequence[int] = (), folder: Path | None = None, report: Report | None = None
    ) -> list[Segment]:
        """Copy segments back; see `shipping.fetch`."""
        return fetch(self._database, numbers, folder, report)

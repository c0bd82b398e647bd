"""What became of the entries of a league whose field changes: who plays, who has left, who is new."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from results.query_rows import Standing
from results.records import LeagueRecord
from results.reports import states
from results.roster import REPLACED, arrivals, roster_at
from results.standings import newcomers

if TYPE_CHECKING:
    from results.store import Store


class EntryState(Struct, frozen=True):
    """The state of one entry."""

    state: states.EntryState
    why: str = ""
    """Why it is paused or benched, or the label of the entry that replaced it."""
    is_new: bool = False
    """It joined while the league ran, and its place is less sure than the others': `standings.newcomers`."""
    joined_match: int | None = None
    """The first match that it could play; None: it was there from the start."""

    @property
    def is_ranked(self) -> bool:
        """Whether it can have a rank."""
        return self.state not in ("retired", "replaced")


class FieldStates:
    """The entries of a league at its next match."""

    def __init__(self, store: "Store", league: LeagueRecord, standings: Sequence[Standing]) -> None:
        """Read the league's events. `standings`, of all matches, show who is new."""
        self._events = store.leagues.events(league.uuid)
        self._labels = {entry.entry_no: entry.label for entry in store.entries.all(league.uuid)}
        self._joined = arrivals(self._events)
        self._now = roster_at(self._events, store.leagues.progress(league.uuid).matches_planned)
        playing = [row for row in standings if self._now.plays(row.entry_no)]
        self._new = newcomers(playing, self._joined, league.scale) if self._joined else frozenset()

    @property
    def moves(self) -> bool:
        """Whether the field has ever changed, or will."""
        return self._now.has_changed or bool(self._now.awaited)

    @property
    def heirs(self) -> list[tuple[int, int]]:
        """Return the entries that took over, each with its predecessor, in the order in which they did."""
        return [
            (event.data["entry"], event.data["predecessor"])
            for event in self._events
            if event.kind == REPLACED
        ]

    def is_shown(self, entry_no: int) -> bool:
        """Return whether an entry is part of the league already."""
        return entry_no not in self._now.awaited

    def of(self, entry_no: int) -> EntryState:
        """Return the state of an entry."""
        found = states.state_of_entry(self._now, entry_no)
        why = found.why if found.heir is None else self._labels.get(found.heir, f"#{found.heir}")
        return EntryState(found.state, why, entry_no in self._new, self._joined.get(entry_no))

    def ranked_before(self, match_no: int, rows: Iterable[Standing]) -> list[Standing]:
        """Return the standings of the entries that could have a rank at an earlier match."""
        roster = roster_at(self._events, match_no)
        gone = roster.awaited | roster.retired.keys()
        return [row for row in rows if row.entry_no not in gone]

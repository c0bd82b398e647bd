"""What became of the entries of a league whose field changes: who plays, who has left, who is new."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from results.query_rows import Standing
from results.records import LeagueRecord
from results.roster import Roster, arrivals, roster_at
from results.standings import newcomers

if TYPE_CHECKING:
    from results.store import Store

State = Literal["active", "paused", "benched", "retired", "replaced"]
"""retired, replaced: it plays no more, and has no rank · paused, benched: not for now."""


class EntryState(Struct, frozen=True):
    """The state of one entry."""

    state: State
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

    def is_shown(self, entry_no: int) -> bool:
        """Return whether an entry is part of the league already."""
        return entry_no not in self._now.awaited

    def of(self, entry_no: int) -> EntryState:
        """Return the state of an entry."""
        roster, joined = self._now, self._joined.get(entry_no)
        state, why = _state(roster, entry_no)
        if state == "replaced":
            why = self._labels.get(int(why), f"#{why}")
        return EntryState(state, why, entry_no in self._new, joined)

    def ranked_before(self, match_no: int, rows: Iterable[Standing]) -> list[Standing]:
        """Return the standings of the entries that could have a rank at an earlier match."""
        roster = roster_at(self._events, match_no)
        gone = roster.awaited | roster.retired.keys()
        return [row for row in rows if row.entry_no not in gone]


def _state(roster: Roster, entry_no: int) -> tuple[State, str]:
    if entry_no in roster.replaced_by:
        return "replaced", str(roster.replaced_by[entry_no])
    if entry_no in roster.retired:
        return "retired", ""
    if entry_no in roster.benched:
        return "benched", roster.benched[entry_no].why
    if pause := roster.paused.get(entry_no):
        return "paused", pause.why
    return "active", ""

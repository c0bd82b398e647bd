"""Lets a schedule follow how many games are in flight. Each change is an event: the plan depends on the ledger alone.

Results need time to arrive: a schedule that plans each match from results a fixed number of matches back can keep so
many games in flight and no more. How many there are depends on the machines that play, and so must not decide anything
by itself. What it changes holds from the next match that isn't planned yet, and is read from the ledger from then on:
by a run that continues, on other machines too, and by a league that plays the events again.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from arena.league.definition.define import Definition
from arena.league.definition.stored import StoredDefinition
from arena.schedules.base import Follows
from results.records import LeagueRecord
from results.records.roster import EXTENDED, Roster
from results.store import Store

_TABLE = "schedule."


class InFlight:
    """How a league's schedule follows what is in flight."""

    def __init__(self, store: Store, league: LeagueRecord, slots: Callable[[], int]) -> None:
        """`slots` returns how many games can be played at the same time; 0: that isn't known."""
        self._store = store
        self._league = league.uuid
        self._slots = slots
        self._known: Roster | None = None
        self._least_seen = 0

    def follows(self, stored: StoredDefinition) -> bool:
        """Return whether the league's schedule follows what is in flight."""
        first = stored.first
        return isinstance(first.schedule, Follows) and first.schedule.follows(first.schedule_settings)

    def follow(self, stored: StoredDefinition, definition: Definition, planned: int) -> bool:
        """Record what the schedule changes from the next match on; return whether it changes anything.

        `definition` is that of the match with number `planned`, the next one. A replay has all changes already.
        """
        schedule = definition.schedule
        if not isinstance(schedule, Follows) or not self.follows(stored) or stored.roster.replays is not None:
            return False
        changed = schedule.following(definition.field, definition.schedule_settings, self._slots())
        if not changed:
            return False
        data = {"set": {f"{_TABLE}{key}": value for key, value in changed.items()}}
        self._store.leagues.add_event(self._league, planned, EXTENDED, data)
        return True

    def least_seen(self, stored: StoredDefinition) -> int:
        """Return how many results were seen before the latest change: a schedule never sees fewer than before."""
        first = stored.first
        if self.follows(stored) and stored.roster is not self._known:
            self._known = stored.roster
            self._least_seen, settings = 0, first.schedule_settings
            for event in stored.events:
                if event.kind == EXTENDED and event.at_match_no <= stored.roster.match_no:
                    before = max(0, event.at_match_no - 1)
                    seen = first.schedule.sees(first.field, settings, before)
                    self._least_seen = max(self._least_seen, seen)
                    settings = _changed(settings, event.data["set"])
        return self._least_seen


def _changed(settings: Any, changed: dict[str, Any]) -> Any:
    """Return settings with the keys of the league file that an event changes."""
    own = {key.removeprefix(_TABLE): value for key, value in changed.items() if key.startswith(_TABLE)}
    return msgspec.structs.replace(settings, **own)

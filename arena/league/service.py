"""Serves all leagues of a store: plays each in turn, and waits while none has anything to play."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from msgspec import Struct

from arena.config.deal_suites import suite_of
from arena.core.errors import ArenaError
from arena.league.changes.whole_league import next_season, seal
from arena.league.running.run import LeagueRun
from results.base.errors import StoreDamaged
from results.records import LeagueRecord
from results.records.roster import COMPARISON, TUNE
from results.store import Store

TURN_S = 30.0
"""How long a league plays before another one's turn, if several have matches to play."""
AGAIN_S = 60.0
"""How long to leave a league alone that can't be played, before the next attempt."""
REST_S = 3_600.0
"""How long to leave a league alone that has nothing to play, unless it changes or a day (UTC) begins before."""
LOOK_S = 1.0
"""How often to look for changes while nothing is played."""


class _Standstill(Struct):
    """A league that has nothing to play."""

    why: str
    events: int
    """How many events it had; another one is a reason to look again."""
    until_s: float
    """When to try again anyway, on the service's clock: a pause may be over with the day."""
    rests: bool
    """Whether that is as it should be: it isn't that the league can't be played."""


@dataclass(slots=True)
class Service:
    """Chooses which league plays next.

    `run_of` prepares the run of a league. `take_up` makes the changes that were left for this process. `tell` gets a
    line for people when a league can't be played, a season ends, or a league waits.
    """

    store: Store
    run_of: Callable[[LeagueRecord], LeagueRun]
    take_up: Callable[[], None]
    tell: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    _standstills: dict[str, _Standstill] = field(default_factory=dict, init=False)
    _last: str = field(default="", init=False)
    _over: set[str] = field(default_factory=set, init=False)
    """Finished leagues that need nothing more."""
    _names: dict[str, str] = field(default_factory=dict, init=False)
    """By uuid, as of the latest look at all leagues."""
    _damaged: set[str] = field(default_factory=set, init=False)
    """The uuids of leagues that can't be read."""
    _idle_since: int = field(default=-1, init=False)
    """What `Store.writes` was when no league had anything to play."""

    def next_run(self) -> LeagueRun | None:
        """Return the run of the league whose turn it is; None if no league has anything to play now."""
        self.take_up()
        if self._is_idle():
            return None
        leagues = self._leagues()
        self._names = {league.uuid: league.name for league in leagues}
        for league in leagues:  # a runner may have ended between a season and the next
            if league.state == "finished" and league.uuid not in self._over and self._may_play(league):
                self._begin_next_season(league)
        for league in self._in_turn():
            try:
                run = self.run_of(league)
            except ArenaError as error:
                hint = f" ({error.hint})" if error.hint else ""
                self._stand(league, f"can't be played: {error}{hint}")
                continue
            self._last = league.uuid
            return run
        self._idle_since = self.store.writes
        return None

    def _is_idle(self) -> bool:
        """Return whether nothing has changed since no league had anything to play; costs next to nothing."""
        if self.store.writes != self._idle_since:
            return False
        return all(self.clock() < standstill.until_s for standstill in self._standstills.values())

    @property
    def has_work(self) -> bool:
        """Whether a league may have something to play."""
        return bool(self._in_turn())

    def turn_is_over(self, begun_s: float) -> bool:
        """Return whether the league that has played since then should let another one play."""
        if self.clock() < begun_s + TURN_S:
            return False
        return any(league.uuid != self._last for league in self._in_turn())

    def ended(self, run: LeagueRun, *, complete: bool) -> None:
        """Take note of how a run ended; begin the next season if that was the end of one."""
        league = self.store.leagues.get(run.league.uuid)
        if complete:
            self._standstills.pop(league.uuid, None)
            self.tell(f"{league.name} is over" + (f": {run.ended}" if run.ended else ""))
            self._begin_next_season(league)
        elif run.paused is not None:
            self._stand(league, f"this machine can't play games now: {run.paused.what}")
        elif run.waits:
            self._stand(league, run.waits, rests=True)
        else:
            self._standstills.pop(league.uuid, None)

    def _begin_next_season(self, league: LeagueRecord) -> None:
        """Create the league that follows a finished one, if one does; if that fails, it is tried again later."""
        try:
            following = next_season(self.store, league)
        except ArenaError as error:
            self._stand(league, f"its next season can't begin: {error}")
            return
        self._standstills.pop(league.uuid, None)
        self._over.add(league.uuid)
        if following is not None:
            self.tell(f"{following.name} begins{seal(following)}")

    def failed(self, league: LeagueRecord, error: Exception) -> None:
        """Take note that a run failed, and leave the league alone for a while."""
        self._stand(league, f"can't be played: {error}")

    @property
    def waits(self) -> dict[str, str]:
        """Why leagues that aren't over have nothing to play, by name."""
        return {
            self._names[uuid]: standstill.why
            for uuid, standstill in self._standstills.items()
            if uuid in self._names
        }

    @property
    def resting(self) -> frozenset[str]:
        """The names of those that rest or are paused; the others can't be played."""
        return frozenset(
            self._names[uuid]
            for uuid, standstill in self._standstills.items()
            if uuid in self._names and standstill.rests
        )

    def _stand(self, league: LeagueRecord, why: str, *, rests: bool = False) -> None:
        before = self._standstills.get(league.uuid)
        events = self.store.leagues.event_count(league.uuid)
        again_s = rest_s(self.store) if rests else AGAIN_S
        self._standstills[league.uuid] = _Standstill(why, events, self.clock() + again_s, rests)
        if before is None or before.why != why:
            self.tell(f"{league.name} is waiting: {why}")

    def _in_turn(self) -> list[LeagueRecord]:
        """Return the leagues that may have something to play, beginning after the one that played last."""
        leagues = [
            league
            for league in self._leagues()
            if league.state != "finished"
            and not league.revealed
            and (league.rated or _is_of_suite(self.store, league))
            and self._may_play(league)
        ]
        after = [number for number, league in enumerate(leagues) if league.uuid == self._last]
        return leagues[after[0] + 1 :] + leagues[: after[0] + 1] if after else leagues

    def _leagues(self) -> list[LeagueRecord]:
        """Return all leagues that can be read; tell once of those that are damaged."""
        try:
            return self.store.leagues.all()
        except StoreDamaged:
            pass
        found = []
        for uuid in self.store.leagues.uuids():
            try:
                found.append(self.store.leagues.get(uuid))
            except StoreDamaged as error:
                if uuid not in self._damaged:
                    self._damaged.add(uuid)
                    self.tell(f"the league with the uuid {uuid} can't be played: {error} ({error.hint})")
        return found

    def _may_play(self, league: LeagueRecord) -> bool:
        standstill = self._standstills.get(league.uuid)
        if standstill is None:
            return True
        if self.store.leagues.event_count(league.uuid) != standstill.events:
            return True
        return self.clock() >= standstill.until_s


def _is_of_suite(store: Store, league: LeagueRecord) -> bool:
    """Return whether a league has the deals of a suite, and is no comparison on them, which the queue plays."""
    asks = (event.kind in (COMPARISON, TUNE) for event in store.leagues.events(league.uuid))
    return suite_of(league.config) is not None and not any(asks)


def rest_s(store: Store) -> float:
    """Return for how many seconds to leave a league alone that rests, unless it changes."""
    return min(REST_S, seconds_left(store.now()))


def seconds_left(at: str) -> float:
    """Return how many seconds of the day (UTC) are left at a time in the format of `clock.utc_text`, and one more.

    >>> seconds_left("2026-01-31T23:59:00Z")
    61.0
    """
    time_of_day = datetime.fromisoformat(at)
    begun = time_of_day.replace(hour=0, minute=0, second=0, microsecond=0)
    return 86_401.0 - (time_of_day - begun).total_seconds()

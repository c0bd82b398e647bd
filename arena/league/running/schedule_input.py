"""What a schedule may know when it plans the next match, and what follows from results meanwhile.

`RunningSummary` counts planned matches and the results that may be seen. `InheritedRatings` gives entries that replace
others their ratings. `InFlight` lets a schedule follow how many games are in flight: results need time to arrive, so a
schedule that plans each match from results a fixed number of matches back can keep so many games in flight and no more.
How many there are depends on the machines that play, and must not decide anything by itself. So each change is an event
that holds from the next match on, and is read from the ledger from then on.
"""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import combinations
from types import MappingProxyType
from typing import Any

import msgspec

from arena.league.definition.checked_definition import Definition
from arena.league.definition.stored import StoredDefinition, finished
from arena.schedules.base import Follows, Summary, Tally
from results.ratings.base import Rating, taken_over
from results.records import LeagueRecord, MatchRecord
from results.records.roster import EXTENDED, REPLACED, Roster
from results.store import Store


class RunningSummary:
    """Counts of the planned matches and of exactly as many results as a schedule wants to see, from the ledger."""

    def __init__(
        self,
        store: Store,
        league: LeagueRecord,
        *,
        tally: Tally | None,
        games_of: Callable[[int], int] | None = None,
        blamed: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """Read the league's current state.

        `tally` counts the results, starting empty; None if the schedule keeps none. `games_of` returns how many games
        a match has at a table of that size; without it nothing is counted by table size. `blamed` surrounds
        each call of the tally, to name the schedule in what it raises.
        """
        self._store = store
        self._league = league.uuid
        self._partners = league.partners
        self._tally = tally
        self._blamed = blamed
        self._matches: Counter[int] = Counter()
        self._latest: dict[int, int] = {}
        self._pairs: Counter[tuple[int, int]] = Counter()
        self._games_of = games_of
        self._seated: Counter[tuple[int, int]] = Counter()
        self._seen = -1
        self._ratings: dict[int, Rating] | None = None
        """After the results seen; None if they have to be read."""
        self._later: deque[tuple[int, ...]] | None = None
        """Entries of each match planned after those seen; None until some are seen."""
        self._unseen: Counter[int] = Counter()
        self._in_final: Counter[int] | None = None
        standing = store.leagues.progress(league.uuid)
        self.planned = standing.matches_planned
        """The number of planned matches."""
        self._count(standing.matches_counted if league.rated else 0)  # others have no totals

    def _count(self, folded: int) -> None:
        """Count all planned matches: those in the totals from these, the others one by one.

        In games with partners, all one by one: totals leave out that partners were at one table.
        """
        if self._partners.sides:
            for match in self._store.matches.all(self._league):
                self._count_match(match)
            return
        for entry in self._store.ratings.standings(self._league):
            self._matches[entry.entry_no] = entry.matches
            if entry.last_match_no is not None:
                self._latest[entry.entry_no] = entry.last_match_no
        for pair in self._store.totals.head_to_head(self._league):
            if pair.entry_no < pair.opponent_no:
                self._pairs[pair.entry_no, pair.opponent_no] = pair.matches
        if self._games_of:
            games: Counter[tuple[int, int]] = Counter()
            for seat in self._store.totals.by_seat(self._league):
                games[seat.entry_no, seat.seats] += seat.games
            for at_size, count in games.items():
                self._seated[at_size] = count // self._games_of(at_size[1])
        progress = self._store.leagues.progress(self._league)
        if folded and progress.matches_void:
            for match in self._store.matches.all(self._league, state="void", last=folded - 1):
                self._count_match(match)
        if folded and progress.games_unrated:
            for match in self._store.matches.all(self._league, state="done", last=folded - 1, unrated=True):
                self._count_match(match)
        for match in self._store.matches.all(self._league, first=folded):
            self._count_match(match)

    def begin_final(self, match_no: int) -> None:
        """Count matches from this one on as those of the final; later calls do nothing."""
        if self._in_final is None:
            self._in_final = Counter()
            for match in self._store.matches.all(self._league, first=match_no):
                self._count_in_final(match)

    def _count_in_final(self, match: MatchRecord) -> None:
        if self._in_final is not None:
            self._in_final.update(self._partners.units(match.entries))

    def _count_match(self, match: MatchRecord) -> None:
        entries = self._partners.units(match.entries)
        self._matches.update(entries)
        self._seated.update((entry, len(entries)) for entry in entries)
        self._pairs.update(combinations(sorted(entries), 2))
        for entry in entries:
            self._latest[entry] = max(match.match_no, self._latest.get(entry, -1))

    def add(self, matches: Sequence[MatchRecord]) -> None:
        """Count newly planned matches."""
        for match in matches:
            self._count_match(match)
            self._count_in_final(match)
            if self._later is not None:
                entries = self._partners.units(match.entries)
                self._later.append(entries)
                self._unseen.update(entries)
        self.planned += len(matches)

    def has(self, results: int) -> bool:
        """Return whether the results of that many matches are in, from the first on without a gap."""
        return results <= 0 or self._store.leagues.progress(self._league).matches_counted >= results

    def forget_ratings(self) -> None:
        """Read the ratings again, because an entry has joined or got an initial rating."""
        self._ratings = None

    def seeing(self, results: int) -> Summary:
        """Return the summary with that many results (see `has`), until matches are added."""
        if self._ratings is None or self._seen < 0:
            self._ratings = self._store.ratings.after(self._league, results - 1)
        elif results != self._seen:
            self._ratings |= self._store.ratings.changed(self._league, self._seen, results - 1)
        if results != self._seen:
            if self._tally is not None:
                for match in finished(self._store, self._league, max(0, self._seen), results):
                    with self._blamed():
                        self._tally.add(match)
            self._see(results)
        return Summary(
            planned=self.planned,
            seen=results,
            matches=MappingProxyType(self._matches),
            unseen=MappingProxyType(self._matches if self._later is None else self._unseen),
            pairs=MappingProxyType(self._pairs),
            seated=MappingProxyType(self._seated),
            ratings=MappingProxyType(self._ratings),
            latest=MappingProxyType(self._latest),
            in_final=MappingProxyType(self._in_final or {}),
            latest_tables=self._latest_tables,
            tally=self._tally,
        )

    def _latest_tables(self, matches: int) -> Sequence[tuple[int, ...]]:
        latest = self._store.matches.all(self._league, first=self.planned - matches)
        return tuple(tuple(sorted(match.entries)) for match in latest)

    def _see(self, results: int) -> None:
        if self._later is None and results:
            later = self._store.matches.all(self._league, first=results)
            self._later = deque(match.entries for match in later)
            self._unseen.update(entry for entries in self._later for entry in entries)
        elif self._later is not None:
            for _ in range(results - self._seen):
                for entry in self._later.popleft():
                    self._unseen[entry] -= 1
                    if not self._unseen[entry]:
                        del self._unseen[entry]
        self._seen = results


class InheritedRatings:
    """The entries of one league that replace others."""

    def __init__(self, store: Store, league: LeagueRecord) -> None:
        self._store = store
        self._league = league
        self._rated: set[int] = set()
        """The entries that have been given their ratings."""

    def are_given(self, stored: StoredDefinition, planned: int, summary: RunningSummary) -> bool:
        """Give ratings to entries that replace others by match `planned`; False while results are missing."""
        heirs = [
            (event.at_match_no, event.data["entry"], event.data["predecessor"])
            for event in stored.events
            if event.kind == REPLACED
            and event.at_match_no <= planned
            and event.data["entry"] not in self._rated
        ]
        if not heirs or not self._league.rated:
            return True
        if not summary.has(planned):
            return False
        start, widen = self._league.scale.start, self._league.config["rating"]["widen"]
        for at, heir, predecessor in heirs:
            if not self._store.entries.has_prior(self._league.uuid, heir):
                rating = self._store.ratings.after(self._league.uuid, at - 1)[predecessor]
                self._store.entries.set_prior(self._league.uuid, heir, taken_over(rating, widen, start))
            self._rated.add(heir)
        summary.forget_ratings()
        stored.forget()
        return True


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
        """Record what the schedule changes from match `planned` on, but for replays; return whether anything."""
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

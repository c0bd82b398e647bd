"""Takes entries out of a league that misbehave: benches those that break the rules, pauses those that keep failing.

Those that don't start at all are taken out sooner, and looked for from the first matches on: each of their games may
take as long as a start is allowed to.

The decision for a match depends on the faults in a fixed prefix of the results, so it is the same for any number of
workers and after any interruption. It is recorded as an event, and read from then on.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from arena.league.running.work_units import STARTLESS_AFTER
from protocol.verdicts import Verdict
from results.records import LeagueRecord
from results.records.roster import BENCHED, PAUSED, STARTS, Roster
from results.store import Store

BENCHED_AFTER = 3
"""An entry is benched after this many games in which it thought on others' time."""
PAUSED_AFTER = 10
"""An entry of a standing league is paused once it has forfeited this many of its latest `OF_GAMES` games."""
OF_GAMES = 20
FIRST_LOOKS = (4, 8, 16, 32, 64, 128)
"""Before these matches, those go out that have not started in any game so far, if they had `STARTLESS_AFTER`.

Schedules that need results by then do without."""
LAG = 256
"""If the schedule needs no results, faults count at least this many matches later, so that workers don't wait."""
LAG_PART = 0.5
MOST_LAG = 8_192
"""In a long league, that grows to a part of all planned matches, up to a limit: large batches mean fewer starts."""
EVERY = 16
"""Then faults are judged after every this many matches."""


def prefix(planned: int, sees: int) -> int:
    """Return the number of matches whose faults are judged before match `planned`; `sees`: the schedule's."""
    lag = min(max(LAG, int(LAG_PART * planned)), MOST_LAG)
    return max(sees, (planned - lag) // EVERY * EVERY, 0)


class Decision(NamedTuple):
    """An entry that is benched or paused."""

    entry_no: int
    kind: str
    """`BENCHED` or `PAUSED`."""
    why: str


class Benching:
    """Judges the faults of one league's entries."""

    def __init__(self, store: Store, league: LeagueRecord) -> None:
        self._store = store
        self._league = league.uuid
        self._judged = self._looked = 0
        self._faults: dict[int, list[tuple[int, Verdict]]] = defaultdict(list)
        """By entry: match and verdict, in order."""

    def judge(self, match_no: int, end: int, roster: Roster, *, pauses: bool) -> list[Decision]:
        """Judge the faults below `end`; record and return what follows; `pauses`: for entries that keep failing."""
        if end <= self._judged:
            return []
        fresh = set()
        for at, entry_no, verdict in self._store.games.faults_of_matches(self._league, self._judged, end):
            self._faults[entry_no].append((at, verdict))
            fresh.add(entry_no)
        self._judged = end
        decisions = []
        for entry_no in sorted(fresh):
            if entry_no in roster.benched or not roster.plays(entry_no):
                continue
            joined = roster.joined.get(entry_no, 0)  # or came back
            since = [fault for fault in self._faults[entry_no] if fault[0] >= joined]
            if sum(verdict is Verdict.PONDERING for _, verdict in since) >= BENCHED_AFTER:
                why = f"thought during other players' turns in {BENCHED_AFTER} games"
                decision = self._out(match_no, Decision(entry_no, BENCHED, why))
            elif (why := self._startless(entry_no, since, end)) and not pauses:
                decision = self._out(match_no, Decision(entry_no, BENCHED, why), STARTS)
            elif pauses and (why := why or self._failures(entry_no, since, end)):
                decision = self._out(match_no, Decision(entry_no, PAUSED, why))
            else:
                continue
            decisions.append(decision)
        return decisions

    def look(self, match_no: int, roster: Roster, *, pauses: bool) -> list[Decision] | None:
        """Take out those that have never started, from match `match_no` on; None while results are missing for that.

        Nothing is missing once all entries that could be such have started, however many games are still played: then
        nobody goes, as after all results.
        """
        end = max((look for look in FIRST_LOOKS if look <= match_no), default=0)
        if end <= self._looked:
            return []
        due: Counter[int] = Counter()
        for match in self._store.matches.all(self._league, last=end - 1):
            for entry_no in match.entries:
                if match.match_no >= roster.joined.get(entry_no, 0):
                    due[entry_no] += match.games
        asked = [
            no for no in due if due[no] >= STARTLESS_AFTER and no not in roster.benched and roster.plays(no)
        ]
        failed = Counter(
            entry_no
            for at, entry_no, verdict in self._store.games.faults_of_matches(self._league, 0, end)
            if verdict is Verdict.STARTUP and at >= roster.joined.get(entry_no, 0)
        )
        games = self._games_since(asked, roster.joined, end)
        startless = [entry_no for entry_no in sorted(asked) if games.get(entry_no, 0) == failed[entry_no]]
        if startless and self._store.leagues.progress(self._league).matches_counted < end:
            return None
        self._looked = end
        out = []
        for entry_no in startless:
            if failed[entry_no] >= STARTLESS_AFTER:  # fewer if matches were void
                why = f"did not start in any of its {failed[entry_no]} games"
                decision = Decision(entry_no, PAUSED if pauses else BENCHED, why)
                out.append(self._out(match_no, decision, STARTS))
        return out

    def _out(self, match_no: int, decided: Decision, by: str = "") -> Decision:
        """Record that an entry is out from match `match_no` on; return the decision."""
        entry_no, kind, why = decided
        data = {"entry": entry_no, "by": "faults", "why": why}
        if kind == BENCHED:
            data = {"entry_no": entry_no, "why": why} | ({"by": by} if by else {})
        self._store.leagues.add_event(self._league, match_no, kind, data)
        return decided

    def _games_since(self, entries: list[int], joined: Mapping[int, int], end: int) -> dict[int, int]:
        """Return how many games below match `end` each of some entries has finished since it joined."""
        by_first = defaultdict(list)
        for entry_no in entries:
            by_first[joined.get(entry_no, 0)].append(entry_no)
        found: dict[int, int] = {}
        for first, those in by_first.items():
            found |= self._store.games.counts(self._league, those, first, end)
        return found

    def _startless(self, entry_no: int, faults: list[tuple[int, Verdict]], end: int) -> str:
        latest = faults[-STARTLESS_AFTER:]
        if len(latest) < STARTLESS_AFTER or any(verdict is not Verdict.STARTUP for _, verdict in latest):
            return ""
        first = latest[0][0]
        failed = sum(match_no >= first for match_no, _ in faults)
        if self._games(entry_no, first, end) > failed:
            return ""
        return f"did not start in its last {STARTLESS_AFTER} games"

    def _failures(self, entry_no: int, faults: list[tuple[int, Verdict]], end: int) -> str:
        if len(faults) < PAUSED_AFTER:
            return ""
        first = faults[-PAUSED_AFTER][0]
        if self._games(entry_no, first, end) > OF_GAMES:
            return ""
        verdicts = sorted({verdict.value for _, verdict in faults[-PAUSED_AFTER:]})
        return f"forfeited {PAUSED_AFTER} of its last {OF_GAMES} games or fewer: {', '.join(verdicts)}"

    def _games(self, entry_no: int, first: int, end: int) -> int:
        """Return how many games an entry has in the matches from `first` to `end` − 1."""
        return self._store.games.counts(self._league, [entry_no], first, end).get(entry_no, 0)

"""Has end rules judge the complete prefix of a league's results, each as much of it as it is to see."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence

from arena.league.stopping.base import EndRule
from arena.schedules.base import Finished, Pairing
from results.store import Store

AT_A_TIME = 512
"""So many results are read at once."""


def finished(store: Store, league: str, first: int, end: int) -> Iterator[Finished]:
    """Yield the matches from number `first` to `end` − 1, in order, void ones among them; all must be over.

    They are read some at a time, so that a league of any length needs no room.
    """
    for start in range(first, end, AT_A_TIME):
        last = min(start + AT_A_TIME, end) - 1
        results = {result.match_no: result for result in store.matches.results(league, start, last)}
        for match in store.matches.all(league, first=start, last=last):
            result = results.get(match.match_no)
            shares = result.shares if result else None
            yield Finished(match.match_no, match.round_no, match.entries, shares, match.games)


class Judge:
    """The end rules of one run of one league, and how far each has read."""

    def __init__(self, store: Store, league: str, rules: Sequence[EndRule] = ()) -> None:
        """Begin; the results are the ledger's, of the league with that uuid."""
        self._store = store
        self._league = league
        self._rules = list(rules)
        self._readings = [_Reading(rule) for rule in rules]

    def add(self, rule: EndRule) -> None:
        """Have one more rule judge, from the first result on."""
        self._rules.append(rule)
        self._readings.append(_Reading(rule))

    @property
    def ended_by(self) -> EndRule | None:
        """The first of the rules by which it is over; None while it goes on."""
        return next((rule for rule in self._rules if rule.why), None)

    def is_ready(self, planned: int) -> bool:
        """Have the rules judge all that the match of number `planned` depends on.

        Return False while results for that are awaited.
        """
        return all(
            self._read(reading, reading.rule.sees(planned))
            for reading in self._readings
            if self.ended_by is None
        )

    def look(self) -> None:
        """Have the rules that end the run judge all results that are in."""
        for reading in self._readings:
            if reading.rule.ends_run and not reading.rule.why:
                self._read(reading, self._counted())

    def within(
        self, pairings: Sequence[Pairing], matches: int, games: int, games_of: Callable[[int], int]
    ) -> Sequence[Pairing]:
        """Return as many of the pairings, from the first on, as every rule lets be planned; see `EndRule.within`."""
        for rule in self._rules:
            pairings = rule.within(pairings, matches, games, games_of)
        return pairings

    def _counted(self) -> int:
        return self._store.leagues.progress(self._league).matches_counted

    def _read(self, reading: "_Reading", end: int) -> bool:
        """Have a rule take in the results below number `end`; return False while they are awaited.

        Whatever else is in the ledger is read along, up to a block, so that a long league goes on soon.
        """
        read = reading.taken + len(reading.ahead)
        if read < end:
            counted = self._counted()
            if counted < end:
                return False
            until = min(counted, max(end, read + AT_A_TIME))
            reading.ahead += finished(self._store, self._league, read, until)
        while reading.taken < end and not reading.rule.why:
            reading.rule.take(reading.ahead.popleft())
            reading.taken += 1
        return True


class _Reading:
    """What one rule has taken in."""

    def __init__(self, rule: EndRule) -> None:
        self.rule = rule
        self.taken = 0
        self.ahead: deque[Finished] = deque()
        """Results that were read and are to be taken in next."""

"""Lets end rules judge a league's results, in order and without gaps."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from arena.config.league_file import StopTable
from arena.schedules.base import Finished, Pairing
from results.store import Store

LAG = StopTable().ahead
"""Number of matches planned ahead of the judged ones, so that workers don't wait, unless the league sets another."""


class EndRule(Protocol):
    """A rule that ends a league early. Use one object per run. This base class never ends anything.

    It gets the matches to be planned, and as many results as `sees` allows.
    """

    why: str = ""
    """Why it is over, in words for people; empty while it goes on."""
    by: str = ""
    """Which rule it is, if reports tell leagues that it has ended: `SETTLED`."""
    ends_run: bool = False
    """False: the league ends once all planned matches are played, and the ledger records it. True: this run ends after
    the games being played; nothing is recorded, and a later run with another rule may continue."""

    def sees(self, planned: int) -> int:
        """Return how many results the rule must have before the match with number `planned` may be planned.

        The number depends on `planned` alone, is at most `planned`, and never falls. The rule gets no more results
        than that, so that the same results give the same league. A rule that ends the run gets all results, because
        no match waits for it.
        """
        del planned
        return 0

    def take(self, match: Finished) -> None:
        """Judge the next match. Matches come in order, without gaps, including void ones, until the rule ends it."""
        del match

    def within(
        self, pairings: Sequence[Pairing], matches: int, games: int, games_of: Callable[[int], int]
    ) -> Sequence[Pairing]:
        """Return the first pairings, as many as may be planned; if it returns none, the league is over.

        `matches` and `games` are planned already; `games_of` returns how many games a match has at a table of
        that size.
        """
        del matches, games, games_of
        return pairings


AT_A_TIME = 512
"""Number of results read at once."""


def finished(store: Store, league: str, first: int, end: int) -> Iterator[Finished]:
    """Yield the matches from number `first` to `end` − 1 in order, including void ones; all must be over.

    It reads them in blocks, so that a long league needs no more memory than a short one.
    """
    for start in range(first, end, AT_A_TIME):
        last = min(start + AT_A_TIME, end) - 1
        results = {result.match_no: result for result in store.matches.results(league, start, last)}
        for match in store.matches.all(league, first=start, last=last):
            result = results.get(match.match_no)
            shares = result.shares if result else None
            yield Finished(
                match.match_no, match.round_no, match.entries, shares, match.games, rated=match.rated
            )


class Judge:
    """The end rules of one run of one league, and how far each has read."""

    def __init__(self, store: Store, league: str, rules: Sequence[EndRule] = ()) -> None:
        """Begin; the results are those of the league with that uuid."""
        self._store = store
        self._league = league
        self._rules = list(rules)
        self._readings = [_Reading(rule) for rule in rules]

    def add(self, rule: EndRule) -> None:
        """Add a rule, which judges from the first result on."""
        self._rules.append(rule)
        self._readings.append(_Reading(rule))

    @property
    def ended_by(self) -> EndRule | None:
        """The first rule that has ended the league or the run; None while it goes on."""
        return next((rule for rule in self._rules if rule.why), None)

    def is_ready(self, planned: int) -> bool:
        """Let the rules judge all results that the match with number `planned` depends on.

        Return False if some of them are not in yet.
        """
        return all(
            self._read(reading, reading.rule.sees(planned))
            for reading in self._readings
            if self.ended_by is None
        )

    def look(self) -> None:
        """Let the rules that end the run judge all results so far."""
        for reading in self._readings:
            if reading.rule.ends_run and not reading.rule.why:
                self._read(reading, self._counted())

    def within(
        self, pairings: Sequence[Pairing], matches: int, games: int, games_of: Callable[[int], int]
    ) -> Sequence[Pairing]:
        """Return the first pairings, as many as every rule allows; see `EndRule.within`."""
        for rule in self._rules:
            pairings = rule.within(pairings, matches, games, games_of)
        return pairings

    def _counted(self) -> int:
        return self._store.leagues.progress(self._league).matches_counted

    def _read(self, reading: "_Reading", end: int) -> bool:
        """Let a rule judge the results below number `end`; return False if they are not all in yet.

        It reads up to a block ahead, so that a long league resumes quickly.
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
    """The results that one rule has judged."""

    def __init__(self, rule: EndRule) -> None:
        self.rule = rule
        self.taken = 0
        self.ahead: deque[Finished] = deque()
        """Results read but not yet judged."""

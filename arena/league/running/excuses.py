"""Which faults of time are excused: those that the machine is to blame for, but no more than so many."""

from collections import Counter
from math import ceil

from arena.league.running.game_work import Excused
from protocol.verdicts import Verdict
from results.records import GameRecord
from results.store import Store

MOST_PART = 0.02
"""Of a version's games in a league, at most this part is played again for it, one game for the first fifty."""


class Excuses:
    """Counts the games of a league that were played again because the machine was overloaded."""

    def __init__(self, store: Store, league: str) -> None:
        """Go on from what the ledger holds."""
        self._games: Counter[int] = Counter()
        self._granted: Counter[int] = Counter()
        self._excused_games: set[tuple[int, int]] = set()
        for statistics in store.totals.by_entry(league):
            self._games[statistics.entry_no] = statistics.games
        for attempt in store.games.attempts(league):
            if attempt.verdict is Verdict.OVERLOAD and attempt.entry_no is not None:
                self._granted[attempt.entry_no] += 1
                self._excused_games.add((attempt.match_no, attempt.rotation))

    def count(self, game: GameRecord) -> None:
        """Take note of a game that has been played."""
        self._games.update(seat.entry_no for seat in game.seats)

    def grants(self, excused: Excused) -> bool:
        """Return whether a game is to be played again, and take note of it: once a game, and seldom for an entry."""
        entry_no, game = excused.record.entry_no, (excused.ticket.match_no, excused.ticket.rotation)
        if entry_no is None or game in self._excused_games:
            return False
        if self._granted[entry_no] + 1 > ceil(MOST_PART * max(1, self._games[entry_no])):
            return False
        self._granted[entry_no] += 1
        self._excused_games.add(game)
        return True

"""Decides which timeouts are excused: those caused by an overloaded machine, up to a limit."""

from collections import Counter
from math import ceil

from arena.league.running.game_work import Excused
from protocol.verdicts import Verdict
from results.records import GameRecord
from results.store import Store

MOST_PART = 0.02
"""At most this fraction of an entry's games is replayed: one of the first fifty games, then one more for each fifty."""


class Excuses:
    """Counts the games of a league that were replayed because the machine was overloaded."""

    def __init__(self, store: Store, league: str) -> None:
        """Read past excuses from the ledger."""
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
        """Count a finished game."""
        self._games.update(seat.entry_no for seat in game.seats)

    def grants(self, excused: Excused) -> bool:
        """Return whether to replay a game, and count it. Each game gets one excuse, each entry a few."""
        entry_no, game = excused.record.entry_no, (excused.ticket.match_no, excused.ticket.rotation)
        if entry_no is None or game in self._excused_games:
            return False
        if self._granted[entry_no] + 1 > ceil(MOST_PART * max(1, self._games[entry_no])):
            return False
        self._granted[entry_no] += 1
        self._excused_games.add(game)
        return True

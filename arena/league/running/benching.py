"""Benches entries that keep thinking on others' time: they are no longer started."""

from collections import Counter

from protocol.verdicts import Verdict
from results.records import GameRecord
from results.store import Store

BENCHED = "benched"
"""Kind of the league event that benches an entry from a match on; its data is `{"entry_no": …, "why": …}`."""
MOST_GAMES = 3
"""An entry is benched after this many games with a `pondering` fault."""


class Bench:
    """Counts `pondering` faults in one league, and benches entries for them."""

    def __init__(self, store: Store, league: str) -> None:
        """Read past faults from the ledger."""
        self._store = store
        self._league = league
        self._faults: Counter[int] = Counter()
        self.entries: set[int] = set()
        """The benched entries: they forfeit without being started."""
        for event in store.leagues.events(league):
            if event.kind == BENCHED:
                self.entries.add(event.data["entry_no"])
        for fault in store.games.faults(league):
            if fault.verdict == Verdict.PONDERING:
                self._faults[fault.entry_no] += 1

    def count(self, game: GameRecord) -> int | None:
        """Count a game that is in the ledger; return the number of the entry benched for it, if any."""
        for seat in game.seats:
            if seat.verdict == Verdict.PONDERING:
                self._faults[seat.entry_no] += 1
                if self._faults[seat.entry_no] >= MOST_GAMES and seat.entry_no not in self.entries:
                    self._bench(seat.entry_no, game.match_no)
                    return seat.entry_no
        return None

    def _bench(self, entry_no: int, match_no: int) -> None:
        self.entries.add(entry_no)
        why = f"thought on others' time in {MOST_GAMES} games"
        self._store.leagues.add_event(self._league, match_no, BENCHED, {"entry_no": entry_no, "why": why})

"""Lets bots play where they have played before: their files are there, and perhaps a process that is ready.

Who plays a match changes nothing in its result, so this is free to follow what happened.
"""

from collections.abc import Iterable, Sequence
from itertools import islice

from arena.core.ticket import Ticket
from arena.players.pool import PoolLimits

MOST_MATCHES = 32
"""Choose among this many matches."""
WARM_ENTRIES = PoolLimits().kept
"""How many bots a worker keeps running."""
MOST_ENTRIES = 4_096
"""Maximum number of bots to remember for each worker."""


class Affinity:
    """Remembers which entries each worker has played, the latest last."""

    def __init__(self) -> None:
        self._played: dict[int, dict[int, None]] = {}

    def choose(self, worker_no: int, matches: Iterable[Sequence[Ticket]]) -> int:
        """Return the position of the match whose entries a worker knows best, and remember them.

        An entry that is warm counts twice as much as one that is only known; the first of equal matches is taken.
        """
        played = self._played.setdefault(worker_no, {})
        warm = set(islice(reversed(played), WARM_ENTRIES))
        best, best_value = 0, -1
        chosen: tuple[int, ...] = ()
        for position, games in enumerate(islice(matches, MOST_MATCHES)):
            entries = games[0].entries if games else ()
            value = sum((no in played) + (no in warm) for no in entries)
            if value > best_value:
                best, best_value, chosen = position, value, entries
                if value == 2 * len(entries):
                    break
        for no in chosen:
            played.pop(no, None)
            played[no] = None
        while len(played) > MOST_ENTRIES:
            del played[next(iter(played))]
        return best

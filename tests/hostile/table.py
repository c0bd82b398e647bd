"""A table at which a hostile bot sits beside a good one, both in processes of their own."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from arena.players.pool import BotPool, PoolLimits
from arena.referee.referee import Referee
from arena.sandbox.bot_program import Program
from arena.sandbox.confinement import Confinement
from arena.sandbox.survivors import find_marked
from protocol.messages import DEFAULT_LIMITS, Clock, Limits
from results.records import GameRecord
from tests.support.games import BIDS
from tests.support.tables import PATIENT, new_token, play, ticket
from tests.support.waiting import eventually

HOSTILE, GOOD, FRESH = 0, 1, 2
"""Entry numbers; the last is another good bot."""


class Table:
    """Plays games between the bots of one pool, each of a match of its own."""

    def __init__(self, pool: BotPool, place: Path, token: str) -> None:
        self.pool = pool
        self.place = place
        self.token = token
        self._games = 0

    def game(
        self, *entries: int, clock: Clock = PATIENT, limits: Limits = DEFAULT_LIMITS, padding: int = 0
    ) -> GameRecord:
        """Play a game between entries, by seat; return its record."""
        given = ticket(BIDS, len(entries), match_no=self._games, options={"padding": padding})
        self._games += 1
        players = [
            self.pool.take(entry, (given.league, given.match_no), seat) for seat, entry in enumerate(entries)
        ]
        try:
            return play(BIDS, players, Referee(clock, limits), given)
        except BaseException:
            for player in players:
                player.stop()
            raise
        finally:
            for seat, (entry, player) in enumerate(zip(entries, players, strict=True)):
                self.pool.give_back(entry, player, seat)


@contextmanager
def table(
    place: Path, bots: Mapping[int, Program], confinement: Confinement, startup_ms: int = 30_000
) -> Iterator[Table]:
    """Make a table with the bots' folders below the new folder `place`; afterwards nothing may be left of them."""
    token = new_token()
    with BotPool(
        bots, place, token, PoolLimits(startup_ms=startup_ms), confinement, freezes_late=True
    ) as pool:
        yield Table(pool, place, token)
    assert eventually(lambda: not find_marked(token)), "processes are left"
    assert not place.exists(), "folders are left"


def log_of(record: GameRecord, seat: int = 0) -> str:
    """Return the log of a seat, head and tail."""
    return "".join(
        (log.head + log.tail).decode("utf-8", "replace") for log in record.logs if log.seat == seat
    )

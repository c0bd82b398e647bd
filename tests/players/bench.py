"""A pool with one bot, to be refereed against players within this process."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from arena.players.base import Player
from arena.players.pool import BotPool, PoolLimits
from arena.referee.referee import Referee
from arena.sandbox.confinement import UNCONFINED, Confinement
from arena.sandbox.program import Program
from arena.sandbox.survivors import find_marked
from protocol.limits import DEFAULT_LIMITS
from protocol.messages import Clock, Limits
from results.records import GameRecord
from tests.referee.bids import BIDS
from tests.referee.tables import PATIENT, play, ticket
from tests.waiting import eventually


class Bench:
    """The bot sits at seat 0 of every game."""

    def __init__(self, pool: BotPool, place: Path, token: str) -> None:
        self.pool = pool
        self.place = place
        self.token = token
        self.games = 0

    def game(
        self,
        opponents: Sequence[Player],
        clock: Clock = PATIENT,
        limits: Limits = DEFAULT_LIMITS,
        match_no: int | None = None,
        padding: int = 0,
    ) -> GameRecord:
        """Play a game, of a match of its own unless told; return its record."""
        match_no = self.games if match_no is None else match_no
        self.games += 1
        given = ticket(BIDS, 1 + len(opponents), match_no=match_no, options={"padding": padding})
        player = self.pool.take(0, (given.league, match_no), 0)
        try:
            return play(BIDS, [player, *opponents], Referee(clock, limits), given)
        except BaseException:
            player.stop()
            raise
        finally:
            self.pool.give_back(0, player, 0)


def new_token() -> str:
    """Return a token of which no other begins with it: what bears it is killed when the pool closes."""
    return f"test-{secrets.token_hex(8)}"


@contextmanager
def bench(
    place: Path,
    bot: Program,
    limits: PoolLimits | None = None,
    confinement: Confinement = UNCONFINED,
) -> Iterator[Bench]:
    """Make a bench with folders below `place`; afterwards nothing may be left of it."""
    token = new_token()
    with BotPool({0: bot}, place, token, limits or PoolLimits(startup_ms=30_000), confinement) as pool:
        yield Bench(pool, place, token)
    assert eventually(lambda: not find_marked(token)), "processes are left"
    assert not place.exists()

"""Prices the moves of finished games while a runner has nothing to play, within a budget of CPU time.

A process of the lowest priority does it, so that rules which never return hold up nothing. It reads the store like
anybody else, and so never sees a game that is hidden. Leagues take turns, the newest game first: however many games
one of them gets, such as those of guests in `casual`, the others have their share, and the budget stays the same.
"""

import os
import resource
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from arena.core.errors import ArenaError
from arena.league.move_prices import NEWEST, is_kept, price_moves
from arena.league.stored_games import find, read
from results.base.children import Child, Unreadable, module, to_parent
from results.base.errors import MatchUnfinished
from results.store import Store, open_store

REST_S = 10.0
"""How long a runner has had nothing to play when the first moves are priced."""
MOST_CPU_S = 60
"""CPU time that one seat may take; then its moves stay without prices while this runner runs."""
HOUR_S = 3_600.0
"""A seat that takes longer is given up, too: its rules wait for something."""
NICE = 19


class Order(Struct, frozen=True):
    """One seat of a game."""

    league: str
    """Its uuid."""
    match_no: int
    rotation: int
    seat: int
    fingerprint: str


class Priced(Struct, frozen=True):
    """What an order took."""

    cpu_s: float


class IdlePricing:
    """Prices moves with a child process; `look` is called again and again while nothing is played, else `stop`."""

    def __init__(
        self, store: Store, cpu_s_an_hour: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Prepare; with a budget of 0 it never does anything."""
        self._store, self._budget_s, self._clock = store, cpu_s_an_hour, clock
        self._left_s = 0.0
        """What may be used now; below 0, it has to be waited for."""
        self._earned_s = self._since_s = clock()
        self._child: Child[Priced] | None = None
        self._order: Order | None = None
        self._began_s = 0.0
        """When the order was sent."""
        self._done: set[tuple[str, int]] = set()
        """Games by fingerprint, and seats: whose prices are kept, or can't be had."""
        self._last = ""
        """The league whose game was priced last."""
        self._nothing_since = -1
        """What `Store.writes` was when there was nothing left to price."""

    def look(self) -> None:
        """Take what is finished, and begin with another seat if the budget allows it. Takes milliseconds."""
        if not self._budget_s:
            return
        now_s = self._clock()
        self._left_s = min(self._budget_s, self._left_s + (now_s - self._earned_s) * self._budget_s / HOUR_S)
        self._earned_s = now_s
        if self._order is not None and not self._is_over(now_s):
            return
        if now_s < self._since_s + REST_S or self._left_s <= 0:
            return
        self._order = self._next()
        if self._order is None:
            self._end()
            return
        self._began_s = now_s
        with suppress(OSError):  # the machine has no room for another process now
            self._child = self._child or Child(
                module("arena.league.idle_pricing", str(self._store.path)), Priced
            )
            self._child.send(self._order)

    def stop(self) -> None:
        """End the process at once, as games are to be played; what it was at is begun again later."""
        if self._order is not None:
            self._left_s -= min(
                MOST_CPU_S, self._clock() - self._began_s
            )  # at most that, for nobody has said
        self._order = None
        self._end()
        self._since_s = self._clock()

    def _end(self) -> None:
        if self._child is not None:
            self._child.__exit__()
            self._child = None

    def _is_over(self, now_s: float) -> bool:
        """Return whether nothing is being priced any more."""
        assert self._order is not None, "one is being priced"  # noqa: S101 - for the type checker
        answer: Priced | None = None
        try:
            answer = self._child.receive(0.0) if self._child else None
        except TimeoutError:
            if now_s < self._began_s + HOUR_S:
                return False
        except Unreadable:
            pass
        self._done.add((self._order.fingerprint, self._order.seat))
        self._left_s -= answer.cpu_s if answer else MOST_CPU_S
        self._order = None
        if answer is None:  # it has ended, or takes too long
            self._end()
        return True

    def _next(self) -> Order | None:
        """Return a seat without prices: of the league after the last one that has any, and its newest game."""
        if self._store.writes == self._nothing_since:
            return None
        with suppress(ArenaError):
            leagues = self._store.leagues.all()
            after = [number for number, league in enumerate(leagues, 1) if league.uuid == self._last]
            begin = after[0] if after else 0
            for league in leagues[begin:] + leagues[:begin]:
                for game in self._store.games.all(league.uuid, newest_first=True, limit=NEWEST):
                    for seat in game.seats if game.state == "done" and game.has_replay else ():
                        key = (game.fingerprint, seat.seat)
                        if key in self._done or is_kept(self._store.cache, *key):
                            self._done.add(key)
                            continue
                        try:
                            self._store.replays.check_visible(league.uuid, game.match_no, game.rotation)
                        except MatchUnfinished:  # a later table plays the same deal
                            break
                        self._last = league.uuid
                        return Order(league.uuid, game.match_no, game.rotation, seat.seat, game.fingerprint)
        self._nothing_since = self._store.writes
        return None


def main(path: str) -> None:
    """Price the moves of each seat that the runner orders, until it ends."""
    os.nice(NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    runner = to_parent(Order)
    used_s = 0.0
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while (order := runner.receive()) is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(used_s) + MOST_CPU_S, resource.RLIM_INFINITY))
        with suppress(ArenaError), open_store(Path(path), readonly=True) as store:
            league = store.leagues.get(order.league)
            stored = read(store, find(store, league, order.match_no, order.rotation))
            price_moves(stored, order.seat, cache=store.cache)
        now_s = time.process_time()
        runner.send(Priced(now_s - used_s))
        used_s = now_s


if __name__ == "__main__":
    import sys

    main(sys.argv[1])

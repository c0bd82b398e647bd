"""A host's Dask worker: `python -m arena_cluster.dask_worker`. It forks no bots itself, but starts agents that play.

It gets its orders from its parent, and tells it lines for people. It ends with its parent, or when the scheduler is
lost. Agents end with it, because it is their parent.
"""

import asyncio
import contextlib
import errno
import os
import platform
import random
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec

from arena import registry
from arena.core.chance import Chance
from arena.core.game import Outcome
from arena.core.ruleset import ruleset
from arena.sandbox.probe import probe
from arena_cluster import messages
from arena_cluster.identity import hide_memory
from arena_cluster.link import in_words, quieten_dask, why_unreachable
from arena_cluster.sessions import Session
from results.base.children import Pauses, to_parent
from results.base.text import counted

GAME, SEATS = "bread-basket", 2
GAMES, ROUNDS = 10, 20
EVERY_S = 3_600.0
"""How often a host measures again."""


def playouts_per_s() -> float:
    """Return how many reference playouts this machine makes in a second: the best of some rounds, about 50 ms in all.

    The best, in CPU time, because other programs can only make a round slower.
    """
    game = registry.game(GAME)
    rules = game.resolve(ruleset(game.info), SEATS)
    best_s = float("inf")
    for _ in range(ROUNDS):
        begun_s = time.thread_time()
        for number in range(GAMES):
            rng = random.Random(number)  # noqa: S311 - the same games everywhere
            state, _ = game.deal(SEATS, rules, Chance(f"speed/{number}".encode()))
            while not isinstance(turn := game.turn(state), Outcome):
                moves = {decision.seat: game.sample_move(state, decision.seat, rng) for decision in turn}
                game.advance(state, moves)
        best_s = min(best_s, time.thread_time() - begun_s)
    return GAMES / best_s


THREADS = 6
"""A session and its units that wait each occupy one; two sessions may overlap for a moment."""
LOOK_S = 0.2
CONNECT_S = "30s"
MOST_PAUSE_S = 10.0
"""Longest pause before it looks again whether the scheduler is there."""
SILENT_S = 60.0
"""A scheduler that has not answered for so long is lost."""
LEAVE = "leave"
"""To the worker: finish the games being played, then end."""
REFUSED = 3
"""The exit code of a worker that need not be started again."""
SETTINGS: dict[str, Any] = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.http.routes": [],
    "distributed.worker.preload": [],
    "distributed.comm.timeouts.connect": CONNECT_S,
    "distributed.admin.low-level-log-length": 1_000,
}


class HostWorker:
    """What the runner's calls find on this host (`arena_cluster.link`)."""

    def __init__(self, orders: messages.HostOrders, say: Callable[[str], object]) -> None:
        """`say` sends a line for people to whoever has started the host."""
        self.say = say
        self._orders = orders
        self._id = secrets.token_hex(8)
        self._level = probe(tuple(map(Path, (orders.folder, *orders.private)))).level.word
        self._speed = playouts_per_s()
        self._sessions: dict[str, Session] = {}
        self._versions = 0
        self.is_leaving = False
        self.has_joined = False
        self.dask: Any = None
        """The worker, once it is there."""

    @property
    def sessions(self) -> list[Session]:
        """All sessions that aren't over."""
        return list(self._sessions.values())

    def facts(self) -> dict[str, Any]:
        """Return what the host says of itself with each heartbeat."""
        facts = messages.Facts(
            id=self._id,
            name=self._orders.name,
            slots=self._orders.slots,
            python=platform.python_version(),
            arena=messages.arena_version(),
            distributed=messages.dask_version(),
            machine=platform.machine(),
            level=self._level,
            speed=self._speed,
            versions=max((session.versions for session in self.sessions), default=self._versions),
            is_leaving=self.is_leaving,
        )
        found: dict[str, Any] = msgspec.to_builtins(facts)
        return found

    def measure(self) -> None:
        """Measure the speed again."""
        self._speed = playouts_per_s()

    def session(self, token: str, topic: str, packed_work: bytes) -> bytes:
        """Play in a session until it is over. Runs in a thread of a task."""
        if self.is_leaving:
            return messages.pack(messages.SessionEnd("left"))
        if (before := self._sessions.get(token)) is not None:
            before.end()
        task = self.dask.get_current_task()
        session = Session(self._orders, self._id, token, packed_work, lambda told: self._log(topic, told))
        self._sessions[token] = session
        try:
            end = session.play(lambda: self._is_cancelled(task))
        finally:
            self._versions = session.versions
            if self._sessions.get(token) is session:
                del self._sessions[token]
        end = messages.SessionEnd("left") if self.is_leaving else end
        return messages.pack(msgspec.structs.replace(end, last=session.last_report()))

    def unit(self, token: str, packed: bytes) -> bytes:
        """Take the tickets of a unit; return a report when one is due. Runs in a thread of a task."""
        unit, session = messages.unpack(packed, messages.Unit), self._sessions.get(token)
        if session is None:
            numbers = tuple(one for slot in unit.slots for one in slot.numbers)
            return messages.pack(messages.UnitReport(unplayed=numbers, is_closed=True))
        return messages.pack(session.unit(unit, packed))

    def finish(self, token: str) -> None:
        """Finish the games of a session, and begin no others."""
        if (session := self._sessions.get(token)) is not None:
            session.finish()

    async def end(self, token: str) -> None:
        """End a session, and wait until its processes are gone."""
        if (session := self._sessions.get(token)) is not None:
            await asyncio.to_thread(session.end)

    def give(self, token: str, sha256: str, content: bytes, why_not: str) -> None:
        """Take a version."""
        if (session := self._sessions.get(token)) is not None:
            session.give(sha256, content, why_not)

    def tell(self, line: str, is_final: bool) -> None:
        """Say why this host plays nothing; end if it never will."""
        self.say(line)
        if is_final:
            end_process(self, REFUSED)

    def leave(self) -> None:
        """Finish the games being played, and begin no others."""
        self.is_leaving = True
        if not self.has_joined:
            end_process(self, 0)
        for session in self.sessions:
            session.finish()

    def _log(self, topic: str, told: bytes) -> None:
        with contextlib.suppress(Exception):  # the scheduler is lost, which is noticed elsewhere
            self.dask.log_event(topic, told)

    def _is_cancelled(self, key: Any) -> bool:
        """Return whether the runner is gone or has given a task up."""
        task = self.dask.state.tasks.get(key)
        return task is None or task.state not in ("executing", "long-running")


def end_process(host: HostWorker, code: int) -> None:
    """End all agents, and this process, at once."""
    for session in host.sessions:
        session.let_go()
    os._exit(code)


async def _serve(host: HostWorker, orders: messages.HostOrders) -> None:
    import dask
    from distributed import Worker
    from distributed.worker import DEFAULT_METRICS

    quieten_dask()
    await _wait_for_scheduler(orders, host.say)
    with dask.config.set(SETTINGS):
        worker = Worker(
            orders.scheduler,
            name=f"{orders.name}/{host.facts()['id']}",
            nthreads=THREADS,
            memory_limit=0,
            local_directory=str(Path(orders.folder) / "dask"),
            security=orders.identity.security(),
            protocol="tls",
            host=orders.listens_on or None,
            dashboard_address="127.0.0.1:0",
            metrics={**DEFAULT_METRICS, "arena": lambda _: host.facts()},
            death_timeout=CONNECT_S,
        )
        worker.arena = host
        host.dask = worker
        try:
            await worker
        except Exception as error:  # noqa: BLE001 - the supervisor tries again
            host.say(f"can't join {orders.scheduler}: {_cause(error, orders)}")
            end_process(host, 1)
        host.has_joined = True
        if not orders.is_quiet:
            host.say(f"joined {orders.scheduler}: {counted(orders.slots, 'slot')}")
        await _watch(host, worker)


async def _wait_for_scheduler(orders: messages.HostOrders, say: Callable[[str], object]) -> None:
    """Wait until a scheduler seems to be there; say once why it can't be reached."""
    told, pauses = "", Pauses(0.5, MOST_PAUSE_S)
    while why := await why_unreachable(orders.scheduler, orders.identity):
        if why != told:
            told = why
            say(f"can't join {orders.scheduler} yet: {why}")
        await asyncio.sleep(pauses.next_s())


def _cause(error: BaseException, orders: messages.HostOrders) -> str:
    """Return in a line why Dask's worker could not start."""
    while (before := error.__cause__ or error.__context__) is not None:
        error = before
    if orders.listens_on and isinstance(error, OSError) and error.errno == errno.EADDRNOTAVAIL:
        return f"{orders.listens_on} is no address of this machine; give --listen one that is"
    return in_words(error)


async def _watch(host: HostWorker, worker: Any) -> None:
    """Wait for the end of the worker, in any way."""
    loop = asyncio.get_running_loop()
    answered_s = measured_s = loop.time()
    asking: asyncio.Task[Any] | None = None
    while True:
        await asyncio.sleep(LOOK_S)
        now_s = loop.time()
        if str(worker.status) not in ("Status.running", "Status.paused"):
            host.say("the scheduler was lost")
            end_process(host, 1)
        if host.is_leaving and not host.sessions:
            await worker.close_gracefully()
            os._exit(0)
        if asking is not None and asking.done():
            answered_s = answered_s if asking.cancelled() or asking.exception() else now_s
            asking = None
        elif asking is None and now_s > answered_s + SILENT_S / 4:
            asking = asyncio.create_task(worker.scheduler.identity(n_workers=0))
        if now_s > answered_s + SILENT_S:
            host.say(f"the scheduler has not answered for {SILENT_S:.0f} s")
            end_process(host, 1)
        if now_s > measured_s + EVERY_S:
            measured_s = now_s
            await asyncio.to_thread(host.measure)


def main() -> None:
    """Join, and play what the runner sends."""
    hide_memory()
    parent = to_parent(messages.HostOrders | Literal["leave"])
    orders = parent.receive()
    if isinstance(orders, messages.HostOrders):
        host = HostWorker(orders, parent.send)
        parent.listen(lambda _leave: host.leave(), lambda: end_process(host, 0))
        asyncio.run(_serve(host, orders))


if __name__ == "__main__":
    main()

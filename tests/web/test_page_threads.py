"""Bounds on what visitors can make the server compute: equal requests, different ones, and work that takes long."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio.to_thread
import httpx2
import pytest

from arena.core.replay import steps
from arena.web.app import create_app
from arena.web.http import page_cache
from arena.web.http.page_threads import RETRY_S, Crowded, Threads, takes_long
from arena.web.live.site import Site
from arena.web.pages import game
from arena.web.pages.rankings import TooLarge
from results.reports.rankings import rankings

MANY = 60
"""More than the framework has threads for everything."""
LADDER = "/leagues/bread"


@pytest.fixture
def site(demo_store: Path) -> Iterator[Site]:
    found = Site.of(demo_store)
    yield found
    found.close()


class Counts:
    """Stands for the slow count: each begins, is held until the gate is opened, and then is what it would be."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, instead: Exception | None = None) -> None:
        self.threads: list[str] = []
        self.gate = threading.Event()
        self._instead = instead
        monkeypatch.setattr("arena.web.pages.rankings.rankings", self._held)

    def _held(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs.get("selection"):
            return rankings(*args, **kwargs)
        self.threads.append(threading.current_thread().name)
        assert self.gate.wait(60), "nobody opened the gate"
        if self._instead:
            raise self._instead
        return rankings(*args, **{**kwargs, "report": None})  # the clock has run on meanwhile


@asynccontextmanager
async def visitors(site: Site, *addresses: str) -> AsyncIterator[list[httpx2.AsyncClient]]:
    """Yield clients with these addresses. The framework has one thread for all of them."""
    anyio.to_thread.current_default_thread_limiter().total_tokens = 1
    app = create_app(site)
    transports = [httpx2.ASGITransport(app, client=(address, 1)) for address in addresses]
    clients = [
        httpx2.AsyncClient(transport=one, base_url="http://localhost", timeout=60) for one in transports
    ]
    yield clients
    for client in clients:
        await client.aclose()


async def until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(60):
        while not is_so():
            await asyncio.sleep(0.002)


async def check_others(client: httpx2.AsyncClient) -> None:
    """Check that everything else is answered."""
    for path in (
        "/static/site.css",
        "/sign-in",
        "/",
        LADDER,
        "/api/v1/leagues/bread",
        "/leagues/bread/games/0.0",
    ):
        assert (await client.get(path)).status_code == 200, path


def test_of_equal_requests_one_is_counted_and_the_others_wait_without_a_thread(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = Counts(monkeypatch)

    async def visit() -> None:
        async with visitors(site, "10.0.0.1") as (client,):
            kinds = [("GET", {}), ("HEAD", {}), ("GET", {"if-none-match": '"x"'})]
            waiting = [
                asyncio.create_task(client.request(method, f"{LADDER}?seats=3&other={at}", headers=headers))
                for at, (method, headers) in enumerate(kinds * (MANY // 3))
            ]
            await until(lambda: sum(one.waiting for one in site.page_cache._making.values()) == MANY)
            await check_others(client)
            waiting[0].cancel()  # the visitor whose request is counted goes away
            counts.gate.set()
            answers = await asyncio.gather(*waiting, return_exceptions=True)
            assert isinstance(answers[0], asyncio.CancelledError)
            assert {one.status_code for one in answers[1:] if isinstance(one, httpx2.Response)} == {200}
            assert (await client.get(f"{LADDER}?seats=3")).headers["etag"]

    asyncio.run(visit())
    assert [name.rpartition("_")[0] for name in counts.threads] == ["slow"]


def test_of_different_requests_few_wait_and_the_others_are_told_to_come_back(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = Counts(monkeypatch)

    async def visit() -> None:
        async with visitors(site, "10.0.0.1", "10.0.0.2", "10.0.0.3") as (one, two, three):
            days = [f"until=2020-{1 + day // 28:02}-{1 + day % 28:02}" for day in range(MANY)]
            flood = [asyncio.create_task(one.get(f"{LADDER}?{day}")) for day in days]
            await until(lambda: sum(task.done() for task in flood) == MANY - 3)
            fewer = [asyncio.create_task(two.get(f"{LADDER}/rankings.csv?{day}&seats=3")) for day in days]
            await until(lambda: sum(task.done() for task in fewer) == MANY - 2)
            page, file = flood[-1].result(), fewer[-1].result()
            assert f"Try again in {RETRY_S} seconds" in page.text
            for refused in (page, file, await three.get(f"{LADDER}?seats=2")):
                assert refused.status_code == 503
                assert refused.headers["retry-after"] == str(RETRY_S)
            await check_others(three)
            assert len(counts.threads) == 1
            counts.gate.set()
            done = [task.result() for task in (await asyncio.wait({*flood, *fewer}))[0]]
            assert sum(answer.status_code == 200 for answer in done) == len(counts.threads) == 5

    asyncio.run(visit())


@pytest.mark.parametrize("path", [LADDER, f"{LADDER}/rankings.csv"])
def test_a_refusal_is_kept_as_long_as_a_page(site: Site, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    counts = Counts(monkeypatch, TooLarge())
    counts.gate.set()

    async def visit() -> None:
        async with visitors(site, "10.0.0.1") as (client,):
            for _ in range(3):
                answer = await client.get(f"{path}?seats=3")
                assert answer.status_code == 503
                assert "takes too long" in answer.text
                assert "etag" not in answer.headers

    asyncio.run(visit())
    assert len(counts.threads) == 1


def test_more_equal_requests_than_may_wait_are_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = Counts(monkeypatch)
    monkeypatch.setattr(page_cache, "MOST_WAITING", 4)

    async def visit() -> None:
        async with visitors(site, "10.0.0.1") as (client,):
            waiting = [asyncio.create_task(client.get(f"{LADDER}?seats=3")) for _ in range(10)]
            await until(lambda: sum(task.done() for task in waiting) == 6)
            assert {task.result().status_code for task in waiting if task.done()} == {503}
            counts.gate.set()
            await asyncio.wait(waiting)

    asyncio.run(visit())
    assert len(counts.threads) == 1


def test_a_long_game_is_replayed_in_a_thread_for_what_takes_long(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    replayed: list[str] = []

    def noted(*args: Any) -> Any:
        replayed.append(threading.current_thread().name.rpartition("_")[0])
        return steps(*args)

    monkeypatch.setattr("arena.web.pages.game.steps", noted)

    async def visit() -> None:
        async with visitors(site, "10.0.0.1") as (client,):
            for decisions, seat in ((10**6, "seat-0"), (0, "seat-1")):
                monkeypatch.setattr(game, "QUICK_DECISIONS", decisions)
                assert (await client.get(f"{LADDER}/games/0.0/{seat}")).status_code == 200

    asyncio.run(visit())
    assert replayed == ["pages", "slow"]
    takes_long("nothing, outside a server")


class Work:
    """Work that is held until it is let go."""

    def __init__(self, threads: Threads) -> None:
        self.begun: list[str] = []
        self._threads, self._gates = threads, dict[str, threading.Event]()

    def ask(self, kind: str, client: str) -> str:
        """Ask for some work; return its name, which counts the work of this kind and client."""
        name = f"{client}{kind}{sum(one.startswith(client + kind) for one in self._gates)}"
        self._gates[name] = threading.Event()
        self._threads.begin(kind, partial(self._do, name), client)
        return name

    def _do(self, name: str) -> None:
        self.begun.append(name)
        assert self._gates[name].wait(60)

    def end(self, *names: str) -> None:
        """Let some work end."""
        for name in names:
            self._gates[name].set()

    def wait_for(self, *names: str) -> None:
        """Wait until exactly this work has begun."""
        asyncio.run(until(lambda: sorted(self.begun) == sorted(names)))


def test_kinds_and_clients_take_turns() -> None:
    threads = Threads("test", 6, 4)
    work = Work(threads)
    for kind in "xyzuv":
        for _ in range(2):
            work.ask(kind, "a")
    begun = ["ax0", "ay0", "az0", "au0"]
    work.wait_for(*begun)  # two thirds of the threads
    with pytest.raises(Crowded):
        work.ask("v", "a")
    work.ask("x", "b")
    work.ask("x", "c")
    begun.append("bx0")
    work.wait_for(*begun)  # one third of the threads for a kind
    work.end("ax0")
    begun += ["cx0", "av0"]
    work.wait_for(*begun)  # and not the next of the client that has others
    work.end("az0")
    begun.append("az1")
    work.wait_for(*begun)
    work.end(*work._gates)
    asyncio.run(until(lambda: len(work.begun) == 12))
    threads.close()

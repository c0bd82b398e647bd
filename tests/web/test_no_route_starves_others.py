"""However many ask for one thing, the rest of the site answers: every route, with its requests held at a gate."""

import asyncio
import re
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

import anyio.to_thread
import httpx2
import pytest
from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from arena.web.app import create_app
from arena.web.http import page_threads
from arena.web.http.page_threads import Crowded
from arena.web.live.site import Site, Stores
from arena.web.public.url_map import FILES, PAGES
from arena.web.site_file.site_database import SiteFile
from tests.support.web.copied_site import copied_site
from tests.support.web.visitors import HERE, extended, member, token_of

BASE = "http://127.0.0.1:8642"
MANY = 2
FEW = 1
"""Threads that the test leaves the framework and the site's file: the requests for one route would take them all."""
VALUES = {
    "game": "0.0",
    "entry_no": "0",
    "command": "3b241101-e2bb-4255-8caf-4136c566a962",
    "upload": "abcdefghij",
    "seat": "seat-0",
    **dict.fromkeys(("number", "session", "token"), "1"),
    "action": "retire",
}
"""What routes get for names in their paths; for all others a league."""
FORM = {
    "form_id": "3b241101-e2bb-4255-8caf-4136c566a962",
    "league": "bread",
    "label": "x",
    "game": "bread-basket",
    "text": 'name = "a"\ngame = "bread-basket"\n',
    "step": "preview",
}
ENDING = ("/sign-out", "/account/sessions/1/end", "/account/tokens/1/revoke")
"""They would end what the others need."""
_is_held: ContextVar[bool] = ContextVar("is_held", default=False)


class Gate:
    """Holds threads until it is opened."""

    def __init__(self) -> None:
        self.held: list[str] = []
        """The names of the threads."""
        self._open = threading.Event()

    def hold(self) -> None:
        """Wait until the gate is open, and then do nothing more. Raises Crowded."""
        if not self._open.is_set():
            self.held.append(threading.current_thread().name)
            assert self._open.wait(60), "nobody opened the gate"
        raise Crowded

    def open(self) -> None:
        """Hold nobody any more."""
        self._open.set()


class Route(NamedTuple):
    """A route, or one of the pages and files that one route has."""

    method: str
    pattern: str

    def path(self, number: int) -> str:
        """Return the path of a request for it; another one for each number if there are names in it."""
        path = re.sub(r"\{(\w+)\}", lambda name: VALUES.get(name[1], f"bread{number or ''}"), self.pattern)
        return f"{path}?game=bread-basket" if path == "/play" else path


def routes_of(app: FastAPI, before: str = "") -> Iterator[Route]:
    """Yield every route of an application and of those in it."""
    found: list[Any] = list(app.routes)
    for route in found:
        if isinstance(inner := getattr(route, "app", None), FastAPI):
            yield from routes_of(inner, before + route.path)
            continue
        for one in route.original_router.routes if hasattr(route, "original_router") else [route]:
            for method in sorted(one.methods - {"HEAD"}):
                yield from (Route(method, before + pattern) for pattern in _patterns(one.path))


def _patterns(path: str) -> Sequence[str]:
    if path == "/{path:path}":
        return [f"/{one}" for one in (*(page.pattern for page in PAGES), *(file.pattern for file in FILES))]
    return [path]


def held_if_asked(app: ASGIApp) -> ASGIApp:
    """Return an application that marks requests with the header `x-held`, for the threads that answer them."""

    async def marking(scope: Scope, receive: Receive, send: Send) -> None:
        _is_held.set(any(name == b"x-held" for name, _ in scope["headers"]))
        await app(scope, receive, send)

    return marking


def at_gate(monkeypatch: pytest.MonkeyPatch, gate: Gate) -> None:
    """Hold every thread that opens the store or the site's file for a marked request at a gate.

    Threads that only look are not held: who asks, and whether the store has changed.
    """

    def held(open_it: Callable[..., Any]) -> Callable[..., Any]:
        def opened(*args: Any, **kwargs: Any) -> Any:
            if _is_held.get() and not threading.current_thread().name.startswith(("looks", "site-file")):
                gate.hold()
            return open_it(*args, **kwargs)

        return opened

    monkeypatch.setattr(Stores, "borrowed", held(Stores.borrowed))
    monkeypatch.setattr(SiteFile, "_transaction", held(SiteFile._transaction))


def asked(
    client: httpx2.AsyncClient, route: Route, number: int, csrf: str, token: str
) -> Coroutine[Any, Any, httpx2.Response]:
    """Send a marked request for a route, by somebody who may do everything."""
    headers, path = {**HERE, "x-held": "1"}, route.path(number)
    if path.startswith("/api/"):
        headers["authorization"] = f"Bearer {token}"
        body = {"kind": "pause", "data": {"league": "bread"}} if route.method == "POST" else None
        return client.request(route.method, path, headers=headers, json=body)
    form = {**FORM, "csrf": "" if path in ENDING else csrf} if route.method == "POST" else None
    return client.request(route.method, path, headers=headers, data=form)


async def others_are_answered(stranger: httpx2.AsyncClient, token: str) -> None:
    """Ask for what must be answered, whatever else goes on."""
    bearer = {"authorization": f"Bearer {token}"}  # it is looked up in the site's file
    for path in ("/static/site.css", "/sign-in", "/api/v1/leagues/sandwich", "/"):
        answer = await stranger.get(path, headers=bearer)
        assert answer.status_code == 200, (path, answer.text)


def unaccounted(site: Site, answers: Sequence["asyncio.Task[httpx2.Response]"]) -> int:
    """Return how many requests are neither answered nor in the site's own threads, nor wait for those."""
    of_pages = sum(making.waiting for making in site.page_cache._making.values())
    routes = site.threads.routes
    of_routes = routes._threads - routes._free + sum(map(len, routes._waiting.values()))
    return sum(not one.done() for one in answers) - of_pages - of_routes


def test_no_route_keeps_others_from_being_answered(
    demo_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, few = Gate(), ThreadPoolExecutor(FEW, thread_name_prefix="site-file")
    monkeypatch.setattr(page_threads, "_threads", few)
    at_gate(monkeypatch, gate)

    async def hold_all(site: Site, cookies: dict[str, str], csrf: str, token: str) -> None:
        anyio.to_thread.current_default_thread_limiter().total_tokens = FEW
        app = create_app(site)
        here, there = (httpx2.ASGITransport(held_if_asked(app), client=(f"10.0.0.{n}", 1)) for n in (1, 2))
        async with (
            httpx2.AsyncClient(transport=here, base_url=BASE, cookies=cookies, timeout=60) as attacker,
            httpx2.AsyncClient(transport=there, base_url=BASE, timeout=60) as stranger,
        ):
            tasks = [
                (route, asyncio.create_task(asked(attacker, route, number, csrf, token)))
                for route in routes_of(app)
                for number in range(MANY)
            ]
            try:
                async with asyncio.timeout(60):
                    while unaccounted(site, [task for _, task in tasks]):
                        await asyncio.sleep(0.005)
                    await others_are_answered(stranger, token)
            finally:
                gate.open()
            for route, task in tasks:
                answer = await task
                assert answer.status_code < 500 or answer.headers["retry-after"], (route, answer.text)

    with copied_site(demo_store, tmp_path) as site, extended(site):
        client, csrf = member(site, "olga", "organiser")
        asyncio.run(hold_all(site, dict(client.cookies.items()), csrf, token_of(site, "olga", "organiser")))
    few.shutdown()
    assert sorted({name.rpartition("_")[0] for name in gate.held}) == ["pages", "routes"]
    assert len(gate.held) == 8, "one client has two thirds of the threads"

"""Whoever holds up the site's file holds up those who need it, and nobody else."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from arena.web.app import create_app
from arena.web.http.security import SESSION
from arena.web.live.site import Site
from tests.support.web.visitors import HERE, csrf_in, member, site_at

MANY = 60
"""More than there are threads for pages."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = site_at(tmp_path)
    yield found
    found.close()


@pytest.mark.slow
def test_pages_are_made_while_the_sites_file_is_locked(site: Site) -> None:
    signed_in, csrf = member(site, "ada")
    cookies = {name: value for name, value in signed_in.cookies.items() if SESSION in name}

    async def visit() -> tuple[list[int], list[int]]:
        transport = httpx2.ASGITransport(create_app(site))
        base = "http://127.0.0.1:8642"
        async with (
            httpx2.AsyncClient(transport=transport, base_url=base, cookies=cookies, timeout=60) as ada,
            httpx2.AsyncClient(transport=transport, base_url=base, timeout=60) as stranger,
        ):
            form = {"csrf": csrf_in((await stranger.get("/sign-in")).text), "token": "wrong"}
            with closing(sqlite3.connect(site.file.path, isolation_level=None)) as other:
                other.execute("BEGIN EXCLUSIVE")
                waiting = [asyncio.create_task(ada.get("/account")) for _ in range(MANY)]
                waiting.append(asyncio.create_task(ada.post("/sign-out", data={"csrf": csrf}, headers=HERE)))
                waiting.append(asyncio.create_task(stranger.post("/sign-in", data=form, headers=HERE)))
                bearer = {"Authorization": "Bearer wrong"}
                waiting.append(asyncio.create_task(stranger.get("/api/v1/whoami", headers=bearer)))
                await asyncio.sleep(0.1)
                pages = [(await stranger.get(path)).status_code for path in ("/sign-in", "/static/site.css")]
                assert not any(one.done() for one in waiting), "nobody waited for the file"
            return pages, [(await one).status_code for one in waiting]

    pages, waited = asyncio.run(visit())
    assert pages == [200, 200]
    assert waited[-3:] == [303, 403, 401]
    assert set(waited[:MANY]) <= {200, 303, 503}, "so many of one client are refused"

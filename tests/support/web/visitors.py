"""Browsers that visit a site in a test: they have an address, keep cookies, and sign in with tokens."""

import html
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from arena.web.app import create_app
from arena.web.live.site import Site
from arena.web.live.site_plugins import begin_all
from arena.web.site_file import accounts
from arena.web.site_file.accounts import Role

_latest: list[tuple[Site, FastAPI]] = []

HERE = {"sec-fetch-site": "same-origin"}
"""What a browser sends with the forms of this site."""


def browser(site: Site, base: str = "http://127.0.0.1:8642", address: str = "10.0.0.1") -> TestClient:
    """Return a browser at an address. It follows no redirects."""
    return TestClient(_app_of(site), base_url=base, client=(address, 50_000), follow_redirects=False)


def _app_of(site: Site) -> FastAPI:
    """Return the application of a site, which takes a while to make: the latest one is kept."""
    if not _latest or _latest[0][0] is not site:
        _latest[:] = [(site, create_app(site))]
    return _latest[0][1]


@contextmanager
def extended(site: Site) -> Iterator[None]:
    """Add to a site what the installed packages add to it, before it has visitors."""
    with ExitStack() as ending:
        begin_all(site, "", ending, pytest.fail)
        assert site.extensions
        yield


def token_of(site: Site, name: str, role: Role = "author", expires_at: str | None = None) -> str:
    """Return a new token of an account."""
    with site.file.writing() as db:
        return accounts.invite(db, name, role, "a test", site.file.now(), expires_at)


def csrf_in(text: str) -> str:
    """Return what the first form of a page sends back."""
    found = re.search(r'name="csrf" value="([0-9a-f]+)"', text)
    assert found, text
    return found[1]


def form_id(text: str) -> str:
    """Return the id of the first form of a page that has one."""
    found = re.search(r'name="form_id" value="([0-9a-f-]{36})"', text)
    assert found, text
    return found[1]


def sign_in(client: TestClient, token: str, after: str = "") -> int:
    """Sign in by the form; return the status of the answer."""
    page = client.get("/sign-in", params={"next": after} if after else {})
    fields = {"csrf": csrf_in(page.text), "token": token, "next": after}
    return int(client.post("/sign-in", data=fields, headers=HERE).status_code)


def join(client: TestClient, code: str) -> int:
    """Join with the code of an invitation by the form; return the status of the answer."""
    fields = {"csrf": csrf_in(client.get("/join").text), "code": code}
    return int(client.post("/join", data=fields, headers=HERE).status_code)


def asks_api(client: TestClient, token: str) -> int:
    """Return the status of an answer of the API to a token."""
    return int(client.get("/api/v1/whoami", headers={"authorization": f"Bearer {token}"}).status_code)


def member(site: Site, name: str, role: Role = "author") -> tuple[TestClient, str]:
    """Return the browser of somebody who has signed in, and what their forms send back."""
    client = browser(site)
    assert sign_in(client, token_of(site, name, role)) == 303
    return client, csrf_in(client.get("/account").text)


def site_at(folder: Path) -> Site:
    """Return the site of a store in a folder; there needn't be one."""
    return Site.of(folder / "arena.sqlite")


def form_of(page: str) -> dict[str, str]:
    return {
        name: html.unescape(value)
        for name, value in re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page)
    }


def begin(client: TestClient, game: str = "bread-basket", **more: str) -> str:
    """Begin a game as a guest; return the path of its table."""
    fields = {**form_of(client.get("/play", params={"game": game}).text), "seats": "2", **more}
    answer = client.post("/play", data=fields, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]

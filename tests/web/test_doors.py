"""What the server refuses before it does anything: other names, large and slow requests, odd methods."""

import asyncio
import itertools
import re
import tracemalloc
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Message

from arena.web.api.app import document
from arena.web.app import create_app
from arena.web.http import page_cache
from arena.web.http.allowed_hosts import name_in, names_for
from arena.web.http.body_limits_and_compression import MOST_QUERY_BYTES, body_limits
from arena.web.http.page_threads import Threads
from arena.web.http.security import CONTENT_SECURITY_POLICY
from arena.web.http.server import Server, listen
from arena.web.live.site import Site, address_of
from arena.web.live.visitors import asked_for
from arena.web.site_file import accounts, audit
from tests.support.web.visitors import HERE, browser, csrf_in, extended, member, site_at, token_of


@pytest.fixture
def whole(site: Site) -> Iterator[Site]:
    """Yield the site with what the installed packages add to it."""
    with extended(site):
        yield site


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = site_at(tmp_path)
    yield found
    found.close()


@pytest.mark.parametrize(
    ("host", "addresses", "status"),
    [
        ("localhost:8642", False, 303),
        ("LOCALHOST.", False, 303),
        ("[::1]:8642", False, 303),
        ("arena.example", False, 303),
        ("evil.example", False, 400),
        ("localhost.evil.example", False, 400),
        ("192.168.1.5:8642", False, 400),
        ("192.168.1.5:8642", True, 303),
        ("evil.example", True, 400),
        ("localhost@evil.example", False, 400),
        ("localhost:8642:1", False, 400),
        ("", False, 400),
    ],
)
def test_only_its_own_names_lead_here(site: Site, host: str, addresses: bool, status: int) -> None:
    app = create_app(site, names_for("127.0.0.1", ["Arena.example"]), addresses=addresses)
    answer = TestClient(app, follow_redirects=False).get("/account", headers={"host": host})
    assert answer.status_code == status
    assert "evil" not in answer.text


def test_a_host_is_a_name_and_a_port() -> None:
    assert [name_in(text) for text in ("A.b:80", "[::1]", "[::1]:1", "[a]", "[::1", "a:b", ":1")] == [
        "a.b",
        "::1",
        "::1",
        None,
        None,
        None,
        None,
    ]


def test_large_bodies_are_refused_before_they_are_read(site: Site) -> None:
    client = browser(site)

    def never() -> Iterator[bytes]:
        raise AssertionError("the body was read")
        yield b""

    for length in ("1048577", "99999999999999999999999999", "-1", "1e3"):
        answer = client.post("/sign-in", content=never(), headers={**HERE, "content-length": length})
        assert answer.status_code == 413
        assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    chunks = (b"a" * 100_000 for _ in range(20))
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert client.post("/sign-in", content=chunks, headers={**HERE, **form}).status_code == 413


@pytest.mark.parametrize("path", ["/", "/static/site.css", "/api/v1/leagues", "/leagues/x"])
def test_an_address_that_would_take_long_to_take_apart_is_refused(site: Site, path: str) -> None:
    query = "&".join(f"{number:04x}" for number in range(MOST_QUERY_BYTES // 5 + 2))
    assert browser(site).get(f"{path}?{query}").status_code == 414
    assert browser(site).get(f"/leagues/x?{query[: MOST_QUERY_BYTES - 9]}").status_code != 414
    scope = {"type": "http", "query_string": b"a=1&b=2&a=3&c=", "headers": []}
    assert asked_for(Request(scope)) == {"a": ("1", "3"), "b": ("2",), "c": ("",)}


def test_a_body_that_never_comes_is_not_waited_for() -> None:
    async def app(scope: object, receive: object, send: object) -> None:
        request = Request(scope, receive)  # type: ignore[arg-type]
        await PlainTextResponse(await request.body())(scope, receive, send)  # type: ignore[arg-type]

    async def never() -> Message:
        await asyncio.sleep(60)
        raise AssertionError("it was waited for")

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"content-length", b"9")]}

    async def ask() -> None:
        await body_limits(app, body_s=0.01)(scope, never, send)

    asyncio.run(ask())
    assert sent[0]["status"] == 408


def test_forms_of_thousands_of_fields_and_files_are_refused(site: Site) -> None:
    client, csrf = member(site, "ada")
    many = "&".join(f"a{number}=" for number in range(100))
    form = {"content-type": "application/x-www-form-urlencoded", **HERE}
    assert client.post("/sign-out", content=f"csrf={csrf}&{many}", headers=form).status_code == 400
    file = {"csrf": ("a.txt", csrf.encode())}
    assert client.post("/sign-out", files=file, headers=HERE).status_code == 400
    assert client.post("/sign-out", content=b"csrf=%ff%00\xff", headers=form).status_code == 403
    assert client.get("/account").status_code == 200


@pytest.mark.parametrize("path", ["/sign-in", "/submit"])
def test_a_form_in_an_encoding_that_takes_long_to_read_is_refused(site: Site, path: str) -> None:
    client, _ = member(site, "ada")
    form = {"content-type": "multipart/form-data; boundary=x; charset=punycode", **HERE}
    body = b'--x\r\nContent-Disposition: form-data; name="token"\r\n\r\na-bbb\r\n--x--\r\n'
    assert client.post(path, content=body, headers=form).status_code == 415


def test_kept_pages_take_bounded_room_however_small_they_are_and_however_long_their_addresses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page_cache, "MOST_BYTES", 20_000)
    kept, threads = page_cache.PageCache(), Threads("test", 3, 10)
    begin = partial(threads.begin, "x", client="")

    async def ask(most: int) -> None:
        for number in range(most):
            await kept.get(f"{number}{'x' * 10_000}", 1, lambda: page_cache.Content(b"x"), begin)

    asyncio.run(ask(100))
    tracemalloc.start()
    asyncio.run(ask(1_000))
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    threads.close()
    assert grown < 100_000


@pytest.mark.parametrize("path", ["/sign-in", "/api/v1/commands"])
def test_a_sender_who_goes_away_is_no_mistake_of_arena(site: Site, path: str) -> None:
    token = token_of(site, "olga", "organiser")
    sent: list[Message] = []

    async def gone() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = {
        "host": "localhost",
        "content-type": "application/x-www-form-urlencoded",
        "content-length": "9",
    }
    headers["authorization"] = f"Bearer {token}"
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b""}
    scope |= {"headers": raw, "scheme": "http", "client": ("10.0.0.1", 1), "server": ("localhost", 80)}
    asyncio.run(create_app(site)({**scope, "root_path": "", "http_version": "1.1"}, gone, send))
    assert sent[0]["status"] == 400


def test_odd_methods_change_nothing_and_break_nothing(site: Site) -> None:
    client, csrf = member(site, "ada")
    for method in ("PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "BREW"):
        for path in ("/", "/sign-out", "/account", "/static/site.css"):
            assert client.request(method, path, headers=HERE).status_code == 405
    assert client.get("/sign-out").status_code in (404, 405, 503)
    assert client.head("/account").text == ""
    assert client.post(f"/sign-out?csrf={csrf}", headers=HERE).status_code == 403
    assert client.get("/account").status_code == 200


@pytest.mark.parametrize(
    "path", ["/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static/app.py", "/static/../app.py"]
)
def test_static_files_are_those_of_one_folder(site: Site, path: str) -> None:
    assert browser(site).get(path).status_code in (404, 503)


def test_every_answer_has_the_headers_and_only_https_asks_for_https(site: Site) -> None:
    for base, has_hsts in (("http://localhost", False), ("https://localhost", True)):
        client = browser(site, base)
        for answer in (
            client.get("/sign-in"),
            client.get("/nothing"),
            client.put("/"),
            client.get("/account"),
        ):
            assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
            assert answer.headers["cross-origin-opener-policy"] == "same-origin"
            assert ("strict-transport-security" in answer.headers) is has_hsts
        page = client.get("/sign-in").text
        assert not re.search(r"<style|style=|\son[a-z]+=|<script>", page)


def test_pages_of_members_are_neither_kept_nor_compressed(site: Site) -> None:
    client, _ = member(site, "ada")
    for path in ("/account", "/sign-in", "/rules"):
        answer = client.get(path, headers={"accept-encoding": "gzip"})
        assert answer.headers["cache-control"] == "no-store"
        assert "content-encoding" not in answer.headers
    assert (
        browser(site).get("/rules", headers={"accept-encoding": "gzip"}).headers["content-encoding"] == "gzip"
    )


def test_addresses_of_one_machine_count_as_one() -> None:
    def seen(host: str) -> str:
        return address_of(Request({"type": "http", "headers": [], "client": (host, 1)}))

    assert seen("2001:db8:1:2:3:4:5:6") == seen("2001:db8:1:2::9") != seen("2001:db8:1:3::9")
    assert seen("::ffff:10.0.0.1") == seen("10.0.0.1") == "10.0.0.1"
    assert seen("fe80::1%eth0") == "fe80::/64"


def test_a_proxy_is_believed_only_if_it_is_one(site: Site) -> None:
    with listen("127.0.0.1", 0) as listener:
        server = Server(create_app(site), listener, lambda: None, ["127.0.0.1", "10.9.0.0/16"])
    server.config.load()
    sent = {
        "x-forwarded-proto": "https",
        "x-forwarded-for": "203.0.113.9",
        "x-forwarded-host": "evil.example",
    }
    for address, is_believed in (("127.0.0.1", True), ("10.9.3.4", True), ("10.8.3.4", False)):
        client = TestClient(server.config.loaded_app, base_url="http://localhost", client=(address, 1))
        answer = client.get("/sign-in", headers=sent)
        assert ("strict-transport-security" in answer.headers) is is_believed
        assert ("; Secure" in answer.headers["set-cookie"]) is is_believed
        assert "evil.example" not in answer.text + str(answer.headers)
        csrf = csrf_in(answer.text)
        client.post(
            "/sign-in",
            data={"csrf": csrf, "token": "x"},
            headers={**HERE, **sent, "cookie": cookie_of(answer)},
        )
        with site.file.reading() as db:
            assert audit.newest(db, 1)[0].address == ("203.0.113.9" if is_believed else address)


def cookie_of(answer: Any) -> str:
    """Return what a browser sends back of a cookie, which here has another scheme than the client."""
    return str(answer.headers["set-cookie"].split(";")[0])


def test_a_site_file_that_fails_closes_accounts_and_leaves_the_pages_open(site: Site) -> None:
    client, csrf = member(site, "ada")
    site.file.path.write_text("something else, long enough to be looked at" * 50)
    assert browser(site).get("/sign-in").status_code == 200
    for answer in (
        client.get("/rules"),
        client.get("/account"),
        client.post("/sign-out", data={"csrf": csrf}, headers=HERE),
    ):
        assert answer.status_code == 503
        assert "is not an SQLite file" in answer.text
        assert "ada" not in answer.text


HUGE = ("9223372036854775808", "9" * 30, "-1", "-9223372036854775809", "%00", "1e9", "%D9%A1")


def test_numbers_that_no_row_has_are_refused_in_every_address(site: Site) -> None:
    client, csrf = member(site, "olga", "organiser")
    for number in HUGE:
        for path in (f"/account/sessions/{number}/end", f"/account/tokens/{number}/revoke"):
            assert client.post(path, data={"csrf": csrf}, headers=HERE).status_code in (404, 422)
        assert client.get(f"/organiser/audit?lines-page={number}").status_code == 404


def test_no_answer_repeats_the_host_header(site: Site) -> None:
    client = TestClient(create_app(site), follow_redirects=False)
    for path in ("/api/v1/leagues/", "/api/v1/uploads/", "/api/", "/sign-in/", "/account/", "/play/"):
        answer = client.get(path, headers={"host": "evil.example"})
        assert "evil" not in answer.text + str(answer.headers)


def test_forms_that_other_sites_can_make_a_browser_send_do_nothing(site: Site) -> None:
    client, csrf = member(site, "olga", "organiser")
    kinds = ("text/plain", "application/json", "multipart/form-data; boundary=x", "")
    for kind, origin in itertools.product(kinds, ({"origin": "null"}, {"sec-fetch-site": "same-site"}, {})):
        for path in ("/sign-out", "/organiser/accounts", "/play", "/submit", "/api/v1/commands"):
            answer = client.post(path, content=b"csrf=x&name=eve", headers={"content-type": kind, **origin})
            assert answer.status_code in (400, 401, 403, 415, 422, 429)
    assert csrf in client.get("/account").text
    with site.file.reading() as db:
        assert [one.name for one in accounts.every(db)] == ["olga"]


def changing_routes(site: Site) -> list[tuple[str, str]]:
    """Return the method and an address of every route that may change something."""
    routes = [one for one in create_app(site).router.routes if isinstance(one, APIRoute)]
    found = [(method, one.path) for one in routes for method in one.methods or ()]
    found += [
        (method.upper(), f"/api{path}") for path, methods in document()["paths"].items() for method in methods
    ]
    return [
        (method, re.sub(r"\{\w+(:path)?\}", "1", path))
        for method, path in found
        if method in ("POST", "PUT", "PATCH", "DELETE")
    ]


def test_no_form_of_another_site_works(whole: Site) -> None:
    """Whatever routes there are, for an organiser who is signed in; nor does a form without the secret of its page."""
    client, csrf = member(whole, "olga", "organiser")
    routes = changing_routes(whole)
    own = {("POST", "/sign-in"), ("POST", "/organiser/new"), ("POST", "/submit"), ("POST", "/play")}
    assert own | {("POST", "/account/webhooks")} <= set(routes)
    assert any(path.startswith("/api/v1/") for _, path in routes)
    foreigners = [{"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}]
    foreigners += [{"origin": "null"}, {"origin": "https://evil.example"}]
    for method, path in routes:
        for foreign in foreigners:
            answer = client.request(method, path, data={"csrf": csrf}, headers=foreign)
            assert (answer.status_code, "another site" in answer.text) == (403, True), (path, foreign)
        if not path.startswith("/api/"):
            without = client.request(method, path, data={"csrf": "0" * len(csrf)}, headers=HERE)
            assert without.status_code in (400, 403, 404, 413, 415, 422), (path, without.status_code)
    assert csrf in client.get("/account").text, "still signed in"

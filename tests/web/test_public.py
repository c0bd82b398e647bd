"""Public pages as a browser gets them: escaped, kept until the store changes, with the headers that protect readers."""

import re
from pathlib import Path
from unittest.mock import patch
from urllib.parse import quote

import brotli
import pytest
from starlette.testclient import TestClient

from arena.web.app import create_app
from arena.web.http.security import HEADERS
from arena.web.live.site import Site
from tests.support.web.copied_site import STOPPED

pytestmark = pytest.mark.xdist_group("site")


def test_the_home_page_lists_all_leagues_escaped(site: TestClient) -> None:
    text = site.get("/").text
    assert "stopped &lt;i&gt;early &amp; ü?#%" in text
    assert "<i>" not in text
    assert f'href="/leagues/{quote(STOPPED)}"' in text


@pytest.mark.parametrize(
    "path", ["/", "/leagues/bread", f"/leagues/{quote(STOPPED)}", "/rules", "/nowhere", "/static/icon.svg"]
)
def test_every_response_protects_its_reader(site: TestClient, path: str) -> None:
    headers = site.get(path).headers
    assert {name: headers.get(name) for name in HEADERS} == dict(HEADERS)
    assert "unsafe" not in headers["content-security-policy"]


def test_parts_of_pages_are_sent_small(site: TestClient) -> None:
    accepted = ("identity", "gzip;q=0.5, br;q=0", "gzip, br;q=0.9")
    for name in ("site.css", "viewer-page.js"):
        answers = [
            site.get(f"/static/{name}", headers={"Accept-Encoding": one, "Cookie": "arena-session=x"})
            for one in accepted
        ]
        assert [answer.headers.get("content-encoding") for answer in answers] == [None, "gzip", "br"]
        plain, zipped, smallest = (int(answer.headers["content-length"]) for answer in answers)
        assert plain / 3 > zipped > smallest
        assert brotli.decompress(_raw(site, name)) == answers[0].content == answers[1].content
        for answer in answers:
            assert answer.headers["vary"] == "Accept-Encoding"
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["cross-origin-resource-policy"] == "same-origin"
            assert "content-security-policy" not in answer.headers
    font = site.get("/static/figtree-latin.woff2", headers={"Accept-Encoding": "gzip, br"})
    assert "content-encoding" not in font.headers


def _raw(site: TestClient, name: str) -> bytes:
    with site.stream("GET", f"/static/{name}", headers={"Accept-Encoding": "br"}) as answer:
        return b"".join(answer.iter_raw())


def test_a_page_that_has_not_changed_is_not_sent_again(site: TestClient) -> None:
    first = site.get("/leagues/bread")
    again = site.get("/leagues/bread", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path", ["/leagues/none", "/leagues", "/rules/none", "/static/..%2fapp.py", "/%00", "/a/b/c/d/e/f"]
)
def test_what_does_not_exist_is_said_so(site: TestClient, path: str) -> None:
    answer = site.get(path)
    assert answer.status_code == 404
    assert "Traceback" not in answer.text


def test_somebody_without_an_account_is_offered_a_game_to_watch(site: TestClient) -> None:
    for path in ("/play", "/play?game=bread-basket"):
        offered = re.findall(r'href="(/watch[?]league=[^"]*)"', site.get(path).text)
        assert offered
        assert all(site.get(one).status_code == 200 for one in offered)


def test_the_rules_have_a_turn_in_pictures_and_their_contents(site: TestClient) -> None:
    page = site.get("/rules/bread-basket").text
    pictures = re.findall(r'<img src="([^"]*turn[^"]*)" alt="[^"]+"', page)
    assert len(pictures) == 3
    assert all(site.get(one).headers["content-type"] == "image/svg+xml" for one in pictures)
    for section in re.findall(r'<li><a href="#([^"]*)">', page):
        assert page.count(f'id="{section}"') == 1


def test_no_style_and_no_script_is_inline(site: TestClient) -> None:
    for path in ("/", "/leagues/bread", "/rules/sandwich"):
        text = site.get(path).text
        assert " style=" not in text
        assert "<style" not in text
        assert " onclick" not in text


@pytest.mark.parametrize(
    "header", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://evil.example"}, {"Origin": "null"}]
)
def test_requests_from_other_sites_change_nothing(site: TestClient, header: dict[str, str]) -> None:
    assert site.post("/sign-in", headers=header).status_code == 403


def test_a_store_that_is_missing_is_said_so(tmp_path: Path) -> None:
    state = Site.of(tmp_path / "none.sqlite")
    with TestClient(create_app(state), raise_server_exceptions=False) as client:
        answer, home = client.get("/leagues/spring"), client.get("/")
    assert answer.status_code == 503
    assert "none.sqlite" in answer.text
    assert home.status_code == 200
    assert "There is no league yet." in home.text


def test_a_mistake_of_arena_is_a_page_that_protects_its_reader_too(demo_store: Path) -> None:
    state = Site.of(demo_store)
    with (
        TestClient(create_app(state), base_url="http://localhost", raise_server_exceptions=False) as client,
        patch("arena.web.routes.public.find", side_effect=ZeroDivisionError("secret words")),
    ):
        answer = client.get("/leagues/bread")
    state.close()
    assert answer.status_code == 500
    assert "Arena failed" in answer.text
    assert "secret words" not in answer.text
    assert {name: answer.headers.get(name) for name in HEADERS} == dict(HEADERS)

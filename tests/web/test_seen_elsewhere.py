"""What others see of a site: titles, previews, feeds, games in their own pages, and what search engines ask for."""

import re
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from fastapi.routing import APIRoute
from playwright.sync_api import expect
from starlette.testclient import TestClient

from arena.core.errors import UsageError
from arena.web.api.app import document
from arena.web.app import create_app
from arena.web.html.links import LiveLinks
from arena.web.html.page_model import About, FileWish
from arena.web.html.rendering import environment, static_files
from arena.web.http.allowed_hosts import public_name
from arena.web.http.security import CONTENT_SECURITY_POLICY
from arena.web.live.site import Site
from arena.web.public import previews
from arena.web.public.export import export
from arena.web.public.url_map import PAGES
from results.reports.charts import as_png
from results.store import open_store
from tests.support.web.chromium import chromium, served
from tests.support.web.copied_site import GAMES, MARKED, STOPPED, copied_site
from tests.support.web.pages import LINKED, every_kind, page_read
from tests.support.web.visitors import begin, browser, extended, member

pytestmark = pytest.mark.xdist_group("site")

SVG = "{http://www.w3.org/2000/svg}"
ATOM = "{http://www.w3.org/2005/Atom}"
PUBLIC = "https://arena.example"
SERIOUS = ("serious", "critical")
GAME = "/leagues/bread/games/0.0"


@pytest.fixture(scope="module")
def public(demo_store: Path) -> Iterator[TestClient]:
    """Return a stranger who comes by https to the name of the site."""
    state = Site.of(demo_store)
    with TestClient(create_app(state, name="arena.example"), base_url=PUBLIC) as client:
        yield client
    state.close()


def said_to_others(text: str) -> dict[str, str]:
    """Return the title of a page, and what its head says to search engines and previews, by name."""
    head = text.partition("</head>")[0]
    title = re.search(r"<title>(.*?)</title>", head)
    assert title
    found = re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', head)
    links = re.findall(r'<link rel="(canonical)" href="([^"]*)">', head)
    return {"title": unescape(title[1]), **{name: unescape(value) for name, value in (*found, *links)}}


def entries_of(content: bytes) -> list[ElementTree.Element]:
    """Return the entries of a feed that has everything a feed must have."""
    root = ElementTree.fromstring(content)  # noqa: S314 - our own
    assert root.tag == f"{ATOM}feed"
    entries = root.findall(f"{ATOM}entry")
    for one in (root, *entries):
        for tag in ("id", "title", "updated"):
            assert len(one.findall(f"{ATOM}{tag}")) == 1, tag
        assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", one.findtext(f"{ATOM}id") or "")
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", one.findtext(f"{ATOM}updated") or "")
        assert one.find(f"{ATOM}link") is not None
    assert root.findtext(f"{ATOM}author/{ATOM}name")
    ids = [one.findtext(f"{ATOM}id") for one in entries]
    assert len(set(ids)) == len(ids)
    times = [one.findtext(f"{ATOM}updated") or "" for one in entries]
    assert times == sorted(times, reverse=True)
    return entries


def test_titles_say_what_is_behind_them_without_results(site: TestClient) -> None:
    said = said_to_others(site.get(GAME).text)
    assert said["title"] == "pick0, <b>'two' & ü?#%, pick1 · Bread Basket · bread · Arena"
    assert said["description"].startswith("A game of Bread Basket between pick0, <b>")
    assert said_to_others(site.get("/leagues/bread").text)["title"] == "bread · Bread Basket · Arena"
    assert said_to_others(site.get("/leagues/bread/matches/0").text)["title"].endswith(
        "Match 0 of bread · Arena"
    )


@pytest.mark.slow
def test_public_pages_have_a_description_and_private_ones_none(site: TestClient) -> None:
    kinds = dict(
        every_kind(lambda path: found.text if (found := site.get(path)).status_code == 200 else None)
    )
    without = {
        kind for kind, path in kinds.items() if "description" not in said_to_others(site.get(path).text)
    }
    public = {one for one in LINKED if one and "games" not in one}
    assert not without & public
    assert "sign-in" in without
    assert "error" in without


def test_whole_addresses_are_only_those_of_the_public_name(public: TestClient, site: TestClient) -> None:
    said = said_to_others(public.get("/leagues/bread?sort=bot").text)
    assert said["canonical"] == said["og:url"] == f"{PUBLIC}/leagues/bread"
    assert "canonical" not in said_to_others(site.get("/leagues/bread").text)
    for headers in ({"host": "evil.example"}, {"host": "arena.example:81"}, {"host": "arena.example.evil"}):
        assert "canonical" not in said_to_others(public.get("/leagues/bread", headers=headers).text)
    assert [public_name(names) for names in ([], ["*"], ["10.0.0.1"], ["Arena.example.", "b"])] == [
        *("", "", ""),
        "arena.example",
    ]


def test_robots_sitemap_and_icon_are_where_programs_look(public: TestClient, site: TestClient) -> None:
    assert f"Sitemap: {PUBLIC}/sitemap.xml" in public.get("/robots.txt").text
    assert "Sitemap" not in site.get("/robots.txt").text
    assert site.get("/sitemap.xml").status_code == 404
    assert site.get("/favicon.ico").headers["content-type"] == "image/svg+xml"
    sitemap = ElementTree.fromstring(public.get("/sitemap.xml").content)  # noqa: S314 - our own
    found = [one.text for one in sitemap.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc") if one.text]
    assert f"{PUBLIC}/leagues/bread" in found
    assert f"{PUBLIC}{GAME}" in found
    assert all(one.startswith(f"{PUBLIC}/") for one in found)
    assert all(public.get(one).status_code == 200 for one in found[:: len(found) // 4])


@pytest.mark.parametrize("path", ["/leagues/bread", "/bots/tests/pick0"])
def test_a_feed_is_linked_and_has_what_a_feed_must_have(public: TestClient, path: str) -> None:
    text = public.get(path).text
    assert 'type="application/atom+xml" title="Results and new versions ' in text
    assert f'href="{path}/feed.atom"' in text
    answer = public.get(f"{path}/feed.atom")
    assert answer.headers["content-type"] == "application/atom+xml; charset=utf-8"
    entries = entries_of(answer.content)
    titles = [one.findtext(f"{ATOM}title") or "" for one in entries]
    assert any(title.startswith("New version: tests/pick0@1") for title in titles)
    assert any("match 0 of bread" in title for title in titles)
    for one in entries:
        link = one.find(f"{ATOM}link")
        assert link is not None
        assert public.get(link.get("href") or "").status_code == 200
    again = public.get(f"{path}/feed.atom", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304
    assert entries_of(public.get(f"{path}/feed.atom").content)[0][0].text == entries[0][0].text


def size_of_png(content: bytes) -> tuple[int, int]:
    """Return how many pixels a PNG is wide and high."""
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert content[12:16] == b"IHDR"
    return int.from_bytes(content[16:20]), int.from_bytes(content[20:24])


@pytest.fixture
def drawings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the drawings of which PNG are made, without making them."""
    found: list[str] = []

    def kept(svg: str) -> bytes:
        found.append(svg)
        return b""

    monkeypatch.setattr(previews, "as_png", kept)
    return found


def drawn_words(svg: str) -> list[str]:
    """Return what is written in a drawing, besides the picture of the game."""
    root = ElementTree.fromstring(svg)  # noqa: S314 - our own
    texts = [one for one in root.iter(f"{SVG}text") if "own" in (one.get("class") or "").split()]
    return [one.text for one in texts if one.text]


def test_a_league_and_a_game_have_a_picture(public: TestClient, site: TestClient) -> None:
    for path in ("/leagues/bread", GAME):
        said = said_to_others(public.get(path).text)
        assert said["og:image"] == f"{PUBLIC}{path}/preview.png"
        assert said["twitter:card"] == "summary_large_image"
        answer = public.get(said["og:image"])
        assert answer.headers["content-type"] == "image/png"
        assert (
            size_of_png(answer.content)
            == (int(said["og:image:width"]), int(said["og:image:height"]))
            == (1200, 630)
        )
        assert len(answer.content) < 200_000
        assert "og:image" not in said_to_others(site.get(path).text)
    assert "og:image" not in said_to_others(public.get(f"{GAME}/seat-0").text)
    assert "og:image" not in said_to_others(public.get("/leagues/bread/history").text)
    for path in ("/leagues/none", "/leagues/bread/bots", "/leagues/bread/games/99.0", "/bots/tests/pick0"):
        assert public.get(f"{path}/preview.png").status_code == 404


def test_without_the_extra_no_page_names_a_picture(
    public: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(environment().globals, "draws_previews", False)
    monkeypatch.setattr(previews, "DRAWS_PREVIEWS", False)
    assert "og:image" not in said_to_others(public.get("/leagues/chocolate").text)
    assert public.get("/leagues/chocolate/preview.png").status_code == 404


@pytest.mark.parametrize("league", GAMES)
def test_a_picture_shows_who_plays_and_no_result_of_a_game(
    demo_store: Path, drawings: list[str], league: str
) -> None:
    wish = FileWish(LiveLinks(), "The club")
    with open_store(demo_store, readonly=True) as store:
        scores = {str(seat.score) for seat in store.games.get(store.leagues.get(league).uuid, 0, 0).seats}
        previews.of_game(store, wish, league, "0.0")
        previews.of_league(store, wish, league)
        in_order = [row.label for row in store.ratings.standings(store.leagues.get(league).uuid)]
    game, ladder = map(drawn_words, drawings)
    seats = GAMES[league][1]
    assert game[2] == f"Game 1 of match 0 · {league}"
    assert game[3::2] == [str(seat) for seat in range(seats)]  # by seat, not by place
    assert not set(game[4::2]) & scores
    assert set(game[4::2]) <= {"pick0", MARKED, "pick1", "pick2"}
    assert ladder[:2] == ["The club", league]
    assert " · 3 bots · " in ladder[2]
    shown = [one.removesuffix("…") for one in ladder if re.match(r"pick|<b>", one)]
    assert all(whole.startswith(cut) for whole, cut in zip(in_order, shown, strict=True))


@pytest.mark.parametrize(
    "name",
    [
        "W" * 64,
        "<script>alert(1)</script>",
        "\u202egnirts \u05e9\u05dc\u05d5\u05dd",
        "日本語" * 20,
        "a\u0301" * 60,
        '"/><g',
    ],
    ids=["wide", "html", "rtl", "cjk", "marks", "quotes"],
)
def test_any_name_fits_a_picture(name: str) -> None:
    drawn = previews._drawn(
        name, name, ("Game 0.0", name), previews._players([name] * 9), previews._art("sandwich")
    )
    words = drawn_words(drawn)
    assert words[-1] == "and 6 more"
    assert "\u202e" not in drawn
    assert "<script" not in drawn
    assert all(len(one) <= 60 for one in words)
    rooms = [one for one in ElementTree.fromstring(drawn).iter(f"{SVG}svg") if one.get("x")]  # noqa: S314
    assert all(float(one.get("x", 0)) + float(one.get("width", 0)) <= 1200 for one in rooms)


def test_a_picture_of_a_game_without_art_shows_cards_face_down(monkeypatch: pytest.MonkeyPatch) -> None:
    assert previews._art("kuhn-poker") == ""
    monkeypatch.setitem(static_files(), "art-sandwich.svg", b"<svg><broken></svg>")
    drawn = previews._drawn("x", "x", ("x",), [], previews._art("sandwich"))
    assert drawn.count("rotate(") == 3
    assert as_png(drawn).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "path", ["/feed.atom", "/leagues/none/feed.atom", "/bots/a/feed.atom", "/bots/a/b/feed.atom"]
)
def test_what_has_no_feed_is_not_found(site: TestClient, path: str) -> None:
    assert site.get(path).status_code == 404


def test_only_a_game_may_stand_in_pages_of_others_and_it_knows_nobody(
    demo_store: Path, tmp_path: Path
) -> None:
    with copied_site(demo_store, tmp_path) as site:
        client, _ = member(site, "ada")
        for path in (
            "/",
            "/leagues/bread",
            GAME,
            f"{GAME}/seat-0",
            "/account",
            "/nowhere",
            "/leagues/bread/feed.atom",
        ):
            assert "frame-ancestors 'none'" in client.get(path).headers["content-security-policy"], path
        answer = client.get(f"{GAME}/embed")
        assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY.replace(
            "frame-ancestors 'none'", "frame-ancestors *"
        )
        assert "set-cookie" not in answer.headers
        for words in ("ada", "<form", "csrf", "site-header", 'class="crumbs"'):
            assert words not in answer.text, words
        assert '<base target="_blank">' in answer.text
        assert f'href="{GAME}"' in answer.text
        assert client.get("/leagues/bread/games/99.0/embed").status_code == 404


def test_a_game_offers_what_shows_it_elsewhere_and_feeds_have_the_name_of_the_site(
    demo_store: Path, tmp_path: Path
) -> None:
    with copied_site(demo_store, tmp_path) as site:
        site.say_about(About(title="Spring & Rye"), "olga", "")
        app = create_app(site, prefix="/my/ladder", name="arena.example")
        client = TestClient(app, base_url=PUBLIC)
        code = re.findall(
            r'<pre class="secret"[^>]*><code>(.*?)</code>', client.get(f"/my/ladder{GAME}").text
        )
        frame = page_read(unescape(code[0]))
        assert frame.frames == [f"{PUBLIC}/my/ladder{GAME}/embed"]
        assert client.get(frame.frames[0]).status_code == 200
        assert "Spring" not in unescape(code[0])
        assert "&lt;iframe" not in client.get(f"/my/ladder{GAME}/embed").text
        feed = ElementTree.fromstring(client.get("/my/ladder/leagues/bread/feed.atom").content)  # noqa: S314 - our own
        assert feed.findtext(f"{ATOM}title") == "bread · Spring & Rye"
        assert feed.findtext(f"{ATOM}author/{ATOM}name") == "Spring & Rye"


@pytest.fixture
def blog() -> Iterator[Callable[[str], str]]:
    """Return a function that serves a page of another site with a game, and another page, of a site in frames."""
    text = ""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(text.encode())

    def begin(address: str) -> str:
        nonlocal text
        text = (
            f'<!doctype html><html lang="en"><title>blog</title><iframe title="a game" width="700" height="800" '
            f'src="{address}{GAME}/embed"></iframe><iframe title="no" src="{address}{GAME}"></iframe>'
        )
        return f"http://127.0.0.1:{server.server_port}"

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield begin
        server.shutdown()


@pytest.mark.slow
def test_a_game_is_watched_in_a_page_of_another_site(demo_store: Path, blog: Callable[[str], str]) -> None:
    """Its links open windows of their own, because nothing else of the site may stand there."""
    with chromium() as browser, served(demo_store) as address:
        context = browser.new_context(viewport={"width": 800, "height": 900})
        page = context.new_page()
        page.goto(f"{blog(address)}/")
        game = page.frame_locator("iframe[title='a game']")
        expect(game.locator(".player-bar")).to_be_visible()
        expect(page.frame_locator("iframe[title=no]").locator(".game-head")).to_have_count(0)
        expect(game.locator(".eyes-row, .side, .log").filter(visible=True)).to_have_count(0)
        game.get_by_role("button", name="Play").focus()
        with context.expect_page() as opened:
            page.keyboard.press("s")
        expect(opened.value).to_have_url(re.compile(r"/seat-0#"))
        with context.expect_page() as opened:
            game.locator(".site-footer a").click()
        expect(opened.value.locator(".site-header")).to_be_visible()
        assert not context.cookies()
        page.goto(f"{address}{GAME}/embed")
        assert page.evaluate("document.documentElement.scrollWidth") <= 800
        assert not [one["id"] for one in Axe().run(page).response["violations"] if one["impact"] in SERIOUS]


@pytest.mark.slow
def test_the_title_has_the_scores_for_those_who_do_not_mind(demo_store: Path) -> None:
    with chromium() as browser, served(demo_store) as address:
        page = browser.new_page()
        page.goto(f"{address}{GAME}")
        expect(page).to_have_title("pick0, <b>'two' & ü?#%, pick1 · Bread Basket · bread · Arena")
        page.get_by_label("Spoiler-free").uncheck()
        expect(page).to_have_title(
            re.compile(r"^\S.* \d+, .* −?\d+, .* −?\d+ · Bread Basket · bread · Arena$")
        )
        page.get_by_label("Spoiler-free").check()
        expect(page).to_have_title("pick0, <b>'two' & ü?#%, pick1 · Bread Basket · bread · Arena")


def words_in(text: str) -> set[str]:
    """Return the words and numbers of a text."""
    return set(re.findall(r"[^\s,:;·.<>/\"=]+", unescape(text)))


def test_no_window_shows_more_than_the_page_of_a_match(public: TestClient) -> None:
    """Unfinished games, and games that nobody but their players see, are in none of them."""
    hidden = [f"/leagues/{quote(STOPPED)}/games/1.{rotation}" for rotation in (0, 1)]
    for path in hidden:
        for window in ("", "/embed", "/seat-0", "/preview.png"):
            answer = public.get(path + window)
            assert answer.status_code == 404, path + window
            assert "og:title" not in answer.text
    sitemap = public.get("/sitemap.xml").text
    assert not any(path in sitemap for path in hidden)
    for window in ("/", "/watch", f"/watch?league={quote(STOPPED)}", f"/leagues/{quote(STOPPED)}"):
        text = public.get(window).text
        assert not any(path in text for path in hidden), window
        assert f"game={quote(STOPPED, safe='')}%2F1." not in text
    assert "seat-" not in sitemap
    feed = entries_of(public.get(f"/leagues/{quote(STOPPED)}/feed.atom").content)
    assert feed
    assert not any("match" in (one.findtext(f"{ATOM}title") or "") for one in feed)
    for league in GAMES:
        match = public.get(f"/leagues/{league}/matches/0").text
        seen = words_in(re.sub(r"<[^>]*>", " ", match)) | words_in(match)
        for one in entries_of(public.get(f"/leagues/{league}/feed.atom").content):
            if "match 0 of" in (one.findtext(f"{ATOM}title") or ""):
                assert words_in(one.findtext(f"{ATOM}summary") or "") <= seen
        said = said_to_others(public.get(f"/leagues/{league}/games/0.0").text)
        scores = re.findall(r'<b class="n">(−?\d+)</b>', public.get(f"/leagues/{league}/games/0.0").text)
        assert scores
        for name in ("title", "description", "og:title", "og:description"):
            assert not words_in(said[name]) & set(scores), name


def addresses(site: Site, values: dict[str, str], paths: Sequence[str]) -> set[str]:
    """Return an address of every route and every kind of page; `paths`: what stands for a whole path."""
    routes = create_app(site).router.routes
    patterns = {f"/{entry.pattern}" for entry in PAGES}
    patterns |= {f"/{entry.pattern}/page-2" for entry in PAGES if entry.in_pages}
    patterns |= {
        route.path for route in routes if isinstance(route, APIRoute) and "GET" in (route.methods or ())
    }
    patterns |= {f"/api{path}" for path, methods in document()["paths"].items() if "get" in methods}
    return {
        re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], "1"), pattern.replace("{path:path}", path))
        for pattern in patterns
        for path in paths
    }


@pytest.mark.parametrize("number", ["1.0", "1.1"])
def test_no_route_shows_a_stranger_a_game_whose_match_is_unfinished_nor_the_hand_of_a_person(
    demo_store: Path, tmp_path: Path, number: str
) -> None:
    """Whatever routes there are: none that names a hidden game answers, and none has the secrets of deals."""
    league = quote(STOPPED, safe="")
    with copied_site(demo_store, tmp_path) as site, extended(site):
        site.tables.limits = replace(site.tables.limits, of_guests=1)
        own = begin(browser(site, address="10.0.0.2"))
        table = own.rpartition("/")[2]
        with open_store(demo_store, readonly=True) as store:
            secrets = [store.leagues.secret(one.uuid) for one in store.leagues.all()]
        words = [text for one in secrets for text in (one.hex(), b64encode(one).decode().rstrip("="))]
        values = {"name": league, "league": league, "game": number, "number": number, "seat": "seat-0"}
        values |= {"table": table, "rotation": number[2:], "match": "1", "match_no": "1"}
        paths = (league, f"leagues/{league}", f"{league}/games/{number}", f"leagues/{league}/games/{number}")
        results_alone = f"/api/v1/leagues/{league}/games/{number}"  # as the page of the match has them
        stranger = browser(site, address="10.0.0.3")
        asked = addresses(site, values, paths) | {own, f"{own}/news"}
        for address in sorted(asked):
            answer = stranger.get(address)
            assert answer.status_code < 500, address
            if address == results_alone:
                assert answer.status_code == 404 or answer.json()["is_visible"] is False
            elif f"/games/{number}" in address or address.startswith(own):
                assert answer.status_code in (303, 401, 403, 404, 409), f"{address}: {answer.status_code}"
            for word in (*words, f"{league}/games/{number}", f"game={league}%2F{number}"):
                assert answer.status_code != 200 or word not in answer.text, f"{address} has {word}"
            if address not in ("/play", "/static/1"):
                assert answer.status_code != 200 or table not in answer.text, f"{address} leads to {table}"


@pytest.mark.slow
def test_an_exported_folder_has_feeds_and_with_an_address_all_that_needs_one(
    demo_store: Path, tmp_path: Path
) -> None:
    with open_store(demo_store, readonly=True) as store:
        export(store, tmp_path / "plain", 1)
        export(store, tmp_path / "whole", 1, address="https://arena.example/spring/")
        with pytest.raises(UsageError, match="no address of a site"):
            export(store, tmp_path / "wrong", 1, address='https://a"b/')
    assert not (tmp_path / "plain" / "sitemap.xml").exists()
    for folder in ("plain", "whole"):
        assert entries_of((tmp_path / folder / "leagues" / "bread" / "feed.atom").read_bytes())
        assert entries_of((tmp_path / folder / "bots" / "tests" / "pick0" / "feed.atom").read_bytes())
    text = (tmp_path / "whole" / "leagues" / "bread.html").read_text()
    assert said_to_others(text)["canonical"] == "https://arena.example/spring/leagues/bread.html"
    assert (
        "https://arena.example/spring/leagues/bread.html" in (tmp_path / "whole" / "sitemap.xml").read_text()
    )
    assert "Disallow: /spring/*?" in (tmp_path / "whole" / "robots.txt").read_text()

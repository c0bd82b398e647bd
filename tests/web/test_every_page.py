"""Every kind of page in Chromium: on a phone nothing is wider than the page, and axe finds nothing serious."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, BrowserContext, expect

from arena.submissions.manifest import bundled_bots
from tests.support.leagues import arena_here
from tests.support.web.chromium import chromium, served, window
from tests.support.web.copied_site import GAMES, copied_site
from tests.support.web.pages import NO_PAGE, every_kind, kind_of
from tests.support.web.visitors import token_of

_KINDS = {
    "account",
    "account/webhooks",
    "join",
    "submit",
    "first-bot",
    "watch",
    "queue",
    "leagues/{name}/matches/{number}",
    "organiser",
    "organiser/settings",
    "organiser/leagues/{number}",
    "organiser/new",
    "organiser/accounts",
    "organiser/audit",
}

RANDOM = bundled_bots() / "any_game" / "random"


def test_pages_are_of_one_kind_whatever_they_are_about() -> None:
    assert kind_of("/") == "home"
    assert kind_of("/leagues/a%2Fb?x=1") == kind_of("/leagues/live") == "leagues/{name}"
    assert kind_of("/leagues/spring/games/0.1/seat-2") == "leagues/{name}/games/{number}/{seat} of spring"
    assert kind_of("/organiser/leagues/spring") == "organiser/leagues/{number}"
    pages = {"/": '<a href="/rules">', "/rules": '<a href="/rules/a">', "/rules/a": '<a href="/rules/b">'}
    assert list(every_kind(pages.get)) == [
        ("home", "/"),
        ("rules", "/rules"),
        ("rules/{game}", "/rules/a"),
        ("error", NO_PAGE),
    ]


@dataclass(frozen=True)
class Visited:
    """A running site, and an address of each kind that an organiser can see."""

    browser: Browser
    address: str
    token: str
    kinds: dict[str, str]

    def context(self, width: int, *, dark: bool = False) -> BrowserContext:
        """Return a window of an organiser."""
        return _signed_in(self.browser, self.address, self.token, width, dark=dark)


def _signed_in(browser: Browser, address: str, token: str, width: int, *, dark: bool) -> BrowserContext:
    context = window(browser, width, dark=dark)
    page = context.new_page()
    page.goto(f"{address}/sign-in")
    page.get_by_label("Token").fill(token)
    page.keyboard.press("Enter")
    page.wait_for_url("**/account")
    page.close()
    return context


@pytest.fixture(scope="module")
def visited(demo_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visited]:
    folder = tmp_path_factory.mktemp("every-page")
    with copied_site(demo_store, folder, with_files=True) as site:
        token = token_of(site, "olga", "organiser")
    with chromium() as browser, served(folder / "arena.sqlite", with_packages=True) as address:
        context = _signed_in(browser, address, token, 360, dark=False)

        def read(path: str) -> str | None:
            answer = context.request.get(address + path)
            is_page = answer.ok and answer.headers["content-type"].startswith("text/html")
            return answer.text() if is_page else None

        kinds = dict(every_kind(read, ("/", "/sign-in", "/join", "/leagues/bread/games/0.0/embed")))
        context.close()
        assert set(kinds) >= _KINDS
        yield Visited(browser, address, token, kinds)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("width", [360, 800])
def test_no_page_scrolls_sideways(visited: Visited, width: int) -> None:
    context = visited.context(width)
    page = context.new_page()
    wide = []
    for kind, path in visited.kinds.items():
        page.goto(visited.address + path)
        if page.evaluate("document.documentElement.scrollWidth") > width:
            wide.append((kind, path))
    context.close()
    assert not wide


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious_on_any_page(visited: Visited, dark: bool) -> None:
    context = visited.context(360 if dark else 1280, dark=dark)
    page = context.new_page()
    found = []
    for path in visited.kinds.values():
        page.goto(visited.address + path)
        found += [
            (path, one["id"], one["nodes"][0]["html"][:300], one["nodes"][0]["failureSummary"])
            for one in Axe().run(page).response["violations"]
            if one["impact"] in ("serious", "critical")
        ]
    context.close()
    assert not found


@pytest.fixture(scope="module")
def full_tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of a site with a game of four with plates and tastings, and one with long hands."""
    folder: Path = tmp_path_factory.mktemp("full-tables")
    for game, seats, ruleset, options in (
        ("sandwich", 4, "fr", "rounds = 2"),
        ("bread-and-chocolate", 2, "gamerules", "hands = 4"),
    ):
        bots = "".join(f'[[bots]]\npath = "{RANDOM}"\nlabel = "bot {at}"\n' for at in range(seats))
        text = f'name = "{game}"\ngame = "{game}"\nruleset = "{ruleset}"\nseats = {seats}\noptions = {{ {options} }}\n'
        (folder / f"{game}.toml").write_text(
            f'{text}seed = 7\nworkers = 1\n[schedule]\nkind = "round-robin"\nrounds = 1\n{bots}'
        )
        for command in (("league", "create", f"{game}.toml"), ("run", game)):
            done = arena_here(*command, cwd=folder)
            assert done.returncode == 0, done.stderr
    with served(folder / "arena.sqlite") as address:
        yield address


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("path", ["sandwich/games/0.0/seat-1", "bread-and-chocolate/games/0.0/seat-1"])
def test_what_would_end_below_the_bar_is_drawn_smaller(visited: Visited, full_tables: str, path: str) -> None:
    with closing(visited.browser.new_page(viewport={"width": 1280, "height": 800})) as page:
        page.goto(f"{full_tables}/leagues/{path}")
        below, tight = [], 0
        for step in range(int(page.locator(".slider").get_attribute("max") or "") + 1):
            bar = page.locator(".player-bar").bounding_box()
            table = page.locator(".table-host > .table").bounding_box()
            assert bar
            assert table
            if table["y"] + table["height"] > bar["y"] + 1:
                below.append(step)
            tight += page.locator(".table-host.is-tight").count()
            page.keyboard.press("ArrowRight")
        assert not below
        assert tight, "nothing here was too large: the test needs another game"
        page.keyboard.press("End")
        page.set_viewport_size({"width": 1280, "height": 2000})
        expect(page.locator(".table-host.is-tight")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("league", GAMES)
def test_a_whole_table_and_its_controls_fit_a_small_screen(visited: Visited, league: str) -> None:
    context = visited.context(1280)
    page = context.new_page()
    page.goto(f"{visited.address}/leagues/{league}/games/0.0")
    for _ in range(0, int(page.locator(".slider").get_attribute("max") or ""), 4):
        bar = page.locator(".player-bar").bounding_box()
        seats = page.locator(".table-host .seats").bounding_box()
        assert bar
        assert seats
        assert seats["y"] + seats["height"] <= bar["y"] + 1
        assert bar["y"] + bar["height"] <= 801
        for _ in range(4):
            page.keyboard.press("ArrowRight")
    context.close()

"""The channel: finished games one after the other, the one with the biggest swing first."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect
from starlette.testclient import TestClient

from arena.web.pages import watch_channel
from arena.web.public.export import export
from results.store import open_store
from tests.support.web.chromium import chromium, served
from tests.support.web.copied_site import STOPPED
from tests.support.web.pages import check

pytestmark = pytest.mark.xdist_group("site")


def games_in(text: str) -> list[str]:
    return re.findall(r'data-game="([^"]*)"', text)


def test_the_channel_has_only_games_that_strangers_may_watch(site: TestClient) -> None:
    text = site.get("/watch").text
    found = games_in(text)
    assert len(found) == watch_channel.MOST_GAMES
    assert not any("stopped" in one and one.split("/")[1].startswith("1.") for one in found), (
        "it is unfinished"
    )
    for one in found:
        league, number = one.rsplit("/", 1)
        assert site.get(f"/leagues/{league}/games/{number}").status_code == 200
    check(text, "/watch")


def test_the_biggest_swing_is_first_and_each_game_leads_to_the_next(
    site: TestClient, demo_store: Path
) -> None:
    watch_channel._KEPT.clear()
    text = site.get("/watch").text
    found = games_in(text)
    with open_store(demo_store, readonly=True) as store:
        games = {
            f"{one.league.name}/{one.record.match_no}.{one.record.rotation}": one
            for one in watch_channel._games(store, None)
        }
        swings = [watch_channel._swing(store, games[name]) for name in found]
    assert swings == sorted(swings, reverse=True)
    assert len(set(swings)) > 1
    seen = [found[0]]
    for _ in found:
        address = re.search(r'id="next-game" href="([^"]*)"', text)
        assert address
        text = site.get(address[1].replace("&amp;", "&")).text
        (shown,) = re.findall(r'data-game="([^"]*)" href="[^"]*" aria-current', text)
        seen.append(shown)
    assert seen == [*found, found[0]]


def test_a_league_has_a_channel_of_its_own(site: TestClient) -> None:
    text = site.get("/watch?league=bread").text
    assert {one.partition("/")[0] for one in games_in(text)} == {"bread"}
    assert "league=bread&amp;game=bread%2F" in text
    assert site.get("/watch?league=none").status_code == 404
    assert "No game of" in site.get("/watch?league=unplayed").text


@pytest.mark.parametrize(
    "game", ["bread", "bread/", "/0.0", "none/0.0", "bread/99.0", f"{STOPPED}/1.0", "x" * 5000]
)
def test_what_is_no_game_of_a_finished_match_is_not_found(site: TestClient, game: str) -> None:
    assert site.get("/watch", params={"game": game}).status_code == 404


def test_an_exported_folder_has_the_first_game_and_the_list(demo_store: Path, tmp_path: Path) -> None:
    with open_store(demo_store, readonly=True) as store:
        export(store, tmp_path / "out", 1)
    text = (tmp_path / "out/watch.html").read_text("utf-8")
    check(text, "watch")
    assert 'id="game-data"' in text
    assert re.search(r'href="leagues/\w+/games/[\d.]+\.html"', text)
    assert 'href="watch.html">Watch a game' in (tmp_path / "out/index.html").read_text("utf-8")


PLAYED = "document.querySelector('.to-play').getAttribute('aria-label') === 'Pause'"


def shown(page: Page) -> str | None:
    return page.locator("#channel [aria-current]").get_attribute("data-game")


def shown_at_the_end_of(page: Page) -> str | None:
    """Let the game play to its end; return its name."""
    for _ in range(200):
        if page.locator("#result").get_attribute("open") is not None:
            return shown(page)
        page.clock.run_for(1_000)
    raise AssertionError("the game doesn't end")


@pytest.mark.slow
def test_the_channel_continues_by_itself_until_it_is_stopped(demo_store: Path) -> None:
    with chromium() as found, served(demo_store) as base:
        page = found.new_page(viewport={"width": 1000, "height": 800})
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.clock.install()
        page.goto(f"{base}/watch?league=bread")
        page.wait_for_function(PLAYED)
        names = page.locator("#channel a").evaluate_all("links => links.map(link => link.dataset.game)")
        first = shown_at_the_end_of(page)
        expect(page.get_by_role("button", name="Stay here")).to_be_visible()
        expect(page.get_by_role("link", name="Biggest swing")).to_be_visible()
        page.clock.run_for(9_000)
        page.wait_for_url("**/watch?*game=*")
        page.wait_for_function(PLAYED)
        second = shown_at_the_end_of(page)
        assert [first, second] == names[:2]
        page.get_by_role("button", name="Stay here").click()
        page.clock.run_for(60_000)
        assert shown(page) == second
        following = page.locator("#next-game")
        assert following.inner_text() == "Next game"
        assert f"game={quote(names[2], safe='')}" in (following.get_attribute("href") or ""), "unseen"
        assert not wrong
        page.close()


@pytest.mark.slow
def test_where_motion_is_reduced_nothing_plays_or_continues_by_itself(demo_store: Path) -> None:
    with chromium() as found, served(demo_store) as base:
        page = found.new_page(reduced_motion="reduce")
        page.clock.install()
        page.goto(f"{base}/watch")
        page.clock.run_for(10_000)
        assert not page.evaluate(PLAYED)
        page.keyboard.press(" ")
        page.clock.run_for(600_000)
        expect(page.locator("#result")).to_have_attribute("open", "")
        address = page.url
        page.clock.run_for(60_000)
        assert page.url.partition("#")[0] == address.partition("#")[0]
        page.get_by_role("link", name="Next game").last.click()
        page.wait_for_url("**/watch?game=*")
        page.close()


@pytest.mark.slow
def test_without_scripts_links_lead_from_game_to_game(demo_store: Path) -> None:
    with chromium() as found, served(demo_store) as base:
        page = found.new_context(java_script_enabled=False).new_page()
        page.goto(f"{base}/watch")
        title = page.title()
        page.get_by_role("link", name="Next game").first.click()
        assert page.title() != title
        assert "/watch?game=" in page.url

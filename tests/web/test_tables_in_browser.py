"""Sorting, searching and live updates of tables, and charts under keys, in a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from results.store import open_store
from tests.support.web.chromium import chromium, served
from tests.support.web.large_store import add_large_league, add_matches

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]

ENTRIES = 30
MATCHES = 200
LEAGUE = "/leagues/large"
PLACES = """() => [...document.querySelectorAll('#ladder thead th, .toolbar:not(aside *), h1')]
    .map(one => JSON.stringify(one.getBoundingClientRect()))"""
"""Where the headings are, as a function of the page; what stands below the table moves with its length."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with a league that is being played."""
    path = tmp_path_factory.mktemp("tables") / "arena.sqlite"
    with open_store(path, create=True) as opened:
        add_large_league(opened, "large", ENTRIES, MATCHES, 1)
    return path


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    """Return the address of a server of that store."""
    with served(store) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Return Chromium."""
    with chromium() as opened:
        yield opened


@pytest.fixture
def page(browser: "Browser") -> Iterator["Page"]:
    """Return a page that fails its test for any error of a script or of the content security policy."""
    opened = browser.new_page(viewport={"width": 1200, "height": 900})
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    yield opened
    opened.close()
    assert problems == []


def column(page: "Page", title: str) -> list[str]:
    """Return the texts of a column of the ladder, of the rows that are shown."""
    headings = page.locator("#ladder thead th").all_inner_texts()
    number = next(at for at, text in enumerate(headings) if text.strip() == title)
    rows = page.locator("#ladder tbody tr:not([hidden])")
    found: list[str] = rows.evaluate_all(f"rows => rows.map(row => row.cells[{number}].textContent.trim())")
    return found


def share(text: str) -> float:
    """Return the number of a cell; a dash counts as less than any."""
    return float(text.removesuffix("%").strip()) if text != "–" else -1


def test_a_ladder_is_sorted_and_searched_and_its_address_says_so(page: "Page", address: str) -> None:
    page.goto(address + LEAGUE)
    places = page.evaluate(PLACES)
    page.get_by_role("button", name="Share").click()
    heading = page.locator("#ladder th[aria-sort]")
    assert heading.get_attribute("aria-sort") == "descending"
    shares = [share(text) for text in column(page, "Share")]
    assert shares == sorted(shares, reverse=True)
    assert page.locator("#ladder-status").inner_text() == "Sorted by Share, highest first"
    page.get_by_label("Find a bot").fill("bot-1")
    assert page.locator("#ladder-status").inner_text() == f"11 of {ENTRIES}"
    assert all("bot-1" in name for name in column(page, "Bot"))
    assert "sort=-share" in page.url
    assert "find=bot-1" in page.url
    assert page.evaluate(PLACES) == places
    shown = column(page, "Bot")
    page.reload()
    assert column(page, "Bot") == shown
    page.get_by_role("button", name="Share").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    page.get_by_role("button", name="Share").click()
    assert heading.count() == 0


def test_a_live_update_keeps_the_order_the_search_the_focus_and_the_layout(
    page: "Page", address: str, store: Path
) -> None:
    page.goto(address + LEAGUE + "?sort=-matches&find=bot-2")
    page.get_by_role("button", name="Matches").focus()
    before, places = column(page, "Matches"), page.evaluate(PLACES)
    with open_store(store, create=False) as opened:
        uuid = opened.leagues.get("large").uuid
        planned = opened.leagues.progress(uuid).matches_planned
        add_matches(opened, uuid, ENTRIES, planned, planned + 20, 1)
    page.wait_for_function(
        "said => document.querySelector('#league-line').textContent.includes(said)",
        arg="220 games",
    )
    after = column(page, "Matches")
    assert after != before
    assert [int(text) for text in after] == sorted(map(int, after), reverse=True)
    assert all("bot-2" in name for name in column(page, "Bot"))
    assert page.evaluate(PLACES) == places
    assert page.evaluate("document.activeElement.textContent") == "Matches"


def test_filters_work_without_scripts(browser: "Browser", address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + LEAGUE)
    assert not page.get_by_label("Find a bot").is_visible()
    page.get_by_text("Filter and compare").click()
    page.get_by_label("Seats").select_option("4")
    page.get_by_label("Active bots only").check()
    page.get_by_role("button", name="Show").click()
    assert page.locator(".chip").count() == 2
    page.locator(".chip").first.click()
    assert page.locator(".chip").count() == 1
    context.close()


@pytest.mark.parametrize("path", ["", "?moved=2026-01-05", "/history", "/head-to-head", "/seats", "/faults"])
def test_no_page_scrolls_sideways_on_a_narrow_screen(page: "Page", address: str, path: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    for address_of_page in (address + "/", address + LEAGUE + path):
        page.goto(address_of_page)
        width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert width[0] <= width[1]


def test_a_chart_tells_its_values_to_keys(page: "Page", address: str) -> None:
    page.goto(address + LEAGUE + "/history")
    page.locator(".course-chart").focus()
    page.keyboard.press("Home")
    told = page.locator("#course-status")
    assert told.inner_text().startswith("After 0 matches: ")
    page.keyboard.press("ArrowRight")
    assert told.inner_text().startswith("After 2 matches: ")
    page.keyboard.press("Escape")
    assert told.inner_text().startswith("Each line is a bot's rating")


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_rows_slide_to_their_new_places_unless_motion_is_reduced(
    browser: "Browser", address: str, motion: Literal["no-preference", "reduce"]
) -> None:
    def swapped(route: "Route") -> None:
        answer = route.fetch()
        head, body, rest = re.split(r'(?<=id="ladder-rows")|(?=</tbody>)', answer.text(), maxsplit=2)
        rows = re.split(r"(?=<tr)", body)
        route.fulfill(response=answer, body="".join((head, rows[0], rows[2], rows[1], *rows[3:], rest)))

    page = browser.new_page(reduced_motion=motion)
    page.goto(f"{address}{LEAGUE}")
    page.route(f"**{LEAGUE}", swapped)
    links = page.locator("#ladder-rows th a")
    names = links.all_text_contents()
    links.nth(1).focus()
    moved = page.evaluate(
        """() => new Promise((done) => {
          const tops = () => new Map([...document.querySelectorAll("#ladder-rows tr")].map(
            (row) => [row.querySelector("a").textContent, row.getBoundingClientRect().top]));
          const before = tops(), scroll = scrollY, high = document.documentElement.scrollHeight;
          document.addEventListener("arena:updated", (event) => {
            if (event.target.id !== "ladder-rows") return;
            setTimeout(() => {
              const rows = document.querySelectorAll("#ladder-rows tr");
              const moving = [...rows].flatMap((row) => row.getAnimations());
              moving.forEach((one) => { one.pause(); one.currentTime = 0; });
              const jumped = [...tops()].map(([name, top]) => Math.abs(top - before.get(name)));
              moving.forEach((one) => one.finish());
              done({ slides: moving.length, jump: Math.max(...jumped), focus: document.activeElement.textContent,
                     stays: scroll === scrollY && high === document.documentElement.scrollHeight });
            });
          });
          document.dispatchEvent(new Event("visibilitychange"));
        })"""
    )
    assert links.all_text_contents() == [names[1], names[0], *names[2:]]
    assert moved["focus"] == names[1]
    assert moved["stays"]
    if motion == "reduce":
        assert moved["slides"] == 0
    else:
        assert moved["slides"] == 2
        assert moved["jump"] < 1, "they begin where they were"
    page.close()

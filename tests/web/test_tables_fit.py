"""The table of every game at every number of seats fits the window, while watching and while playing."""

import json
import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, BrowserContext, Page, expect

from arena.web.play_tables.tables import TableLimits, Tables
from tests.support.web.chromium import chromium, serving
from tests.support.web.every_table import EVERY, OWNER, become_the_guest, outside, seat_at, watched_store

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]

WINDOWS = [(360, 740), (800, 800), (1440, 900)]
PROBLEMS = """async (watches) => {
    const found = new Set(), box = one => one.getBoundingClientRect();
    const small = innerWidth < 1088, room = innerWidth < 768 ? 640 : small ? 780 : innerHeight;
    const targets = ".front button.card-face, .move-choices button, .bar-row button, .table-middle button";
    const look = at => {
        scrollTo(0, 0);
        const front = document.querySelector(".front, .table > #result[open]");
        const bar = document.querySelector(".player-bar");
        const bottom = box(document.querySelector(".table")).bottom + (watches ? box(bar).height : 0);
        if (bottom > room) found.add(`step ${at} ends at ${Math.round(bottom)}`);
        if (document.documentElement.scrollWidth > innerWidth) found.add(`step ${at} is wide`);
        const has_cards = document.querySelector(".table .card-picture");
        if (!front && has_cards) found.add(`step ${at} has nobody in front`);
        if (!front) return;
        const hand = box(front), seats = [...document.querySelectorAll(".others > *")].map(box);
        if (front.id) return;  // the result, with what lay on the table below it
        if (seats.some(seat => seat.bottom > hand.top + 1)) found.add(`step ${at}: a player covers the hand`);
        for (const one of front.querySelectorAll(".card-face")) {
            const {left, top, width, height} = box(one);
            const on_top = document.elementFromPoint(left + width / 6, top + height / 8);
            const is_seen = !width || on_top && one.contains(on_top);
            if (!is_seen) found.add(`step ${at}: the rank of ${one.dataset.card} is covered`);
        }
        for (const y of [hand.top + 8, hand.top + hand.height / 2, hand.bottom - 4]) {
            const on_top = document.elementFromPoint(hand.left + hand.width / 2, y);
            if (!front.contains(on_top)) found.add(`step ${at}: ${on_top && on_top.className} covers the hand`);
        }
        if (small) for (const one of document.querySelectorAll(targets)) {
            const {width, height} = box(one);
            const is_small = width && (width < 43.5 || height < 43.5);
            if (is_small) found.add(`step ${at}: ${one.className} is ${width} x ${height}`);
        }
    };
    if (watches) {
        const host = document.getElementById("viewer");
        const slider = document.querySelector(".slider"), last = Number(slider.max);
        const stride = Math.max(1, Math.floor(last / 40));
        for (let at = 0; at <= last; at = at === last ? last + 1 : Math.min(last, at + stride)) {
            slider.value = at;
            slider.dispatchEvent(new Event("input"));
            await new Promise(done => host.addEventListener("arena:shown", done, {once: true}));
            look(at);
        }
    } else look(0);
    return [...found].slice(0, 8);
}"""
"""What doesn't fit, at the steps of a game or at the table of a person."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Tables]]:
    """Yield the address of a server with finished games, and its tables."""
    folder = tmp_path_factory.mktemp("every-table")
    with outside(folder), serving(watched_store(folder, tuple(EVERY)), TableLimits(of_guests=8)) as found:
        address, site = found
        yield address, site.tables


def window(browser: Browser, address: str, width: int, height: int, *, dark: bool = False) -> BrowserContext:
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        bypass_csp=True,
        reduced_motion="reduce",
    )
    become_the_guest(context, address)
    return context


@pytest.mark.parametrize(("width", "height"), WINDOWS)
@pytest.mark.parametrize("name", EVERY)
def test_a_game_fits_while_it_is_watched(
    browser: Browser, server: tuple[str, Tables], name: str, width: int, height: int
) -> None:
    address, _ = server
    context = window(browser, address, width, height)
    page = context.new_page()
    for eyes in ("", "/seat-1"):
        page.goto(f"{address}/leagues/{name}/games/0.0{eyes}")
        page.wait_for_selector("#viewer .table, #viewer .empty")
        if page.locator("#viewer .table").count():
            assert page.evaluate(PROBLEMS, True) == []
    context.close()


@pytest.mark.parametrize(("width", "height"), WINDOWS)
@pytest.mark.parametrize("name", EVERY)
def test_a_game_fits_while_it_is_played(
    browser: Browser, server: tuple[str, Tables], name: str, width: int, height: int
) -> None:
    address, tables = server
    context = window(browser, address, width, height)
    page = context.new_page()
    for number in seat_at(tables, name, OWNER):
        page.goto(f"{address}/play/{number}")
        page.wait_for_selector(".play-table .table")
        assert page.evaluate(PROBLEMS, False) == [], number
        assert page.locator(".play-table button.is-legal, .move-choices button").count()
        assert not page.locator(".by-list[open]").count(), "the list of moves is folded"
    context.close()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["bread-basket-4", "shram-3", "trading-4", "kuhn-2", "nim-2"])
def test_axe_finds_nothing_at_a_table(
    browser: Browser, server: tuple[str, Tables], name: str, *, dark: bool
) -> None:
    address, tables = server
    context = window(browser, address, 360, 740, dark=dark)
    page = context.new_page()
    page.goto(f"{address}/play/{seat_at(tables, name, OWNER)[0]}")
    page.wait_for_selector(".play-table .table")
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice", "experimental"]}
    found = Axe().run(page, options=rules)
    context.close()
    assert not [(one["id"], one["nodes"][0]["html"][:300]) for one in found.response["violations"]]


def test_games_from_outside_lie_on_the_table(browser: Browser, server: tuple[str, Tables]) -> None:
    address, tables = server
    context = window(browser, address, 360, 740)
    page = context.new_page()
    page.goto(f"{address}/play/{seat_at(tables, 'nim-2', OWNER)[0]}")
    stones = page.locator(".heap-thing.is-legal")
    expect(stones).to_have_count(3 + 4 + 5)
    expect(page.locator(".play-status")).to_contain_text("Take: tap one, and all above it come too.")
    assert not page.locator(".choice").count()
    with page.expect_request("**/answer") as sent:
        page.locator('[data-key="heap 1 3"]').click()
    groups = page.request.get(f"{page.url}/news").json()["question"]["groups"]
    moves = [choice["move"] for group in groups for choice in group["choices"]]
    answer = json.loads(sent.value.post_data or "")
    assert moves[answer["choice"]] == {"type": "take", "heap": 1, "count": 3}
    page.goto(f"{address}/play/{seat_at(tables, 'kuhn-2', OWNER)[0]}")
    expect(page.locator(".pot b")).to_have_text(re.compile("Pot [23]"))
    expect(page.locator(".pot i")).to_have_count(int((page.locator(".pot b").text_content() or "")[-1]))
    expect(page.locator(".others .card-face")).to_have_count(1)
    expect(page.locator(".front .card-face")).to_have_count(1)
    expect(page.locator(".play-status")).to_contain_text(re.compile("(Check or bet|Fold or call)."))
    context.close()


def test_trades_lie_on_the_table(browser: Browser, server: tuple[str, Tables]) -> None:
    address, _ = server
    page = browser.new_page()
    page.goto(f"{address}/leagues/trading-4/games/0.0")
    page.wait_for_selector("#viewer .table")
    seen = set()
    for step in range(1, 1 + int(page.get_attribute(".slider", "max") or 0)):
        page.keyboard.press("ArrowRight")
        expect(page.locator("#log li[aria-current]")).to_have_attribute("data-step", str(step))
        middle = page.locator(".table-middle:has(.offers)")
        if middle.count():
            assert middle.locator("li").first.locator("[data-card]").count() == 2
            seen.add(middle.locator("h3").text_content())
    page.close()
    assert seen >= {"Offers", "Traded"}


def test_points_are_marked_and_shown_at_their_seat(browser: Browser, server: tuple[str, Tables]) -> None:
    address, _ = server
    for motion in ("reduce", "no-preference"):
        context = browser.new_context(viewport={"width": 1000, "height": 800}, reduced_motion=motion)
        page = context.new_page()
        page.goto(f"{address}/leagues/bread-basket-4/games/0.0")
        gains = first_gains(page)
        assert page.locator(".is-scoring").count() == 1
        expect(page.locator(".seat-gain")).to_have_text(gains)
        if motion == "no-preference":
            assert page.locator(".seat-gain").evaluate("one => one.getAnimations().length") == 1
            expect(page.locator(".is-scoring")).to_have_count(0)
        else:
            assert page.locator(".seat-gain").evaluate("one => one.getAnimations().length") == 0
        context.close()


def first_gains(page: Page) -> list[str]:
    """Step on to the first points; return how the scores have changed, in the order of the seats."""
    seats = page.locator(".table .seat").count()

    def scores() -> list[str]:
        every = [page.locator(f'.table .seat[data-seat="{seat}"] .seat-score b') for seat in range(seats)]
        return [one.text_content() or "" for one in every]

    before = scores()
    for _ in range(200):
        page.keyboard.press("ArrowRight")
        after = scores()
        if after != before:
            changes = [int(now.replace("−", "-")) - int(old) for old, now in zip(before, after, strict=True)]
            return [f"{change:+}".replace("-", "−") for change in changes if change]
    raise AssertionError("nobody scores")

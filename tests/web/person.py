"""A person at a table, in a real browser."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page

from arena.web.play_tables.tables import TableLimits
from tests.support.waiting import PATIENCE_S

GUESTS = TableLimits(of_guests=8)
SHORT = {
    "bread-basket": {"#option-hands": "1"},
    "bread-and-chocolate": {"#option-hands": "1"},
    "sandwich": {"#option-rounds": "1"},
}
"""What to fill in for a game of one hand or round."""
FILL = """(slots) => [...slots].every(slot => {
    const [, has, most] = slot.querySelector('.quiet').textContent.match(/(\\d+)(?: of (?:at most )?(\\d+))?/);
    return most ? has === most : has !== '0';
})"""


@contextmanager
def page_of(browser: Browser, width: int = 1000) -> Iterator[Page]:
    """Yield a page of a new visitor; at the end, no script may have failed."""
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    yield page
    context.close()
    assert not failures


def sit_down(page: Page, address: str, game: str, **chosen: str) -> str:
    """Begin a short game of four, or two, players; return the path of its table."""
    page.goto(f"{address}/play?game={game}")
    page.click("summary")
    for field, value in SHORT[game].items():
        page.fill(field, value)
    for name, value in chosen.items():
        page.select_option(f"#{name}", value)
    page.click("#begin .primary")
    page.wait_for_selector(".move-choices button, button.is-legal, #written, .play-result:not([hidden])")
    return page.url.removeprefix(address)


class Person:
    """Makes one move after the other."""

    def __init__(self, page: Page, *, mouse: bool) -> None:
        self.page = page
        self.mouse = mouse
        self.moves = 0

    def press(self, selector: str) -> None:
        """Press the first button that fits, by mouse, or by Tab and Enter."""
        found = self.page.locator(selector).first
        if self.mouse:
            found.click(position={"x": 7, "y": 16})  # the cards of a long row overlap
            return
        for _ in range(400):
            if found.evaluate("one => one === document.activeElement"):
                self.page.keyboard.press("Enter")
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab never comes to {selector}")

    def play_on(self, most: int = 10_000) -> None:
        """Make up to `most` moves, until the game is over."""
        until_s = time.monotonic() + 3 * PATIENCE_S
        while most and not self.page.locator(".play-result:not([hidden])").count():
            assert time.monotonic() < until_s, self.page.locator(".play-status").inner_text()
            if not self.page.locator(".play-moves:not([hidden]) button:not(:disabled)").count():
                time.sleep(0.03)
                continue
            asked = self.page.locator(".play-moves").get_attribute("data-ask")
            self.move()
            self.moves += 1
            most -= 1
            until_s = time.monotonic() + 3 * PATIENCE_S
            self.page.wait_for_function(
                "asked => document.querySelector(`.play-moves:not([hidden])[data-ask='${asked}']`) === null",
                arg=asked,
            )

    def move(self) -> None:
        if not self.page.locator(".move-form").count():
            card = ".play-table button.is-legal:not(:disabled)"
            self.press(card if self.page.locator(card).count() else ".move-choices button:not(:disabled)")
            return
        if self.page.locator('.play-table [data-key="instead 0"]').count():
            self.press('.play-table [data-key="instead 0"]')
            return
        self.fill()
        self.press('.play-table [data-key="send"]')

    def fill(self) -> None:
        """Put items into every slot of the form."""
        while not self.page.locator(".move-form .slot").evaluate_all(FILL):
            card = '.play-table button.is-legal[aria-pressed="false"]'
            free = '.play-table .item[aria-pressed="false"]'
            if not self.page.locator(f"{card}, {free}").count():
                break
            self.press(card if self.page.locator(card).count() else free)

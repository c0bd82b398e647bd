"""An organiser and two authors, each with a browser: from a link in an e-mail to rated bots, without a terminal."""

import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from tests.support.leagues import arena
from tests.support.waiting import eventually
from tests.support.web.chromium import chromium
from tests.support.web.serving import is_up, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
WAIT_MS = 120_000
MOST_MINUTES = 5
MOST_CLICKS = 12
LEAGUE = """\
name = "open"
game = "bread-basket"
seats = 2
options = { hands = 1 }

[schedule]
kind = "ladder"

[[bots]]
path = "bots/bread_basket/greedy"
[[bots]]
path = "bots/any_game/random"
"""


def signed_in(browser: "Browser", address: str, token: str) -> "Page":
    """Return a page of a new browser window whose reader has signed in with a token."""
    page = browser.new_context(viewport={"width": 1100, "height": 900}).new_page()
    page.set_default_timeout(WAIT_MS)
    page.goto(f"{address}/sign-in")
    page.get_by_label("Token").fill(token)
    page.keyboard.press("Enter")
    page.wait_for_url("**/account")
    return page


class Reader:
    """Somebody with a browser; counts clicks."""

    def __init__(self, browser: "Browser", address: str, folder: Path) -> None:
        self.page = browser.new_context(viewport={"width": 1100, "height": 900}).new_page()
        self.page.set_default_timeout(WAIT_MS)
        self.clicks = 1  # on the link in the mail
        self.folder = folder
        self.began_s = time.monotonic()
        self.page.goto(address)

    def press(self, role: "Literal['button', 'link', 'radio']", name: str) -> None:
        """Click what has this name."""
        self.page.get_by_role(role, name=name).first.click()
        self.clicks += 1

    def download(self) -> Path:
        """Download the kit; return its path."""
        with self.page.expect_download() as found:
            self.press("button", "Download the kit")
        target = self.folder / found.value.suggested_filename
        found.value.save_as(target)
        return target

    def choose(self, archive: Path) -> None:
        """Choose a file: the field, the file, and *Open*."""
        self.page.get_by_label("Archive").set_input_files(archive)
        self.clicks += 3


@pytest.mark.gate
def test_two_authors_come_from_an_invitation_to_rated_bots(tmp_path: Path) -> None:
    with chromium() as browser, serving(tmp_path) as (port, _):
        address = f"http://127.0.0.1:{port}"
        assert eventually(lambda: is_up(port))
        token = arena("accounts", "invite", "olga", "--organiser", cwd=tmp_path).stdout.strip()
        olga = signed_in(browser, address, token)
        olga.goto(f"{address}/organiser/new")
        olga.get_by_text("Advanced: every setting").click()
        olga.get_by_label("League file").fill(LEAGUE)
        olga.get_by_role("button", name="Create the league").first.click()
        olga.get_by_text("Done: created open").wait_for()
        authors: list[Reader] = []
        for author in ("ann", "bob"):
            olga.goto(f"{address}/organiser/accounts")
            olga.get_by_label("Name", exact=True).fill(author)
            olga.get_by_role("button", name="Invite").click()
            link = olga.locator(".notice code").inner_text()
            (tmp_path / author).mkdir()
            one = Reader(browser, link, tmp_path / author)
            assert one.page.url == f"{address}/join", "the code is in no history"
            one.press("button", "Join")
            one.page.get_by_role("heading", name="Your first bot").wait_for()
            one.press("radio", "Bread Basket")
            kit = one.download()
            one.press("link", "Upload to open")
            one.choose(kit)
            one.press("button", "Submit")
            one.page.wait_for_url("**/uploads/*")
            one.page.get_by_text(f"It is version {author}/bread-basket-bot@1").wait_for()
            authors.append(one)
        reader = browser.new_context(viewport={"width": 360, "height": 740}).new_page()
        reader.set_default_timeout(WAIT_MS)
        reader.goto(f"{address}/leagues/open")
        # The page follows the league by itself: a rank takes some matches.
        rows = reader.locator(
            "#ladder tbody tr", has=reader.get_by_role("link", name=re.compile("bread-basket-bot"))
        )
        ranked = rows.filter(has_text=re.compile(r"^\s*≈?\d"))
        ranked.nth(1).wait_for()
        for one in authors:
            minutes = (time.monotonic() - one.began_s) / 60
            sys.stdout.write(f"from the e-mail to a rated bot: {minutes:.1f} minutes, {one.clicks} clicks\n")
            assert minutes <= MOST_MINUTES
            assert one.clicks <= MOST_CLICKS
        assert reader.evaluate("document.documentElement.scrollWidth <= innerWidth")

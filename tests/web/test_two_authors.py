"""An organiser and two authors, each with a browser: from the first token to rated bots."""

import io
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.leagues import arena
from tests.support.waiting import eventually
from tests.support.web.chromium import chromium
from tests.support.web.serving import is_up, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
WAIT_MS = 120_000
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


def archive_of(folder: Path) -> bytes:
    """Return a folder as a zip archive."""
    with io.BytesIO() as content:
        with zipfile.ZipFile(content, "w") as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    archive.write(path, path.relative_to(folder))
        return content.getvalue()


@pytest.mark.gate
def test_two_authors_come_from_an_invitation_to_rated_bots(tmp_path: Path) -> None:
    with chromium() as browser, serving(tmp_path) as (port, _):
        address = f"http://127.0.0.1:{port}"
        assert eventually(lambda: is_up(port))
        token = arena("accounts", "invite", "olga", "--organiser", cwd=tmp_path).stdout.strip()
        olga = signed_in(browser, address, token)
        olga.goto(f"{address}/organiser/new")
        olga.get_by_label("League file").fill(LEAGUE)
        olga.get_by_role("button", name="Create the league").first.click()
        olga.get_by_text("Done: created open").wait_for()
        for author in ("ann", "bob"):
            olga.goto(f"{address}/organiser/accounts")
            olga.get_by_label("Name", exact=True).fill(author)
            olga.get_by_role("button", name="Invite").click()
            found = re.search(r"arena_[\w-]+", olga.locator(".notice").inner_text())
            assert found
            page = signed_in(browser, address, found[0])
            page.goto(f"{address}/submit")
            page.get_by_label("open").check()
            arena("new", author, "--game", "bread-basket", "--author", author, cwd=tmp_path)
            content = archive_of(tmp_path / author)
            page.get_by_label("Archive").set_input_files(
                {"name": f"{author}.zip", "mimeType": "application/zip", "buffer": content}
            )
            page.get_by_role("button", name="Submit").click()
            page.wait_for_url("**/uploads/*")
            page.get_by_text(f"It is version {author}/{author}@1").wait_for()
        reader = browser.new_context(viewport={"width": 360, "height": 740}).new_page()
        reader.set_default_timeout(WAIT_MS)
        reader.goto(f"{address}/leagues/open")
        for author in ("ann", "bob"):  # the page follows the league by itself: a rank takes some matches
            row = reader.locator("#ladder tbody tr", has=reader.get_by_role("link", name=author, exact=True))
            row.filter(has_text=re.compile(r"^\s*≈?\d")).wait_for()
        assert reader.evaluate("document.documentElement.scrollWidth <= innerWidth")

"""The form with an archive in a real browser: with its script, and without."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena.web.app import create_app
from arena.web.http.server import Server, listen
from arena.web.live.site import Site
from tests.support.web.chromium import chromium
from tests.support.web.copied_site import copied_site
from tests.support.web.uploading import archive, limit, worker
from tests.support.web.visitors import token_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]


@pytest.fixture
def site(demo_store: Path, tmp_path: Path) -> Iterator[Site]:
    with copied_site(demo_store, tmp_path, with_files=True) as found:
        yield found


@pytest.fixture
def address(site: Site) -> Iterator[str]:
    """Return the address of a server that checks uploads and delivers commands."""
    listener = listen("127.0.0.1", 0)
    started = threading.Event()
    server = Server(create_app(site), listener, started.set)
    thread = threading.Thread(target=server.answer)
    thread.start()
    started.wait(60)
    keeper = worker(site)
    keeper.begin()
    site.deliveries.begin()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    keeper.close()
    server.ask_to_stop()
    thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Return Chromium."""
    with chromium() as found:
        yield found


def signed_in(browser: "Browser", address: str, token: str, *, scripts: bool) -> "Page":
    page = browser.new_context(java_script_enabled=scripts).new_page()
    page.goto(f"{address}/sign-in")
    page.fill("#token", token)
    page.click("button.primary")
    page.wait_for_url("**/account")
    return page


@pytest.mark.parametrize("scripts", [True, False])
def test_a_bot_is_submitted_and_its_page_follows(
    browser: "Browser", site: Site, address: str, tmp_path: Path, scripts: bool
) -> None:
    page = signed_in(browser, address, token_of(site, "ann"), scripts=scripts)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if "Security" in said.text else None)
    file = tmp_path / "rye.zip"
    file.write_bytes(archive())
    page.goto(f"{address}/submit")
    page.set_input_files("#archive", file)
    page.check("input[value=unplayed]")
    limit(site, per_day=0)
    page.click("form.upload-form button")
    page.locator("#problem").filter(has_text="which is the limit").wait_for()
    assert page.is_checked("input[value=unplayed]") is scripts
    limit(site)
    if scripts:  # the file is still chosen
        assert page.evaluate("document.getElementById('archive').files.length") == 1
    else:
        page.set_input_files("#archive", file)
        page.check("input[value=unplayed]")
    page.click("form.upload-form button")
    page.wait_for_url("**/uploads/*")
    link = page.locator("#upload a", has_text="ann/rye@1")
    if not scripts:
        for _ in range(60):
            if link.count():
                break
            page.wait_for_timeout(1_000)
            page.reload()
    link.wait_for()
    assert page.locator("#upload .checks li").count() == 4
    link.click()
    page.locator("text=Only ann and organisers see this").wait_for()
    page.click("text=Retire it…")
    page.get_by_role("button", name="Retire rye for good").click()
    page.wait_for_url("**/account/commands/*")
    page.locator("text=retires").first.wait_for()
    assert errors == []

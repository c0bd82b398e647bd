"""Chromium for tests of pages, and a server for it."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from arena.web.app import create_app
from arena.web.live.site import Site
from arena.web.play_tables.tables import TableLimits
from tests.support.waiting import PATIENCE_S
from tests.support.web.visitors import extended

CHROMIUM = Path("/usr/bin/chromium")
expect.set_options(timeout=1000 * PATIENCE_S)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a browser; skip the test where there is none."""
    if not CHROMIUM.exists():
        pytest.skip(f"there is no {CHROMIUM}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield _patient(browser)
        browser.close()


def _patient(browser: Browser) -> Browser:
    """Have all pages of a browser wait as long as other tests do: Playwright would give up after 30 s."""

    def patient(new: Callable[..., Any]) -> Callable[..., Any]:
        def made(**options: object) -> Any:
            page_or_context = new(**options)
            page_or_context.set_default_timeout(1000 * PATIENCE_S)
            return page_or_context

        return made

    browser.new_page = patient(browser.new_page)  # type: ignore[method-assign]
    browser.new_context = patient(browser.new_context)  # type: ignore[method-assign]
    return browser


def window(browser: Browser, width: int, *, dark: bool) -> BrowserContext:
    """Return a window of this width in pixels, in which nothing moves and scripts may look at pages."""
    return browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if dark else "light",
        bypass_csp=True,
        reduced_motion="reduce",
    )


@contextmanager
def served(
    store: Path, table_limits: TableLimits | None = None, *, with_packages: bool = False
) -> Iterator[str]:
    """Yield the address of a server of a store, in a thread of this process; `with_packages`: with what they add."""
    with serving(store, table_limits, with_packages=with_packages) as (address, _):
        yield address


@contextmanager
def serving(
    store: Path, table_limits: TableLimits | None = None, *, with_packages: bool = False
) -> Iterator[tuple[str, Site]]:
    """Yield the address of such a server, and what it serves."""
    listener = socket.create_server(("127.0.0.1", 0))
    site = Site.of(store, table_limits)
    added = extended(site) if with_packages else nullcontext()
    with closing(site), added:
        server = uvicorn.Server(uvicorn.Config(create_app(site), log_level="warning", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", site
        finally:
            server.should_exit = True
            thread.join()

"""Takes pictures of the site in Chromium: the README's, or for a look at everything those of all pages.

Usage: python docs/site_pictures.py STORE [FOLDER [TOKEN [ADDRESS]]]

STORE is the store of a finished demo, such as arena-demo/arena.sqlite after `arena demo`. With FOLDER, a page of every
kind is taken, in three widths, light and dark, instead of the README's; with the TOKEN of an organiser also the
pages of those who have signed in. A store with leagues of every game shows most. ADDRESS: of a server of that store.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Literal

sys.path.insert(0, str(Path(__file__).parents[1]))

from palette import with_palette
from tests.support.web.chromium import chromium, served
from tests.support.web.pages import every_kind

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

IMAGES = Path(__file__).parent / "images"
Colours = Literal["light", "dark"]
PICTURES: dict[str, tuple[str, Colours, int]] = {
    "site-ladder.png": ("/leagues/demo", "light", 560),
    "site-game.png": ("/leagues/demo/games/0.0#d=40", "dark", 760),
}
"""The page, the colours and the height of each."""
WIDTHS = (360, 800, 1440)
HEIGHT = 800
TALLEST = 2400
"""Longer pages are cut."""


def readme(browser: "Browser", address: str) -> None:
    """Take the README's pictures."""
    for name, (path, colours, height) in PICTURES.items():
        context = browser.new_context(
            viewport={"width": 1100, "height": height}, color_scheme=colours, reduced_motion="reduce"
        )
        page = context.new_page()
        page.goto(address + path)
        page.wait_for_timeout(1000)
        page.screenshot(path=IMAGES / name)
        context.close()
        with_palette(IMAGES / name)


def everything(browser: "Browser", address: str, folder: Path, token: str) -> None:
    """Take a picture of every kind of page, as visitors see it and, with a token, as an organiser does."""
    folder.mkdir(parents=True, exist_ok=True)
    contexts = list(_contexts(browser, address, token))
    for kind, path in list(every_kind(lambda path: _html(contexts[0][2], address, path), ("/", "/sign-in"))):
        name = re.sub(r"[^a-z0-9]+", "-", kind.lower()).strip("-")
        for width, colours, context in contexts:
            page = context.new_page()
            page.set_viewport_size({"width": width, "height": HEIGHT})
            page.goto(address + path + ("#d=12" if "games" in kind else ""))
            page.wait_for_timeout(300)
            tall = min(TALLEST, page.evaluate("document.documentElement.scrollHeight"))
            page.screenshot(
                path=folder / f"{name}-{width}-{colours}.png",
                full_page=True,
                clip={"x": 0, "y": 0, "width": width, "height": tall},
            )
            if page.evaluate("document.documentElement.scrollWidth") > width:
                print(f"{path} scrolls sideways at {width} pixels")
            page.close()
        print(kind, path, flush=True)


def _contexts(
    browser: "Browser", address: str, token: str
) -> Iterator[tuple[int, Colours, "BrowserContext"]]:
    for colours in ("light", "dark"):
        context = browser.new_context(color_scheme=colours, reduced_motion="reduce")
        if token:
            page = context.new_page()
            page.goto(f"{address}/sign-in")
            page.get_by_label("Token").fill(token)
            page.keyboard.press("Enter")
            page.wait_for_url("**/account")
            page.close()
        for width in WIDTHS:
            yield width, colours, context


def _html(context: "BrowserContext", address: str, path: str) -> str | None:
    answer = context.request.get(address + path)
    return answer.text() if answer.ok and answer.headers["content-type"].startswith("text/html") else None


def main(store: Path, folder: Path | None = None, token: str = "", at: str = "") -> None:
    """Take the pictures, of a server that runs already or of a new one."""
    with nullcontext(at) if at else served(store) as address, chromium() as browser:
        if folder is None:
            readme(browser, address)
        else:
            everything(browser, address, folder, token)


if __name__ == "__main__":
    store, folder, token, at = (*sys.argv[1:], "", "", "")[:4]
    main(Path(store), Path(folder) if folder else None, token, at)

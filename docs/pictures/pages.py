"""Takes pictures of the site in Chromium: the README's, or for a look at everything those of all pages.

Usage: python docs/pictures/pages.py STORE [FOLDER [TOKEN [ADDRESS]]]
       python docs/pictures/pages.py --phone STORE FOLDER

STORE is the store of a finished demo, such as arena-demo/arena.sqlite after `arena demo`. With FOLDER, a page of every
kind is taken, in three widths, light and dark, instead of the README's; with the TOKEN of an organiser also the
pages of those who have signed in. A store with leagues of every game shows most. ADDRESS: of a server of that store.
The pictures of each kind are also put on one sheet. `--phone`: frames of a phone on which a game of each kind is
watched and played, on one sheet a game.
"""

import re
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Literal

sys.path.insert(0, str(Path(__file__).parents[2]))

from PIL import Image

from arena.web.html.links import LiveLinks
from arena.web.play_tables.tables import TableLimits
from results.store import open_store
from tests.support.web.chromium import chromium, served
from tests.support.web.pages import every_kind

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

IMAGES = Path(__file__).parents[1] / "images"
Colours = Literal["light", "dark"]
PICTURES: dict[str, tuple[str, Colours, int]] = {
    "site-ladder.png": ("/leagues/demo", "light", 560),
    "site-game.png": ("/leagues/demo/games/0.0#d=40", "dark", 760),
}
"""The page, the colours and the height of each."""
WIDTHS = (360, 800, 1440)
HEIGHT = 800
PHONE = "--phone"
TALLEST = 2400
"""Longer pages are cut."""
WATCHED, PLAYED = 12, 4
"""Steps of a game, and moves in it, of which a phone is shown."""
_GO = """step => {
    const slider = document.querySelector(".slider");
    slider.value = step;
    slider.dispatchEvent(new Event("input"));
}"""
_MOVES = ", ".join(
    f"{where} button{which}:enabled"
    for where, which in ((".front", ".is-legal"), (".move-choices", ""), (".table-middle", ".is-legal"))
)


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
        Image.open(IMAGES / name).quantize(256).save(IMAGES / name, optimize=True)  # pages have few colours


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
        sheet(browser, sorted(folder.glob(f"{name}-[0-9]*-*.png")), folder / f"sheet-{name}.png")
        print(kind, path, flush=True)


def sheet(browser: "Browser", pictures: list[Path], target: Path, *, high: int = 900) -> None:
    """Put pictures beside each other, the same height each."""
    shown = "".join(
        f'<img src="data:image/png;base64,{b64encode(one.read_bytes()).decode()}">' for one in pictures
    )
    page = browser.new_page(viewport={"width": 2600, "height": 100})
    page.set_content(
        f"<style>body {{ display: flex; flex-wrap: wrap; gap: 6px; margin: 6px; background: #888 }} "
        f"img {{ height: {high}px }}</style>{shown}"
    )
    page.screenshot(path=target, full_page=True)
    page.close()


def finished(store: Path) -> Mapping[str, str]:
    """Return the page of a finished game of each kind."""
    with open_store(store, create=False, readonly=True) as opened:
        return {
            one.ruleset.game: LiveLinks().page((), ("leagues", one.name, "games", "0.0"))
            for one in opened.leagues.all()
            if one.ruleset and opened.leagues.progress(one.uuid).matches_done
        }


def phone(browser: "Browser", address: str, games: Mapping[str, str], folder: Path) -> None:
    """Watch and play a game of each kind on a phone, and keep what it showed."""
    folder.mkdir(parents=True, exist_ok=True)
    for game, path in games.items():
        context = browser.new_context(
            viewport={"width": 360, "height": 740}, device_scale_factor=1, has_touch=True, is_mobile=True
        )
        page = context.new_page()
        frames: list[Path] = []

        def keep(kind: str, page: "Page" = page, game: str = game, frames: list[Path] = frames) -> None:
            frames.append(folder / f"{game}-{kind}-{len(frames):02}.png")
            page.screenshot(path=frames[-1])

        page.goto(address + path)
        last = int(page.locator(".slider").get_attribute("max") or "0")
        for step in sorted({*range(0, last, max(1, last // WATCHED)), last - 1}):
            page.evaluate(_GO, step)
            page.wait_for_timeout(400)
            keep("watched")
        page.keyboard.press("ArrowRight")  # the last step, as it is played
        for wait_ms in (200, 900):
            page.wait_for_timeout(wait_ms)
            keep("watched")
        page.goto(f"{address}/play?game={game}")
        keep("played")
        page.locator('form button[type="submit"]').last.click()
        page.wait_for_url("**/play/*")
        for _ in range(PLAYED):
            page.locator(_MOVES).first.wait_for(timeout=60_000)
            keep("played")
            page.locator(_MOVES).first.click(position={"x": 7, "y": 16})
            page.wait_for_timeout(500)
            keep("played")
            if (send := page.locator(".move-choices button.primary:enabled")).count():
                send.first.click()
                page.wait_for_timeout(500)
        sheet(browser, frames, folder / f"sheet-{game}.png", high=740)
        print(game, len(frames), "frames", flush=True)
        context.close()


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
    if token == PHONE and folder is not None:
        with served(store, TableLimits(of_guests=9)) as address, chromium() as browser:
            phone(browser, address, finished(store), folder)
        return
    with nullcontext(at) if at else served(store) as address, chromium() as browser:
        if folder is None:
            readme(browser, address)
        else:
            everything(browser, address, folder, token)


if __name__ == "__main__":
    if sys.argv[1] == PHONE:
        sys.argv[1:] = [*sys.argv[2:], PHONE]
    store, folder, token, at = (*sys.argv[1:], "", "", "")[:4]
    main(Path(store), Path(folder) if folder else None, token, at)

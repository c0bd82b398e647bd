"""Takes the README's pictures of the site: pages of a real league, in Chromium.

Usage: python docs/site_pictures.py STORE

STORE is the store of a finished demo, such as arena-demo/arena.sqlite after `arena demo`.
"""

import sys
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.web.chromium import chromium, served

IMAGES = Path(__file__).parent / "images"
PICTURES: dict[str, tuple[str, Literal["light", "dark"], int]] = {
    "site-ladder.png": ("/leagues/demo", "light", 560),
    "site-game.png": ("/leagues/demo/games/0.0#d=40", "dark", 1080),
}
"""The page, the colours and the height of each."""


def main(store: Path) -> None:
    """Serve the store, and take the pictures."""
    with served(store) as address, chromium() as browser:
        for name, (path, colours, height) in PICTURES.items():
            context = browser.new_context(
                viewport={"width": 1100, "height": height}, color_scheme=colours, reduced_motion="reduce"
            )
            page = context.new_page()
            page.goto(address + path)
            page.wait_for_timeout(1000)
            page.screenshot(path=IMAGES / name)
            context.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

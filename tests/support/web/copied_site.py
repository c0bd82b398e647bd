"""The store that tests of pages share, and the site of a copy of it for tests that change something."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.web.live.site import Site
from results.store import files_beside, open_store

STOPPED = "stopped <i>early & ü?#%"
GAMES = {
    "bread": ("bread-basket", 3, "{ hands = 1 }"),
    "chocolate": ("bread-and-chocolate", 2, "{ hands = 1 }"),
    "sandwich": ("sandwich", 3, "{ rounds = 1 }"),
}
"""Game, seats and options of the leagues that were played to the end, by name."""
LEAGUES = {
    **GAMES,
    STOPPED: ("bread-basket", 2, "{ hands = 1 }"),
    "unplayed": ("bread-basket", 2, "{ hands = 1 }"),
}
"""The same of all leagues."""
MARKED = "<b>'two' & ü?#%"
"""The label of a bot: HTML and addresses have to escape it."""


def write_file(folder: Path, name: str, game: str, seats: int, options: str) -> Path:
    """Write the league file of three simple bots, which are in the folder; return it."""
    lines = [f"name = {name!r}", f'game = "{game}"', f"seats = {seats}", "seed = 7", f"options = {options}"]
    lines += ["[schedule]", 'kind = "round-robin"', "rounds = 2"]
    for number in range(3):
        lines += ["[[bots]]", f'path = "pick{number}"']
    lines += [f'label = """{MARKED}"""']
    file = folder / "league.toml"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


@contextmanager
def copied_site(demo_store: Path, folder: Path, *, with_files: bool = False) -> Iterator[Site]:
    """Yield the site of a copy in a folder; with the files of its bots if they are looked at."""
    path = folder / "arena.sqlite"
    with open_store(demo_store, readonly=True) as store:
        store.backup(path)
    if with_files:
        shutil.copytree(files_beside(demo_store), files_beside(path), dirs_exist_ok=True)
    found = Site.of(path)
    yield found
    found.close()

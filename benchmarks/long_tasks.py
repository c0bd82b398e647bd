"""Measures how long the pages of games keep a browser busy at a stretch, on a processor that is four times slower too.

The largest table of each game of Arena is played by simple bots, to its end. Chromium then loads the page of the game,
steps on and back, goes to swings and ends, and plays it, slowly and quickly; the first page of the site and the pages
of persons at such tables, who choose cards, too. Printed is the longest task of the page's main thread in each of these
phases: by the clock, which other load on the machine makes longer, and the time of its processor, which includes the
slowing down.

    python benchmarks/long_tasks.py [--slow 4] [--store FILE] [--page TEXT] [--profile FOLDER]
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from playwright.sync_api import Browser, Page

from arena.web.play_tables.tables import TableLimits
from benchmarks.machine import load
from tests.support.leagues import create_here, play_here, simple, write_bot
from tests.support.web.chromium import chromium, serving
from tests.support.web.every_table import OWNER, become_the_guest, seat_at

TABLES = {
    "bread": ("bread-basket", 6, "seats = 6"),
    "chocolate": ("bread-and-chocolate", 5, 'seats = 5\nruleset = "shram"'),
    "sandwich": ("sandwich", 12, "seats = 12\noptions = { boxes = 2 }"),
}
"""Game, seats and lines of the league file, by name of a league."""
NAMES = ("greedy", "counter", "crumb", "marshmallow-maker", "toast", "random", "apprentice", "bland")
VIEWS = {
    **{f"{name}, all hands": f"/leagues/{name}/games/0.0" for name in TABLES},
    **{f"{name}, one seat": f"/leagues/{name}/games/0.0/seat-1" for name in TABLES},
    "the first page": "/",
}
PLAYED = ("bread-basket-6", "shram-5", "sandwich-12")
"""Tables of `every_table`."""
MOST_MS = 100.0
STEPS = 12
WIDTHS = {"desktop": (1440, 900), "phone": (360, 740)}


class Task(NamedTuple):
    """The longest task of a phase."""

    wall_ms: float
    cpu_ms: float


def write_store(folder: Path) -> Path:
    """Play a match at the largest table of each game; return the path of the store."""
    for number in range(12):
        write_bot(folder, f"pick{number}", simple(number))
    for name, (game, seats, more) in TABLES.items():
        lines = [f'name = "{name}"', f'game = "{game}"', "seed = 7", more]
        lines += ["[schedule]", 'kind = "round-robin"', "rounds = 1"]
        for number in range(seats):
            label = NAMES[number % len(NAMES)] + ("-2" if number >= len(NAMES) else "")
            lines += ["[[bots]]", f'path = "pick{number}"', f'label = "{label}"']
        file = folder / "league.toml"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        create_here(file)
        play_here(folder, name)
    return folder / "arena.sqlite"


def press(page: Page, key: str, times: int) -> None:
    """Press a key, and wait each time until what it does is drawn."""
    for _ in range(times):
        page.keyboard.press(key)
        page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 30)))")


def phases(page: Page, address: str) -> Iterator[str]:
    """Do what readers do with a page; yield after each phase what it was."""
    page.goto(address)
    page.wait_for_timeout(1500)
    yield "loads"
    if "/play/" in address:
        for at in range(page.locator(".move-form").count() and 4):  # cards of a move that is composed
            page.locator(".table-middle button.is-legal, .front button.is-legal").nth(at).click()
            page.wait_for_timeout(150)
        yield "chooses"
        return
    if "/games/" not in address:
        page.wait_for_timeout(4000)
        yield "plays"
        return
    press(page, "ArrowRight", STEPS)
    press(page, "ArrowLeft", STEPS // 2)
    yield "steps"
    press(page, "]", 3)
    press(page, "w", 4)
    press(page, "End", 1)
    press(page, "Home", 1)
    yield "jumps"
    page.keyboard.press(" ")
    page.wait_for_timeout(3000)
    yield "plays"
    for _ in range(5):
        page.keyboard.press("+")
    page.wait_for_timeout(3000)
    yield "plays fast"
    page.keyboard.press(" ")
    page.evaluate("document.getElementById('spoilers').click()")
    page.wait_for_timeout(500)
    yield "without spoiler-free"


def longest(trace: bytes, address: str) -> Task:
    """Return the longest task of the main thread of a page."""
    events: list[Mapping[str, Any]] = json.loads(trace)["traceEvents"]
    main = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    tasks = [
        Task(event.get("dur", 0) / 1000, event.get("tdur", 0) / 1000)
        for event in events
        if event["name"] == "RunTask" and (event["pid"], event["tid"]) in main
    ]
    if not tasks:
        raise SystemExit(f"Chromium told no task of {address}.")
    return max(tasks)


CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]


def measured(
    browser: Browser, base: str, path: str, slow: float, size: tuple[int, int], profile: Path | None
) -> dict[str, Task]:
    """Return the longest task of each phase of a page."""
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height})
    become_the_guest(context, base)
    page = context.new_page()
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slow})
    found: dict[str, Task] = {}
    categories = [*CATEGORIES, *(["disabled-by-default-v8.cpu_profiler"] if profile else [])]
    browser.start_tracing(page=page, categories=categories)
    for phase in phases(page, base + path):
        trace = browser.stop_tracing()
        found[phase] = longest(trace, path)
        if profile:
            profile.mkdir(exist_ok=True)
            name = (
                f"{path.strip('/').replace('/', '-') or 'first'}-{width}-{slow:g}-{phase.replace(' ', '-')}"
            )
            (profile / f"{name}.json").write_bytes(trace)
        browser.start_tracing(page=page, categories=categories)
    browser.stop_tracing()
    context.close()
    return found


def main() -> None:
    """Print the longest tasks of each page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--slow", type=float, default=4, help="how many times slower the processor is")
    parser.add_argument("--store", type=Path, help="make the store in this folder, or use it if it is there")
    parser.add_argument("--page", default="", help="only pages whose name has this text")
    parser.add_argument("--profile", type=Path, help="keep what Chromium recorded in this folder")
    given = parser.parse_args()
    over = 0
    with tempfile.TemporaryDirectory() as scratch, chromium() as browser:
        folder = given.store or Path(scratch)
        folder.mkdir(exist_ok=True)
        store = folder / "arena.sqlite"
        if not store.exists():
            write_store(folder)
        print(f"load average {load()}; ms by the clock, of the processor in brackets")
        with serving(store, TableLimits(of_guests=len(PLAYED))) as (base, site):
            tables = {f"playing {name}": f"/play/{seat_at(site.tables, name, OWNER)[0]}" for name in PLAYED}
            for name, path in {**VIEWS, **tables}.items():
                if given.page not in name:
                    continue
                for kind, size in WIDTHS.items():
                    for slow in (1.0, given.slow):
                        found = measured(browser, base, path, slow, size, given.profile)
                        over += sum(task.cpu_ms > MOST_MS for task in found.values())
                        words = ", ".join(
                            f"{phase} {task.wall_ms:.0f} ({task.cpu_ms:.0f})" for phase, task in found.items()
                        )
                        print(f"{name}, {kind}, {slow:g}×: {words}", flush=True)
        print(f"load average {load()}; {over} phases above {MOST_MS:g} ms of the processor")


if __name__ == "__main__":
    main()

"""Measures how long pages of a large league take, and how long they are.

The league is made up: 500 bots, 4000 matches of two games at tables of four. Each page is made several times, without
keeping it, from an open store to HTML; the median and the range are printed, and the CPU time,
which other load on the machine changes less. `--keep FILE` keeps the store.

    python benchmarks/site_pages.py [times] [--keep FILE] [--results FILE]
"""

import argparse
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.web.links import LiveLinks
from arena.web.page import PageRefused
from arena.web.rendering import render
from arena.web.site_map import find
from benchmarks.comparison import Line, Target, add_results_option, keep, value_line
from results.store import Store, open_store
from tests.web.large_store import add_large_league

ENTRIES = 500
MATCHES = 4000
GAMES = 2
LEAGUE = ("leagues", "large")
PAGES: Mapping[str, tuple[tuple[str, ...], Mapping[str, tuple[str, ...]]]] = {
    "home": ((), {}),
    "ladder": (LEAGUE, {}),
    "ladder, movement": (LEAGUE, {"moved": ("2026-01-08",)}),
    "ladder, active": (LEAGUE, {"active": ("1",)}),
    "ladder, a week rated again": (LEAGUE, {"since": ("2026-01-03",)}),
    "history": ((*LEAGUE, "history"), {}),
    "head to head": ((*LEAGUE, "head-to-head"), {}),
    "head to head, 60": ((*LEAGUE, "head-to-head"), {"first": ("60",)}),
    "seats and luck": ((*LEAGUE, "seats"), {}),
    "faults": ((*LEAGUE, "faults"), {}),
}
"""Paths and what follows them, by what is printed."""
TARGETS = {"ladder": (Target(at_most=100), Target(at_most=200))}
"""The most milliseconds and kB that are wanted."""


def main() -> None:
    """Print the time and the length of each page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("times", type=int, nargs="?", default=9)
    parser.add_argument("--keep", type=Path, help="make the store in this file, or use it if it is there")
    add_results_option(parser)
    given = parser.parse_args()
    lines: list[Line] = []
    with tempfile.TemporaryDirectory() as folder:
        path = given.keep or Path(folder) / "arena.sqlite"
        if not path.exists():
            with open_store(path, create=True) as store:
                add_large_league(store, "large", ENTRIES, MATCHES, GAMES)
        with open_store(path, create=False, readonly=True) as store:
            print(f"{ENTRIES} bots, {MATCHES} matches; {given.times} times: median (least to most)")
            for name in PAGES:
                lines += measure(store, name, given.times)
    keep(given.results, lines)


def measure(store: Store, name: str, times: int) -> list[Line]:
    """Print one page's figures, and return them."""
    path, asked = PAGES[name]
    found = find(path, asked)
    links = LiveLinks("0")
    total_ms, report_ms, cpu_ms, html = [], [], [], ""
    for _ in range(times + 1):
        begun, cpu_begun = time.perf_counter(), time.thread_time()
        try:
            page = found.make(store)
        except PageRefused as refused:
            page = refused.page
        made = time.perf_counter()
        html = render(page, links)
        total_ms.append(1000 * (time.perf_counter() - begun))
        cpu_ms.append(1000 * (time.thread_time() - cpu_begun))
        report_ms.append(1000 * (made - begun))
    total_ms, report_ms, cpu_ms = total_ms[1:], report_ms[1:], cpu_ms[1:]
    content = html.encode()
    print(
        f"{name:>28}: {statistics.median(total_ms):7.1f} ms ({min(total_ms):.1f} to {max(total_ms):.1f}), of it "
        f"reports {statistics.median(report_ms):7.1f} ms; CPU {statistics.median(cpu_ms):7.1f} ms; "
        f"{len(content) / 1000:6.1f} kB, "
        f"compressed {len(zlib.compress(content, 5)) / 1000:.1f} kB"
    )
    most_ms, most_kb = TARGETS.get(name, (None, None))
    what = "a page of the site"
    return [
        value_line(what, name, "ms of CPU time", ("the page", cpu_ms), target=most_ms),
        value_line(what, name, "kB", ("the page", [len(content) / 1000]), target=most_kb),
    ]


if __name__ == "__main__":
    main()

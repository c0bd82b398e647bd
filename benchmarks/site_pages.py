"""Measures what pages of a large league cost, and how long a static file takes while visitors ask for what is slow.

The league is made up: 200 bots, 50 of them entries of one version, and 9000 matches at tables of four. Each page and
file is made several times, without keeping it, from an open store to its bytes; the plain ladder is made before each.
Then pages of leagues of 50 and of 2000 bots are asked for by HTTP in this process, one after the other: after a match
was added, so that nothing is kept, and again.
Then `arena serve` gets 60 requests at once for ladders that are counted again, all for the same one or each for
another, and a static file is asked for until they are answered.

    python benchmarks/site_pages.py [times] [--keep FILE] [--results FILE]
"""

import argparse
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from datetime import date, timedelta
from functools import partial
from http.client import HTTPConnection
from itertools import product
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[1]))

from starlette.testclient import TestClient

from arena.web.app import create_app
from arena.web.html.links import LiveLinks
from arena.web.html.page_model import PageRefused
from arena.web.html.rendering import render
from arena.web.http.page_cache import PageCache
from arena.web.live.site import Site
from arena.web.public.table_downloads import REPORTS
from arena.web.public.url_map import content_of, find
from benchmarks.comparison import Line, Target, add_results_option, keep, ratio_line, rounds, value_line
from benchmarks.site_load import start
from results.records import VersionSpec
from results.store import Store, open_store
from tests.support.web.large_store import add_large_league, add_matches

ENTRIES = 200
COPIES = 50
MATCHES = 9000
LEAGUE = ("leagues", "large")
LADDER = "ladder"
Asked = Mapping[str, tuple[str, ...]]
PAGES: Mapping[str, tuple[tuple[str, ...], Asked]] = {
    LADDER: (LEAGUE, {}),
    "home": ((), {}),
    "ladder, movement": (LEAGUE, {"moved": ("2026-01-08",)}),
    "ladder, active": (LEAGUE, {"active": ("1",)}),
    "ladder, an unknown bot": (LEAGUE, {"against": ("nobody",)}),
    "history": ((*LEAGUE, "history"), {}),
    "head to head": ((*LEAGUE, "head-to-head"), {}),
    "head to head, 60, by games": ((*LEAGUE, "head-to-head"), {"first": ("60",), "by": ("games",)}),
    "seats and luck": ((*LEAGUE, "seats"), {}),
    "faults": ((*LEAGUE, "faults"), {}),
    "live": ((*LEAGUE, "live"), {}),
    "matches": ((*LEAGUE, "matches"), {}),
    "matches, 500": ((*LEAGUE, "matches"), {"show": ("500",)}),
    "a match": ((*LEAGUE, "matches", "8000"), {}),
    "a bot in the league": ((*LEAGUE, "bots", "author5/bot-5"), {}),
    "a game without its replay": ((*LEAGUE, "games", "10.0"), {}),
    "a bot": (("bots", "copied", "bot"), {}),
    "a version": (("bots", "copied", "bot", "1"), {}),
    "an author": (("authors", "copied"), {}),
    "the rules of a game": (("rules", "bread-basket"), {}),
}
"""Paths and what follows them, by what is printed."""
COUNTED: Mapping[str, Asked] = {
    "ladder, the latest day rated again": {"since": ("2026-01-10",)},
    "ladder, all days but one rated again": {"until": ("2026-01-09",)},
}
"""Ladders that say that they count: they take up to 3 seconds, and then are refused."""
FIELDS = (50, 2000)
GROWING = {"ladder": "/leagues/large", "all bots": "/bots", "home": "/"}
"""Pages that must not get slower with more bots."""
MOST_GROWTH = 2
MOST_RATIO = 20
MOST_SLOWER = 5
REQUESTS = 60
IDLE_S = 1.0


Make = Callable[[], bytes]


def makers(store: Store) -> dict[str, Make]:
    """Return what makes the bytes of each page and file, by what is printed."""
    links = LiveLinks("0")

    def page(path: tuple[str, ...], asked: Asked) -> bytes:
        try:
            found = find(path, asked).make(store)
        except PageRefused as refused:
            found = refused.page
        return render(found, links).encode()

    return {
        **{name: partial(page, *asked) for name, asked in PAGES.items()},
        **{
            f"{name}.csv": partial(content_of, store, (*LEAGUE, f"{name}.csv"), links, "") for name in REPORTS
        },
        **{name: partial(page, LEAGUE, asked) for name, asked in COUNTED.items()},
    }


def cpu_ms(make: Make) -> float:
    """Return the CPU time of making a page once."""
    begun = time.thread_time()
    make()
    return 1000 * (time.thread_time() - begun)


def pages(store: Store, times: int) -> list[Line]:
    """Print what each page costs, and return the lines."""
    found = makers(store)
    ladder = found[LADDER]
    content = ladder()
    ladder_ms = [cpu_ms(ladder) for _ in range(times)]
    kb, packed_kb = len(content) / 1000, len(zlib.compress(content, 5)) / 1000
    print(
        f"{LADDER}: {statistics.median(ladder_ms):.1f} ms of CPU time, {kb:.1f} kB, {packed_kb:.1f} compressed"
    )
    lines = [
        value_line(
            "a page of the site",
            LADDER,
            "ms of CPU time",
            ("the page", ladder_ms),
            target=Target(at_most=100),
        ),
        value_line("a page of the site", LADDER, "kB", ("the page", [kb]), target=Target(at_most=200)),
    ]
    dearest: Line | None = None
    for name, make in found.items():
        if name == LADDER:
            continue
        make()
        pairs = [(cpu_ms(make), cpu_ms(ladder)) for _ in range(1 if name in COUNTED else times)]
        sides = ("the page", [page for page, _ in pairs]), (LADDER, [other for _, other in pairs])
        setting = f"{name}, which counts" if name in COUNTED else name
        line = ratio_line("a page of the site ÷ the plain ladder", setting, "ms of CPU time", *sides)
        print(f"{setting:>50}: {line.sides[0].values[0]:8.1f} ms, {line.median:6.2f} × the ladder")
        lines.append(line)
        if name not in COUNTED and (dearest is None or line.median > dearest.median):
            judged = f"the dearest, {name}"
            dearest = ratio_line(line.name, judged, line.unit, *sides, target=Target(at_most=MOST_RATIO))
    return [*lines, dearest] if dearest else lines


def growth(folder: Path, times: int) -> list[Line]:
    """Print what the first byte costs in leagues of few and of many bots, and return the lines."""
    took_ms: dict[tuple[str, bool], list[list[float]]] = {}
    with ExitStack() as stack:
        sides = [_Side(stack, folder / f"{bots}.sqlite", bots) for bots in FIELDS]
        for _, (name, path), is_kept in product(range(times + 1), GROWING.items(), (False, True)):
            pair = [side.first_byte_ms(path, is_kept=is_kept) for side in sides[::-1]]
            took_ms.setdefault((name, is_kept), []).append(pair)
    lines = []
    for (name, is_kept), pairs in took_ms.items():
        setting = f"{name}, {'again' if is_kept else 'after a match'}"
        many, few = zip(*pairs[1:], strict=True)
        sides_of = (f"{FIELDS[1]} bots", list(many)), (f"{FIELDS[0]} bots", list(few))
        name_of = f"first byte with {FIELDS[1]} bots ÷ with {FIELDS[0]}"
        line = ratio_line(name_of, setting, "ms of CPU time", *sides_of, target=Target(at_most=MOST_GROWTH))
        print(
            f"{setting:>50}: {statistics.median(many):7.1f} and {statistics.median(few):6.1f} ms, {line.median:.2f} ×"
        )
        lines.append(line)
    return lines


class _Side:
    """A site with a league of so many bots, each of which has been submitted."""

    def __init__(self, stack: ExitStack, path: Path, bots: int) -> None:
        self._bots = bots
        self._store = stack.enter_context(open_store(path, create=True))
        self._league = add_large_league(self._store, LEAGUE[1], bots, MATCHES, 1)
        with self._store.together():
            for number in range(bots):
                spec = VersionSpec(f"author{number % 97}", f"bot-{number}", f"{number:064x}", {}, {})
                self._store.versions.add_all([spec])
        self._site = Site.of(path)
        stack.callback(self._site.close)
        self._client = stack.enter_context(TestClient(create_app(self._site), base_url="http://localhost"))

    def first_byte_ms(self, path: str, *, is_kept: bool) -> float:
        """Return the CPU time until the first byte; unless it is kept, after a match was played since it was made."""
        if not is_kept:
            done = self._store.leagues.progress(self._league).matches_planned
            add_matches(self._store, self._league, self._bots, done, done + 1, 1)
            self._site.page_cache = PageCache()
        begun = time.process_time()
        with self._client.stream("GET", path) as answer:
            assert answer.status_code == 200, path
            next(answer.iter_raw())
            return 1000 * (time.process_time() - begun)


class Flood:
    """Requests for a server, all at once, and how long a static file takes meanwhile."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.host, self.port = parts.hostname or "", parts.port or 80
        self._day = date(1990, 1, 1)

    def idle(self) -> list[float]:
        """Return how long a static file takes while nobody else asks for anything, in ms."""
        end_s = time.monotonic() + IDLE_S
        return self._file_ms(lambda: time.monotonic() > end_s)

    def flooded(self, *, is_equal: bool) -> tuple[list[float], Counter[int]]:
        """Return how long a static file takes until so many slow requests are answered, and their statuses."""
        paths = [f"/leagues/{LEAGUE[1]}?since={self._next_day()}" for _ in range(REQUESTS)]
        answers: Counter[int] = Counter()
        threads = [
            threading.Thread(target=lambda path=path: answers.update([self._status(path)]))
            for path in ([paths[0]] * REQUESTS if is_equal else paths)
        ]
        for thread in threads:
            thread.start()
        took_ms = self._file_ms(lambda: answers.total() == REQUESTS)
        for thread in threads:
            thread.join()
        return took_ms, answers

    def _next_day(self) -> date:
        self._day += timedelta(days=1)
        return self._day

    def _status(self, path: str) -> int:
        with closing(HTTPConnection(self.host, self.port, timeout=300)) as connection:
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            return answer.status

    def _file_ms(self, is_over: Callable[[], bool]) -> list[float]:
        """Ask for a static file until something is over; return how long each answer took."""
        took_ms = []
        with closing(HTTPConnection(self.host, self.port, timeout=300)) as connection:
            while not is_over():
                begun = time.perf_counter()
                connection.request("GET", "/static/site.css")
                connection.getresponse().read()
                took_ms.append(1000 * (time.perf_counter() - begun))
                time.sleep(0.005)
        return took_ms


def floods(store: Path, times: int, most_s: float) -> list[Line]:
    """Print how long a static file takes while visitors ask for what is slow, and return the lines."""
    server = start(
        "serve", "--no-run", "--no-uploads", "--port", "0", "--store", str(store), cwd=store.parent
    )
    sides: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    try:
        assert server.stdout
        flood = Flood(next(line.split()[1] for line in server.stdout if line.startswith("open ")))
        flood.idle()
        for _ in rounds(times, most_s):
            for is_equal, pairs in sides.items():
                idle_ms = statistics.median(flood.idle())
                took_ms, answers = flood.flooded(is_equal=is_equal)
                pairs.append((statistics.median(took_ms), idle_ms))
                kind = "equal" if is_equal else "different"
                median_ms, most_ms = statistics.median(took_ms), max(took_ms)
                print(f"{REQUESTS} {kind} requests, answered {dict(answers)}: ", end="")
                print(
                    f"a static file took {median_ms:.2f} ms, at most {most_ms:.1f}, and {idle_ms:.2f} before"
                )
    finally:
        server.send_signal(signal.SIGINT)
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
    return [
        ratio_line(
            "a static file under slow requests ÷ idle",
            f"{REQUESTS} {'equal' if is_equal else 'different'} requests",
            "ms",
            ("under them", [under for under, _ in pairs]),
            ("idle", [idle for _, idle in pairs]),
            Target(at_most=MOST_SLOWER),
        )
        for is_equal, pairs in sides.items()
    ]


def main() -> None:
    """Print the cost of each page, and how others are served meanwhile."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("times", type=int, nargs="?", default=5)
    parser.add_argument("--keep", type=Path, help="make the store in this file, or use it if it is there")
    add_results_option(parser)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.keep or Path(folder) / "arena.sqlite"
        if not path.exists():
            with open_store(path, create=True) as store:
                add_large_league(store, LEAGUE[1], ENTRIES, MATCHES, 1, copies=COPIES)
        print(
            f"{ENTRIES} bots, {COPIES} of them one version, {MATCHES} matches; {given.times} times: medians"
        )
        with open_store(path, create=False, readonly=True) as store:
            lines = pages(store, given.times)
        lines += growth(Path(folder), given.times)
        lines += floods(path, given.times, given.most_s / 2)
    keep(given.results, lines)


if __name__ == "__main__":
    main()

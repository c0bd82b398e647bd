"""Measures a ledger of many games: what adding games, rankings and pages cost as it grows.

The league is made up: 10,000 entries, matches of four games at four seats, drawn at random. The first games are added
as a runner adds them. From then on the ledger is grown in SQL, by copies of these games with other entries, until it
has the next number of games; their replays count as pruned, and their totals are rows of the right number with the
wrong sums. At each size a process of its own adds games (`Store.append`, with everything derived, in chunks of 32 and
of 256), and others print the rankings and make pages. Peak memory is that of the process. Small bodies, 0.3 kB: at
10 kB a game takes longer to write.

    python benchmarks/ledger_size.py [--sizes 10000,1000000] [--add 12800] [--folder DIR] [--results FILE]
"""

import argparse
import json
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.comparison import Line, Target, add_results_option, keep, value_line
from benchmarks.made_up_games import made_up_game
from benchmarks.site_pages import PAGES
from results.records import EntrySpec, GameRecord, MatchRecord, RulesetRecord
from results.store import Store, open_store

ENTRIES = 10_000
SEATS = 4
CHUNKS = (32, 256)
LEAGUE = "large"
RATES = "games"
"""As in new leagues: each game changes the ratings, not only a match as one."""
BODY_BYTES = 300
SHOWN = ("home", "ladder", "history", "faults")
ADDED = Target(at_least=2000)
_GROWN = (
    "INSERT INTO match SELECT league_id, match_no + :by, round_no, '[' || :e0 || ',' || :e1 || ',' || :e2 || ',' || "
    ":e3 || ']', games, why, state, ruleset_id, checksum, seed, first_rotation, rated "
    "FROM match WHERE match_no < :first",
    "INSERT INTO game SELECT league_id, match_no + :by, rotation, fingerprint, decisions, wall_ns, sandbox, worker, "
    "finished_at, 1, checksums FROM game WHERE match_no < :first",
    "INSERT INTO seat SELECT league_id, match_no + :by, rotation, seat, (entry_no * :times + :plus) % :entries, score, "
    "rank, verdict, detail, at_decision, decisions, wall_ns, max_wall_ns, cpu_ns, reason "
    "FROM seat WHERE match_no < :first",
    "INSERT INTO rating_point SELECT league_id, match_no + :by, (entry_no * :times + :plus) % :entries, mu, sigma "
    "FROM rating_point WHERE match_no < :first",
    "INSERT INTO pair_total SELECT league_id, min(a, b), max(a, b), games, games_above, games_tied, matches, "
    "matches_above, matches_tied FROM (SELECT *, (entry_a * :times + :plus) % :entries AS a, "
    "(entry_b * :times + :plus) % :entries AS b FROM first_pairs) WHERE true ON CONFLICT DO UPDATE SET "
    "games = games + excluded.games, matches = matches + excluded.matches",
)
"""Copies all matches before the first copy, with their numbers moved up and other entries in their places."""
_INDEXES = ("seat_entry", "rating_point_entry", "game_sandbox")


def main() -> None:
    """Print the figures at each size."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="10000,1000000", help="numbers of games, increasing")
    parser.add_argument("--add", type=int, default=12_800, help="games to add for each size of chunk")
    parser.add_argument("--folder", type=Path, help="where to make the store; it is removed afterwards")
    parser.add_argument("--rounds", type=int, default=3, help="how often rankings and pages are made")
    parser.add_argument("--games", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--step", nargs=2, metavar=("WHAT", "STORE"), help=argparse.SUPPRESS)
    add_results_option(parser)
    given = parser.parse_args()
    if given.step:
        what, path = given.step
        print(json.dumps({"add": add, "grow": grow, "pages": pages}[what](Path(path), given)))
        return
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(dir=given.folder, prefix="arena-size-") as folder:
        path = Path(folder) / "arena.sqlite"
        sizes = [int(size) for size in given.sizes.split(",")]
        begin(path, sizes[0] - given.add * len(CHUNKS))
        for number, size in enumerate(sizes):
            if number:
                step("grow", path, given, size - given.add * len(CHUNKS))
                os.sync()  # otherwise what follows waits for the disk to take the copies
            lines += measure(path, size, given)
    keep(given.results, lines)


def begin(path: Path, games: int) -> None:
    """Make the store with its league and the first games."""
    with open_store(path, create=True) as store:
        entries = [EntrySpec(f"author{number % 97}/bot-{number}", None) for number in range(ENTRIES)]
        rules = RulesetRecord("bread-basket", 1, "tens", "{}")
        store.leagues.create(
            LEAGUE,
            config={},
            ruleset=rules,
            entries=entries,
            rating_options={"rates": RATES},
            secret=bytes(32),
        )
        store.leagues.set_state(LEAGUE, "running")
        for chunk in chunks(store, max(games, 0), CHUNKS[-1]):
            store.append(chunk)


def chunks(store: Store, games: int, size: int) -> Iterator[list[GameRecord]]:
    """Plan matches and yield their games, so many at a time."""
    league = store.leagues.get(LEAGUE).uuid
    first = store.leagues.progress(league).matches_planned
    rng = Random(first)
    for start in range(0, games, size):
        matches = [
            MatchRecord(league, first + number, 0, tuple(rng.sample(range(ENTRIES), SEATS)), SEATS)
            for number in range(start // SEATS, (start + size) // SEATS)
        ]
        store.matches.plan(league, matches)
        yield [game(match, rotation, rng) for match in matches for rotation in range(SEATS)]


def game(match: MatchRecord, rotation: int, rng: Random) -> GameRecord:
    """Return a made-up game."""
    body = zlib.compress(rng.randbytes(BODY_BYTES - 16), 0)
    return made_up_game(rng, match.league, match.match_no, rotation, match.entries, body)


def grow(path: Path, given: argparse.Namespace) -> None:
    """Copy the games of a store until it has `given.games`."""
    games = given.games
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("PRAGMA journal_mode = DELETE")
        raw.execute("PRAGMA journal_mode = OFF")
        raw.execute("PRAGMA synchronous = OFF")
        raw.execute("PRAGMA cache_size = -800000")
        indexes = {
            name: sql
            for name, sql in raw.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index'")
            if name in _INDEXES
        }
        for name in indexes:
            raw.execute(f"DROP INDEX {name}")
        ((there,),) = raw.execute("SELECT count(*) FROM match")
        raw.execute("CREATE TEMP TABLE first_pairs AS SELECT * FROM pair_total")
        rng = Random(there)
        for copy in range(1, max(1, games // SEATS // there)):
            values = {
                "by": copy * there,
                "first": there,
                "times": rng.randrange(ENTRIES // 10) * 10 + 1,
                "plus": rng.randrange(ENTRIES),
                "entries": ENTRIES,
            }
            raw.execute("BEGIN")
            for statement in _GROWN:
                for seat in range(SEATS):
                    entry = f"((json_extract(entries, '$[{seat}]') * :times + :plus) % :entries)"
                    statement = statement.replace(f":e{seat}", entry)
                raw.execute(statement, values)
            raw.execute("COMMIT")
        for sql in indexes.values():
            raw.execute(sql)
        ((matches,),) = raw.execute("SELECT count(*) FROM match")
        raw.execute(
            "UPDATE progress SET next_match_no = ?1, matches_planned = ?1, matches_done = ?1, "
            "games_planned = ?2, games_done = ?2",
            (matches, matches * SEATS),
        )
        raw.execute("UPDATE row_count SET rows = ? WHERE table_name = 'match'", (matches,))


def measure(path: Path, size: int, given: argparse.Namespace) -> list[Line]:
    """Print the figures of a store, and return them."""
    added, added_peak = step("add", path, given)
    shown, shown_peak = step("pages", path, given)
    rankings = [ranked(path) for _ in range(given.rounds)]
    print(f"{size:,} games, {ENTRIES:,} entries: {path.stat().st_size / 1e9:.2f} GB")
    setting = f"{size:,} games, {ENTRIES:,} entries"
    lines = []
    for chunk, found in added.items():
        print(
            f"  add, chunks of {chunk:>3}: {found['per_s']:.0f} games/s, {shown_as(found['cpu_us'])} µs of CPU time "
            f"and {found['written_kb']:.1f} kB written a game"
        )
        name = f"add games, chunks of {chunk}"
        lines.append(value_line(name, setting, "games/s", ("wall time", found["rates"]), target=ADDED))
        lines.append(value_line(name, setting, "µs of CPU time a game", ("CPU", found["cpu_us"])))
    cpu = [cpu_s for cpu_s, _ in rankings]
    print(f"  adding: {added_peak} MB at most; pages: {shown_peak} MB")
    print(f"  rankings: {shown_as(cpu)} s of CPU time, {rankings[0][1]} MB")
    lines.append(value_line("arena rankings", setting, "s of CPU time", ("rankings", cpu)))
    lines.append(value_line("memory of adding", setting, "MB", ("peak", [added_peak])))
    for page, cpu_ms in shown.items():
        print(f"  page {page}: {shown_as(cpu_ms)} ms of CPU time")
        lines.append(
            value_line("a page of the site", f"{page}, {setting}", "ms of CPU time", ("page", cpu_ms))
        )
    return lines


def shown_as(values: Sequence[float]) -> str:
    """Return the mean of some values with its standard error."""
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.3g} ± {error:.2g}"


def step(what: str, path: Path, given: argparse.Namespace, games: int = 0) -> tuple[dict[str, Any], int]:
    """Do one step in a process of its own; return what it found, and its peak memory in MB."""
    command = [sys.executable, __file__, "--step", what, str(path), "--games", str(games)]
    command += ["--add", str(given.add), "--rounds", str(given.rounds)]
    found, _, peak = run(command)
    return json.loads(found), peak


def ranked(path: Path) -> tuple[float, int]:
    """Return the CPU seconds and the peak memory in MB of `arena rankings`."""
    _, cpu_s, peak = run([sys.executable, "-m", "arena", "rankings", LEAGUE, "--store", str(path)])
    return cpu_s, peak


def run(command: Sequence[str]) -> tuple[bytes, float, int]:
    """Run a program; return its output, its CPU seconds and its peak memory in MB."""
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return output, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def add(path: Path, given: argparse.Namespace) -> dict[str, Any]:
    """Add games in chunks of each size; return what it took."""
    found = {}
    with open_store(path) as store:
        for chunk in store_chunks(store):
            store.append(chunk)  # warms up
        for size in CHUNKS:
            took_s, cpus, rates = 0.0, [], []
            written = _written()
            for chunk in chunks(store, given.add, size):
                begun, cpu = time.perf_counter(), time.process_time()
                store.append(chunk)
                one_s = time.perf_counter() - begun
                took_s += one_s
                cpus.append(1e6 * (time.process_time() - cpu) / size)
                rates.append(size / one_s)
            found[str(size)] = {
                "per_s": given.add / took_s,
                "cpu_us": cpus,
                "written_kb": (_written() - written) / given.add / 1000,
                "rates": rates,
            }
    return found


def store_chunks(store: Store) -> Iterator[list[GameRecord]]:
    """Yield a few games for the beginning."""
    return chunks(store, CHUNKS[-1], CHUNKS[-1])


def _written() -> int:
    """Return the bytes that this process has caused to be written to disks, from /proc; 0 elsewhere."""
    try:
        text = Path("/proc/self/io").read_text()
    except OSError:
        return 0
    return int(text.partition("write_bytes: ")[2].split()[0])


def pages(path: Path, given: argparse.Namespace) -> dict[str, list[float]]:
    """Return the milliseconds of CPU time of some pages."""
    from arena.web.html.links import LiveLinks
    from arena.web.html.page_model import PageRefused
    from arena.web.html.rendering import render
    from arena.web.public.url_map import find

    found: dict[str, list[float]] = {}
    with open_store(path, create=False, readonly=True) as store:
        for name in SHOWN:
            for number in range(given.rounds + 1):
                begun = time.process_time()
                try:
                    page = find(*PAGES[name]).make(store)
                except PageRefused as refused:
                    page = refused.page
                render(page, LiveLinks("0"))
                if number:
                    found.setdefault(name, []).append(1000 * (time.process_time() - begun))
    return found


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()

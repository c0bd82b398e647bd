"""How much readers of the site and uploads slow a league down: games a second with them against without.

    python benchmarks/site_load.py [--readers 200] [--uploads 20] [--slice-s 20] [--slices 6] [--json FILE]

A league of four bots is played by `arena run --workers 1`. `arena serve --no-run` serves its pages to readers that ask
for the ladder every five seconds, as open pages do. Slices of time with readers and uploads and slices without take
turns, so that other load on the machine meets both alike. The ratio is that of the games stored in them.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
ARENA = [sys.executable, "-m", "arena"]
POLL_S = 5.0
LEAGUE = """
name = "main"
game = "bread-basket"
seats = 4
seed = 1
same_author = true
options = { hands = 1 }
keep_replays = "last 1000"

[schedule]
kind = "round-robin"
rounds = 100_000

[[bots]]
glob = "bots/bread_basket/*"
[[bots]]
path = "bots/any_game/random"
"""


def games(store: Path) -> int:
    """Return how many games are stored."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM game").fetchone()[0])


class Readers:
    """Open pages: each asks again every five seconds, over a connection that it keeps."""

    def __init__(self, address: str, number: int) -> None:
        parts = urlsplit(address)
        self.host, self.port, self.number = parts.hostname or "", parts.port or 80, number
        self.latencies_s: list[float] = []
        self.answers: dict[int, int] = {}
        self.failed = 0

    async def read(self, until_s: float) -> None:
        """Read until a moment of the monotonic clock."""
        await asyncio.gather(*(self._one(until_s) for _ in range(self.number)))

    async def _one(self, until_s: float) -> None:
        await asyncio.sleep(random.uniform(0, POLL_S))
        tag, streams = b"", None
        while time.monotonic() < until_s:
            begun_s = time.monotonic()
            try:
                streams = streams or await asyncio.open_connection(self.host, self.port)
                status, tag = await self._ask(*streams, tag)
                self.answers[status] = self.answers.get(status, 0) + 1
                self.latencies_s.append(time.monotonic() - begun_s)
            except (OSError, asyncio.IncompleteReadError, ValueError):
                self.failed, streams = self.failed + 1, None
            await asyncio.sleep(max(0.0, min(POLL_S, until_s - time.monotonic())))
        if streams:
            streams[1].close()

    async def _ask(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, tag: bytes
    ) -> tuple[int, bytes]:
        condition = b"If-None-Match: " + tag + b"\r\n" if tag else b""
        writer.write(
            b"GET /leagues/main HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n"
            + condition
            + b"\r\n"
        )
        head = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
        headers = dict(line.lower().split(b": ", 1) for line in head[1:] if b": " in line)
        if length := int(headers.get(b"content-length", b"0")):
            await reader.readexactly(length)
        elif headers.get(b"transfer-encoding") == b"chunked":
            while size := int(await reader.readuntil(b"\r\n"), 16):
                await reader.readexactly(size + 2)
            await reader.readexactly(2)
        return int(head[0].split()[1]), headers.get(b"etag", tag)


def start(*arguments: str, cwd: Path) -> subprocess.Popen[str]:
    """Start a command that goes on."""
    return subprocess.Popen(
        [*ARENA, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--slice-s", type=float, default=20.0)
    parser.add_argument("--slices", type=int, default=6, help="pairs of slices")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="arena-site-load-") as scratch:
        folder = Path(scratch)
        store = folder / "arena.sqlite"
        (folder / "league.toml").write_text(LEAGUE)
        subprocess.run(
            [*ARENA, "league", "create", "league.toml"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        runner = start("run", "--workers", "1", cwd=folder)
        server = start("serve", "--no-run", "--port", "0", cwd=folder)
        try:
            assert server.stdout
            address = next(line.split()[1] for line in server.stdout if line.startswith("open "))
            while games(store) < 50:
                time.sleep(0.5)
            readers = Readers(address, given.readers)
            pairs = []
            for number in range(given.slices):
                rates = {}
                for loaded in (True, False) if number % 2 else (False, True):
                    first, begun_s = games(store), time.monotonic()
                    if loaded:
                        asyncio.run(readers.read(begun_s + given.slice_s))
                    time.sleep(max(0.0, begun_s + given.slice_s - time.monotonic()))
                    rates[loaded] = (games(store) - first) / (time.monotonic() - begun_s)
                pairs.append((rates[True], rates[False]))
                print(f"with {rates[True]:.1f}, without {rates[False]:.1f} games/s", flush=True)
        finally:
            for process in (server, runner):
                process.send_signal(signal.SIGINT)
            for process in (server, runner):
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()
    ratio = sum(one for one, _ in pairs) / sum(other for _, other in pairs)
    found = {
        "ratio": round(ratio, 3),
        "ratios": [round(one / other, 3) for one, other in pairs],
        "answers": readers.answers,
        "failed": readers.failed,
        "median_ms": round(1000 * statistics.median(readers.latencies_s), 1),
        "worst_ms": round(1000 * max(readers.latencies_s), 1),
    }
    print(json.dumps(found, indent=2))
    if given.json:
        given.json.write_text(json.dumps(found))


if __name__ == "__main__":
    main()

"""How much readers of the site and uploads slow a league down: games a second with them against without.

    python benchmarks/site_load.py [--readers 200] [--no-uploads] [--slice-s 20] [--slices 6] [--results FILE]

A league of four bots is played by `arena run --workers 1`. `arena serve --no-run` serves its pages to readers that ask
for the ladder every five seconds, as open pages do, and checks the uploads of four authors one at a time. Slices of
time with readers and uploads and slices without take turns, so that other load on the machine meets both alike. The
ratio is that of the games stored in them.
"""

import argparse
import asyncio
import io
import json
import os
import random
import re
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.comparison import Target, add_results_option, keep, ratio_line, rounds

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
path = "bots/bread_basket/greedy"
[[bots]]
path = "bots/bread_basket/counter"
[[bots]]
path = "bots/bread_basket/crumb"
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


class Uploads:
    """Authors who send a new version of a bot as soon as the one before has been checked."""

    def __init__(self, address: str, folder: Path) -> None:
        self.address, self.folder = address, folder
        self.sent = 0
        self.accepted = 0
        self.tokens = [
            command("accounts", "invite", f"author{number}", cwd=folder).strip() for number in range(4)
        ]
        command("new", "mybot", "--game", "bread-basket", cwd=folder)

    def send(self, until_s: float) -> None:
        """Send uploads until a moment of the monotonic clock."""
        while time.monotonic() < until_s:
            token = self.tokens[self.sent % len(self.tokens)]
            self.sent += 1
            found = self._ask(token, f"uploads?name=bot{self.sent}.zip", self._archive())
            while found["state"] not in ("accepted", "refused", "broken"):
                if time.monotonic() >= until_s:
                    return
                time.sleep(0.5)
                found = self._ask(token, f"uploads/{found['id']}")
            self.accepted += found["state"] == "accepted"

    def _archive(self) -> bytes:
        """Return another version of the bot as a zip archive."""
        with io.BytesIO() as content:
            with zipfile.ZipFile(content, "w") as archive:
                for path in (self.folder / "mybot").rglob("*"):
                    if path.is_file():
                        text = re.sub(r'^author = ".*"$', "", path.read_text(), flags=re.MULTILINE)
                        extra = f"\n# version {self.sent}\n" if path.name == "bot.py" else ""
                        archive.writestr(str(path.relative_to(self.folder / "mybot")), text + extra)
            return content.getvalue()

    def _ask(self, token: str, path: str, body: bytes | None = None) -> dict[str, Any]:
        request = urllib.request.Request(  # noqa: S310 - the address of a server started here
            f"{self.address}api/v1/{path}", data=body, headers={"Authorization": f"Bearer {token}"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            found: dict[str, Any] = json.load(answer)
            return found


def command(*arguments: str, cwd: Path) -> str:
    """Run a command to its end; return its output."""
    return subprocess.run(
        [*ARENA, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


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
    parser.add_argument("--no-uploads", action="store_true")
    parser.add_argument("--slice-s", type=float, default=20.0)
    parser.add_argument("--slices", type=int, default=6, help="pairs of slices")
    add_results_option(parser)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="arena-site-load-") as scratch:
        folder = Path(scratch)
        store = folder / "arena.sqlite"
        (folder / "league.toml").write_text(LEAGUE)
        command("league", "create", "league.toml", cwd=folder)
        runner = start("run", "--workers", "1", cwd=folder)
        server = start("serve", "--no-run", "--port", "0", cwd=folder)
        try:
            assert server.stdout
            address = next(line.split()[1] for line in server.stdout if line.startswith("open "))
            while games(store) < 50:
                time.sleep(0.5)
            readers = Readers(address, given.readers)
            uploads = None if given.no_uploads else Uploads(address, folder)
            pairs = []
            for number in rounds(given.slices, given.most_s):
                rates = {}
                for loaded in (True, False) if number % 2 else (False, True):
                    first, begun_s = games(store), time.monotonic()
                    if loaded:
                        until_s = begun_s + given.slice_s
                        sender = threading.Thread(target=uploads.send if uploads else int, args=(until_s,))
                        sender.start()
                        asyncio.run(readers.read(until_s))
                        sender.join()
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
        "uploads": [uploads.sent, uploads.accepted] if uploads else None,
        "median_ms": round(1000 * statistics.median(readers.latencies_s), 1),
        "worst_ms": round(1000 * max(readers.latencies_s), 1),
    }
    print(json.dumps(found, indent=2))
    keep(
        given.results,
        [
            ratio_line(
                "a league with readers and uploads ÷ without",
                f"{given.readers} readers, one worker",
                "games/s",
                ("with", [one for one, _ in pairs]),
                ("without", [other for _, other in pairs]),
                Target(at_least=0.9),
            )
        ],
    )


if __name__ == "__main__":
    main()

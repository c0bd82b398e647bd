"""A machine that plays games for a runner elsewhere: `python -I far_host.py FORBIDDEN`, in a folder of its own.

It shares nothing with the runner but two pipes, its standard input and output. What comes in and goes out are frames:
four bytes of length, then a msgpack pair of a word and its content. Opening anything below FORBIDDEN, where the
runner's store lies, is an error here.

    in:  work (bytes) · version (bytes; None: refused) · ticket (bytes)
    out: fetch (hash) · ready (level of isolation) · refused (text) · results (bytes)
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import msgspec

from arena.config.settings import read_runtimes
from arena.core.errors import ArenaError
from arena.core.ticket import Ticket
from arena.executors.base import Stop
from arena.executors.worker import SerialExecutor
from arena.league.running.local_games import prepare
from arena.league.running.work_units import pack_results, unpack_tickets, unpack_work
from arena.submissions.version_files_by_hash import FetchedVersions, VersionRefused


class Pipes:
    """Frames to and from somebody."""

    def __init__(self, reading: IO[bytes], writing: IO[bytes]) -> None:
        self.reading = reading
        self._writing = writing

    def send(self, word: str, content: Any) -> None:
        """Send a frame. Raises OSError where nobody reads any more."""
        packed = msgspec.msgpack.encode((word, content))
        self._writing.write(len(packed).to_bytes(4, "big") + packed)
        self._writing.flush()

    def receive(self) -> tuple[str, Any]:
        """Return the next frame. Raises EOFError where there is none."""
        length = self._read(4)
        packed = self._read(int.from_bytes(length, "big"))
        word, content = msgspec.msgpack.decode(packed, type=tuple[str, Any])
        return word, content

    def _read(self, count: int) -> bytes:
        found: bytes = self.reading.read(count)
        if len(found) < count:
            raise EOFError
        return found


class FromAfar:
    """The tickets that the runner sends, one at a time. A `TicketSource`."""

    def __init__(self, runner: Pipes) -> None:
        self._runner = runner

    def take(self, most: int, worker_no: int) -> list[Ticket]:  # noqa: ARG002 - there is one worker
        try:
            word, content = self._runner.receive()
        except EOFError:
            return []
        assert word == "ticket"
        return unpack_tickets(content)


def forbid(place: str) -> None:
    """Make it an error to open or list anything below a folder."""

    def look(event: str, arguments: Sequence[Any]) -> None:
        if event in ("open", "os.listdir", "os.scandir") and str(arguments[0]).startswith(place):
            os.write(2, f"the store was opened: {arguments[0]}\n".encode())
            os._exit(70)

    sys.addaudithook(look)


def main(forbidden: str) -> None:
    """Play what the runner sends until it sends no more."""
    runner = Pipes(open(os.dup(0), "rb"), open(os.dup(1), "wb"))  # noqa: PTH123, SIM115 - descriptors, to the end
    os.dup2(2, 1)
    forbid(forbidden)
    folder = Path.cwd()

    def fetch(sha256: str) -> bytes:
        runner.send("fetch", sha256)
        _, content = runner.receive()
        if content is None:
            raise VersionRefused("the runner doesn't give it")
        return bytes(content)

    _, content = runner.receive()
    try:
        prepared, report = prepare(
            unpack_work(content),
            FetchedVersions(fetch, folder / "versions"),
            read_runtimes((folder,)),
            (folder,),
        )
    except ArenaError as error:
        runner.send("refused", f"{error}; {error.hint}")
        return
    runner.send("ready", report.level.word)
    for chunk in SerialExecutor().run(prepared, FromAfar(runner), Stop()):
        runner.send("results", pack_results(chunk))


if __name__ == "__main__":
    main(sys.argv[1])

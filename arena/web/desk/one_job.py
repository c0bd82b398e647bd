"""Starts the process that checks one upload, and reads what it reports, within limits on time and size."""

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from arena.checking.steps import Failure, Step
from arena.submissions.submission import Submission
from results.base.isolation_levels import Wanted

MOST_LINE_BYTES = 4_194_304
"""Longest line of a report."""


class Order(Struct, frozen=True, forbid_unknown_fields=True):
    """What to check."""

    store: str
    """The absolute path of the store."""
    folder: str
    """The absolute path of the folder that the archive is in."""
    archive: str
    """The archive's name, which messages call it."""
    account: str
    """Who submits it, and must be its author."""
    leagues: tuple[str, ...] = ()
    """Where it is to play."""
    sandbox: Wanted = "require"


class Began(Struct, frozen=True, tag="began"):
    """The next part of the work has begun."""

    state: Literal["reading", "building", "checking"]
    bot: str = ""
    """The bot's name, once it is known."""


class Said(Struct, frozen=True, tag="said"):
    """A line for people, while something takes long."""

    line: str


class Stepped(Struct, frozen=True, tag="step"):
    """A step of the check is over. Text from the bot is not escaped."""

    step: Step


class BuildEnded(Struct, frozen=True, tag="built"):
    """The build has ended."""

    words: str
    """What it printed, shortened in the middle."""


class Passed(Struct, frozen=True, tag="passed"):
    """The bot has passed, and its files are kept; what remains is to enter it. The last line."""

    submission: Submission
    kept_bytes: int


class Refused(Struct, frozen=True, tag="refused"):
    """The upload is refused, for a reason that its author can mend. The last line."""

    step: str
    failure: Failure


class Failed(Struct, frozen=True, tag="failed"):
    """The machine or Arena failed, so nothing was found out about the bot. The last line."""

    words: str


Message = Began | Said | Stepped | BuildEnded | Passed | Refused | Failed
"""One line of a report."""


WORDS = ".words"
"""The file with what the process writes to standard error; archives never begin with a dot."""
_LOOK_S = 0.5
_MOST_MESSAGES = 10_000
_LAST_WORDS_BYTES = 4_000


class JobStopped(Exception):
    """Nobody wants the result any more."""


def reports(
    order: Order, most_s: float, is_wanted: Callable[[], bool], say: Callable[[str], None]
) -> Iterator[Message]:
    """Run an order in a process of its own; yield what it reports, the result last.

    If it takes longer than `most_s`, it is killed with all its bots, and the upload is refused. `is_wanted` is asked
    twice a second. `say` gets the last words of a process that has crashed. Raises JobStopped.
    """
    folder = Path(order.folder)
    with (folder / WORDS).open("w+b") as words:
        process = subprocess.Popen(
            [sys.executable, "-m", "arena.web.desk.job"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=words,
            # The packages may be on a path that only this process knows.
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(str(Path(part).absolute()) for part in sys.path),
            },
            cwd="/",
            start_new_session=True,
        )
        try:
            yield from _read(process, order, most_s, is_wanted)
        finally:
            _end(process)
            words.seek(max(0, words.seek(0, os.SEEK_END) - _LAST_WORDS_BYTES))
            if last := words.read(_LAST_WORDS_BYTES).decode(errors="replace").strip():
                say(f"the check of an upload wrote: {last}")


def _read(
    process: subprocess.Popen[bytes], order: Order, most_s: float, is_wanted: Callable[[], bool]
) -> Iterator[Message]:
    assert process.stdin is not None  # noqa: S101 - opened above
    assert process.stdout is not None  # noqa: S101
    until_s = time.monotonic() + most_s
    with suppress(BrokenPipeError):  # then its output ends too
        process.stdin.write(msgspec.json.encode(order) + b"\n")
        process.stdin.flush()
    decoder = msgspec.json.Decoder(Message)
    pending, count = bytearray(), 0
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not is_wanted():
                raise JobStopped
            if time.monotonic() > until_s:
                yield _too_long(most_s)
                return
            if not selector.select(_LOOK_S):
                continue
            part = os.read(process.stdout.fileno(), 65_536)
            pending += part
            *lines, rest = pending.split(b"\n")
            pending = bytearray(rest)
            for line in lines:
                count += 1
                message = decoder.decode(line)
                yield message
                if isinstance(message, Passed | Refused | Failed):
                    return
            if not part or len(pending) > MOST_LINE_BYTES or count > _MOST_MESSAGES:
                yield Failed("the process that checked it has ended early")
                return


def _too_long(most_s: float) -> Refused:
    return Refused(
        "time",
        Failure(
            f"reading, building and checking the bot took longer than {most_s / 60:,.0f} minutes",
            "let it decide faster, or build less",
        ),
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process; its guardian ends the bots."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()

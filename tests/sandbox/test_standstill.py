"""When a bot can't answer any more, and when nobody knows."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from arena.sandbox.deadlock import Sleeping, look
from tests.support.waiting import eventually

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads Linux's /proc")
READS = "import sys; sys.stdin.readline()"
TRAPPED = "import signal, sys; signal.signal(signal.SIGALRM, print); sys.stdin.readline()"
LISTENS = (
    "import socket, sys; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); sys.stdin.readline()"
)
NAMED_PIPE = (
    "import os, sys, tempfile; p = tempfile.mkdtemp() + '/p'; os.mkfifo(p); f = os.open(p, os.O_RDWR); "
    "sys.stdin.readline()"
)
"""Somebody else may write to it."""


@contextmanager
def running(source: str) -> Iterator[tuple[int, int]]:
    """Run a Python program; yield its pid and our end of its input."""
    reading, writing = os.pipe()
    with subprocess.Popen([sys.executable, "-S", "-c", source], stdin=reading) as process:
        os.close(reading)
        try:
            yield process.pid, writing
        finally:
            os.close(writing)
            process.kill()


def test_a_program_that_waits_for_its_input() -> None:
    with running(READS) as (pid, pipe):
        assert eventually(lambda: look([pid], pipe) is not None)
        seen = look([pid], pipe)
        assert seen is not None
        assert seen.reads
        assert look([pid], pipe) == seen, "nothing has moved"


@pytest.mark.slow
@pytest.mark.parametrize(
    "source",
    [
        "import time; time.sleep(60)",
        *(
            pytest.param(source, marks=pytest.mark.slow)
            for source in (
                "while True: pass",
                "import select; select.select([0], [], [], 60)",
                TRAPPED,
                LISTENS,
                NAMED_PIPE,
            )
        ),
    ],
)
def test_a_program_that_may_still_write(source: str) -> None:
    with running(source) as (pid, pipe):
        looks: list[Sleeping | None] = []
        for _ in range(20):
            looks.append(look([pid], pipe))
            time.sleep(0.02)
        assert looks[-1] is None


@pytest.mark.slow
def test_a_thread_that_waits_for_another() -> None:
    source = "import threading, time; threading.Thread(target=time.sleep, args=(60,)).start(); input()"
    with running(source) as (pid, pipe):
        time.sleep(0.3)
        assert look([pid], pipe) is None


def test_a_program_that_is_gone() -> None:
    with running("pass") as (pid, pipe):
        assert eventually(lambda: look([pid], pipe) is None)
        assert look([], pipe) is None

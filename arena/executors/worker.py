"""The life of one worker process: takes tickets from its pipe, plays them, sends results in chunks."""

import os
import pickle
import signal
import tempfile
import time
from typing import Any

from arena.executors.base import Playing, Work
from arena.sandbox.survivors import become_subreaper, die_with_parent

CHUNK_GAMES = 32
CHUNK_S = 0.5
"""Results are sent, and so written to the ledger, at most this many games or seconds after they came about."""
NO_TICKET = -1


def work_through(
    packed_work: bytes,
    pipe: Any,
    current: Any,
    finish: Any,
    name: str,
    token: str,
    folder: str,
    core: int | None,
    runner_pid: int,
) -> None:
    """Be a worker until the pipe ends. The runner alone decides about interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    die_with_parent(runner_pid)
    become_subreaper()
    tempfile.tempdir = folder
    if core is not None:
        os.sched_setaffinity(0, {core})
    work: Work = pickle.loads(packed_work)  # noqa: S301 - from our own runner
    playing = work.open(name, token, own_process=True)
    try:
        _loop(playing, pipe, current, finish)
    finally:
        playing.close()


def _loop(playing: Playing, pipe: Any, current: Any, finish: Any) -> None:
    results: list[tuple[int, Any]] = []
    sent_s = time.monotonic()

    def send() -> bool:
        nonlocal sent_s
        try:
            pipe.send_bytes(pickle.dumps(results))
        except OSError:
            return False  # the runner is gone
        results.clear()
        sent_s = time.monotonic()
        return True

    while True:
        try:
            numbered = pickle.loads(pipe.recv_bytes())  # noqa: S301 - from our own runner
        except (EOFError, OSError):
            return
        for number, ticket in numbered:
            if finish.value:
                results.append((number, None))
                continue
            current.value = number
            result = playing.play(ticket)
            results.append((number, result))
            if (len(results) >= CHUNK_GAMES or time.monotonic() - sent_s >= CHUNK_S) and not send():
                return
            current.value = NO_TICKET
        if not send():
            return

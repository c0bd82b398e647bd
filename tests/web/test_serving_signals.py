"""A signal ends a server at whatever moment of its start it comes."""

import os
import queue
import signal
import sys
import time
import types
from pathlib import Path
from typing import Any

import pytest

from arena.cli.terminal import interruption
from tests.support.web.serving import free_port, start

MOMENTS_S = (0.2, 0.4, 0.6, 0.8, 1.0, 1.3, 1.7, 2.5)
"""After the start; on a busy machine they come earlier in it."""


def test_a_signal_at_a_delicate_moment_comes_again_as_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: queue.Queue[int] = queue.Queue()
    monkeypatch.setattr(os, "kill", lambda _pid, number: sent.put(number))
    monkeypatch.setattr(interruption._State, "waits", 0)
    monkeypatch.setattr(interruption._State, "latest", 0)
    code = compile("within = frame()", f"{os.sep}tempfile.py", "exec")
    names: dict[str, Any] = {"frame": sys._getframe}
    types.FunctionType(code, names)()
    for number in (signal.SIGTERM, signal.SIGINT):
        interruption._on_signal(number, names["within"])
        assert sent.get(timeout=30) == number


@pytest.mark.slow
@pytest.mark.parametrize("background", [True, False], ids=["SIGTERM in the background", "SIGINT"])
def test_a_server_ends_at_every_moment_of_its_start(tmp_path: Path, background: bool) -> None:
    ignoring = (
        ["sh", "-c", 'trap "" INT; exec "$@"', "sh"] if background else []
    )  # as in a script's background jobs
    for number, moment_s in enumerate(MOMENTS_S):
        folder = tmp_path / str(number)
        folder.mkdir()
        server = start(folder, free_port(), "--no-run", "--no-uploads", before=ignoring)
        time.sleep(moment_s)
        server.send_signal(signal.SIGTERM if background else signal.SIGINT)
        try:
            code = server.wait(60)
        finally:
            server.kill()
            server.wait()
        told = (folder / "server.log").read_text()
        early = code == (-signal.SIGTERM if background else -signal.SIGINT)  # before Arena itself was loaded
        if not early and "Fatal Python error" not in told:
            assert (code, told.splitlines()[-1].partition(";")[0]) in ((4, "interrupted"), (0, "stopped")), (
                told
            )
            assert "Traceback" not in told

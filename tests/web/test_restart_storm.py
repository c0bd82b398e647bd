"""A runner that dies as soon as it is started: the server waits longer each time, and says so."""

import os
import re
import signal
from html import unescape
from pathlib import Path

import pytest

from tests.support.leagues import arena_here, write_league
from tests.support.waiting import eventually
from tests.support.web.serving import games, is_up, runner_of, serving, signed_in

BREAKS = """\
import os, sys
if "run" in sys.orig_argv:
    with open("starts.txt", "a") as starts:
        starts.write("runner" + chr(10))
    if os.path.exists("broken"):
        sys.stderr.write("error: the moon is full" + chr(10))
        sys.stderr.flush()
        os._exit(3)
"""
"""Runs first in every Python process of the server, as an installation that is broken for a while."""


def starts(folder: Path) -> int:
    """Return how often the runner has been started."""
    file = folder / "starts.txt"
    return len(file.read_text().split()) if file.exists() else 0


@pytest.mark.slow
def test_a_runner_that_dies_at_once_is_given_time_and_comes_back(tmp_path: Path) -> None:
    arena_here("league", "create", write_league(tmp_path, rounds=100_000, pause_ms=5), cwd=tmp_path)
    (tmp_path / "broken").touch()
    (tmp_path / "early").mkdir()
    (tmp_path / "early" / "sitecustomize.py").write_text(BREAKS)
    paths = [str(tmp_path / "early"), os.environ.get("PYTHONPATH", "")]
    log = tmp_path / "server.log"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    with serving(tmp_path, env=env) as (port, (server,)):
        assert eventually(lambda: is_up(port))
        client, _ = signed_in(tmp_path, port)

        def told() -> str:
            return unescape(client.get("/organiser").text)

        pauses = r"the runner ended with code 3 \(error: the moon is full\); it starts again in (\d+) s"
        assert eventually(lambda: "again in 4 s" in log.read_text())
        begun = starts(tmp_path)
        assert re.findall(pauses, log.read_text())[:3] == ["1", "2", "4"]
        assert 3 <= begun <= 6, "each start comes after a pause"
        assert re.search(pauses, told())
        assert (runner_of(tmp_path), games(tmp_path)) == (None, 0)
        (tmp_path / "broken").unlink()
        assert eventually(lambda: games(tmp_path) > 0)
        assert runner_of(tmp_path) is not None
        assert "The server says: started the runner" in told()
        after = starts(tmp_path)
        server.send_signal(signal.SIGINT)
        assert server.wait(120) == 0
        assert starts(tmp_path) == after, "what runs isn't started again"
        assert runner_of(tmp_path) is None

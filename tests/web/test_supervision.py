"""What the supervisor does about a runner that ends again and again, without real runners."""

import sys
import threading
from pathlib import Path

from arena.web.site_file.site_database import SiteFile
from arena.web.upkeep import league_runner
from tests.support.waiting import eventually


def test_pauses_grow_while_a_runner_keeps_ending_and_its_last_words_are_told(tmp_path: Path) -> None:
    (tmp_path / "arena.sqlite").touch()
    said: list[str] = []
    runner = league_runner.Supervisor(
        tmp_path / "arena.sqlite", [], SiteFile(tmp_path / "s.sqlite"), said.append
    )
    runner._command = [sys.executable, "-S", "-c", "import sys; sys.exit('error: the moon is full')"]
    waits = []
    for _ in range(3):
        runner._not_before_s = 0.0
        runner._look()
        child = runner._child
        assert child is not None
        assert child.pid == runner._own_runner() or child.poll() is not None
        child.wait()
        runner._look()
        waits.append(said[-1].rpartition(" in ")[2])
        assert "ended with code 1 (error: the moon is full)" in said[-1]
    assert waits == ["1 s", "2 s", "4 s"]
    runner._look()
    assert runner._child is None, "it waits before the next start"


def test_a_runner_that_doesnt_end_at_once_is_hurried_and_waited_for(tmp_path: Path) -> None:
    (tmp_path / "arena.sqlite").touch()
    said: list[str] = []
    runner = league_runner.Supervisor(
        tmp_path / "arena.sqlite", [], SiteFile(tmp_path / "s.sqlite"), said.append
    )
    patient = (
        "import signal, sys, time; heard = []\n"
        "def hear(*_):\n    heard.append(1); print(len(heard), flush=True)\n    len(heard) > 1 and sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, hear); print('here', flush=True)\nwhile True: time.sleep(0.05)"
    )
    runner._command = [sys.executable, "-S", "-c", patient]
    runner.begin()
    assert eventually(lambda: runner.log_file.is_file() and "here" in runner.log_file.read_text())
    hurry = threading.Event()
    stopping = threading.Thread(target=runner.stop, args=(hurry,))
    stopping.start()
    assert eventually(lambda: "1" in runner.log_file.read_text())
    assert stopping.is_alive()
    hurry.set()
    stopping.join(30)
    assert not stopping.is_alive()
    assert "finishes the games being played" in said[-1]

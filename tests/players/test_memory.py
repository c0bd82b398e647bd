"""Memory is looked at once more when a bot's time is over: one that holds too much by then was not merely slow."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.players.pool import PoolLimits
from arena.sandbox.bot_program import MIB, Bounds
from arena.sandbox.confinement import UNCONFINED
from protocol.messages import Clock
from protocol.verdicts import Verdict
from results.base.clock import NS_PER_S
from tests.support.bots.programs import python_bot
from tests.support.tables import Recorder, bench

GROWS = """
def grow():
    for _ in range(2):
        if not os.fork():
            hoard = os.urandom(1) * 80_000_000
            time.sleep(600)
    time.sleep(600)
"""
MOMENTS = {
    "ask": "def ask(message):\n    grow()\n",
    "start": "def start(message):\n    grow()\n",
    "hello": "def hello(message):\n    grow()\n",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "moment", ["ask", *(pytest.param(one, marks=pytest.mark.slow) for one in ("start", "hello"))]
)
def test_a_bot_that_is_late_and_holds_too_much_is_at_fault_for_that(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.players.exchange.LOOK_MS", 600_000.0)  # so that nobody looks before
    monkeypatch.setattr("arena.players.exchange.STANDSTILL_NS", 600 * NS_PER_S)  # longer than a single wait
    clock = Clock(ready_ms=2_000, move_ms=500, bank_ms=0, margin_ms=0)  # twice that: both are asked at once
    confinement = replace(UNCONFINED, bounds=Bounds(memory_bytes=100 * MIB))
    limits = PoolLimits(startup_ms=2_000)
    bot = python_bot(tmp_path / "bot", GROWS + MOMENTS[moment])
    with bench(tmp_path / "place", bot, limits, confinement) as table:
        fault = table.game([Recorder()], clock).seats[0]
    assert fault.verdict is Verdict.MEMORY
    assert fault.detail.startswith("100 MiB limit, ")

"""Whatever a bot writes: a legal move or a verdict, a game to its end, a replay that can be replayed; never an error.

Most of it against pipes whose other ends this test holds, as that is fast; some of it by real processes.
"""

import inspect
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.core import replay
from arena.players.base import PlayerLog
from arena.players.bot import BotPlayer
from arena.players.channel import READ_BYTES, Channel
from arena.players.pool import PoolLimits
from arena.players.process import BotProcess, KillEvidence
from arena.players.usage_monitor import BotMonitor
from arena.referee.referee import Referee
from arena.sandbox.bot_program import Bounds
from protocol.messages import Clock
from protocol.verdicts import Verdict
from results.records import GameRecord
from tests.hostile import mutations
from tests.hostile.mutations import changed, late_scripts, scripts, valid_answer
from tests.support.bots.programs import program, python_command
from tests.support.games import BIDS
from tests.support.sandbox import CONFINED, PROCESS, columns, confinement_of, open_folder
from tests.support.tables import Recorder, bench, body_of, play

HASTY = Clock(ready_ms=3, move_ms=2, bank_ms=0, margin_ms=1)
DETAIL_CHARS = 1_000


class Puppet:
    """Stands for a bot process: answers at once, through real pipes, with its answers changed by a script."""

    def __init__(self, script: list[list[list[Any]]]) -> None:
        self._script = iter(script)
        self._heard = b""
        self.most_kept_bytes = 0
        self._hears, stdin = os.pipe()
        stdout, self._says = os.pipe()
        stderr, self._logs = os.pipe()
        os.set_blocking(self._hears, False)
        os.set_blocking(self._says, False)
        self.channel = Channel(stdin, stdout, stderr, clock_ns=self._answer_and_look)
        self._poll = self.channel.waits
        self.channel.waits = self._answer_and_wait
        self.monitor = BotMonitor(lambda: None, None, Bounds(), pondering=False)
        self.evidence = KillEvidence(None)
        self.games = self.asked = self.stale_replies = 0

    def close(self) -> None:
        for descriptor in (self._hears, self._says, self._logs):
            os.close(descriptor)
        self.channel.close()

    def members(self) -> list[int]:
        return []

    def empty_scratch(self) -> None:
        """Do nothing, as nothing is written."""

    def wait(self, limit_ms: int) -> bool:  # noqa: ARG002 - it runs as long as the test
        return False

    def ending(self, closed: str) -> str:
        return f"closed its {closed} but went on running"

    def raise_if_never_built(self) -> None:
        """Do nothing, as there is no sandbox."""

    def raise_if_ended_from_outside(self) -> None:
        """Do nothing, likewise."""

    def killed_by_system(self) -> str:
        return ""

    def kill(self) -> None:
        """Do nothing, as it ends with the test."""

    def take_log(self) -> PlayerLog:
        return self.channel.log.take()

    def _answer_and_look(self) -> int:
        """Take the time, as is done before and after every write to a bot."""
        self._answer()
        return time.monotonic_ns()

    def _answer_and_wait(self, limit_ms: float) -> list[tuple[int, int]]:
        self.most_kept_bytes = max(self.most_kept_bytes, len(self.channel.inbox))
        self._answer()
        return self._poll(limit_ms)

    def _answer(self) -> None:
        try:
            self._heard += os.read(self._hears, 1_000_000)
        except BlockingIOError:
            return
        *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            answer = valid_answer(json.loads(line))
            if answer:
                os.write(self._says, changed(answer, next(self._script, [])))


@contextmanager
def puppet(script: list[list[list[Any]]]) -> Iterator[Puppet]:
    made = Puppet(script)
    try:
        yield made
    finally:
        made.close()


def find_sound(record: GameRecord) -> None:
    """See that a game has come to a sound end, whatever was written."""
    guilty, other = record.seats
    assert (other.verdict, other.detail) == (None, "")
    if guilty.verdict is not None:
        assert not Verdict(guilty.verdict).is_platform
        assert (guilty.rank, other.rank) == (2, 1)
        assert 0 < len(guilty.detail) < DETAIL_CHARS
        assert guilty.detail.isprintable(), "nothing in it steers a terminal"
    replay.check(BIDS, body_of(record))


@given(scripts | late_scripts)
def test_whatever_is_written_there_is_a_move_or_a_verdict(script: list[list[list[Any]]]) -> None:
    with puppet(script) as bot:
        player = BotPlayer(lambda: cast("BotProcess", bot), None, startup_ms=2)
        record = play(BIDS, [player, Recorder()], Referee(HASTY))
        assert bot.most_kept_bytes <= bot.channel.line_bytes + 2 * READ_BYTES
    find_sound(record)


@pytest.mark.slow
@settings(max_examples=3_000)
@given(scripts | late_scripts)
def test_whatever_is_written_at_length(script: list[list[list[Any]]]) -> None:
    test_whatever_is_written_there_is_a_move_or_a_verdict.hypothesis.inner_test(script)  # type: ignore[attr-defined]


BOT = f"""
import json, os, sys

{inspect.getsource(mutations.valid_answer)}
{inspect.getsource(mutations.changed)}
with open("script.json") as file:
    script = iter(json.load(file))
for line in sys.stdin.buffer:
    answer = valid_answer(json.loads(line))
    if answer:
        sys.stdout.buffer.write(changed(answer, next(script, [])))
        sys.stdout.buffer.flush()
""".replace(": dict[str, Any]", "").replace(": list[list[Any]]", "")


def find_process_sound(script: list[list[list[Any]]], column: str) -> None:
    clock = Clock(ready_ms=1_000, move_ms=300, bank_ms=0, margin_ms=10)
    with open_folder() as place:
        files = {"bot.py": BOT, "script.json": json.dumps(script)}
        bot = program(Path(place) / "bot", files, python_command())
        with bench(place / "place", bot, PoolLimits(startup_ms=2_000), confinement_of(column)) as table:
            find_sound(table.game([Recorder()], clock))


FEW = settings(
    max_examples=6, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)


@pytest.mark.slow
@FEW
@given(script=late_scripts)
def test_real_processes_that_write_whatever(script: list[list[list[Any]]]) -> None:
    find_process_sound(script, PROCESS)


@pytest.mark.slow
@pytest.mark.parametrize("column", columns(CONFINED))
@settings(FEW, max_examples=60)
@given(script=scripts | late_scripts)
def test_real_processes_in_a_sandbox_that_write_whatever(column: str, script: list[list[list[Any]]]) -> None:
    find_process_sound(script, column)


@settings(max_examples=60)
@given(st.binary(max_size=100_000) | st.binary(max_size=300))
def test_the_log_may_be_anything(data: bytes) -> None:
    with puppet([]) as bot:
        os.set_blocking(bot._logs, False)
        written = os.write(bot._logs, data) if data else 0
        record = play(BIDS, [BotPlayer(lambda: cast("BotProcess", bot), None, startup_ms=1_000), Recorder()])
    assert record.seats[0].verdict is None
    assert sum(len(log.head) + len(log.tail) + log.dropped_bytes for log in record.logs) == written

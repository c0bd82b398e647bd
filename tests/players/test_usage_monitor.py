"""What a bot used between its games, and how long it waited in a turn: mostly with figures instead of processes."""

import subprocess
import sys
import time
from unittest.mock import Mock

import pytest

from arena.players.usage_monitor import MANY_THREADS_NS, BotMonitor
from arena.sandbox.bot_program import Bounds
from arena.sandbox.usage import LOOK_NS, Ran, Usage
from protocol.verdicts import Reason
from results.base.clock import NS_PER_MS
from tests.players.resting import Case


@pytest.mark.parametrize(("own_ms", "limit_ms"), [(0, 50), (100, 50), (1000, 200)])
def test_the_limit_is_that_of_a_game(own_ms: int, limit_ms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(monkeypatch, own_ms)
    assert case.passes(0, limit_ms) == ""
    told = f"{limit_ms} ms limit of CPU time between its games, {limit_ms + 1} ms used"
    assert case.passes(0, 1) == told


def test_a_runtime_that_never_sleeps_quite_may_be_kept_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(monkeypatch, own_ms=0)
    assert [case.passes(60_000, 1_000) for _ in range(10)] == [""] * 10
    assert case.passes(60_000, 3_300) != ""


def test_what_is_used_is_summed_over_all_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(monkeypatch, own_ms=0)
    assert [bool(case.passes(1, 20)) for _ in range(4)] == [False, False, True, True]


def test_leaving_takes_what_one_core_gives_and_no_second_one(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(monkeypatch, own_ms=0)
    case.monitor.begin_leaving()
    assert case.passes(250, 250) == ""
    case = Case(monkeypatch, own_ms=0)
    case.monitor.begin_leaving()
    assert case.passes(250, 400) == "305 ms limit of CPU time between its games, 400 ms used"


def test_what_a_process_used_counts_once_when_it_ends_between_two_looks() -> None:
    """Its group still counts it when it is gone, and the look after its end may come too early to ask the group."""
    spins = "import time\nwhile time.process_time() < 0.2: pass\nprint(flush=True); input()"
    command = (sys.executable, "-S", "-c", spins)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        group = Mock(waited_ns=Mock(return_value=0))
        usage = Usage(process.pid, None, group)
        group.cpu_ns.return_value = usage.first_cpu_ns()
        monitor = BotMonitor(lambda: usage, None, Bounds(), pondering=False)
        monitor.begin_game()
        monitor.begin_turn()
        monitor.end_turn(time.monotonic_ns())
        monitor.begin_rest()
        process.kill()
        process.wait()
        usage.look_due_ns = time.monotonic_ns() + LOOK_NS
        monitor.look_at_rest()
        usage.look_due_ns = 0
        monitor.look_at_rest()
        assert usage.others_cpu_ns < 50 * NS_PER_MS
        assert monitor.worked_at_rest() == ""
        usage.close()


def test_the_next_rest_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(monkeypatch, own_ms=0)
    assert case.passes(0, 40) == ""
    case.monitor.begin_turn()
    case.monitor.begin_game()
    case.monitor.end_turn(time.monotonic_ns())
    case.monitor.begin_rest()
    assert case.passes(0, 40) == ""


FIRST, SECOND, OF_A_CHILD, GROUP = 7, 8, 9, 0


class Turn:
    """A turn that has begun just now, of a bot with some threads; each step takes 50 ms and runs for 10."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, threads: tuple[int, ...]) -> None:
        self.case = Case(monkeypatch, own_ms=0)
        self.figures, self.monitor = self.case.figures, self.case.monitor
        self.figures.ran = dict.fromkeys(threads, Ran())
        self.monitor.begin_quick_turn(time.monotonic_ns())

    def step(self, thread: int, waited_ms: int) -> None:
        self.case.now_ms += 50
        if thread == OF_A_CHILD:
            self.figures.others_cpu_ns += 10 * NS_PER_MS
        else:
            self.figures.cpu_ms += 10
        ran = self.figures.ran[thread]
        self.figures.ran[thread] = Ran(ran.cpu_ns + 10 * NS_PER_MS, ran.wait_ns + waited_ms * NS_PER_MS)


@pytest.mark.parametrize(
    ("thread", "threads"),
    [
        (FIRST, (FIRST,)),
        (GROUP, (GROUP,)),
        (FIRST, (FIRST, SECOND, OF_A_CHILD)),
        (SECOND, (FIRST, SECOND)),
        (OF_A_CHILD, (FIRST, OF_A_CHILD)),
    ],
)
def test_who_waits_for_a_core_has_waited_in_whatever_thread(
    thread: int, threads: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = Turn(monkeypatch, threads)
    turn.step(thread, waited_ms=40)
    turn.monitor.look()
    turn.step(thread, waited_ms=40)
    assert turn.monitor.kept_waiting_ns() == 80 * NS_PER_MS
    assert turn.monitor.turn_cpu_ns() == 20 * NS_PER_MS


def test_many_threads_are_not_looked_at_in_a_turn_that_soon_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    turn = Turn(monkeypatch, (FIRST, SECOND))
    turn.figures.readings = 0
    turn.step(SECOND, waited_ms=40)
    turn.monitor.estimate_waiting(MANY_THREADS_NS)
    assert turn.figures.readings == 0
    turn.monitor.estimate_waiting(MANY_THREADS_NS - 1)
    assert turn.figures.readings == 1
    assert turn.monitor.kept_waiting_ns() == 40 * NS_PER_MS


@pytest.mark.parametrize(
    ("waited_ms", "cpu_ms", "is_seen", "load", "reason"),
    [
        (450, 100, True, 1.0, Reason.BUSY_MACHINE),
        (200, 400, True, 40.0, Reason.COMPUTING),
        (100, 100, True, 1.0, Reason.IDLE),
        (0, 0, True, 40.0, Reason.IDLE),  # it had a core whenever it wanted one, so the others are no excuse
        (0, 0, False, 40.0, Reason.BUSY_MACHINE),
        (0, 0, False, 3.9, Reason.IDLE),
    ],
)
def test_why_there_is_no_answer(
    waited_ms: int, cpu_ms: int, is_seen: bool, load: float, reason: Reason, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    turn = Turn(monkeypatch, (FIRST,))
    turn.figures.sees_waits = is_seen
    turn.case.now_ms += 1_000
    turn.figures.cpu_ms += cpu_ms
    turn.figures.ran[FIRST] = Ran(cpu_ms * NS_PER_MS, waited_ms * NS_PER_MS)
    assert turn.monitor.silence(1_000 * NS_PER_MS) is reason


def test_a_sandbox_that_is_not_made_in_time_is_the_fault_of_a_busy_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (40.0, 0.0, 0.0))
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monitor = BotMonitor(lambda: None, None, Bounds(), pondering=False)
    assert monitor.silence(NS_PER_MS) is Reason.BUSY_MACHINE

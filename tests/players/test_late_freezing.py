"""When bots are frozen, and which of them are trusted to run on: with figures, not with processes."""

from typing import cast
from unittest.mock import Mock

import pytest

from arena.players.usage_monitor import BotMonitor, LateFreezing
from arena.sandbox.bot_program import Bounds
from arena.sandbox.usage import Ran, Usage
from results.base.clock import NS_PER_MS

US = 1_000
START_NS = 10**12


class Bot:
    """A watched bot of which the test says what it uses."""

    def __init__(self, late_freezing: LateFreezing) -> None:
        self.cpu_ns = self.others_cpu_ns = 0
        self.is_alone = True
        self.group = Mock()
        self.monitor = BotMonitor(lambda: cast("Usage", self), self.group, Bounds(), pondering=False)
        self.monitor.late_freezing = late_freezing
        self.monitor.begin_turn()
        self.monitor.begin_game()
        self.monitor.end_turn(START_NS)

    look_due_ns = 0

    def look(self, now_ns: int = 0) -> None:
        """All is known."""

    def first_cpu_ns(self) -> int:
        return self.cpu_ns

    has_few_threads = True

    def threads(self, ran_ns: int) -> dict[int, Ran]:
        return {0: Ran(ran_ns, 0)}

    @property
    def is_frozen(self) -> bool:
        return bool(self.group.method_calls) and self.group.method_calls[-1][0] == "begin_freeze"


class Table:
    """Bots that answer one after the other, and a clock."""

    def __init__(self, seats: int = 2) -> None:
        self.late_freezing = LateFreezing()
        self.bots = [Bot(self.late_freezing) for _ in range(seats)]
        self.now_ns = START_NS

    def turn(self, seat: int, wall_ns: int = 30 * US, before_ns: int = 50 * US) -> None:
        """Let a bot answer at once, `before_ns` after the last turn."""
        self.now_ns += before_ns
        self.bots[seat].monitor.begin_quick_turn(self.now_ns)
        assert not self.bots[seat].is_frozen
        self.now_ns += wall_ns
        self.bots[seat].monitor.end_turn(self.now_ns, quick=True)

    def frozen(self) -> list[bool]:
        return [bot.is_frozen for bot in self.bots]


def test_bots_are_frozen_once_ready_and_left_running_after_quick_answers() -> None:
    table = Table()
    assert table.frozen() == [True, True]
    table.turn(0)
    table.turn(1)
    table.turn(0)
    assert table.frozen() == [False, False]


def test_others_are_frozen_when_a_bot_takes_its_time() -> None:
    table = Table(3)
    for seat in range(3):
        table.turn(seat)
    table.now_ns += 50 * US
    table.bots[1].monitor.begin_quick_turn(table.now_ns)
    table.bots[1].monitor.freeze_others()
    assert table.frozen() == [True, False, True]


def test_whoever_is_out_for_long_is_frozen_however_quick_the_others_are() -> None:
    table = Table(3)
    table.turn(0)
    for _ in range(12):
        table.turn(1)
        table.turn(2)
    assert table.frozen()[0]
    assert table.now_ns - START_NS < 3 * NS_PER_MS


def test_a_bot_that_is_asked_the_general_way_freezes_the_others() -> None:
    table = Table()
    table.turn(0)
    table.bots[1].monitor.begin_turn()
    assert table.frozen() == [True, False]
    table.bots[1].monitor.end_turn(table.now_ns)
    assert table.frozen() == [True, True]


def test_where_the_referee_takes_long_bots_are_frozen_at_once() -> None:
    table = Table()
    table.turn(0)
    table.turn(1, before_ns=3 * NS_PER_MS)
    assert table.frozen() == [True, True]
    table.turn(0)
    assert table.frozen() == [False, True], "it may have been an exception"


@pytest.mark.parametrize(("gap_ns", "turns"), [(2 * NS_PER_MS, 1), (900 * US, 12), (100 * US, 101)])
def test_a_thief_loses_its_trust_for_good(gap_ns: int, turns: int) -> None:
    table = Table()
    for number in range(turns + 1):
        assert table.bots[0].monitor._is_trusted, number
        table.turn(0)
        table.turn(1)
        table.bots[0].cpu_ns += gap_ns
    table.turn(0)
    assert table.frozen() == [True, False]
    table.bots[0].monitor.begin_turn()
    table.bots[0].monitor.begin_game()
    table.bots[0].monitor.end_turn(table.now_ns)
    table.turn(1)
    table.turn(0)
    assert table.frozen() == [True, False], "in its later games, too"


def test_what_honest_bots_do_after_their_answers_costs_no_trust() -> None:
    table = Table()
    for _ in range(900):
        table.turn(0)
        table.turn(1)
        table.bots[0].cpu_ns += 10 * US
    assert table.bots[0].monitor._is_trusted


def test_bots_of_several_processes_are_frozen_after_each_turn() -> None:
    table = Table()
    table.bots[0].is_alone = False
    table.turn(0)
    table.bots[1].others_cpu_ns += 3 * NS_PER_MS  # of processes that were gone before they were seen
    table.turn(1)
    assert table.frozen() == [True, True]


def test_a_bot_at_rest_or_gone_is_left_alone() -> None:
    table = Table()
    table.turn(0)
    table.turn(1)
    table.bots[0].monitor.begin_rest()
    assert table.frozen() == [True, False]
    table.bots[1].close = Mock()  # type: ignore[attr-defined]  # as its usage
    table.bots[1].monitor.close()
    table.late_freezing.freeze()
    assert table.frozen() == [True, False]

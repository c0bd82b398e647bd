"""A host reports once a slot has few tickets, and each result once, whichever unit brought its ticket."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from arena_cluster import sessions
from arena_cluster.identity import Identity
from arena_cluster.messages import HostOrders, SlotTickets, Unit, UnitReport, pack
from arena_cluster.sessions import Begin, FromAgent, Play, Playing, Ready, Result, Session, ToAgent

from results.base.children import Pipe

LOOK_S = 0.01


class Agent(Pipe[FromAgent]):
    """Stands in for the process that plays: the test says what it does, through `pipe`."""

    def __init__(self, *_: object, **__: object) -> None:
        from_session, writing = os.pipe()
        reading, to_session = os.pipe()
        super().__init__(reading, writing, FromAgent)
        self.pipe: Pipe[ToAgent] = Pipe(from_session, to_session, ToAgent)
        self.process = self
        self._ended = threading.Event()
        self._code = 0

    def poll(self) -> int | None:
        return self._code if self._ended.is_set() else None

    def wait(self, timeout: float | None = None) -> int:
        assert self._ended.wait(timeout)
        return self._code

    def kill(self) -> None:
        """Ignore it: the test ends it."""

    def end(self, most_s: float) -> int:
        return self.wait(most_s)

    def die(self, code: int) -> None:
        self.pipe.close()
        self._code = code
        self._ended.set()


class Played:
    """A session whose agent is ready."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.agent = Agent()
        monkeypatch.setattr(sessions, "Child", lambda *_, **__: self.agent)
        monkeypatch.setattr(sessions, "LOOK_S", LOOK_S)
        monkeypatch.setattr(sessions, "STILLBORN", 1)  # another agent would come after a pause
        nobody = Identity("", "", "")
        orders = HostOrders(scheduler="", identity=nobody, slots=2, name="a", folder=str(folder))
        self.session = Session(orders, "id", "token", b"", lambda _: None)
        self._thread = threading.Thread(target=self.session.play, args=(lambda: False,), daemon=True)
        self._thread.start()
        assert isinstance(self.agent.pipe.receive(), Begin)
        self.agent.pipe.send(Ready("process", 0))

    def began(self, sent: Unit) -> Callable[[], UnitReport]:
        """Give the session a unit; return what waits for its report."""
        found: list[UnitReport] = []
        thread = threading.Thread(
            target=lambda: found.append(self.session.unit(sent, pack(sent))), daemon=True
        )
        thread.start()
        assert isinstance(self.agent.pipe.receive(), Play)

        def report() -> UnitReport:
            thread.join(20)
            return found[0]

        return report

    def end_games(self, *numbers: int) -> None:
        """End games, of which number 13 fails the platform; the session has some time to look."""
        self.agent.pipe.send(*(Result(number, b"x", number == 13) for number in numbers))
        time.sleep(5 * LOOK_S)

    def end(self, code: int = 0) -> None:
        """End the session with its agent."""
        if not code:
            self.session.let_go()
        self.agent.die(code)
        self._thread.join(20)


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Played]:
    made = Played(tmp_path, monkeypatch)
    yield made
    made.end()


def unit(number: int, *slots: tuple[int, ...], few: int = 1) -> Unit:
    return Unit(number, tuple(SlotTickets(slot, one, b"") for slot, one in enumerate(slots) if one), few)


def played(report: UnitReport) -> list[Any]:
    return [number for number, _ in report.results]


def test_a_report_comes_once_a_slot_has_few_tickets_left(begun: Played) -> None:
    report = begun.began(unit(1, (11, 12, 13), (21, 22, 23)))
    begun.end_games(11, 21)  # each slot has two left
    begun.end_games(12)
    found = report()
    assert (played(found), found.left, found.faults) == ([11, 21, 12], 3, 0)
    report = begun.began(unit(2, (14,)))
    begun.end_games(13)
    found = report()
    assert (played(found), found.left, found.faults) == ([13], 3, 1), "of a ticket that another unit brought"


def test_a_report_waits_for_its_pause_unless_nothing_is_left(begun: Played) -> None:
    report = begun.began(unit(1, (1,)))
    begun.end_games(1)
    assert played(report()) == [1]
    report = begun.began(Unit(2, (SlotTickets(0, (2, 3), b""),), 1, 1_000.0))
    begun.end_games(2)
    begun.end_games(3)
    assert played(report()) == [2, 3]


def test_when_a_unit_comes_the_one_before_reports(begun: Played) -> None:
    first = begun.began(unit(1, (1, 2, 3, 4)))
    begun.end_games(1)
    second = begun.began(unit(2, (), (5,)))
    assert played(first()) == [1]
    begun.end_games(5)
    assert played(second()) == [5]


def test_what_an_agent_had_when_it_died_is_lost_or_returned_once(begun: Played) -> None:
    report = begun.began(unit(1, (1, 2, 3)))
    begun.agent.pipe.send(Playing((1,), 0))
    begun.end(code=1)
    ends = (report(), begun.session.last_report())
    assert [lost for end in ends for lost in end.lost] == [(1, "the agent ended with code 1 in this game")]
    assert [number for end in ends for number in end.unplayed] == [2, 3]


def test_results_that_no_unit_has_reported_come_with_the_end(begun: Played) -> None:
    report = begun.began(unit(1, (1, 2, 3)))
    begun.end_games(1)
    begun.end()
    ends = (report(), begun.session.last_report())
    assert [number for end in ends for number in played(end)] == [1]
    assert [number for end in ends for number in end.unplayed] == [2, 3]

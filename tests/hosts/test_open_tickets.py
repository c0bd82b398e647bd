"""A host reports once a slot has few tickets, and each result once, whichever unit brought its ticket."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena.executors.cluster.child import HostOrders
from arena.executors.cluster.identity import Identity
from arena.executors.cluster.reports import SlotTickets, Unit, UnitReport, pack
from arena.hosts.agent_pipe import Result
from arena.hosts.sessions import Session


class Deaf:
    """A pipe to an agent that plays nothing by itself."""

    def send(self, *_: object) -> None:
        """Do nothing."""


def session_at(folder: Path) -> Session:
    orders = HostOrders(scheduler="", identity=Identity("", "", ""), slots=2, name="a", folder=str(folder))
    session = Session(orders, "id", "token", b"", lambda _: None)
    session._pipe, session._is_ready = Deaf(), True  # type: ignore[assignment]
    return session


def unit(number: int, *slots: tuple[int, ...], few: int = 1) -> Unit:
    return Unit(number, tuple(SlotTickets(slot, one, b"") for slot, one in enumerate(slots) if one), few)


def began(session: Session, sent: Unit) -> Callable[[], UnitReport]:
    """Give a session a unit; return what waits for its report."""
    found: list[UnitReport] = []
    thread = threading.Thread(target=lambda: found.append(session.unit(sent, pack(sent))), daemon=True)
    before = session._calls
    thread.start()
    while session._calls == before or not set(_numbers(sent)) <= session._open.slot_of.keys():
        pass

    def report() -> UnitReport:
        thread.join(20)
        return found[0]

    return report


def _numbers(sent: Unit) -> list[int]:
    return [number for slot in sent.slots for number in slot.numbers]


def end_games(session: Session, *numbers: int) -> None:
    with session._changed:
        for number in numbers:
            session._open.result(Result(number, b"x", number == 13))
        session._changed.notify_all()


def played(report: UnitReport) -> list[Any]:
    return [number for number, _ in report.results]


def test_a_report_comes_once_a_slot_has_few_tickets_left(tmp_path: Path) -> None:
    session = session_at(tmp_path)
    report = began(session, unit(1, (11, 12, 13), (21, 22, 23)))
    end_games(session, 11, 21)
    assert not session._is_due(1, unit(1)), "each slot has two left"
    end_games(session, 12)
    found = report()
    assert (played(found), found.left, found.faults) == ([11, 21, 12], 3, 0)
    report = began(session, unit(2, (14,)))
    end_games(session, 13)
    found = report()
    assert (played(found), found.left, found.faults) == ([13], 3, 1), "of a ticket that another unit brought"


def test_a_report_waits_for_its_pause_unless_nothing_is_left(tmp_path: Path) -> None:
    session = session_at(tmp_path)
    sent = Unit(1, (SlotTickets(0, (1, 2), b""),), 1, 1_000.0)
    session._open.report(is_closed=False)
    report = began(session, sent)
    end_games(session, 1)
    assert not session._is_due(1, sent)
    end_games(session, 2)
    assert played(report()) == [1, 2]


def test_when_a_unit_comes_the_one_before_reports(tmp_path: Path) -> None:
    session = session_at(tmp_path)
    first = began(session, unit(1, (1, 2, 3, 4)))
    end_games(session, 1)
    second = began(session, unit(2, (), (5,)))
    assert played(first()) == [1]
    end_games(session, 5)
    assert played(second()) == [5]


def test_what_an_agent_had_when_it_died_is_lost_or_returned_once(tmp_path: Path) -> None:
    session = session_at(tmp_path)
    report = began(session, unit(1, (1, 2, 3)))
    with session._changed:
        session._open.give_up("it died", (1,))
        session._changed.notify_all()
    found = report()
    assert (found.lost, found.unplayed, found.left) == (((1, "it died"),), (2, 3), 0)
    assert session._open.report(is_closed=False).lost == ()


def test_results_that_no_unit_has_reported_come_with_the_end(tmp_path: Path) -> None:
    session = session_at(tmp_path)
    report = began(session, unit(1, (1, 2, 3)))
    with session._changed:
        session._open.result(Result(1, b"x", is_fault=False))
        session._is_over = True
        session._open.give_up("", ())
        session._changed.notify_all()
    assert report() == UnitReport(is_closed=True)
    last = session.last_report()
    assert (played(last), last.unplayed) == ([1], (2, 3))

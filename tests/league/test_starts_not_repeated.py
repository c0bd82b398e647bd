"""A worker doesn't start a bot again and again that doesn't start; it forfeits as if it had been started."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.league.running.local_games import REST_FACTOR, StartBreaker
from arena.league.running.work_units import STARTLESS_AFTER
from protocol.verdicts import Reason, Verdict
from results.records import GameRecord, SeatRecord
from tests.support.bots.programs import python_bot
from tests.support.matches import BY_SEED, tickets, work

BROKEN = 1
OTHER = 2


def failed(detail: str = "no answer") -> SeatRecord:
    return SeatRecord(
        0, BROKEN, 0, 3, Verdict.STARTUP, detail, 0, 0, 0, 0, 0, Reason.IDLE
    )  # fmt: skip


@pytest.mark.parametrize(
    ("games", "rests"),
    [
        ([], False),
        ([0] * (STARTLESS_AFTER - 1), False),
        ([0] * STARTLESS_AFTER, True),
        ([1] + [0] * STARTLESS_AFTER, True),
        ([0] * (STARTLESS_AFTER - 1) + [1] + [0] * (STARTLESS_AFTER - 1), False),
    ],
)
def test_a_bot_rests_after_failures_one_after_the_other(games: Sequence[int], rests: bool) -> None:
    breaker = StartBreaker(lambda: 0.0)
    for started in games:
        breaker.note(BROKEN, None if started else failed(), 1.0)
    assert (breaker.resting(BROKEN) is not None) == rests
    assert breaker.resting(OTHER) is None, "it alone"


def test_it_is_tried_once_after_its_rest_and_rests_again() -> None:
    now_s = 0.0
    breaker = StartBreaker(lambda: now_s)
    for _ in range(STARTLESS_AFTER):
        breaker.note(BROKEN, failed(), 2.0)
    now_s = 2.0 * REST_FACTOR - 0.1
    assert breaker.resting(BROKEN)
    now_s = 2.0 * REST_FACTOR
    assert breaker.resting(BROKEN) is None, "tried"
    breaker.note(BROKEN, failed("sleeps still"), 2.0)
    fault = breaker.resting(BROKEN)
    assert fault is not None
    assert (fault.verdict, fault.reason) == (Verdict.STARTUP, Reason.IDLE)
    assert "4 starts failed" in fault.detail
    assert "sleeps still" in fault.detail
    now_s *= 2
    breaker.note(BROKEN, None, 2.0)
    breaker.note(BROKEN, failed(), 2.0)
    assert breaker.resting(BROKEN) is None, "it has started, so the count begins anew"


def test_a_broken_bot_is_started_three_times_and_loses_all_its_games_the_same_way(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    games = work(tmp_path)
    dies = python_bot(
        tmp_path / "dies", f"open({str(starts)!r}, 'a').write('x'); raise SystemExit(3)" + BY_SEED
    )
    games = replace(games, programs={**games.programs, BROKEN: dies})
    with closing(games.open("test", "token", own_process=False)) as playing:
        records = [playing.play(ticket) for ticket in tickets(2)]
    seats = [
        seat
        for record in records
        if isinstance(record, GameRecord)
        for seat in record.seats
        if seat.entry_no == BROKEN
    ]
    assert len(seats) == len(records) == 6
    assert {(seat.verdict, seat.at_decision) for seat in seats} == {(Verdict.STARTUP, 0)}
    assert ["was not started" in seat.detail for seat in seats] == [False] * 3 + [True] * 3
    assert starts.read_text() == "x" * STARTLESS_AFTER

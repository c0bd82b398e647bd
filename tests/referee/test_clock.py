"""The clock of a seat: arithmetic by hand, and what follows from it in a game."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.players.base import Fault, Reply
from arena.referee.clock import SeatClock
from arena.referee.referee import Referee
from protocol.messages import Ask, Clock, Time
from protocol.verdicts import Verdict
from results.base.clock import NS_PER_MS
from results.records import GameRecord
from tests.support.games import BIDS
from tests.support.tables import Recorder, first_move, play, reply, timing_of

CLOCK = Clock(ready_ms=2_000, move_ms=100, bank_ms=300, margin_ms=20)


def ms(number: float) -> int:
    return int(number * NS_PER_MS)


def test_a_move_within_its_time_costs_nothing() -> None:
    clock = SeatClock.of(CLOCK)
    assert clock.limit_ns() == ms(420)
    assert clock.charge(ms(100))
    assert clock.bank_ns == ms(300)
    assert clock.time == Time(move_ms=100, bank_ms=300)


def test_beyond_the_moves_time_the_bank_pays() -> None:
    clock = SeatClock.of(CLOCK)
    assert clock.charge(ms(250.75))
    assert clock.bank_ns == ms(149.25)
    assert clock.time == Time(move_ms=100, bank_ms=149), "whole milliseconds, rounded down"
    assert clock.limit_ns() == ms(269.25)
    assert clock.charge(ms(100.5))
    assert clock.bank_ns == ms(148.75)


def test_the_margin_is_forgiven_at_the_very_end_and_not_more() -> None:
    clock = SeatClock.of(CLOCK)
    assert clock.charge(ms(420))
    assert clock.bank_ns == 0
    assert clock.time == Time(move_ms=100, bank_ms=0)
    assert clock.charge(ms(120))
    assert not clock.charge(ms(120) + 1)


def test_too_late_takes_nothing() -> None:
    clock = SeatClock.of(CLOCK)
    assert not clock.charge(ms(420) + 1)
    assert clock.bank_ns == ms(300)


def test_where_bots_share_a_core_each_has_so_many_times_the_time() -> None:
    clock = SeatClock.of(CLOCK)
    assert clock.limit_ns(4) == ms(1620), "4 × (100 + 300) + 20"
    assert clock.charge(ms(400), 4), "a quarter of it is its own: the move's time"
    assert clock.bank_ns == ms(300)
    assert clock.charge(ms(1000), 4), "250 of its own: 150 off the bank"
    assert clock.bank_ns == ms(150)
    assert clock.limit_ns(2) == ms(520)
    assert not clock.charge(ms(520) + 1, 2)
    assert clock.charge(ms(520), 2)
    assert clock.bank_ns == 0


def test_the_limit_in_words() -> None:
    clock = SeatClock.of(CLOCK)
    assert clock.limit_text() == (
        "time: 420 ms limit (100 ms for the move, 300 ms in the bank, 20 ms margin)"
    )
    assert clock.limit_text(3) == (
        "time: 1220 ms limit (100 ms for the move, 300 ms in the bank, both 3 times as 3 were asked at once, "
        "20 ms margin)"
    )


@given(st.lists(st.tuples(st.integers(0, ms(500)), st.integers(1, 6)), max_size=20))
def test_the_bank_only_ever_shrinks_by_what_was_taken_too_long(walls: list[tuple[int, int]]) -> None:
    clock = SeatClock.of(CLOCK)
    paid_ns = 0
    for wall_ns, sharing in walls:
        before_ns, limit_ns = clock.bank_ns, clock.limit_ns(sharing)
        in_time = clock.charge(wall_ns, sharing)
        assert in_time == (wall_ns <= limit_ns)
        paid_ns += max(0, wall_ns // sharing - ms(100)) if in_time else 0
        assert 0 <= clock.bank_ns <= before_ns
        assert clock.bank_ns >= ms(300) - paid_ns
        assert clock.time.bank_ms == clock.bank_ns // NS_PER_MS


def test_zero_is_a_clock_too() -> None:
    clock = SeatClock.of(replace_clock(move_ms=0, bank_ms=0, margin_ms=0))
    assert clock.limit_ns(5) == 0
    assert clock.charge(0)
    assert not clock.charge(1)


def replace_clock(**changes: int) -> Clock:
    fields = {"ready_ms": 0, "move_ms": 100, "bank_ms": 300, "margin_ms": 20}
    return Clock(**{**fields, **changes})


def taking(*walls_ms: float) -> Recorder:
    """Return a player that claims to have taken so long over its asks, and no time over the rest."""

    def answer(ask: Ask, number: int) -> Reply | Fault:
        wall_ns = ms(walls_ms[number]) if number < len(walls_ms) else 0
        return reply(first_move(ask), wall_ns=wall_ns, cpu_ns=wall_ns // 2)

    return Recorder(answer)


def game_of(*players: Recorder, clock: Clock = CLOCK) -> GameRecord:
    return play(BIDS, players, Referee(clock))


def test_a_bot_is_told_what_it_has_left() -> None:
    slow, quick = taking(0, 300, 0.0, 700.5), Recorder()
    record = game_of(slow, quick)
    kinds = [(ask.kind, ask.time.bank_ms) for ask in slow.asks]
    # Two share each bid; a number is said alone.
    assert [bank for _, bank in kinds] == left_by_hand([kind for kind, _ in kinds], [0, 300, 0, 700.5])
    assert {ask.time for ask in quick.asks} == {Time(100, 300)}
    assert record.seats[0].verdict in (None, Verdict.TIMEOUT)


def left_by_hand(kinds: list[str], walls_ms: list[float]) -> list[int]:
    """Return the bank before each ask, worked out again without the clock."""
    bank, banks = 300.0, []
    for kind, wall in zip(kinds, [*walls_ms, *([0] * len(kinds))], strict=False):
        banks.append(int(bank))
        bank -= max(0, (wall / 2 if kind == "bid" else wall) - 100)
    return banks


@pytest.mark.parametrize(("wall_ms", "verdict"), [(820, None), (820.001, Verdict.TIMEOUT)])
def test_the_edge_between_in_time_and_too_late(wall_ms: float, verdict: Verdict | None) -> None:
    record = game_of(taking(wall_ms), Recorder())
    assert record.seats[0].verdict == verdict
    if verdict:
        assert record.seats[0].detail == (
            "time: 820 ms limit (100 ms for the move, 300 ms in the bank, both 2 times as 2 were asked at once, "
            "20 ms margin): 820 ms taken"
        )


def test_times_are_kept_for_each_seat_and_each_decision() -> None:
    record = game_of(taking(10, 30, 20), taking(1, 2, 3))
    first, second = record.seats
    assert first.max_wall_ns == ms(30)
    assert first.wall_ns == ms(60)
    assert first.cpu_ns == ms(30)
    assert second.wall_ns >= ms(3)
    timing = timing_of(record)
    assert timing["columns"] == ["move", "seat", "wall_ns", "cpu_ns"]
    for seat in (0, 1):
        rows = [row for row in timing["decisions"] if row[1] == seat]
        assert len(rows) == record.seats[seat].decisions
        assert sum(row[2] for row in rows) == record.seats[seat].wall_ns
        assert sum(row[3] for row in rows) == record.seats[seat].cpu_ns
    assert [row[0] for row in timing["decisions"]] == sorted(row[0] for row in timing["decisions"])


def test_the_wall_time_of_a_game_is_that_of_the_given_clock() -> None:
    ticks = iter([5_000, 12_000])
    referee = replace(Referee(CLOCK), monotonic_ns=lambda: next(ticks))
    assert play(BIDS, [Recorder(), Recorder()], referee).wall_ns == 7_000

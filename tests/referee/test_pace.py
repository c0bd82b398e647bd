"""The pace of a game: what a seat can see of the time that others took."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from arena.players.base import Fault, Reply
from arena.referee.clock import Pace
from arena.referee.referee import Referee
from protocol.messages import Ask, Clock, End
from protocol.verdicts import Verdict
from results.base.clock import NS_PER_MS
from tests.support.games import BIDS
from tests.support.tables import PATIENT, Recorder, body_of, first_move, play, reply, ticket, timing_of


class Time:
    """A clock that goes on only when it is told to."""

    def __init__(self) -> None:
        self.ns = 1_000_000_000_000

    def monotonic_ns(self) -> int:
        return self.ns

    def sleep_s(self, seconds: float) -> None:
        assert seconds > 0
        self.ns += round(seconds * 1_000_000_000)

    def work_ms(self, milliseconds: float) -> None:
        self.ns += round(milliseconds * NS_PER_MS)


class Timed(Recorder):
    """Takes so long for each of its asks, and keeps when each message reached it, in milliseconds."""

    def __init__(self, time: Time, takes_ms: Callable[[int], float], fault_at: int | None = None) -> None:
        self.time = time
        self.takes_ms = takes_ms
        self.fault_at = fault_at
        self.told_at_ms: list[float] = []
        super().__init__(self._take_time)

    def _take_time(self, ask: Ask, number: int) -> Reply | Fault:
        self.told_at_ms.append(self.time.ns / NS_PER_MS)
        taken_ms = self.takes_ms(number)
        self.time.work_ms(taken_ms)
        if number == self.fault_at:
            return Fault(Verdict.CRASH, "exited with code 1 during its turn")
        return reply(first_move(ask), wall_ns=round(taken_ms * NS_PER_MS))

    def end(self, message: End) -> Any:
        self.told_at_ms.append(self.time.ns / NS_PER_MS)
        return super().end(message)

    @property
    def gaps_ms(self) -> list[float]:
        return [round(b - a, 6) for a, b in zip(self.told_at_ms, self.told_at_ms[1:], strict=False)]


def game(
    time: Time, players: Sequence[Recorder], pace_ms: int, clock: Clock = PATIENT, cards: int = 3
) -> dict[str, Any]:
    """Play a game of bids; return the record's body and times."""
    referee = Referee(clock, pace_ms=pace_ms, monotonic_ns=time.monotonic_ns, sleep_s=time.sleep_s)
    record = play(BIDS, players, referee, ticket(BIDS, len(players), options={"cards": cards}))
    return {"record": record, **body_of(record), **timing_of(record)}


def spied_gaps(
    others_ms: Callable[[int], float], pace_ms: int, *, fault_at: int | None = None
) -> list[float]:
    """Return the gaps that seat 0 sees, which always takes 1 ms, where seats 1 and 2 take as long as said."""
    time = Time()
    spy = Timed(time, lambda _: 1)
    players = [spy, Timed(time, others_ms, fault_at), Timed(time, others_ms)]
    game(time, players, pace_ms)
    return spy.gaps_ms


def test_without_a_pace_the_gaps_tell_how_long_the_others_took() -> None:
    assert spied_gaps(lambda _: 0, 0) != spied_gaps(lambda _: 30, 0)


def test_answers_faster_than_the_pace_tell_nothing() -> None:
    """Three bids at once, numbers said alone, a last bid that is forced: each turn lasts 100 ms."""
    slow, fast = spied_gaps(lambda number: 30 + number, 100), spied_gaps(lambda number: number, 100)
    assert slow == fast
    assert set(fast) <= {100.0, 200.0, 300.0, 400.0}, "whole turns"


def test_a_slower_turn_shows_by_how_much_and_the_next_is_paced_again() -> None:
    quick = spied_gaps(lambda _: 1, 50)
    slow = spied_gaps(lambda number: 81 if number == 0 else 1, 50)
    differences = [round(b - a, 6) for a, b in zip(quick, slow, strict=True)]
    # In this turn all three are asked, one after another within this process: 1 + 81 + 81 ms.
    assert differences[0] == 163 - 50
    assert set(differences[1:]) == {0}


def test_a_forfeit_and_the_end_of_the_game_come_at_the_pace_too() -> None:
    time = Time()
    spy = Timed(time, lambda _: 1)
    made = game(time, [spy, Timed(time, lambda _: 7, fault_at=1)], 100)
    assert made["verdicts"][1] is not None
    assert all(gap % 100 == 0 for gap in spy.gaps_ms), spy.gaps_ms
    gaps = spied_gaps(lambda _: 7, 100, fault_at=1)
    assert all(gap % 100 == 0 for gap in gaps), "the house plays on at the pace"


def test_waiting_is_on_nobodys_clock() -> None:
    time = Time()
    hasty = Clock(ready_ms=1000, move_ms=10, bank_ms=5, margin_ms=1)
    made = game(time, [Timed(time, lambda _: 9), Timed(time, lambda _: 9)], 500, hasty)
    assert [seat.verdict for seat in made["record"].seats] == [None, None]
    assert all(seat.max_wall_ns == 9 * NS_PER_MS for seat in made["record"].seats)
    assert made["record"].wall_ns >= 5 * 500 * NS_PER_MS, "the game's own time holds it"


def test_without_a_pace_nothing_is_waited_for() -> None:
    def never(_: float) -> None:
        raise AssertionError("waited")

    play(BIDS, [Recorder(), Recorder()], Referee(PATIENT, sleep_s=never))


def test_what_a_wait_overruns_does_not_add_up() -> None:
    time = Time()

    def oversleep(seconds: float) -> None:
        time.sleep_s(seconds)
        time.work_ms(0.5)

    pace = Pace(10, time.monotonic_ns, oversleep)
    begun_ns = time.ns
    pace.begin()
    for _ in range(100):
        pace.hold()
    assert time.ns - begun_ns == (100 * 10 + 0.5) * NS_PER_MS


@pytest.mark.parametrize("pace_ms", [0, 20])
def test_the_pace_changes_nothing_of_a_game(pace_ms: int) -> None:
    time = Time()
    made = game(time, [Timed(time, lambda _: 3), Timed(time, lambda _: 5)], pace_ms)
    unpaced = play(BIDS, [Recorder(), Recorder()])
    assert made["record"].fingerprint == unpaced.fingerprint

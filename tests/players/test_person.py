"""A person at the table: may take any time, may correct a move, may leave. Nobody else pays for it."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.core.replay import check
from arena.games.bread_basket import GAME as BREAD_BASKET
from arena.players.person import Leaves, Person, TimeUp
from arena.players.pool import BotPool
from arena.referee.referee import Referee
from protocol.messages import Ask, Clock, End, Start
from protocol.verdicts import Verdict
from results.base.clock import NS_PER_MS, NS_PER_S
from tests.players.resting import Case
from tests.support.bots.programs import python_bot
from tests.support.games import Bids
from tests.support.tables import Recorder, body_of, first_move, play, ticket, timing_of

TEN_MINUTES_S = 600
STRICT = Clock(ready_ms=30_000, move_ms=1, bank_ms=0, margin_ms=0)


class Clocks:
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.now_ns = 0

    def monotonic_ns(self) -> int:
        return self.now_ns


class Hand:
    """A `PersonIO` that answers by a function of the ask and the reason why it is asked again."""

    def __init__(
        self, answer: Callable[[Ask, str], Any], clocks: Clocks | None = None, takes_s: int = 0
    ) -> None:
        self._answer = answer
        self._clocks = clocks or Clocks()
        self._takes_s = takes_s
        self.asks: list[tuple[Ask, str, float | None]] = []
        self.begun: list[Start] = []
        self.ended: list[End] = []

    def begins(self, message: Start) -> None:
        self.begun.append(message)

    def has_no_choice(self, message: Ask) -> None:
        pass

    def decides(self, message: Ask, why_not: str, left_s: float | None, meanwhile: Callable[[], None]) -> Any:
        self.asks.append((message, why_not, left_s))
        meanwhile()
        self._clocks.now_ns += self._takes_s * NS_PER_S
        if left_s is not None and left_s <= self._takes_s:
            raise TimeUp
        return self._answer(message, why_not)

    def ends(self, message: End) -> None:
        self.ended.append(message)


def test_ten_minutes_for_a_move_are_nobodys_fault() -> None:
    clocks, waited = Clocks(), list[int]()
    hand = Hand(lambda ask, _: first_move(ask), clocks, TEN_MINUTES_S)
    person = Person(hand, waited=waited.append, monotonic_ns=clocks.monotonic_ns)
    excuses: list[Any] = []
    record = play(
        Bids(), [person, Recorder()], Referee(clock=STRICT, excused=lambda *args: excuses.append(args))
    )
    assert [seat.verdict for seat in record.seats] == [None, None]
    assert excuses == []
    asked = len(hand.asks)
    assert asked == record.seats[0].decisions > 1
    assert waited == [TEN_MINUTES_S * NS_PER_S] * asked
    assert record.seats[0].max_wall_ns == TEN_MINUTES_S * NS_PER_S
    assert {row[2] for row in timing_of(record)["decisions"] if row[1] == 0} == {TEN_MINUTES_S * NS_PER_S}
    assert len(hand.begun) == len(hand.ended) == 1
    check(Bids(), body_of(record))


def test_a_person_is_told_what_a_bot_at_the_seat_is_told() -> None:
    hand, bot = Hand(lambda ask, _: first_move(ask)), Recorder()
    for player in (Person(hand), bot):
        play(Bids(), [Recorder(), player], given=ticket(Bids(), 2))
    assert [ask for ask, _, _ in hand.asks] == bot.asks
    assert hand.begun == [bot.started]
    assert hand.ended == [bot.ended]


def test_an_illegal_move_is_asked_again_with_the_rule_it_breaks() -> None:
    hand = Hand(lambda ask, why_not: first_move(ask) if why_not else {"type": "nonsense"})
    record = play(Bids(), [Person(hand), Recorder()])
    assert [seat.verdict for seat in record.seats] == [None, None]
    first, again = hand.asks[:2]
    assert first[0] is again[0]
    assert first[1] == ""
    assert "nonsense" in again[1] or "type" in again[1], again[1]
    assert record.seats[0].decisions == len(hand.asks) // 2
    check(Bids(), body_of(record))


def test_who_leaves_forfeits_and_the_others_play_on() -> None:
    def leaves(_ask: Ask, _why_not: str) -> Any:
        raise Leaves("Ctrl-C")

    hand = Hand(leaves)
    record = play(Bids(), [Recorder(), Person(hand), Recorder()])
    assert [seat.verdict for seat in record.seats] == [None, Verdict.RESIGNED, None]
    assert record.seats[1].detail == "Ctrl-C"
    assert record.seats[1].rank == 3
    assert len(hand.asks) == 1
    check(Bids(), body_of(record))


def test_the_own_limit_holds_for_all_attempts_together() -> None:
    clocks = Clocks()
    hand = Hand(lambda *_: {"type": "nonsense"}, clocks, takes_s=20)
    record = play(Bids(), [Person(hand, 50, monotonic_ns=clocks.monotonic_ns), Recorder()])
    assert [left_s for _, _, left_s in hand.asks] == [50, 30, 10]
    assert record.seats[0].verdict is Verdict.TIMEOUT
    assert record.seats[0].detail == "50 s limit for a move, 60000 ms taken"


def test_bots_decide_before_people_and_share_their_time_only_among_themselves() -> None:
    order: list[str] = []

    def bot(ask: Ask, _number: int) -> Any:
        order.append("bot")
        return Recorder()._by_number(ask, 0)

    def person(ask: Ask, _why_not: str) -> Any:
        order.append("person")
        return first_move(ask)

    play(Bids(), [Person(Hand(person)), Recorder(bot), Recorder(bot)])
    assert order[:3] == ["bot", "bot", "person"]


def test_a_runtime_may_use_little_while_a_person_thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(monkeypatch, own_ms=0)
    monitor = case.monitor
    monitor.look_between_turns()
    case.figures.cpu_ms += 2_000
    monitor.look_between_turns()
    assert monitor.pondered().startswith("50 ms limit")
    monitor.excuse_long_wait(TEN_MINUTES_S * NS_PER_S)
    assert monitor.pondered() == ""
    case.figures.cpu_ms += 11_000
    monitor.look_between_turns()
    assert monitor.pondered().startswith("12050 ms limit")
    monitor.begin_game()
    case.figures.cpu_ms += 100
    monitor.look_between_turns()
    assert monitor.pondered().startswith("50 ms limit"), "not in the next game"


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[BotPool]:
    programs = {
        1: python_bot(tmp_path / "spinner", SPINNER),
    }
    with BotPool(programs, tmp_path / "bots", "test-person") as opened:
        yield opened


SPINNER = """
def ask(message):
    import threading
    def spin():
        while True:
            pass
    move(message)
    if threading.active_count() == 1:
        threading.Thread(target=spin, daemon=True).start()
"""


@pytest.mark.slow
def test_who_computes_while_a_person_thinks_is_found_out(pool: BotPool) -> None:
    def slowly(ask: Ask, _why_not: str) -> Any:
        time.sleep(0.7)
        return first_move(ask)

    person = Person(Hand(slowly), None, pool.look_around, pool.excuse_long_wait)
    bot = pool.take(1, ("league", 0), 1)
    record = play(BREAD_BASKET, [person, bot])
    pool.give_back(1, bot, 1)
    assert [seat.verdict for seat in record.seats] == [None, Verdict.PONDERING]
    assert record.seats[0].max_wall_ns > 600 * NS_PER_MS

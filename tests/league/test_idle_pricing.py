"""Moves are priced while nothing is played: within the budget, leagues in turn, and never before a match is over."""

import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.league import idle_pricing, move_prices
from arena.league.idle_pricing import MOST_CPU_S, REST_S, IdlePricing, Order, Priced
from arena.league.move_prices import kept_prices
from results.base.children import Child
from results.store import Store, open_store
from tests.support.leagues import create_here, play_here, write_league
from tests.support.ledgers import new_league, new_store, plan, played

HOUR_S = 3600.0


class Clock:
    """A clock that is set."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


class Computer:
    """Stands for the process that prices: each seat takes `cpu_s`; None: it ends without an answer."""

    cpu_s: float | None = 5.0
    orders: list[Order]

    def __init__(self, *_: Any) -> None:
        pass

    def send(self, order: Order) -> None:
        self.orders.append(order)

    def receive(self, _: float) -> Priced | None:
        return None if self.cpu_s is None else Priced(self.cpu_s)

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture
def computer(monkeypatch: pytest.MonkeyPatch) -> type[Computer]:
    kind = type("OneComputer", (Computer,), {"orders": []})
    monkeypatch.setattr(idle_pricing, "Child", kind)
    return kind


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Yield a store with a league of 80 games and one of two, and in each a match that isn't finished."""
    with new_store(tmp_path) as made:
        for name, games in (("large", 40), ("small", 1)):
            league = new_league(made, 2, name)
            *done, open_match = plan(made, league, *[(0, 1)] * (games + 1), games=2)
            made.append([played(match, rotation) for match in done for rotation in (0, 1)])
            made.append([played(open_match, 0)])
        yield made


def looked(pricing: IdlePricing, clock: Clock, seconds: float) -> None:
    """Let the runner look every second."""
    for _ in range(int(seconds)):
        clock.now_s += 1
        pricing.look()


def test_an_hour_costs_the_budget_however_many_games_there_are(
    store: Store, computer: type[Computer]
) -> None:
    pricing = IdlePricing(store, 60, clock := Clock())
    looked(pricing, clock, REST_S - 1)
    assert not computer.orders, "a league may have something to play again soon"
    looked(pricing, clock, 2 * HOUR_S)
    assert 2 * 60 - 10 <= 5.0 * len(computer.orders) <= 2 * 60 + 10


def test_no_budget_is_no_analysis(store: Store, computer: type[Computer]) -> None:
    looked(IdlePricing(store, 0, clock := Clock()), clock, HOUR_S)
    assert not computer.orders


def test_leagues_take_turns_the_newest_game_first_and_open_matches_wait(
    store: Store, computer: type[Computer]
) -> None:
    looked(IdlePricing(store, 3600, clock := Clock()), clock, 400)
    names = {league.uuid: league.name for league in store.leagues.all()}
    asked = [(names[one.league], one.match_no, one.rotation, one.seat) for one in computer.orders]
    assert len(set(asked)) == len(asked)
    assert [one for one in asked if one[0] == "small"] == [
        ("small", 0, rotation, seat) for rotation in (1, 0) for seat in (0, 1)
    ]
    assert {name for name, *_ in asked[:8:2]} != {name for name, *_ in asked[1:8:2]}, "in turn"
    assert next(one for one in asked if one[0] == "large") == ("large", 39, 1, 0)


def test_rules_that_never_return_cost_what_they_took_and_are_left_alone(
    store: Store, computer: type[Computer]
) -> None:
    computer.cpu_s = None
    looked(IdlePricing(store, 360, clock := Clock()), clock, HOUR_S)
    assert 2 <= len(computer.orders) <= 360 / MOST_CPU_S + 1
    assert len(set(computer.orders)) == len(computer.orders)


def test_nothing_is_priced_once_games_are_played(store: Store, computer: type[Computer]) -> None:
    pricing = IdlePricing(store, 3600, clock := Clock())
    looked(pricing, clock, REST_S + 5)
    before = len(computer.orders)
    assert before
    pricing.stop()
    looked(pricing, clock, REST_S - 1)
    assert len(computer.orders) == before
    looked(pricing, clock, 60)
    assert len(computer.orders) > before


def test_the_process_ends_once_a_seat_takes_too_long(tmp_path: Path) -> None:
    with new_store(tmp_path) as opened:
        league = new_league(opened, 2).uuid
    program = (
        "from arena.league import idle_pricing as one; one.MOST_CPU_S = 1; one.find = lambda *_: any(iter(int, 1)); "
        f"one.main({str(tmp_path / 'arena.sqlite')!r})"
    )
    child: Child[Priced] = Child([sys.executable, "-c", program], Priced)
    with child:
        child.send(Order(league, 0, 0, 0, ""))
        assert child.receive() is None
        assert child.process.wait() == -signal.SIGXCPU


def test_a_process_keeps_the_prices(tmp_path: Path) -> None:
    create_here(write_league(tmp_path, rounds=1))
    play_here(tmp_path, "test")
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        game = store.games.all(store.leagues.get("test").uuid)[-1]
        pricing = IdlePricing(store, 3600, clock := Clock())
        clock.now_s += HOUR_S
        pricing.look()
        until = time.monotonic() + 240
        while not (kept := kept_prices(store.cache, game.fingerprint, 3)) and time.monotonic() < until:
            time.sleep(0.05)
            pricing.look()
        pricing.stop()
        assert kept[0].prices
        assert kept[0].worlds == move_prices.WORLDS

# ruff: noqa: ARG001, ARG002 - members of a game that need not all they are given
"""Prices of moves: what is known of a decision, and nothing else, fixes them; a worse move costs what it loses."""

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec
import pytest

from arena import registry
from arena.conversation.rebuild import StoredGame, conversation
from arena.core.chance import Chance, Rng
from arena.core.errors import UsageError
from arena.core.game import JSON, Decision, Event, Outcome, Seen
from arena.core.game_defaults import BaseGame
from arena.core.ruleset import GameInfo, Ruleset
from arena.league import move_prices
from arena.league.move_prices import Prices, estimate, price_moves, pricing, tasks_of
from protocol.verdicts import Verdict
from results.store.store_folder import Cache
from tests.support.recording import Recording, play, stored

GAMES = [("bread-basket", "tens", 3), ("bread-and-chocolate", "shram", 2), ("sandwich", "fr", 3)]
FEW = {"worlds": 8}


class Take(BaseGame[list[int], int]):
    """The first seat takes 0 to 3 points twice; the other's only move is to watch."""

    info = GameInfo(name="take", title="Take", version=1, summary="", rulesets={"plain": {}}, options=())

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[list[int], tuple[Event, ...]]:
        return [], (Event("dealt", {}),)

    def turn(self, state: list[int]) -> tuple[Decision[int], ...] | Outcome:
        return (Decision(0, "take", (0, 1, 2, 3)),) if len(state) < 2 else Outcome((sum(state), 0))

    def apply(self, state: list[int], moves: Mapping[int, int]) -> tuple[list[int], tuple[Event, ...]]:
        self.check(state, moves)
        return [*state, moves[0]], (Event("taken", {"points": moves[0]}),)

    def scores(self, state: list[int]) -> tuple[int, ...]:
        return sum(state), 0

    def view(self, state: list[int], seat: int | None) -> dict[str, JSON]:
        return {"taken": state[:]}

    def format_move(self, move: int) -> JSON:
        return {"type": "take", "points": move}

    def guess(self, seen: Seen, rng: Rng) -> list[int]:
        return list(seen.view["taken"])

    def policy(self, state: list[int], seat: int, rng: Rng) -> int:
        return 2


def game_of(name: str, ruleset: str, seats: int, fails_at: int | None = None) -> StoredGame:
    players = [Recording(0, fails_at=fails_at, verdict=Verdict.CRASH), *map(Recording, range(1, seats))]
    return stored(play(registry.game(name), ruleset, players))


@pytest.fixture
def take(monkeypatch: pytest.MonkeyPatch) -> StoredGame:
    """Return a game in which the first seat takes what the numbers of its asks say."""
    monkeypatch.setattr(registry, "game", lambda _: Take())
    monkeypatch.setattr("tests.support.recording.game_named", lambda _: Take())
    return stored(play(Take(), "plain", [Recording(0), Recording(1)]))


def test_a_move_costs_what_it_loses(take: StoredGame) -> None:
    prices = price_moves(take, 0, **FEW)  # type: ignore[arg-type]
    made = [record["move"]["points"] for record in take.body["moves"]]
    assert [one.made["points"] for one in prices.prices] == made
    assert [(one.price, one.low, one.high) for one in prices.prices] == [(3 - one,) * 3 for one in made]
    assert [one.is_significant for one in prices.prices] == [one < 3 for one in made]
    assert all(one.better["points"] == 3 for one in prices.prices)
    assert prices.policy
    assert fmean(one.price for one in prices.prices) == 3 - sum(made) / 2


@pytest.mark.parametrize("game", GAMES)
def test_what_the_seat_could_not_know_does_not_matter(
    game: tuple[str, str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    played = game_of(*game)
    monkeypatch.setattr(move_prices, "_LONGEST", 5)
    told = conversation(played, 1)
    begin = replace(told, questions=told.questions[:10])
    monkeypatch.setattr(move_prices, "conversation", lambda *_: begin)
    prices = price_moves(played, 1, **FEW)  # type: ignore[arg-type]
    assert len(prices.prices) == 10
    assert all(one.low <= one.price <= one.high for one in prices.prices)
    blind = replace(begin, questions=tuple([replace(one, state=None) for one in begin.questions]))
    monkeypatch.setattr(move_prices, "conversation", lambda *_: blind)
    unknown = replace(played, deal=None, timing={})  # neither the seed of the deal, nor anybody's times
    assert msgspec.json.encode(price_moves(unknown, 1, **FEW)) == msgspec.json.encode(prices)  # type: ignore[arg-type]


def test_two_processes_price_what_one_does() -> None:
    played = game_of("bread-basket", "none", 2)
    with pricing(2) as mapped:
        assert price_moves(played, 0, worlds=8, mapped=mapped) == price_moves(played, 0, worlds=8)


def test_what_a_seat_was_told_changes_the_prices_even_with_the_same_question() -> None:
    told = tasks_of(game := game_of(*GAMES[0]), conversation(game, 1), 8)
    task = list(told)[3]
    forgetful = replace(task, events=task.events[:-1])
    assert task.rng.random() != forgetful.rng.random()
    assert task.rng.random() == replace(task, made=None, worlds=99).rng.random()


def test_a_forfeit_is_no_move() -> None:
    prices = price_moves(game_of("bread-basket", "none", 3, fails_at=4), 0, **FEW)  # type: ignore[arg-type]
    assert len(prices.prices) == 4


def test_a_result_is_kept_and_a_damaged_one_made_anew(take: StoredGame, tmp_path: Path) -> None:
    cache, calls = Cache(tmp_path), []

    def tell(done: int, of: int) -> None:
        calls.append((done, of))

    def priced(**more: Any) -> Prices:
        return price_moves(take, 0, **{**FEW, "cache": cache, "tell": tell, **more})

    first = priced()
    assert calls == [(1, 2), (2, 2)]
    assert priced() == first
    assert len(calls) == 2
    priced(worlds=9)
    assert len(calls) == 4, "of other worlds nothing is kept"
    for file in (tmp_path / "fits").iterdir():
        file.write_bytes(file.read_bytes()[:-3])
    assert priced() == first
    assert len(calls) == 6


def test_seconds_fix_the_number_of_worlds(take: StoredGame) -> None:
    little, more = (price_moves(take, 0, seconds=seconds).worlds for seconds in (1e-9, 0.3))
    assert little == move_prices.FEWEST_WORLDS < more


def test_a_game_that_cannot_guess_is_told(monkeypatch: pytest.MonkeyPatch, take: StoredGame) -> None:
    monkeypatch.setattr(Take, "guess", BaseGame.guess)
    with pytest.raises(UsageError, match="Take can't be priced"):
        price_moves(take, 0)


def test_a_decision_without_worlds_has_no_price(monkeypatch: pytest.MonkeyPatch, take: StoredGame) -> None:
    def guess(_: object, seen: Seen, rng: Rng) -> list[int]:
        raise ValueError("nothing fits")

    monkeypatch.setattr(Take, "guess", guess)
    assert price_moves(take, 0, **FEW) == Prices(0, True, 8, (), 2)  # type: ignore[arg-type]


def test_the_interval_is_about_the_better_move_and_not_the_luckier() -> None:
    """Ten equal moves: the best of a sample seems better, yet hardly ever significantly."""
    rng = random.Random(7)
    wrong = lower = 0.0
    for _ in range(400):
        leads = [[rng.gauss(0, 5) for _ in range(40)] for _ in range(10)]
        _, price, low, high = estimate(leads)
        wrong += low > 0
        lower += (price + low) / 800
        assert high >= 0
    assert wrong / 400 < 0.05
    assert lower < 0.3


def test_a_clear_mistake_is_significant() -> None:
    rng, held = random.Random(8), 0
    for _ in range(50):
        luck = [rng.gauss(0, 5) for _ in range(40)]
        leads = [[one + worth + rng.gauss(0, 1) for one in luck] for worth in (0, 1, 3, 0.5)]
        best, price, low, high = estimate(leads)
        assert best == 2
        assert 1.5 < low < price < high < 4.5
        held += low <= 3 <= high
    assert held >= 45

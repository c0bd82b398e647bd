"""The reference bots that know Arena's rules: to the end at every table, in time, and the same game twice."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.core.game import Outcome
from tests.bots import bread_and_chocolate_tables, sandwich_tables, simulation
from tests.bots.loading import load
from tests.bots.simulation import ALL_BOTS, KitSeat
from tests.league.test_every_ruleset import tables

BOTS = {
    "bread-basket": ("worrier", "dreamer", "reader"),
    "bread-and-chocolate": ("blocker", "gardener", "listener"),
    "sandwich": ("bland", "caterer", "apprentice"),
}
PLAY: dict[str, Callable[..., tuple[Outcome, list[tuple[int, Any]]]]] = {
    "bread-basket": simulation.play,
    "bread-and-chocolate": bread_and_chocolate_tables.play,
    "sandwich": sandwich_tables.play,
}
SHORT: dict[str, dict[str, object]] = {
    "bread-basket": {"hands": 1},
    "bread-and-chocolate": {"hands": 1, "turn_limit": 60},
    "sandwich": {"rounds": 2},
}
"""Options that shorten a game."""


class HeldClock:
    """A clock that stands still, or one that is late at every look."""

    def __init__(self, late: bool) -> None:
        self.now = 0.0
        self.late = late

    def __call__(self) -> float:
        self.now += 1000.0 * self.late
        return self.now


def folder_of(game: str, name: str) -> Path:
    return ALL_BOTS / game.replace("-", "_") / name


def played(
    game: str, name: str, rules: str, seats: int, options: dict[str, object], *, late: bool
) -> tuple[Outcome, list[tuple[int, Any]]]:
    """Play a short game, the bot at the last seat among greedy ones."""
    made, module = load(folder_of(game, name))
    if hasattr(module, "monotonic"):
        module.monotonic = HeldClock(late)
    others = load(folder_of(game, "greedy"))[0]
    players = [*(KitSeat(others) for _ in range(seats - 1)), KitSeat(made)]
    return PLAY[game](players, 7, rules, {**SHORT[game], **options})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "name", "rules", "seats", "options"),
    [
        pytest.param(*table[:1], name, *table[1:], id=f"{name}-{table[1]}-{table[2]}")
        for table in tables()
        for name in BOTS.get(table[0], ())
    ],
)
def test_a_bot_plays_to_the_end_at_every_table(
    game: str, name: str, rules: str, seats: int, options: dict[str, object]
) -> None:
    outcome, moves = played(game, name, rules, seats, options, late=False)
    assert len(outcome.scores) == seats
    assert any(seat == seats - 1 for seat, _ in moves)


SMALLEST = {"bread-basket": ("tens", 2), "bread-and-chocolate": ("shram", 3), "sandwich": ("en", 3)}


@pytest.mark.parametrize(("game", "name"), [(game, name) for game, names in BOTS.items() for name in names])
def test_without_any_time_a_bot_plays_to_the_end_and_again_alike(game: str, name: str) -> None:
    first, second = (played(game, name, *SMALLEST[game], {}, late=True) for _ in range(2))
    assert first == second


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "name"),
    [("bread-basket", "dreamer"), ("bread-and-chocolate", "gardener"), ("sandwich", "caterer")],
)
def test_with_time_a_bot_thinks_further_and_alike_again(game: str, name: str) -> None:
    hurried, *patient = (played(game, name, *SMALLEST[game], {}, late=late) for late in (True, False, False))
    assert patient[0] == patient[1] != hurried

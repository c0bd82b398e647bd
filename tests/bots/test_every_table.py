"""The reference bots that think with Arena's rules: to the end at every table, in time, and the same game twice."""

from collections.abc import Callable, Iterator
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


def games(
    game: str, name: str, rules: str, seats: int, options: dict[str, object], late: bool
) -> list[tuple[Outcome, list[tuple[int, Any]]]]:
    """Play the same game twice, the bot at the last seat among greedy ones."""
    made, module = load(folder_of(game, name))
    if hasattr(module, "monotonic"):
        module.monotonic = HeldClock(late)
    others = load(folder_of(game, "greedy"))[0]
    players = [*(KitSeat(others) for _ in range(seats - 1)), KitSeat(made)]
    return [PLAY[game](players, 7, rules, {**SHORT[game], **options}) for _ in range(2)]


def every_table() -> Iterator[Any]:
    for game, rules, seats, options in tables():
        for name in BOTS.get(game, ()):
            for late in (True, False):
                quick = late and (rules, seats) in {("tens", 2), ("shram", 3), ("en", 3)}
                yield pytest.param(
                    *(game, name, rules, seats, options, late),
                    id=f"{name}-{rules}-{seats}-{'late' if late else 'patient'}",
                    marks=[] if quick else [pytest.mark.slow],
                )


@pytest.mark.parametrize(("game", "name", "rules", "seats", "options", "late"), list(every_table()))
def test_a_bot_plays_to_the_end_and_again_alike(
    game: str, name: str, rules: str, seats: int, options: dict[str, object], late: bool
) -> None:
    """With all the time it wants, and with none: each answer is a legal move all the same."""
    first, second = games(game, name, rules, seats, options, late)
    assert first == second
    assert len(first[0].scores) == seats
    assert any(seat == seats - 1 for seat, _ in first[1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "name", "rules", "seats"),
    [
        ("bread-basket", "dreamer", "tens", 2),
        ("bread-and-chocolate", "gardener", "pagat", 2),
        ("sandwich", "caterer", "en", 4),
    ],
)
def test_a_bot_in_a_hurry_thinks_less(game: str, name: str, rules: str, seats: int) -> None:
    hurried, patient = (games(game, name, rules, seats, {}, late)[0] for late in (True, False))
    assert hurried != patient

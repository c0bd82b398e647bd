"""The fields that are measured: who plays what, and how much of it."""

from collections.abc import Mapping
from typing import NamedTuple

from arena.core.ruleset import Rotations
from benchmarks.in_process import Player

LEVELS = 10


LEAGUES = 60
"""Leagues of each field and way of playing."""

PARTS = 6
"""Groups of leagues that share no deal. Those of one group play the same deals at each table, in different orders."""


class Field(NamedTuple):
    """Bots that play leagues against each other."""

    words: str
    game: str
    ruleset: str
    seats: int
    players: Mapping[str, Player]
    """By label; of noise levels, the best first."""
    rotations: tuple[Rotations, ...]
    """How matches rotate their deals, the one to compare with first."""
    games: int
    """Games per league with the rotations to compare with; two thirds of them with others, which need fewer."""
    parts: int = PARTS
    is_ordered: bool = False
    """Whether the order of the players is known: they are levels of noise."""
    least_points: float = 0.0
    """A pair counts only if its strengths by scores are at least so far apart, in points a game: with enough games all
    pairs are told apart, and the closest would decide alone."""
    has_ladder: bool = False
    """Whether ladders are played, too."""
    thinking: tuple[tuple[str, str, int], ...] = ()
    """What bots that think ahead do for one move, if it isn't what they always do: bot, name in its module, number."""


def _noise(bot: str) -> dict[str, Player]:
    """Return ten levels of a bot: level k makes k / 10 of its moves at random."""
    return {f"{10 * level} %": Player(bot, level / LEVELS) for level in range(LEVELS)}


def _all(game: str, *bots: str) -> dict[str, Player]:
    return {bot: Player(f"{game}/{bot}") for bot in bots} | {"random": Player("any_game/random")}


_BASKET = _all("bread_basket", "counter", "crumb", "dreamer", "greedy", "reader", "worrier")
_CHOCOLATE = _all("bread_and_chocolate", "blocker", "gardener", "greedy", "listener", "rememberer")
_SANDWICH = _all("sandwich", "apprentice", "bland", "caterer", "greedy", "learner")
_CIRCLE: tuple[Rotations, ...] = ("cyclic", "balanced")
_BOTH_CIRCLES: tuple[Rotations, ...] = ("mirror",)
"""What Sandwich played by default before; with three seats, `balanced` is the same."""

FIELDS: Mapping[str, Field] = {
    "bread-basket-noise": Field(
        "Bread Basket (`tens`), ten noise levels, 4 seats",
        game="bread-basket",
        ruleset="tens",
        seats=4,
        players=_noise("bread_basket/greedy"),
        rotations=_CIRCLE,
        games=400,
        parts=12,
        is_ordered=True,
        has_ladder=True,
    ),
    "bread-basket-bots": Field(
        "Bread Basket (`tens`), seven reference bots, 4 seats",
        game="bread-basket",
        ruleset="tens",
        seats=4,
        players=_BASKET,
        rotations=_CIRCLE,
        games=800,
        parts=8,
        least_points=2.0,
        thinking=(("bread_basket/dreamer", "WORLDS", 25),),
    ),
    "bread-and-chocolate-noise": Field(
        "Bread and Chocolate (`shram`), ten noise levels, 4 seats",
        game="bread-and-chocolate",
        ruleset="shram",
        seats=4,
        players=_noise("bread_and_chocolate/greedy"),
        rotations=_CIRCLE,
        games=360,
        parts=12,
        is_ordered=True,
        has_ladder=True,
    ),
    "bread-and-chocolate-bots": Field(
        "Bread and Chocolate (`shram`), six reference bots, 4 seats",
        game="bread-and-chocolate",
        ruleset="shram",
        seats=4,
        players=_CHOCOLATE,
        rotations=_CIRCLE,
        games=120,
        thinking=(
            ("bread_and_chocolate/gardener", "WALKS", 20),
            ("bread_and_chocolate/rememberer", "WORLDS", 5),
        ),
    ),
    "sandwich-noise": Field(
        "Sandwich (`en`), ten noise levels, 3 seats",
        game="sandwich",
        ruleset="en",
        seats=3,
        players=_noise("sandwich/greedy"),
        rotations=_BOTH_CIRCLES,
        games=1200,
        parts=30,
        is_ordered=True,
        has_ladder=True,
    ),
    "sandwich-noise-4": Field(
        "Sandwich (`en`), ten noise levels, 4 seats",
        game="sandwich",
        ruleset="en",
        seats=4,
        players=_noise("sandwich/greedy"),
        rotations=_CIRCLE,
        games=700,
        is_ordered=True,
    ),
    "sandwich-bots": Field(
        "Sandwich (`en`), six reference bots, 3 seats",
        game="sandwich",
        ruleset="en",
        seats=3,
        players=_SANDWICH,
        rotations=_BOTH_CIRCLES,
        games=900,
        parts=12,
    ),
}

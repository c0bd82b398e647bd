"""Measures what the games of one deal are worth, for each kind of rotation, in games on deals of their own.

    python benchmarks/rotations.py [--game NAME] [--bots reference|noise] [--seats N] [--part 0.1]

The same bots play each deal in many seatings, in this process. A rotation of n games estimates how strong each bot is
at this table by its mean over those games. It is worth as many games on deals of their own as would give a mean of the
same variance:

    worth = variance of one game on a deal and in seats drawn at random / variance of the mean over the n games.

"By scores" takes each bot's points less the mean of the table, "by shares" the part of the others that finish below.
Three or four bots play all seatings of a deal. Five or six play those of each rotation for one base order of each deal.
The standard errors are those of the jackknife over deals. All games follow from seeds, the same on every machine.
"""

import argparse
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import sqrt
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.core.game import ranks_with_faults
from arena.core.ruleset import Rotations, ruleset
from arena.core.seatings import seatings
from arena.registry import game as game_named
from benchmarks.in_process import Player, play
from results.base.scoring import UNIT, game_shares

KINDS: tuple[Rotations, ...] = ("cyclic", "mirror", "balanced")
LEAST_DEALS = 3
ALL_SEATINGS_UP_TO = 4
"""For more seats, they are too many."""

BASKET, CHOCOLATE, SANDWICH = (
    f"{name}/greedy" for name in ("bread_basket", "bread_and_chocolate", "sandwich")
)
RANDOM = Player("any_game/random")
REFERENCE: Mapping[str, Sequence[Player]] = {
    "bread-basket": (
        Player("bread_basket/counter"),
        Player(BASKET),
        RANDOM,
        Player("bread_basket/crumb"),
        Player(BASKET, 0.5),
        Player("bread_basket/counter", 0.5),
    ),
    "bread-and-chocolate": (
        Player("bread_and_chocolate/rememberer"),
        Player(CHOCOLATE),
        RANDOM,
    ),
    "sandwich": (
        Player("sandwich/learner"),
        Player(SANDWICH),
        RANDOM,
        Player("sandwich/learner", 0.5),
        Player(SANDWICH, 0.5),
        Player("sandwich/learner", 0.25),
    ),
}
"""By game: the bots at its tables, of which the first so many sit down."""
GREEDY = {"bread-basket": BASKET, "bread-and-chocolate": CHOCOLATE, "sandwich": SANDWICH}
RULESETS = {"bread-basket": "tens", "bread-and-chocolate": "shram", "sandwich": "en"}


@dataclass(frozen=True)
class Setting:
    """One table, and on how many deals it is measured."""

    game: str
    bots: str
    """`reference` for the bots of the repository, `noise` for levels of the greedy one."""
    seats: int
    deals: int

    @property
    def players(self) -> Sequence[Player]:
        """Who sits at the table."""
        if self.bots == "reference":
            return REFERENCE[self.game][: self.seats]
        steps = self.seats - 1
        return [Player(GREEDY[self.game], 0.9 * step / steps) for step in range(self.seats)]


SETTINGS = (
    Setting("bread-basket", "reference", 3, 100),
    Setting("bread-basket", "reference", 4, 60),
    Setting("bread-basket", "reference", 5, 60),
    Setting("bread-basket", "reference", 6, 60),
    Setting("bread-basket", "noise", 3, 100),
    Setting("bread-basket", "noise", 4, 60),
    Setting("bread-basket", "noise", 5, 60),
    Setting("bread-basket", "noise", 6, 60),
    Setting("bread-and-chocolate", "reference", 3, 60),
    Setting("bread-and-chocolate", "noise", 3, 150),
    Setting("bread-and-chocolate", "noise", 4, 60),
    Setting("bread-and-chocolate", "noise", 5, 100),
    Setting("sandwich", "reference", 3, 60),
    Setting("sandwich", "reference", 4, 60),
    Setting("sandwich", "reference", 5, 60),
    Setting("sandwich", "reference", 6, 60),
    Setting("sandwich", "noise", 3, 80),
    Setting("sandwich", "noise", 4, 60),
    Setting("sandwich", "noise", 5, 60),
    Setting("sandwich", "noise", 6, 60),
)

Results = dict[tuple[int, ...], tuple[list[float], list[float]]]
"""By seating: each player's score less the mean of the table, and its share."""


@dataclass(frozen=True)
class Moments:
    """The mean of a bot's result on one deal, and of its square: by player."""

    means: Sequence[float]
    squares: Sequence[float]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", choices=list(RULESETS))
    parser.add_argument("--bots", choices=["reference", "noise"])
    parser.add_argument("--seats", type=int)
    parser.add_argument("--part", type=float, default=1.0, help="the part of the deals to play")
    given = parser.parse_args()
    print("| game | bots | seats | games | rotation | games a match | worth by scores | worth by shares |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for setting in SETTINGS:
        wanted = (given.game, given.bots, given.seats)
        is_asked = zip(wanted, (setting.game, setting.bots, setting.seats), strict=True)
        if all(asked in (None, value) for asked, value in is_asked):
            _measure(setting, max(LEAST_DEALS, round(setting.deals * given.part)))


def _measure(setting: Setting, deals: int) -> None:
    """Play a table and print what each rotation is worth."""
    games = 0
    by_kind: dict[str, tuple[list[Moments], list[Moments]]] = {kind: ([], []) for kind in ("single", *KINDS)}
    for deal in range(deals):
        bases = _bases(setting, deal)
        results = _played(setting, deal, bases)
        games += len(results)
        for kind, of_deals in by_kind.items():
            sets = [[seating] for seating in results] if kind == "single" else []
            sets = sets or [list(seatings(base, _kind(kind))) for base in bases]
            for measure, moments in enumerate(of_deals):
                moments.append(_moments([results[seating][measure] for seating in one] for one in sets))
    for kind in KINDS:
        a_match = len(seatings(tuple(range(setting.seats)), kind))
        worths = [
            _worth(single, rotated) for single, rotated in zip(by_kind["single"], by_kind[kind], strict=True)
        ]
        shown = " | ".join(f"{worth:.2f} ± {error:.2f}" for worth, error in worths)
        print(
            f"| {setting.game} | {setting.bots} | {setting.seats} | {games} | {kind} | {a_match} | {shown} |",
            flush=True,
        )


def _kind(name: str) -> Rotations:
    return next(kind for kind in KINDS if kind == name)


def _bases(setting: Setting, deal: int) -> list[tuple[int, ...]]:
    """Return the base orders for which a deal is played: all that there are, or one."""
    players = tuple(range(setting.seats))
    if setting.seats <= ALL_SEATINGS_UP_TO:
        return list(permutations(players))
    return [tuple(random.Random(f"{setting}/{deal}").sample(players, setting.seats))]


def _played(setting: Setting, deal: int, bases: Sequence[tuple[int, ...]]) -> Results:
    """Play one deal in every seating that the rotations of these base orders have."""
    game = game_named(setting.game)
    rules = game.resolve(ruleset(game.info, RULESETS[setting.game], {}), setting.seats)
    wanted = dict.fromkeys(seating for base in bases for kind in KINDS for seating in seatings(base, kind))
    results: Results = {}
    for seating in wanted:
        rng = random.Random(f"{setting}/{deal}/{seating}")
        outcome = play(game, rules, [setting.players[one] for one in seating], f"rotations/{deal}", rng)
        shares = game_shares(ranks_with_faults(outcome.scores, {}))
        mean = fmean(outcome.scores)
        seat_of = [seating.index(one) for one in range(setting.seats)]
        results[seating] = (
            [outcome.scores[seat] - mean for seat in seat_of],
            [shares[seat] / UNIT for seat in seat_of],
        )
    return results


def _moments(matches: Iterator[Sequence[Sequence[float]]]) -> Moments:
    """Return the moments of match means; each match is given as its games' results by player."""
    means = [[fmean(of_player) for of_player in zip(*games, strict=True)] for games in matches]
    by_player = list(zip(*means, strict=True))
    return Moments([fmean(of) for of in by_player], [fmean(x * x for x in of) for of in by_player])


def _worth(single: Sequence[Moments], rotated: Sequence[Moments]) -> tuple[float, float]:
    """Return how many single games a match is worth, and the standard error."""
    deals = len(single)
    without = [
        _ratio([*single[:out], *single[out + 1 :]], [*rotated[:out], *rotated[out + 1 :]])
        for out in range(deals)
    ]
    mean = fmean(without)
    error = sqrt((deals - 1) / deals * sum((each - mean) ** 2 for each in without))
    return _ratio(single, rotated), error


def _ratio(single: Sequence[Moments], rotated: Sequence[Moments]) -> float:
    """Return the variance of a single game over that of a match mean, both summed over the players."""
    variances = [0.0, 0.0]
    for player in range(len(single[0].means)):
        truth = fmean(of_deal.means[player] for of_deal in single)
        spread = fmean((of_deal.means[player] - truth) ** 2 for of_deal in single)
        for index, of_deals in enumerate((single, rotated)):
            mean = fmean(of_deal.means[player] for of_deal in of_deals)
            square = fmean(of_deal.squares[player] for of_deal in of_deals)
            # The truth is itself a mean over these deals, which makes what lies around it seem closer.
            variances[index] += square - 2 * truth * mean + truth * truth + spread / (len(single) - 1)
    return variances[0] / variances[1]


if __name__ == "__main__":
    main()

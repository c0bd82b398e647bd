"""Holds circles to their error rate in simulated leagues, counts the matches they need, and adds clones to a lottery.

    python benchmarks/circles.py [--leagues 2000] [--part errors|power|clones|twins]

Errors: leagues whose entries have an order. Any circle is a mistake, and so is any claim that a weaker or equal entry
beats another. Each league is looked at again and again, and counts if it was ever wrong.

Power: rock, paper and scissors, each of which wins a part of its matches against the next, with other entries beside
them; how many matches of each pair it takes until 90 % of the leagues tell the circle.

Clones: the same three and copies of rock; the weights of the lottery, and who comes first by ratings.

Twins: a ladder of 30 with two entries that are exactly equal. Each entry is rock, paper or scissors, and is worth
`EFFECT` more beside one that it beats, and as much less beside one that beats it. So the tables that the ladder chooses
decide how strong the twins look; how often are they told apart? A league takes about three seconds; only this part
plays a tenth of `--leagues`.

All parts give the same figures on every machine. ± is one standard error.
"""

import argparse
import sys
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena_lottery.lottery import lottery, pair_sums
from arena_lottery.pair_parts import PairPart

from benchmarks.score_fit import Chosen, scheduled
from results.analysis.betting_test import Meetings, circles, claims
from results.analysis.fit import fit
from results.analysis.fit_results import Measure
from results.analysis.match_sums import match_sums
from results.analysis.point_strengths import least_squares
from results.ratings import rater

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Setting(NamedTuple):
    """Simulated leagues of entries that have an order. Strengths are in units of the luck of one match."""

    words: str
    entries: int
    seats: int
    matches: int
    spread: float
    """Standard deviation of the strengths; the first two entries are equal."""
    step: float
    """Results are whole multiples of it: a large step gives many ties."""
    is_chased: bool = False
    """Whether matches are always those of the entries that luck has moved furthest apart, as on a bad ladder."""


SETTINGS = (
    Setting("all equal", 10, 2, 900, 0.0, 0.001),
    Setting("all equal, heavy ties", 10, 2, 900, 0.0, 2.0),
    Setting("all equal", 10, 4, 600, 0.0, 0.001),
    Setting("close field", 10, 4, 600, 0.1, 0.001),
    Setting("wide field", 6, 3, 400, 0.5, 0.001),
    Setting("three equals, matched by luck", 3, 2, 300, 0.0, 0.001, is_chased=True),
    Setting("five equals, matched by luck", 5, 2, 300, 0.0, 0.001, is_chased=True),
)
LOOKS = 20
"""How often a league is looked at."""

WINS = (0.6, 0.7, 0.8, 0.9)
FIELDS = (3, 6, 12)
POWER = 0.9
CLONES = (0, 1, 4)
CLONE_ROUNDS = (60, 600)
"""Matches of each pair where there are clones."""
ROCK_WINS = 0.7

TWINS = Chosen("twins", 0.3, 30, 4, 3750)
"""Strengths in units of the luck of a seat in a game; each entry plays 500 games on average."""
EFFECT = 0.15


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--leagues", type=int, default=2000)
    parser.add_argument("--part", choices=("errors", "power", "clones", "twins"))
    given = parser.parse_args()
    parts = {"errors": errors, "power": power, "clones": clones, "twins": twins}
    for name in (given.part,) if given.part else parts:
        for line in parts[name](given.leagues):
            print(line, flush=True)


def errors(leagues: int) -> Iterator[str]:
    """Yield a line for each setting: in how many leagues any claim was ever false, and any circle told."""
    yield f"{leagues} leagues each, {LOOKS} looks: % with any false claim; % with any circle"
    for setting in SETTINGS:
        wrong, circled = zip(*(wrongly_told(setting, number) for number in range(leagues)), strict=True)
        yield (
            f"{setting.words:30} {setting.entries:2} entries, {setting.seats} seats, {setting.matches:3} matches  "
            f"{_percent(wrong)}   {_percent(circled)}"
        )


def wrongly_told(setting: Setting, number: int) -> tuple[bool, bool]:
    """Return whether any claim of a simulated league was ever false, and whether a circle was ever told."""
    rng = np.random.default_rng([11, setting.entries, setting.seats, setting.matches, number])
    strengths = rng.normal(0, 1, setting.entries) * setting.spread
    strengths[1] = strengths[0]
    above = np.zeros((setting.entries, setting.entries), dtype=np.int64)
    played = np.zeros_like(above)
    is_wrong = is_circled = False
    each = setting.matches // LOOKS
    for _ in range(LOOKS):
        for table in _tables(setting, each, above, rng):
            worth = np.round((strengths[table] + rng.normal(0, np.sqrt(0.5), len(table))) / setting.step)
            above[np.ix_(table, table)] += worth[:, None] > worth
            played[np.ix_(table, table)] += 1
        found = claims(_meetings(above, played), setting.entries)
        is_wrong |= any(strengths[one.entry_no] <= strengths[one.opponent_no] for one in found)
        is_circled |= bool(circles(found))
    return is_wrong, is_circled


def _tables(setting: Setting, matches: int, above: Integers, rng: np.random.Generator) -> Iterator[Integers]:
    """Yield the entries of each match; `above` changes as they are played."""
    for _ in range(matches):
        if setting.is_chased:
            a, b = np.unravel_index(int(np.argmax(above - above.T)), above.shape)
            if a != b:
                yield np.array([a, b])
                continue
        yield rng.permutation(setting.entries)[: setting.seats]


def _meetings(above: Integers, played: Integers) -> list[Meetings]:
    return [
        Meetings(a, b, int(played[a, b]), int(above[a, b]), int(played[a, b] - above[a, b] - above[b, a]))
        for a, b in combinations(range(len(above)), 2)
        if played[a, b]
    ]


def power(leagues: int) -> Iterator[str]:
    """Yield by how often each of the three wins and by size of the field how many matches of each pair are needed.

    The others are irrelevant: claims look at pairs. They only make the field larger.
    """
    yield f"{leagues} leagues each: matches of each pair until {100 * POWER:.0f} % tell the circle"
    for wins in WINS:
        found = []
        for entries in FIELDS:
            rng = np.random.default_rng([12, entries, round(100 * wins)])
            won = np.cumsum(rng.random((leagues, 3, 2000)) < wins, axis=2)
            told = np.sort([_first_told(one, entries) for one in won])
            needed = told[int(np.ceil(POWER * leagues)) - 1]
            # The error of a quantile: from the order statistics one standard error of the rank away.
            ranks = POWER * leagues + np.array([-1, 1]) * np.sqrt(leagues * POWER * (1 - POWER))
            low, high = told[np.clip(np.round(ranks).astype(int) - 1, 0, leagues - 1)]
            found.append(f"{entries:2} entries {needed:4.0f} ±{(high - low) / 2:.1f}")
        yield f"each wins {100 * wins:.0f} %:  {'   '.join(found)}"


def _first_told(won: Integers, entries: int) -> int:
    """Return after how many matches of each pair the circle is told, by bisection: it is hardly ever told back."""
    low, high = 0, int(won.shape[1])
    while high - low > 1:
        middle = (low + high) // 2
        meetings = [
            Meetings(a, b, middle, int(won[pair, middle - 1]), 0)
            for pair, (a, b) in enumerate(((0, 1), (1, 2), (2, 0)))
        ]
        low, high = (low, middle) if circles(claims(meetings, entries)) else (middle, high)
    return high


def clones(leagues: int) -> Iterator[str]:
    """Yield for some numbers of clones of rock what the lottery gives to whom, and who comes first by ratings."""
    some = max(10, leagues // 20)
    yield (
        f"{some} leagues each, rock, paper and scissors win {100 * ROCK_WINS:.0f} %: "
        "weights in % of all rocks, paper, scissors; % with paper first by the fit, by TrueSkill (μ − 3σ)"
    )
    for copies, rounds in product(CLONES, CLONE_ROUNDS):
        weights, by_fit, by_ratings = [], [], []
        for number in range(some):
            rng = np.random.default_rng([13, copies, rounds, number])
            kinds = np.array([0, 1, 2] + [0] * copies)  # 0 rock, 1 paper, 2 scissors
            found, first_by_fit, first_by_ratings = _with_clones(kinds, rounds, rng)
            weights.append([100 * found[kinds == kind].sum() for kind in range(3)])
            by_fit.append(first_by_fit == 1)
            by_ratings.append(first_by_ratings == 1)
        means = np.mean(weights, axis=0)
        spread = np.std(weights, axis=0) / np.sqrt(some)
        told = "   ".join(f"{mean:5.1f} ±{error:.1f}" for mean, error in zip(means, spread, strict=True))
        first = f"{_percent(by_fit)}   {_percent(by_ratings)}"
        yield f"{copies} clones, {rounds:3} matches of each pair:  {told}      {first}"


def _with_clones(kinds: Integers, rounds: int, rng: np.random.Generator) -> tuple[Floats, int, int]:
    """Return the weights by entry of one league, and the kinds of those that are first by the fit and by ratings."""
    system = rater("trueskill", {"draw_probability": 0.01})
    ratings = dict.fromkeys(range(len(kinds)), system.scale.start)
    parts = []
    for part in range(rounds):
        pairs = list(combinations(range(len(kinds)), 2))
        for a, b in (pairs[i] for i in rng.permutation(len(pairs))):
            step = (kinds[a] - kinds[b]) % 3  # 1: a beats b
            chance = (0.5, ROCK_WINS, 1 - ROCK_WINS)[step]
            is_won = bool(rng.random() < chance)
            parts.append(PairPart(part % 64, a, b, 1, int(is_won), 0))
            rated = system.rate([ratings[a], ratings[b]], (1, 2) if is_won else (2, 1))
            ratings[a], ratings[b] = rated
    weights = np.array([one.weight for one in lottery(parts, 0).weights])
    strengths = np.array([one.value for one in fit([pair_sums(parts)]).strengths])
    cautious = np.array([ratings[entry].mu for entry in range(len(kinds))])
    return weights, int(kinds[np.argmax(strengths)]), int(kinds[np.argmax(cautious)])


def twins(leagues: int) -> Iterator[str]:
    """Yield in how many leagues two equals on a ladder are told apart, by places and by points."""
    some = max(10, leagues // 10)
    apart = [twins_apart(number) for number in range(some)]
    yield f"{some} ladders of {TWINS.entries}: % where twins seem to differ, pair by pair and all pairs together"
    for by, told in zip(("places", "points"), zip(*apart, strict=True), strict=True):
        pair, familywise = zip(*told, strict=True)
        yield f"by {by}:  {_percent(pair)}   {_percent(familywise)}"


def twins_apart(number: int) -> list[tuple[bool, bool]]:
    """Return whether the twins of a league are told apart, pair by pair and familywise, by places and by points."""
    rng = np.random.default_rng([14, number])
    entries = np.arange(TWINS.entries)
    strengths = rng.normal(0, TWINS.spread, TWINS.entries)
    strengths[1] = strengths[0]
    kinds = np.where(entries == 1, 0, entries % 3)

    def scores(table: Floats) -> Floats:
        places = table.astype(np.int64)
        beats = (kinds[places, None] - kinds[places]) % 3
        effects = EFFECT * ((beats == 1).sum(axis=1) - (beats == 2).sum(axis=1))
        return np.asarray(strengths[places] + effects + rng.normal(0, 1, len(places)), dtype=np.float64)

    # Entries stand for their strengths, so that a game knows who meets whom.
    rows = scheduled(TWINS, entries.astype(np.float64), rng, scores)
    fits = (
        fit(match_sums([rows], Measure.SHARES), chosen=True),
        least_squares(match_sums([rows], Measure.SCORES), chosen=True),
    )
    return [
        (
            any(1 - one.entry_no in (one.above or ()) for one in found.strengths[:2]),
            any(1 - one.entry_no in (one.above_familywise or ()) for one in found.strengths[:2]),
        )
        for found in fits
    ]


def _percent(values: "tuple[bool, ...] | list[bool]") -> str:
    mean = np.mean(values)
    return f"{100 * mean:5.2f} ±{100 * np.sqrt(mean * (1 - mean) / len(values)):.2f}"


if __name__ == "__main__":
    main()

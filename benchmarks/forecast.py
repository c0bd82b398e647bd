"""Holds the forecasts of `arena league create --dry-run` and `arena compare` to what leagues of reference bots need.

    python benchmarks/forecast.py [--setting N] [--leagues 100] [--bank FOLDER] [--processes 1]

Reference bots (those of `benchmarks/luck.py`) play a bank of matches in this process: every table of the field equally
often. Leagues are then drawn from the bank, match by match with replacement, so the gap between two bots is exactly
that of the bank. The forecasts know nothing of the bank: they take the luck from the games' luck.json.

League: how many matches until two bots are told apart with 95 % confidence in 80 % of the leagues, by the fit by
scores and by places. For each number of matches, `--leagues` leagues are drawn; the probability that a pair
is told apart is taken to be Φ(k √matches − 1.96), k is fitted by maximum likelihood; (2.80 / k)² matches are needed.

Comparison: the mean number of matches until `arena compare` answers, with X equal to the true difference of two bots.

± is one standard error: of the needed matches, from the likelihood; of the forecast, from that of the luck. All figures
follow from seeds, the same on every machine.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import NormalDist, fmean, stdev
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.core.ruleset import ruleset
from arena.league.forecast.luck import measured_luck
from arena.registry import game as game_named
from benchmarks.luck import PLAYERS, Rows, Setting, match_of
from results.analysis.fit import fit
from results.analysis.fit_results import Measure
from results.analysis.match_sums import match_sums
from results.analysis.matches_needed import CONFIDENCE, POWER, matches_of_league
from results.analysis.point_strengths import least_squares
from results.analysis.sample_size import Spread, comparison_length
from results.analysis.sequential_test import Question, SequentialTest
from results.base.scoring import UNIT, game_shares

NORMAL = NormalDist()
CRITICAL = NORMAL.inv_cdf((1 + CONFIDENCE) / 2)
TOLD = CRITICAL + NORMAL.inv_cdf(POWER)
AT_MATCHES = (20, 40, 80, 160, 320, 640)
LEAST_MATCHES, MOST_MATCHES = 25, 900
"""Pairs are looked at if the forecast lies between, so that leagues on either side of it were drawn."""
COMPARISONS = 40
BY = ("scores", "places")
LEAST_X, MOST_X = 0.06, 0.3


class Tried(NamedTuple):
    """A setting, and the bots of it that play, by number in `PLAYERS`."""

    setting: Setting
    """Its deals are for each table."""
    bots: tuple[int, ...]


TRIED = (
    Tried(Setting("bread-basket", "tens", 2, 100), (0, 1, 2, 3)),
    Tried(Setting("bread-basket", "tens", 4, 40), (0, 1, 2, 3, 4)),
    Tried(Setting("bread-and-chocolate", "shram", 2, 150), (0, 1, 2, 3, 4)),
    Tried(Setting("bread-and-chocolate", "shram", 4, 60), (0, 1, 2, 3, 4)),
    Tried(Setting("sandwich", "en", 3, 20), (0, 1, 2, 3, 5)),
    Tried(Setting("sandwich", "en", 4, 30), (0, 1, 2, 3, 5)),
)

Bank = Mapping[tuple[int, ...], Sequence[Rows]]
"""Matches by table."""


def main() -> None:
    """Play the banks, draw leagues, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--setting", type=int, choices=range(len(TRIED)), help="only this one; from 0")
    parser.add_argument("--leagues", type=int, default=100, help="leagues at each number of matches")
    parser.add_argument("--bank", type=Path, help="folder that keeps the played matches")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    chosen = TRIED if given.setting is None else TRIED[given.setting : given.setting + 1]
    for tried in chosen:
        bank = _bank(tried, given.bank, given.processes)
        for line in (*league_lines(tried, bank, given.leagues), *comparison_lines(tried, bank)):
            print(line, flush=True)


def _bank(tried: Tried, folder: Path | None, processes: int) -> Bank:
    """Return the matches of a setting, played or read."""
    setting = tried.setting
    tables = list(combinations(tried.bots, setting.seats))
    kept = folder and folder / f"{setting.game}-{setting.ruleset}-{setting.seats}-{setting.deals}.npz"
    if kept and kept.exists():
        stored = np.load(kept)
        return {table: list(stored[" ".join(map(str, table))]) for table in tables}
    with ProcessPoolExecutor(processes) as pool:
        bank = dict(zip(tables, pool.map(partial(_table, setting), tables), strict=True))
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        arrays: dict[str, Any] = {" ".join(map(str, table)): np.stack(found) for table, found in bank.items()}
        np.savez_compressed(kept, **arrays)
    return bank


def _table(setting: Setting, table: tuple[int, ...]) -> list[Rows]:
    """Play the matches of one table, each in a base order of its own."""
    orders = np.random.default_rng([*table, setting.seats])
    return [
        match_of(
            setting,
            orders.permutation(table).tolist(),
            deal,
            f"forecast/{setting.game}/{setting.ruleset}/{table}/{deal}",
        )
        for deal in range(setting.deals)
    ]


class Pair(NamedTuple):
    """Two bots, and how they do in the whole bank."""

    better: int
    worse: int
    gap: float


def league_lines(tried: Tried, bank: Bank, leagues: int) -> Iterator[str]:
    """Yield a line for each measure and pair: the gap, the forecast, and what was needed."""
    luck = _luck(tried)
    whole = _numbered([match for matches in bank.values() for match in matches])
    counted = _told_apart(tried, bank, leagues)
    for by in BY:
        deviation, error = {
            "scores": (luck.score, luck.score_error),
            "places": (100 * luck.share, 100 * luck.share_error),
        }[by]
        ratios = []
        for pair in _pairs(whole, Measure.SCORES if by == "scores" else Measure.SHARES):
            forecast = matches_of_league(pair.gap, deviation, len(tried.bots), tried.setting.seats)
            if not LEAST_MATCHES <= forecast <= MOST_MATCHES:
                continue
            k, k_error = _probit([(n, told[pair.better, pair.worse], of) for n, told, of in counted[by]])
            needed = (TOLD / k) ** 2
            ratios.append(forecast / needed)
            yield (
                f"| {_words(tried)} | {_name(tried, pair.better)} over {_name(tried, pair.worse)} | {by} "
                f"| {pair.gap:.1f} | {forecast:,} ± {2 * error / deviation * forecast:,.0f} "
                f"| {needed:,.0f} ± {2 * needed * k_error / k:,.0f} | {forecast / needed:.2f} |"
            )
        yield from _mean(tried, by, ratios)


def _mean(tried: Tried, by: str, ratios: Sequence[float]) -> Iterator[str]:
    """Yield the line of the mean ratio, if there are several."""
    if len(ratios) > 1:
        error = stdev(ratios) / sqrt(len(ratios))
        yield f"| {_words(tried)} | mean of {len(ratios)} pairs | {by} | | | | {fmean(ratios):.2f} ± {error:.2f} |"


def _words(tried: Tried) -> str:
    setting = tried.setting
    return f"{setting.game} {setting.ruleset}, {len(tried.bots)} bots at {setting.seats}"


def _name(tried: Tried, bot: int) -> str:
    player = PLAYERS[tried.setting.game][bot]
    return player.bot.split("/")[1] + (f" ({player.noise:.0%} random)" if player.noise else "")


def _luck(tried: Tried) -> Spread:
    setting, game = tried.setting, game_named(tried.setting.game)
    rules = game.resolve(ruleset(game.info, setting.ruleset, {}), setting.seats)
    found = measured_luck(game, rules, setting.seats, game.info.rotations)
    if found is None:
        raise SystemExit(f"{setting}: its luck isn't in luck.json")
    return found


def _pairs(rows: Rows, measure: Measure) -> list[Pair]:
    """Return all pairs with the gap between their strengths."""
    strengths = sorted(least_squares(match_sums([rows], measure)).strengths, key=lambda one: -one.value)
    return [Pair(a.entry_no, b.entry_no, a.value - b.value) for a, b in combinations(strengths, 2)]


def _told_apart(
    tried: Tried, bank: Bank, leagues: int
) -> dict[str, list[tuple[int, Counter[tuple[int, int]], int]]]:
    """Draw leagues of some numbers of matches.

    Return by measure, for each number: it, how many leagues told an entry to be stronger than another, of how many.
    """
    rng = np.random.default_rng(tried.setting.seats)
    found: dict[str, list[tuple[int, Counter[tuple[int, int]], int]]] = {by: [] for by in BY}
    for matches in AT_MATCHES:
        rounds = max(1, round(matches / len(bank)))
        told: dict[str, Counter[tuple[int, int]]] = {by: Counter() for by in BY}
        for _ in range(leagues):
            rows = _drawn(bank, rounds, rng)
            for by in BY:
                told[by].update(_claims(rows, by))
        for by in BY:
            found[by].append((rounds * len(bank), told[by], leagues))
    return found


def _drawn(bank: Bank, rounds: int, rng: np.random.Generator) -> Rows:
    """Return a league of so many matches at each table, drawn from the bank."""
    return _numbered([of[i] for of in bank.values() for i in rng.integers(0, len(of), rounds)])


def _numbered(matches: Sequence[Rows]) -> Rows:
    """Return matches as one league."""
    rows = np.concatenate(matches)
    rows[:, 0] = np.repeat(np.arange(len(matches)), [len(match) for match in matches])
    return rows


def _claims(rows: Rows, by: str) -> list[tuple[int, int]]:
    """Return which entries are told to be stronger than which."""
    if by == "places":
        fitted = fit(match_sums([rows], Measure.SHARES)).strengths
        return [(one.entry_no, other) for one in fitted for other in one.above or ()]
    found = least_squares(match_sums([rows], Measure.SCORES)).strengths
    return [(one.entry_no, other) for one in found for other in one.above or ()]


def _probit(outcomes: Sequence[tuple[int, int, int]]) -> tuple[float, float]:
    """Return the k of Φ(k √matches − 1.96) by maximum likelihood, and its standard error.

    Each outcome is a number of matches, how many leagues told the pair apart, and of how many.
    """

    def slope(k: float) -> tuple[float, float]:
        score = information = 0.0
        for matches, told, leagues in outcomes:
            z = k * sqrt(matches) - CRITICAL
            p = min(max(NORMAL.cdf(z), 1e-9), 1 - 1e-9)
            density = NORMAL.pdf(z) * sqrt(matches)
            score += density * (told / p - (leagues - told) / (1 - p))
            information += leagues * density**2 / (p * (1 - p))
        return score, information

    low, high = 1e-4, 10.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle)[0] > 0 else (low, middle)
    return low, 1 / sqrt(slope(low)[1])


def comparison_lines(tried: Tried, bank: Bank) -> Iterator[str]:
    """Yield a line for each pair: X, the forecast of `arena compare`, and the mean of comparisons."""
    luck, rng = _luck(tried), np.random.default_rng(tried.setting.seats)
    ratios = []
    for a, b in combinations(tried.bots, 2):
        results = np.array(
            [_difference(match, a, b) for table, of in bank.items() if {a, b} <= set(table) for match in of]
        )
        x = abs(float(results.mean()))
        if not LEAST_X <= x <= MOST_X:
            continue
        forecast = comparison_length(Question(x, 0.05), luck.share, x)
        lengths = [_length(results, x, rng) for _ in range(COMPARISONS)]
        needed, error = fmean(lengths), stdev(lengths) / sqrt(COMPARISONS)
        ratios.append(forecast.mean / needed)
        names = " and ".join(_name(tried, one) for one in (a, b))
        yield (
            f"| {_words(tried)} | {names} | compare | {100 * x:.1f} % | {forecast.mean:,.0f} "
            f"| {needed:,.0f} ± {error:,.0f} | {forecast.mean / needed:.2f} |"
        )
    yield from _mean(tried, "compare", ratios)


def _difference(match: Rows, a: int, b: int) -> float:
    """Return the difference of two bots' mean shares in a match."""
    games = int(match[:, 1].max()) + 1
    total = 0
    for game in range(games):
        of_game = match[match[:, 1] == game]
        shares = dict(zip(of_game[:, 3].tolist(), game_shares(of_game[:, 4].tolist()), strict=True))
        total += shares[a] - shares[b]
    return total / (games * UNIT)


def _length(results: Any, x: float, rng: np.random.Generator) -> int:
    """Return the number of matches of one comparison, whose results are drawn."""
    test = SequentialTest(Question(x, 0.05))
    while test.take(rng.choice(results, 8).tolist()) is None:
        pass
    return test.matches


if __name__ == "__main__":
    print("| league | bots | by | gap | forecast | needed | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    main()

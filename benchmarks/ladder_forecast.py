"""Holds the forecasts of `arena league create --dry-run` to what simulated ladders tell.

    python benchmarks/ladder_forecast.py [--leagues 100] [--by places|scores]

Ladders of known strengths are those of `places_fit.py` (by places) and `score_fit.py` (by scores). After some numbers
of matches, all pairs of bots are either told apart, the right way round, or not. The forecast is a gap that is told in
80 % of the cases in a league whose bots all meet equally often, with the true luck. Pairs are looked at whose gap is
half of it to twice as much. The probability that they are told is taken to be Φ(k gap − 1.96), where k is fitted by
maximum likelihood to the pairs of all leagues; 2.80 / k is then the gap that it takes.

Gaps by places are differences of expected shares at a table of both with two others of the league. As matches grow
with 1 / gap², the square of forecast / needed gap is forecast / needed matches. ± is one standard error, from
resampled leagues.
"""

import argparse
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from statistics import NormalDist

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.places_fit import Floats, Laddered, Rows, laddered
from benchmarks.score_fit import Chosen, scheduled, shaped
from results.analysis.fit import fit
from results.analysis.fit_results import Measure
from results.analysis.match_sums import match_sums
from results.analysis.matches_needed import CONFIDENCE, POWER, gap_told
from results.analysis.point_strengths import least_squares

NORMAL = NormalDist()
CRITICAL = NORMAL.inv_cdf((1 + CONFIDENCE) / 2)
TOLD = CRITICAL + NORMAL.inv_cdf(POWER)
SPREADS = (0.3, 1.0, 2.0)
AT_MATCHES = (100, 200, 400)
ENTRIES, SEATS = 12, 4
RANKS_APART = (SEATS * (SEATS + 1) / 6) ** 0.5 / (SEATS - 1)
"""Standard deviation of the difference of two equals' shares."""
SCORES_APART = 2**0.5
NEAR, FAR = 1.15, 2.0
"""Gaps are about as large as the forecast, or looked at, if they are so many times larger or smaller at most."""
DRAWS = 200


def main() -> None:
    """Measure, and print a line for each spread and number of matches."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--leagues", type=int, default=100)
    parser.add_argument("--by", choices=("places", "scores"), default="places")
    given = parser.parse_args()
    print(
        "| by | spread | matches | gap forecast | told, of pairs with about this gap | forecast / needed matches |"
    )
    print("| --- | --- | --- | --- | --- | --- |")
    for spread in SPREADS:
        for line in lines(spread, given.leagues, by_scores=given.by == "scores"):
            print(line, flush=True)


def lines(spread: float, leagues: int, *, by_scores: bool) -> Iterator[str]:
    """Yield what was measured in ladders with strengths of one spread."""
    found: dict[int, list[tuple[Floats, Floats]]] = {matches: [] for matches in AT_MATCHES}
    for number in range(leagues):
        strengths, rows = _league(spread, number, by_scores=by_scores)
        gaps = strengths[:, None] - strengths if by_scores else shares_apart(strengths)
        for matches in AT_MATCHES:
            part = rows[: matches * SEATS]
            claims = _claims_by_scores(part) if by_scores else _claims_by_places(part)
            pairs = [(a, b) if gaps[a, b] > 0 else (b, a) for a, b in combinations(range(ENTRIES), 2)]
            found[matches].append(
                (
                    np.array([gaps[pair] for pair in pairs]),
                    np.array([pair in claims for pair in pairs], dtype=np.float64),
                )
            )
    rng = np.random.default_rng(1)
    for matches, outcomes in found.items():
        forecast = gap_told({SEATS: matches}, {SEATS: SCORES_APART if by_scores else RANKS_APART}, ENTRIES)
        gaps = np.stack([gap for gap, _ in outcomes]) / forecast
        told = np.stack([is_told for _, is_told in outcomes])
        about = abs(np.log(gaps)) < np.log(NEAR)
        needed = TOLD / _probit(gaps, told)
        drawn = [rng.integers(0, leagues, leagues) for _ in range(DRAWS)]
        ratios = [(_probit(gaps[some], told[some]) / TOLD) ** 2 for some in drawn]
        unit = 1 if by_scores else 100
        yield (
            f"| {'scores' if by_scores else 'places'} | {spread} | {matches} | {unit * forecast:.2g} "
            f"| {100 * told[about].mean():.0f} % of {about.sum()} | {needed**-2:.2f} ± {np.std(ratios):.2f} |"
        )


def _league(spread: float, number: int, *, by_scores: bool) -> tuple[Floats, Rows]:
    """Return the strengths of a league, and its games."""
    chosen = Chosen("", spread, ENTRIES, SEATS, max(AT_MATCHES))
    if not by_scores:
        return laddered(Laddered(chosen, "plackett-luce"), number)
    rng = np.random.default_rng([3, number])
    strengths = shaped(chosen, rng)
    return strengths, scheduled(chosen, strengths, rng)


def shares_apart(strengths: Floats) -> Floats:
    """Return [a, b]: how much larger a's share is expected to be than b's where both sit with others at random."""
    n = len(strengths)
    above = 1 / (1 + np.exp(strengths - strengths[:, None]))
    np.fill_diagonal(above, 0.0)
    among = above.sum(axis=1)
    others = (among[:, None] - above) - (among - above.T)
    return np.asarray((above - above.T + (SEATS - 2) * others / (n - 2)) / (SEATS - 1), dtype=np.float64)


def _claims_by_places(rows: Rows) -> set[tuple[int, int]]:
    """Return which entries are told to be stronger than which."""
    found = fit(match_sums([rows], Measure.SHARES), chosen=True).strengths
    return {(one.entry_no, other) for one in found for other in one.above or ()}


def _claims_by_scores(rows: Rows) -> set[tuple[int, int]]:
    found = least_squares(match_sums([rows], Measure.SCORES), chosen=True).strengths
    return {(one.entry_no, other) for one in found for other in one.above or ()}


def _probit(gaps: Floats, told: Floats) -> float:
    """Return the k of Φ(k gap − 1.96) by maximum likelihood."""
    from scipy.special import ndtr

    within = abs(np.log(gaps)) < np.log(FAR)
    gaps, told = gaps[within], told[within]
    low, high = 1e-3, 1e3
    for _ in range(60):
        k = (low * high) ** 0.5
        chance = np.clip(ndtr(k * gaps - CRITICAL), 1e-9, 1 - 1e-9)
        density = np.exp(-((k * gaps - CRITICAL) ** 2) / 2)
        slope = (density * gaps * (told - chance) / (chance * (1 - chance))).sum()
        low, high = (k, high) if slope > 0 else (low, k)
    return float(low)


if __name__ == "__main__":
    main()

"""Holds the fit by places to its word in simulated leagues.

    python benchmarks/places_fit.py [--leagues 200] [--part coverage|ladder] [--setting N] [--claims]

With --claims: how often any claim of a league about two of its entries is wrong, pair by pair and familywise.

Strengths are known, and each printed 95 % interval either holds its strength or doesn't. Two of the entries are equal,
so telling them apart is a mistake.

Results are made in four ways. With `davidson` (two seats) and `plackett-luce` (no ties), the true strengths are those
that made the results. With `scores`, rounded normal numbers decide, and with `davidson-luce` seats are chosen from the
first place on, two at a time if they tie. These have strengths in another sense, from which no formula leads to the
odds of finishing above; the truth is then the fit of a very long league of the same entries, without duplicates. In
the games of a match, the cards at one seat of a deal are worth the same, except with `davidson-luce`.

Ladder: the same where the ladder chooses the matches by the results so far: intervals without and with strengths that
are drawn together. With `scores`, the truth is where the fit tends at the tables of that very league.

All figures are the same on every machine. ± is one standard error.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import score_fit
from benchmarks.score_fit import DEAL_SD, FIRST_SEAT, Chosen, shaped
from results.analysis.davidson import Comparisons
from results.analysis.fit import ELO, fit
from results.analysis.fit_results import Fit, Measure, Strength
from results.analysis.match_sums import MatchSums, match_sums
from results.records.query_rows import SeatResult

Rows = NDArray[np.int64]
"""Seats of games, with the columns of `SeatResult`."""
Floats = NDArray[np.float64]


class Setting(NamedTuple):
    """Simulated leagues."""

    words: str
    entries: int
    seats: int
    games: int
    """Games per match: 1, or one for each rotation of the seats."""
    matches: int
    spread: float
    """Standard deviation of the strengths, in log odds, or in units of the luck of one game."""
    made_by: Literal["davidson", "plackett-luce", "davidson-luce", "scores"]
    ties: float = 0.0
    """Share of games of two equals that are tied (`davidson-luce`: ν; `scores`: scores are multiples of it)."""


SETTINGS = (
    Setting("wide", 8, 2, 1, 60, 1.0, "davidson", 0.1),
    Setting("close, duplicates", 10, 2, 2, 300, 0.2, "davidson", 0.2),
    Setting("wide", 10, 2, 1, 3000, 1.0, "davidson", 0.4),
    Setting("wide, duplicates", 10, 2, 2, 3000, 1.0, "davidson", 0.1),
    Setting("very wide", 10, 2, 1, 300, 2.0, "davidson", 0.0),
    Setting("wide, duplicates", 8, 3, 3, 60, 1.0, "scores", 0.43),
    Setting("close, duplicates", 10, 3, 3, 3000, 0.1, "scores", 2.0),
    Setting("wide", 8, 4, 1, 60, 1.0, "plackett-luce"),
    Setting("wide, duplicates", 10, 4, 4, 300, 1.0, "plackett-luce"),
    Setting("wide", 10, 4, 1, 3000, 1.0, "davidson-luce", 0.3),
    Setting("close, duplicates", 10, 4, 4, 3000, 0.1, "scores", 0.9),
    Setting("close", 20, 5, 1, 600, 0.2, "scores", 0.9),
    Setting("wide", 10, 6, 1, 3000, 1.0, "plackett-luce"),
    Setting("wide, duplicates", 12, 6, 6, 100, 1.0, "scores", 0.43),
    Setting("all equal, duplicates", 12, 6, 6, 20, 0.0, "scores", 2.0),
)
CLAIMS = (
    Setting("all equal", 10, 2, 1, 450, 0.0, "davidson", 0.1),
    Setting("all equal", 10, 4, 1, 150, 0.0, "plackett-luce"),
    Setting("all equal, duplicates", 10, 4, 4, 100, 0.0, "scores", 0.9),
    Setting("all equal, heavy ties", 6, 3, 3, 60, 0.0, "scores", 2.0),
    Setting("close", 10, 2, 1, 450, 0.2, "davidson", 0.1),
    Setting("wide, duplicates", 8, 4, 4, 100, 1.0, "plackett-luce"),
)
GIVES_STRENGTHS = ("davidson", "plackett-luce")
"""Ways to make results by strengths that are log odds of finishing above rather than below."""
LARGE = 200_000
"""Matches of the league whose strengths are the truth otherwise."""


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--leagues", type=int, default=200)
    parser.add_argument("--part", choices=("coverage", "ladder"))
    parser.add_argument("--setting", type=int, choices=range(len(SETTINGS)), help="only this one; from 0")
    parser.add_argument("--claims", action="store_true")
    given = parser.parse_args()
    if given.claims:
        for line in wrong_claims(given.leagues):
            print(line, flush=True)
        return
    chosen = SETTINGS if given.setting is None else (SETTINGS[given.setting],)
    if given.part in (None, "coverage"):
        print(
            f"{given.leagues} leagues each: % of pairs tied; % of intervals that hold the strength; % of them above"
        )
        print("it and below; % of leagues where two equals differ significantly")
        for found in coverage(chosen, given.leagues):
            print(_line(found, given.leagues), flush=True)
    if given.part in (None, "ladder"):
        for line in on_the_ladder(given.leagues):
            print(line, flush=True)


class Measured(NamedTuple):
    """What leagues of one setting showed, as parts of 1."""

    setting: Setting
    tied: float
    """Of the pairs in games."""
    held: float
    """Of the intervals."""
    held_error: float
    """Standard error of `held`; the intervals of a league count as one."""
    too_high: float
    """Intervals above their strength."""
    too_low: float
    apart: float
    """Leagues with two equals told apart."""


def coverage(settings: Sequence[Setting], leagues: int) -> Iterator[Measured]:
    """Yield what was measured in so many leagues of each setting."""
    for setting in settings:
        tied, high, low, apart = np.zeros((4, leagues))
        for number in range(leagues):
            rng = np.random.default_rng([setting.entries, setting.matches, number])
            strengths = _strengths(setting, rng)
            if setting.made_by in GIVES_STRENGTHS:
                truth = ELO * strengths
            elif number == 0:
                truth = _limit(setting, strengths)
            (sums,) = match_sums([league(setting, strengths, rng)], Measure.SHARES)
            tied[number] = sums.tied.sum() / (sums.games.sum() * setting.seats * (setting.seats - 1) / 2)
            known = [one for one in fit([sums]).strengths if one.low is not None]
            ends = np.array([(one.low, one.high) for one in known], dtype=np.float64)
            true = truth[[one.entry_no for one in known]]
            high[number], low[number] = np.mean(ends[:, 0] > true), np.mean(ends[:, 1] < true)
            apart[number] = any(one.entry_no < 2 and 1 - one.entry_no in (one.above or ()) for one in known)
        yield Measured(
            setting,
            float(tied.mean()),
            float(1 - (high + low).mean()),
            float((high + low).std() / leagues**0.5),
            float(high.mean()),
            float(low.mean()),
            float(apart.mean()),
        )


def wrong_claims(leagues: int) -> Iterator[str]:
    """Yield by setting in how many leagues any claim that an entry is stronger is wrong, or about two equals."""
    yield f"{leagues} leagues each: % with any wrong claim: pair by pair; all pairs together"
    for setting in CLAIMS:
        wrong = np.array([is_wrong(setting, number) for number in range(leagues)])
        mean = wrong.mean(axis=0)
        error = np.sqrt(mean * (1 - mean) / leagues)
        told = "   ".join(f"{100 * m:4.1f} ±{100 * e:.1f}" for m, e in zip(mean, error, strict=True))
        yield (
            f"{setting.words:22} {setting.made_by:14} {setting.entries:2} entries, {setting.seats} seats, "
            f"{setting.matches:3} × {setting.games}  {told}"
        )


def is_wrong(setting: Setting, number: int) -> tuple[bool, bool]:
    """Return whether any claim of a simulated league is wrong, pair by pair and familywise."""
    rng = np.random.default_rng([31, setting.entries, setting.seats, setting.matches, number])
    strengths = _strengths(setting, rng)
    found = fit(match_sums([league(setting, strengths, rng)], Measure.SHARES)).strengths

    def any_false(of: Callable[[Strength], tuple[int, ...] | None]) -> bool:
        return any(strengths[one.entry_no] <= strengths[other] for one in found for other in of(one) or ())

    return any_false(lambda one: one.above), any_false(lambda one: one.above_familywise)


def _line(found: Measured, leagues: int) -> str:
    setting = found.setting
    error = (found.apart * (1 - found.apart) / leagues) ** 0.5
    return (
        f"{setting.words:22} {setting.made_by:14} {setting.entries:2} entries, {setting.seats} seats, "
        f"{setting.matches:4} × {setting.games}  {100 * found.tied:3.0f}  {100 * found.held:5.1f} "
        f"±{100 * found.held_error:.1f}  {100 * found.too_high:4.1f} {100 * found.too_low:4.1f}  "
        f"{100 * found.apart:4.1f} ±{100 * error:.1f}"
    )


def _strengths(setting: Setting, rng: np.random.Generator) -> Floats:
    """Return strengths with mean 0, the first two equal; the same in every league if the truth is a long league's."""
    if setting.made_by not in GIVES_STRENGTHS:
        rng = np.random.default_rng(7)
    found = rng.normal(0, 1, setting.entries) * setting.spread
    found[1] = found[0]
    return np.asarray(found - found.mean(), dtype=np.float64)


def _limit(setting: Setting, strengths: Floats) -> Floats:
    """Return the strengths by places in a very long league, in Elo points."""
    rng = np.random.default_rng(2026)
    return _elos(league(setting._replace(matches=LARGE, games=1), strengths, rng))


def _elos(rows: Rows) -> Floats:
    """Return the strengths by entry; all have played."""
    found: Fit = fit(match_sums([rows], Measure.SHARES))
    return np.array([one.value for one in found.strengths])


class Laddered(NamedTuple):
    """Leagues whose matches, of one game each, a ladder chooses."""

    of: Chosen
    made_by: Literal["davidson", "plackett-luce", "scores"]


LADDERS = (
    Laddered(Chosen("all equal", 0.0), "plackett-luce"),
    Laddered(Chosen("close", 0.1), "plackett-luce"),
    Laddered(Chosen("close", 0.3), "plackett-luce"),
    Laddered(Chosen("wide", 1.0), "plackett-luce"),
    Laddered(Chosen("very wide", 2.0), "plackett-luce"),
    Laddered(Chosen("close, many matches", 0.1, matches=2000), "plackett-luce"),
    Laddered(Chosen("evenly spaced", 0.1, shape="even"), "plackett-luce"),
    Laddered(Chosen("two groups of equals", 0.2, shape="two"), "plackett-luce"),
    Laddered(Chosen("two groups, far apart", 1.0, shape="two"), "plackett-luce"),
    Laddered(Chosen("one far ahead", 0.1, shape="ahead"), "plackett-luce"),
    Laddered(Chosen("one far ahead", 0.3, shape="ahead"), "plackett-luce"),
    Laddered(Chosen("close, few matches", 0.3, matches=100), "plackett-luce"),
    Laddered(Chosen("six bots", 0.2, 6, 3, 200), "plackett-luce"),
    Laddered(Chosen("close", 0.2, 24, 2, 800), "davidson"),
    Laddered(Chosen("wide", 1.0, 12, 2), "davidson"),
    Laddered(Chosen("very wide", 2.0, 12, 2), "davidson"),
    Laddered(Chosen("close", 0.1), "scores"),
    Laddered(Chosen("close", 0.3), "scores"),
    Laddered(Chosen("wide", 1.0), "scores"),
    Laddered(Chosen("close", 0.2, 24, 2, 10_000, kind="swiss", a_table=10), "davidson"),
    Laddered(Chosen("close", 0.3, 16, 4, 10_000, kind="swiss", a_table=10), "plackett-luce"),
    Laddered(Chosen("wide", 1.0, 16, 4, 10_000, kind="swiss", a_table=5), "plackett-luce"),
    Laddered(Chosen("close", 0.3, 16, 2, 10_000, kind="elimination", a_table=15), "davidson"),
    Laddered(Chosen("wide", 1.0, 16, 2, 10_000, kind="elimination", a_table=15), "davidson"),
    Laddered(Chosen("close", 0.3, 16, 4, 10_000, kind="elimination", a_table=15), "plackett-luce"),
)
LADDER_TIES = 0.1
"""Of games of two equals on ladders by `davidson`."""


class JudgedElos(NamedTuple):
    """What the intervals of some leagues are worth; all by league."""

    held: list[float]
    """The part of the intervals that hold the strength."""
    best: list[float]
    """1 if that of the best entry does."""
    error: list[float]
    """The mean squared error of the strengths."""
    claims: list[int]
    """The pairs that are told apart."""
    wrong: list[int]
    """Those of them that are equal, or told apart the wrong way round."""


def on_the_ladder(leagues: int) -> Iterator[str]:
    """Yield a line for each of `LADDERS`."""
    yield f"{leagues} leagues each: % of intervals that hold the strength: plain, shrunk, those of the best; "
    yield "mean squared error, shrunk ÷ plain; significant pairs per league, and wrong ones: plain, shrunk"
    for one in LADDERS:
        plain, drawn = judged(one, leagues)
        held = "  ".join(
            f"{100 * np.mean(of):5.1f} ±{100 * np.std(of) / leagues**0.5:.1f}"
            for of in (plain.held, drawn.held, drawn.best)
        )
        chosen = one.of
        yield (
            f"{chosen.kind:12} {chosen.words:22} {one.made_by:13} {chosen.spread:.1f}  "
            f"{chosen.entries:2}, {chosen.seats}, {chosen.matches:4}  {held}   "
            f"{np.mean(drawn.error) / np.mean(plain.error):.2f}   "
            f"{np.mean(plain.claims):.2f} {np.mean(plain.wrong):.2f}  "
            f"{np.mean(drawn.claims):.2f} {np.mean(drawn.wrong):.2f}"
        )


def judged(one: Laddered, leagues: int) -> tuple[JudgedElos, JudgedElos]:
    """Return what plain intervals are worth, and those of strengths drawn together, in the same leagues."""
    both = JudgedElos([], [], [], [], []), JudgedElos([], [], [], [], [])
    for number in range(leagues):
        strengths, rows = laddered(one, number)
        sums = match_sums([rows], Measure.SHARES)
        truth = ELO * (_at_its_tables(strengths, sums) if one.made_by == "scores" else strengths)
        for is_drawn, to in enumerate(both):
            known = [it for it in fit(sums, chosen=bool(is_drawn)).strengths if it.low is not None]
            inside = {it.entry_no: (it.low or 0) <= truth[it.entry_no] <= (it.high or 0) for it in known}
            to.held.append(float(np.mean(list(inside.values()))))
            to.best.append(float(inside[int(np.argmax(strengths))]))
            to.error.append(float(np.mean([(it.value - truth[it.entry_no]) ** 2 for it in known])))
            told = [(it.entry_no, other) for it in known for other in it.above or ()]
            to.claims.append(len(told))
            to.wrong.append(sum(bool(strengths[a] <= strengths[b]) for a, b in told))
    return both


def laddered(one: Laddered, number: int) -> tuple[Floats, Rows]:
    """Return the strengths of a league, and its games."""
    chosen = one.of
    rng = np.random.default_rng([3, number])
    strengths = shaped(chosen, rng)

    def scores(strength: Floats) -> Floats:
        if one.made_by == "davidson":
            lead, ties = strength[0] - strength[1], 2 * LADDER_TIES / (1 - LADDER_TIES)
            ways = np.array([np.exp(lead / 2), ties, np.exp(-lead / 2)])
            return np.array(
                [(1, 0), (0, 0), (0, 1)][int(rng.choice(3, p=ways / ways.sum()))], dtype=np.float64
            )
        seats = len(strength)
        luck = rng.gumbel(0, 1, seats) if one.made_by == "plackett-luce" else rng.normal(0, 1, seats)
        return np.asarray(strength + luck, dtype=np.float64)

    ties = LADDER_TIES if one.made_by == "davidson" else 0.01
    rows = score_fit.scheduled(chosen, strengths, rng, scores, ties)
    return strengths, rows[: chosen.matches * chosen.seats]


def _at_its_tables(strengths: Floats, sums: Sequence[MatchSums]) -> Floats:
    """Return where the fit tends if scores decide without ties, and the entries go on to meet as often as they did.

    The strengths expect as many points of each entry as it has on average, which the normal distribution says.
    """
    n = len(strengths)
    met = sum(table.met for table in Comparisons(sums, np.arange(n)).tables)
    chance = ndtr((strengths[:, None] - strengths) / 2**0.5)
    found = strengths.copy()
    for _ in range(50):
        expected = 1 / (1 + np.exp(found - found[:, None]))
        spread = met * expected * (1 - expected)
        slope = (met * (chance - expected)).sum(axis=1)
        found = found + np.linalg.solve(np.diag(spread.sum(axis=1)) - spread + 1 / n, slope)
    return np.asarray(found - found.mean(), dtype=np.float64)


def league(setting: Setting, strengths: Floats, rng: np.random.Generator) -> Rows:
    """Return the games of a league at random tables."""
    seats, games = setting.seats, setting.games
    tables = np.argsort(rng.random((setting.matches, setting.entries)), axis=1)[:, :seats]
    rotation, seat = np.arange(games)[:, None], np.arange(seats)[None, :]
    entry = tables[:, (seat - rotation) % seats]
    cards = rng.normal(0, DEAL_SD, (setting.matches, 1, seats))
    luck = (cards + rng.normal(0, 1, entry.shape)) / (1 + DEAL_SD**2) ** 0.5
    return _rows(entry, _ranks(setting, strengths[entry], luck, rng))


def _rows(entry: Rows, ranks: Rows) -> Rows:
    """Return the seats of games; entries and ranks are by match, rotation and seat."""
    rows = np.zeros((*entry.shape, len(SeatResult._fields)), dtype=np.int64)
    rows[..., 0] = np.arange(len(entry))[:, None, None]
    rows[..., 1] = np.arange(entry.shape[1])[:, None]
    rows[..., 2] = np.arange(entry.shape[2])
    rows[..., 3], rows[..., 4] = entry, ranks
    return rows.reshape(-1, rows.shape[-1])


def _ranks(setting: Setting, strength: Floats, luck: Floats, rng: np.random.Generator) -> Rows:
    """Return the ranks by match, game and seat; `luck` is normally distributed with a standard deviation of 1."""
    if setting.made_by == "davidson":
        lead = strength[..., 0] - strength[..., 1]
        ties = 2 * setting.ties / (1 - setting.ties)
        total = np.exp(lead / 2) + np.exp(-lead / 2) + ties
        chance = ndtr((luck[..., 1] - luck[..., 0]) / 2**0.5)
        won = chance < np.exp(lead / 2) / total
        lost = chance > 1 - np.exp(-lead / 2) / total
        return np.stack([1 + lost, 1 + won], axis=-1).astype(np.int64)
    if setting.made_by == "davidson-luce":
        return _chosen(strength, setting.ties, rng)
    if setting.made_by == "plackett-luce":
        worth = strength - np.log(-np.log(ndtr(luck)))  # Gumbel's distribution
    else:
        seat = np.linspace(FIRST_SEAT, -FIRST_SEAT, setting.seats)
        worth = np.round((strength + seat + luck * (1 + DEAL_SD**2) ** 0.5) / setting.ties)
    return np.asarray(1 + (worth[..., None, :] > worth[..., :, None]).sum(axis=-1), dtype=np.int64)


def _chosen(strength: Floats, ties: float, rng: np.random.Generator) -> Rows:
    """Return ranks that are chosen from the first place on, several seats at a time if they tie.

    A set of k of the seats that are left is chosen in proportion to the geometric mean of exp(strength), times `ties`
    if k is 2; sets of more are not chosen. Source: Turner and others (see `results.analysis.davidson`).
    """
    seats: int = strength.shape[-1]
    flat = strength.reshape(-1, seats)
    sets = [{seat} for seat in range(seats)] + [set(pair) for pair in combinations(range(seats), 2)]
    member: NDArray[np.bool_] = np.array([[seat in one for seat in range(seats)] for one in sets])
    weights = np.exp(flat @ (member / member.sum(axis=1, keepdims=True)).T)
    weights *= np.where(member.sum(axis=1) == 2, ties, 1.0)
    ranks: Rows = np.zeros(flat.shape, dtype=np.int64)
    while bool((ranks == 0).any()):
        possible = np.where((ranks > 0).astype(int) @ member.T.astype(int) > 0, 0.0, weights)
        sums = possible.cumsum(axis=1)
        chosen = (rng.random((len(flat), 1)) * sums[:, -1:] >= sums).sum(axis=1)
        placed: Rows = np.count_nonzero(ranks, axis=1, keepdims=True)
        at: NDArray[np.bool_] = member[np.minimum(chosen, len(sets) - 1)]
        ranks = np.where(at & (ranks == 0) & (placed < seats), placed + 1, ranks)
    return ranks.reshape(strength.shape)


if __name__ == "__main__":
    main()

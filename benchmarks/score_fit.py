"""Holds the fit by scores to its word in simulated leagues, and counts the games that it and others need.

    python benchmarks/score_fit.py [--leagues 200] [--part coverage|games|ladder] [--setting N]

Coverage: strengths are known, and each printed 95 % interval either holds its strength or doesn't. Two of the entries
are equal, so telling them apart is a mistake; and no familywise claim may be wrong in more than 5 % of the leagues.

Games: ten entries of evenly spaced strengths; after some numbers of matches, the entries are ordered by the fit by
scores, by the fit by places, and by TrueSkill (μ and μ − 3σ), all from the same games.

Ladder: the coverage where the ladder chooses the matches by the results so far, of plain intervals and of strengths
that are drawn together; and a round robin to compare with.

All parts give the same figures on every machine. ± is one standard error.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from results.base.scoring import game_shares, match_ranks

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more threads take more time for small matrices

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena import registry
from arena.schedules.base import Field, Finished, Summary
from results.analysis.fit import fit
from results.analysis.fit_results import Measure, Strength
from results.analysis.match_sums import match_sums
from results.analysis.point_strengths import least_squares
from results.ratings import rater
from results.records.query_rows import SeatResult

Rows = NDArray[np.int64]
"""Seats of games, with the columns of `SeatResult`."""
Floats = NDArray[np.float64]

DEAL_SD = 0.7
"""Spread of what the cards at one seat are worth in all games of a deal; the rest of a game has a spread of 1."""
FIRST_SEAT = 0.3
"""What the first seat is worth; the last as much less, the others between."""


class Setting(NamedTuple):
    """Simulated leagues. Strengths, steps and spreads are in units of the luck of one game."""

    words: str
    entries: int
    seats: int
    games: int
    """Games per match: 1, or one for each rotation of the seats."""
    matches: int
    spread: float
    """Standard deviation of the strengths."""
    step: float
    """Scores are whole multiples of it: a large step gives many ties."""
    measure: Measure = Measure.SCORES


SETTINGS = (
    Setting("wide field", 8, 3, 1, 60, 1.0, 0.01),
    Setting("wide field, duplicates", 8, 4, 4, 20, 1.0, 0.01),
    Setting("close field, duplicates", 10, 4, 4, 300, 0.1, 0.1),
    Setting("close field, heavy ties", 20, 4, 1, 60, 0.2, 2.0),
    Setting("wide field, six seats, duplicates", 12, 6, 6, 100, 1.0, 0.1),
    Setting("close field, five seats", 10, 5, 1, 600, 0.1, 0.1),
    Setting("all equal, heavy ties", 10, 3, 3, 100, 0.0, 2.0),
    Setting("wide field", 10, 4, 1, 3000, 1.0, 0.1),
    Setting("close field, heavy ties, duplicates", 10, 3, 3, 3000, 0.1, 2.0),
    Setting("close field, duplicates", 10, 4, 4, 3000, 0.1, 0.1),
    Setting("shares of places", 10, 4, 4, 300, 0.5, 0.1, Measure.SHARES),
    Setting("shares of places, heavy ties", 10, 4, 1, 3000, 0.5, 2.0, Measure.SHARES),
)
LARGE = 60_000
"""Matches of the league whose shares are the truth: there is no formula for them."""

TAU = 0.95
GAMES_SETTING = Setting("ten evenly spaced, duplicates", 10, 4, 4, 400, 0.0, 0.1)
SPACING = 0.2
AT_MATCHES = (6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 64, 80, 100, 128, 160, 200, 250, 320, 400)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--leagues", type=int, default=200)
    parser.add_argument("--part", choices=("coverage", "games", "ladder"))
    parser.add_argument("--setting", type=int, choices=range(len(SETTINGS)), help="only this one; from 0")
    given = parser.parse_args()
    if given.part in (None, "coverage"):
        chosen = SETTINGS if given.setting is None else (SETTINGS[given.setting],)
        for line in coverage(chosen, given.leagues):
            print(line, flush=True)
    if given.part in (None, "games"):
        for line in games_needed(given.leagues):
            print(line, flush=True)
    if given.part in (None, "ladder"):
        for line in on_the_ladder(given.leagues):
            print(line, flush=True)


def coverage(settings: Sequence[Setting], leagues: int) -> Iterator[str]:
    """Yield a line for each setting: coverage, and the mistakes per pair and familywise, in percent."""
    yield f"{leagues} leagues each: % of intervals that hold the strength; % of leagues where equals differ "
    yield "significantly; % with any wrong claim, all pairs together"
    for setting in settings:
        held, apart, wrong = [], [], []
        for number in range(leagues):
            rng = np.random.default_rng([setting.entries, setting.matches, number])
            strengths = _strengths(setting, rng)
            found = least_squares(match_sums([_league(setting, strengths, rng)], setting.measure)).strengths
            if setting.measure is Measure.SCORES:
                truth = strengths / setting.step
            elif number == 0:
                truth = _limit(setting, strengths)
            of = {one.entry_no: one for one in found}
            held.append(_held(found, truth))
            apart.append(any(1 - entry in (of[entry].above or ()) for entry in (0, 1) if entry in of))
            wrong.append(
                any(
                    strengths[one.entry_no] <= strengths[other]
                    for one in found
                    for other in one.above_familywise or ()
                )
            )
        yield (
            f"{setting.words:36} {setting.entries:2} entries, {setting.seats} seats, {setting.matches:4} × "
            f"{setting.games}  {_percent(held)}   {_percent(apart)}   {_percent(wrong)}"
        )


def _held(found: Sequence[Strength], truth: Floats) -> float:
    """Return the part of the intervals that hold the truth, which is by entry."""
    known = [one for one in found if one.low is not None and one.high is not None]
    held = sum(bool((one.low or 0) <= truth[one.entry_no] <= (one.high or 0)) for one in known)
    return held / len(known)


def _percent(values: Sequence[float]) -> str:
    return f"{100 * np.mean(values):5.1f} ±{100 * np.std(values) / len(values) ** 0.5:.1f}"


def _strengths(setting: Setting, rng: np.random.Generator) -> Floats:
    """Return strengths with mean 0, the first two equal; for shares the same in every league."""
    if setting.measure is Measure.SHARES:
        rng = np.random.default_rng(7)
    found = rng.normal(0, 1, setting.entries) * setting.spread
    found[1] = found[0]
    return np.asarray(found - found.mean(), dtype=np.float64)


def _limit(setting: Setting, strengths: Floats) -> Floats:
    """Return the shares of strengths in a very long league."""
    rng = np.random.default_rng(2026)
    rows = _league(setting._replace(matches=LARGE), strengths, rng)
    return np.array([one.value for one in least_squares(match_sums([rows], setting.measure)).strengths])


def _league(setting: Setting, strengths: Floats, rng: np.random.Generator) -> Rows:
    """Return the games of a league at random tables."""
    seats, games = setting.seats, setting.games
    tables = np.argsort(rng.random((setting.matches, setting.entries)), axis=1)[:, :seats]
    rotation, seat = np.arange(games)[:, None], np.arange(seats)[None, :]
    entry = tables[:, (seat - rotation) % seats]
    worth = strengths[entry] + np.linspace(FIRST_SEAT, -FIRST_SEAT, seats)
    worth = worth + rng.normal(0, DEAL_SD, (setting.matches, 1, seats)) + rng.normal(0, 1, entry.shape)
    score = np.round(worth / setting.step).astype(np.int64)
    rows = np.zeros((*entry.shape, len(SeatResult._fields)), dtype=np.int64)
    rows[..., 0] = np.arange(setting.matches)[:, None, None]
    rows[..., 1], rows[..., 2], rows[..., 3] = rotation, seat, entry
    rows[..., 4] = 1 + (score[..., None, :] > score[..., :, None]).sum(axis=-1)
    rows[..., 5] = score
    return rows.reshape(-1, rows.shape[-1])


STEP = 0.01
"""Scores of leagues whose matches a schedule chooses are whole multiples of it."""


class Chosen(NamedTuple):
    """Leagues whose matches, of one game each, a schedule chooses."""

    words: str
    spread: float
    entries: int = 12
    seats: int = 4
    matches: int = 400
    shape: str = "normal"
    """How the strengths are spread: `normal`, `even`, in `two` groups, or one `ahead` of all others."""
    kind: str = "ladder"
    a_table: int = 0
    """Matches at each table of a round, in a Swiss and in an elimination; `matches` is then the most there may be."""

    @property
    def schedule_settings(self) -> dict[str, int]:
        """What the `[schedule]` table says."""
        return {
            "ladder": {},
            "round-robin": {"rounds": 1000, "tables": 20},
            "swiss": {"matches": self.a_table},
            "elimination": {"best_of": self.a_table},
        }[self.kind]


CHOSEN = (
    Chosen("all equal", 0.0),
    Chosen("close", 0.1),
    Chosen("close", 0.3),
    Chosen("wide", 1.0),
    Chosen("close, evenly spaced", 0.1, shape="even"),
    Chosen("two groups of equals", 0.2, shape="two"),
    Chosen("one far ahead of a close field", 0.1, shape="ahead"),
    Chosen("close, tables of two", 0.2, 24, 2, 800),
    Chosen("six bots", 0.2, 6, 3, 200),
    Chosen("close, many matches", 0.1, matches=2000),
    Chosen("close", 0.3, kind="round-robin"),
    Chosen("close", 0.1, 24, 2, 10_000, kind="swiss", a_table=10),
    Chosen("close", 0.3, 16, 4, 10_000, kind="swiss", a_table=10),
    Chosen("wide", 1.0, 16, 4, 10_000, kind="swiss", a_table=5),
    Chosen("close", 0.2, 16, 2, 10_000, kind="elimination", a_table=15),
    Chosen("wide", 1.0, 16, 2, 10_000, kind="elimination", a_table=15),
    Chosen("close", 0.3, 16, 4, 10_000, kind="elimination", a_table=15),
)


class Judged(NamedTuple):
    """What the intervals of some leagues are worth."""

    held: list[float]
    """By league: the part of the intervals that hold the strength."""
    best: list[float]
    """By league: 1 if that of the best entry does."""
    width: list[float]
    """By league: their mean width, in the unit of the scores."""
    error: list[float]
    """By league: the mean squared error of the strengths."""
    claims: list[int]
    """By league: the pairs that are told apart."""
    wrong: list[int]
    """By league: those of them that are equal, or told apart the wrong way round."""


def on_the_ladder(leagues: int) -> Iterator[str]:
    """Yield a line for each of `CHOSEN`: coverage of plain intervals, and of strengths that are drawn together."""
    yield f"{leagues} leagues each: % of intervals that hold the strength: plain, shrunk, those of the best; "
    yield "widths and mean squared errors, shrunk ÷ plain; significant pairs per league, and wrong ones"
    for chosen in CHOSEN:
        plain, drawn = judged(chosen, leagues)
        yield (
            f"{chosen.kind:12} {chosen.words:32} {chosen.spread:.1f}  {_percent(plain.held)}  {_percent(drawn.held)}  "
            f"{_percent(drawn.best)}   {np.mean(drawn.width) / np.mean(plain.width):.2f}  "
            f"{np.mean(drawn.error) / np.mean(plain.error):.2f}   "
            f"{np.mean(plain.claims):.2f} {np.mean(plain.wrong):.2f}  "
            f"{np.mean(drawn.claims):.2f} {np.mean(drawn.wrong):.2f}"
        )


def judged(chosen: Chosen, leagues: int) -> tuple[Judged, Judged]:
    """Return what plain intervals are worth, and those of strengths that are drawn together, in the same leagues."""
    both = Judged([], [], [], [], [], []), Judged([], [], [], [], [], [])
    for number in range(leagues):
        rng = np.random.default_rng([3, number])
        strengths = shaped(chosen, rng)
        sums = match_sums([scheduled(chosen, strengths, rng)], Measure.SCORES)
        truth = strengths / STEP
        for is_drawn, to in enumerate(both):
            found = least_squares(sums, chosen=bool(is_drawn)).strengths
            to.held.append(_held(found, truth))
            to.best.append(_held([one for one in found if one.entry_no == int(np.argmax(strengths))], truth))
            to.width.append(float(np.mean([(one.high or 0) - (one.low or 0) for one in found])))
            to.error.append(float(np.mean([(one.value - truth[one.entry_no]) ** 2 for one in found])))
            told = [(one.entry_no, other) for one in found for other in one.above or ()]
            to.claims.append(len(told))
            to.wrong.append(sum(bool(strengths[a] <= strengths[b]) for a, b in told))
    return both


def shaped(chosen: Chosen, rng: np.random.Generator) -> Floats:
    """Return strengths with mean 0 and this spread, in a mixed order."""
    n = chosen.entries
    shapes = {
        "normal": rng.normal(0, 1, n),
        "even": rng.permutation(np.linspace(-1, 1, n)) * 3**0.5,
        "two": rng.permutation(np.where(np.arange(n) < n // 2, 1.0, -1.0)),
        "ahead": np.where(np.arange(n) == 0, 10.0, rng.normal(0, 1, n)),
    }
    found = shapes[chosen.shape] * chosen.spread
    return np.asarray(found - found.mean(), dtype=np.float64)


def scheduled(
    chosen: Chosen,
    strengths: Floats,
    rng: np.random.Generator,
    scored: Callable[[Floats], Floats] | None = None,
    ties: float = 0.01,
) -> Rows:
    """Return the games of a league whose matches a schedule chooses.

    `scored`: returns the scores of a game from the strengths of its seats; without, normally distributed luck is added.
    `ties`: the share of games of two equals that are tied.
    """
    system = rater("trueskill", {"draw_probability": ties})
    schedule = registry.schedule(chosen.kind)
    settings = schedule.settings(**chosen.schedule_settings)
    field = Field(tuple(range(chosen.entries)), (chosen.seats,), scale=system.scale)
    tally, finished = schedule.tally(field, settings), 0
    played: list[Finished] = []
    ratings = dict.fromkeys(field.entries, system.scale.start)
    after = [dict(ratings)]
    planned: list[tuple[int, ...]] = []
    matches: Counter[int] = Counter()
    pairs: Counter[tuple[int, int]] = Counter()
    seated: Counter[tuple[int, int]] = Counter()
    rows: list[SeatResult] = []
    while len(planned) < chosen.matches:
        seen = schedule.sees(field, settings, len(planned))
        if tally:
            for match in played[finished:seen]:
                tally.add(match)
            finished = seen
        unseen = Counter(entry for table in planned[seen:] for entry in table)
        summary = Summary(len(planned), seen, matches, unseen, pairs, seated, after[seen], tally=tally)
        pairings = schedule.next_matches(field, settings, summary)
        if pairings is None:
            break
        for pairing in pairings:
            table = pairing.entries
            strength = strengths[list(table)]
            worth = strength + rng.normal(0, 1, len(table)) if scored is None else scored(strength)
            scores = [int(score) for score in np.round(worth / STEP)]
            ranks = [1 + sum(other > score for other in scores) for score in scores]
            rows += [
                SeatResult(len(planned), 0, seat, entry, ranks[seat], scores[seat], 0)
                for seat, entry in enumerate(table)
            ]
            played.append(Finished(len(planned), pairing.round_no, table, game_shares(ranks), 1))
            planned.append(table)
            matches.update(table)
            pairs.update(combinations(sorted(table), 2))
            seated.update((entry, len(table)) for entry in table)
            ratings.update(zip(table, system.rate([ratings[entry] for entry in table], ranks), strict=True))
            after.append(dict(ratings))
    return np.array(rows, dtype=np.int64)


def games_needed(leagues: int) -> Iterator[str]:
    """Yield a line for each method: games until the mean τ reaches `TAU`, and its error by resampling leagues."""
    setting = GAMES_SETTING
    strengths = np.asarray(SPACING * np.arange(setting.entries)[::-1], dtype=np.float64)
    curves: dict[str, list[list[float]]] = {}
    for number in range(leagues):
        rng = np.random.default_rng([1, number])
        rows = _league(setting, strengths, rng).reshape(setting.matches, setting.games, setting.seats, -1)
        for name, values in _curves(rows).items():
            curves.setdefault(name, []).append(values)
    rng = np.random.default_rng(2)
    yield f"{leagues} leagues, {setting.words} by {SPACING}: games until the mean of Kendall's τ is {TAU}"
    for name, of_leagues in curves.items():
        found = np.array(of_leagues)
        drawn = [_crossing(found[rng.integers(0, leagues, leagues)].mean(axis=0)) for _ in range(400)]
        games = setting.games * _crossing(found.mean(axis=0))
        yield f"{name:24} {games:6.0f} ±{setting.games * np.std(drawn):.0f}"


def _crossing(taus: Floats) -> float:
    """Return the number of matches at which the mean τ reaches `TAU`, between the numbers that were looked at."""
    reached = np.flatnonzero(taus >= TAU)
    if not len(reached):
        return float("inf")
    i = int(reached[0])
    if i == 0:
        return float(AT_MATCHES[0])
    part = (TAU - taus[i - 1]) / (taus[i] - taus[i - 1])
    return float(AT_MATCHES[i - 1] + part * (AT_MATCHES[i] - AT_MATCHES[i - 1]))


def _curves(league: Rows) -> dict[str, list[float]]:
    """Return τ by method after each of `AT_MATCHES`; `league` is by match, game, seat and column."""
    entries = GAMES_SETTING.entries
    system = rater("trueskill", {"draw_probability": 0.1})
    ratings = dict.fromkeys(range(entries), system.scale.start)
    curves: dict[str, list[float]] = {"scores": [], "places": [], "TrueSkill μ": [], "TrueSkill μ−3σ": []}
    for match_no, games in enumerate(league, 1):
        table = sorted(games[0, :, 3].tolist())
        sums = dict.fromkeys(table, 0)
        for game in games:
            for entry, share in zip(game[:, 3].tolist(), game_shares(game[:, 4].tolist()), strict=True):
                sums[entry] += share
        ranks = match_ranks([sums[entry] for entry in table])
        ratings.update(zip(table, system.rate([ratings[entry] for entry in table], ranks), strict=True))
        if match_no in AT_MATCHES:
            rows = league[:match_no].reshape(-1, league.shape[-1])
            found = least_squares(match_sums([rows], Measure.SCORES)).strengths
            curves["scores"].append(_tau({one.entry_no: one.value for one in found}))
            places = fit(match_sums([rows], Measure.SHARES)).strengths
            curves["places"].append(_tau({one.entry_no: one.value for one in places}))
            curves["TrueSkill μ"].append(_tau({entry: one.mu for entry, one in ratings.items()}))
            curves["TrueSkill μ−3σ"].append(_tau({entry: one.mu for entry, one in ratings.items()}))
    return curves


def _tau(values: dict[int, float]) -> float:
    """Return Kendall's τ with the true order, in which lower numbers are better; who hasn't played is level."""
    entries = GAMES_SETTING.entries
    agreeing = sum(
        (values.get(a, 0.0) > values.get(b, 0.0)) - (values.get(a, 0.0) < values.get(b, 0.0))
        for a, b in combinations(range(entries), 2)
    )
    return agreeing / (entries * (entries - 1) / 2)


if __name__ == "__main__":
    main()

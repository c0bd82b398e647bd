"""Leagues between the levels of a bank, with several methods: how soon the rankings show the true order."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from arena import registry
from arena.schedules.base import Field, Summary
from benchmarks.noise.bank import LEVELS, Bank, Games
from results.ratings import rater
from results.ratings.base import USUAL, Rating
from results.scoring import game_shares, match_ranks

BETA = 25 / 6


@dataclass(frozen=True)
class Method:
    """One way of playing and rating a league."""

    name: str
    schedule: str
    settings: dict[str, Any] = field(default_factory=dict)
    one_game: bool = False
    """Whether a match is a single game with its own deal."""
    each_game: bool = False
    """Whether each game of a match is rated by itself."""
    tau: float = 0.0
    """Assumed drift of ratings from match to match."""
    beta: float = BETA
    """Spread of the performance in one match."""


WANDERING = 25 / 300
SAMPLE = {"rounds": 1_000_000, "tables": 20}
METHODS = (
    Method("round robin, a deal for each game", "round-robin", SAMPLE, one_game=True),
    Method("round robin, each game rated", "round-robin", SAMPLE, each_game=True),
    Method("round robin, matches as one", "round-robin", SAMPLE),
    Method("round robin, matches as one, β/2", "round-robin", SAMPLE, beta=BETA / 2),
    Method("ladder, a deal for each game", "ladder", one_game=True),
    Method("ladder, each game rated", "ladder", each_game=True),
    Method("ladder, matches as one", "ladder"),
    Method("ladder, matches as one, β/2", "ladder", beta=BETA / 2),
    Method("the first, wandering", "round-robin", SAMPLE, one_game=True, tau=WANDERING),
    Method("ladder, matches as one, wandering", "ladder", tau=WANDERING),
)


def league(
    bank: Bank, method: Method, run: int, most_games: int, draw_probability: float
) -> list[tuple[int, float]]:
    """Play a league by drawing from the bank; return, after each match, the games played and Kendall's τ.

    The rankings are ordered by conservative rating.
    """
    rng = random.Random(f"{method.name}/{run}")
    options = {"beta": method.beta, "tau": method.tau, "draw_probability": draw_probability}
    system = rater("trueskill", options)
    schedule = registry.schedule(method.schedule)
    settings = schedule.settings(**method.settings)
    # The entry number of a level must not matter, so it differs in every run.
    level_of = rng.sample(range(LEVELS), LEVELS)
    truth = bank.truth()
    place = {entry: truth.index(level) for entry, level in enumerate(level_of)}
    setting = Field(tuple(range(LEVELS)), (bank.setting.seats,), scale=system.scale)
    ratings = dict.fromkeys(range(LEVELS), system.scale.start)
    after = [dict(ratings)]
    """The ratings after each number of matches."""
    planned: list[tuple[int, ...]] = []
    matches: Counter[int] = Counter()
    pairs: Counter[tuple[int, int]] = Counter()
    seated: Counter[tuple[int, int]] = Counter()
    curve: list[tuple[int, float]] = []
    games_played = 0
    while games_played < most_games:
        seen = schedule.sees(setting, settings, len(planned))
        unseen = Counter(entry for table in planned[seen:] for entry in table)
        summary = Summary(len(planned), seen, matches, unseen, pairs, seated, after[seen])
        for pairing in schedule.next_matches(setting, settings, summary) or ():
            table = pairing.entries
            planned.append(table)
            matches.update(table)
            pairs.update(combinations(sorted(table), 2))
            seated.update((entry, len(table)) for entry in table)
            updates, games = _results(bank, method, table, level_of, rng)
            for ranks in updates:
                new = system.rate([ratings[entry] for entry in table], ranks)
                ratings.update(zip(table, new, strict=True))
            after.append(dict(ratings))
            games_played += games
            curve.append((games_played, tau(ratings, place)))
    return curve


def _results(
    bank: Bank, method: Method, table: Sequence[int], level_of: Sequence[int], rng: random.Random
) -> tuple[list[Sequence[int]], int]:
    """Return the ranks by seat that ratings are based on, and the number of games."""
    levels = sorted(level_of[entry] for entry in table)
    games: Games = rng.choice(bank.matches[tuple(levels)])
    if method.one_game:
        games = [rng.choice(games)]
    at = [levels.index(level_of[entry]) for entry in table]
    ranked = [[ranks[i] for i in at] for ranks in games]
    if method.each_game or method.one_game:
        return list(ranked), len(games)
    shares = [sum(shares) for shares in zip(*map(game_shares, ranked), strict=True)]
    return [match_ranks(shares)], len(games)


def tau(ratings: dict[int, Rating], place: dict[int, int]) -> float:
    """Return Kendall's τ between the rankings and the true order: 1 if equal, −1 if reversed."""
    agreeing = 0
    for a, b in combinations(ratings, 2):
        ahead = USUAL.conservative(ratings[a]) - USUAL.conservative(ratings[b])
        agreeing += (ahead > 0) - (ahead < 0) if place[a] < place[b] else (ahead < 0) - (ahead > 0)
    return agreeing / (LEVELS * (LEVELS - 1) / 2)


def draw_probability(bank: Bank) -> float:
    """Return how often neighbouring levels tie in a match, within the limits of the league setting."""
    tied = met = 0
    for table, matches in bank.matches.items():
        for games in matches:
            shares = [sum(each) for each in zip(*map(game_shares, games), strict=True)]
            for i, j in combinations(range(len(table)), 2):
                if table[j] - table[i] == 1:
                    met += 1
                    tied += shares[i] == shares[j]
    return min(0.5, max(0.01, tied / met))


def games_needed(curve: Sequence[tuple[int, float]], least: float) -> float:
    """Return the number of games after which τ reached the minimum and stayed there; infinite if it never did."""
    needed: float = 0
    for games, value in curve:
        if value < least:
            needed = float("inf")
        elif needed == float("inf"):
            needed = games
    return needed

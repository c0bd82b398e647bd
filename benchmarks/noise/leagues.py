"""Leagues between the bots of a field, and what each way of ordering makes of the same games.

All leagues of round robins have the same tables, match by match, and the first game of a match is the same whatever
the rotation. Where each game has its own deal, the first matches have the deals of the other leagues, and those that
follow have deals of their own.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena import registry
from arena.core.game import AnyGame
from arena.core.ruleset import Rotations, ruleset
from arena.core.seatings import seatings
from arena.league.definition.rating import HIGHEST, LOWEST, tie_rate
from arena.schedules.base import Field as Entrants
from arena.schedules.base import Summary
from benchmarks.noise.bank import Bank, Deal, Seating
from benchmarks.noise.fields import Field
from results.analysis.fit import fit
from results.analysis.fit_results import Measure
from results.analysis.match_sums import match_sums
from results.analysis.point_strengths import least_squares
from results.base.scoring import game_shares, match_ranks
from results.ratings import Rater, rater
from results.ratings.base import Rating
from results.records.query_rows import SeatResult

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

FIRST_LOOK = 8
"""Games after which the orders are looked at for the first time; from then on, at growing intervals."""
GROWTH = 1.25

ORDERS = (
    "TrueSkill, μ − 3σ",
    "TrueSkill, μ",
    "TrueSkill with τ = 25/300, μ",
    "TrueSkill of games, μ",
    "fit by places",
    "fit by scores",
)
"""TrueSkill rates each match as one, unless it is said to rate games."""
WANDERING = 25 / 300


class Way(NamedTuple):
    """How matches are chosen and played."""

    schedule: str
    rotations: Rotations

    @property
    def words(self) -> str:
        """What the tables call it."""
        played = "a deal for each game" if self.rotations == "off" else f"`{self.rotations}`"
        return f"{self.schedule.replace('-', ' ')}, {played}"


def ways(field: Field) -> list[Way]:
    """Return how leagues of a field are played, the one to compare with first."""
    found = [Way("round-robin", kind) for kind in (*field.rotations, "off")]
    return [*found, Way("ladder", "off")] if field.has_ladder else found


class Course(NamedTuple):
    """How the orders of a league developed."""

    games: tuple[int, ...]
    """Numbers of games after which they were looked at."""
    values: Floats
    """[order, look, player]: what each order ranks the players by; 0 for who hasn't played."""


class Draws(NamedTuple):
    """What a league measures when it is created: how often two equals tie."""

    of_matches: float
    of_games: float


def draw_probabilities(game: AnyGame, field: Field, rotations: Rotations) -> Draws:
    """Return what leagues with these rotations measure, one that rates matches and one that rates games."""
    rules = game.resolve(ruleset(game.info, field.ruleset, {}), field.seats)
    measured = (
        tie_rate(game, rules, field.seats, rotations, by_games=by_games) for by_games in (False, True)
    )
    return Draws(*(min(HIGHEST, max(LOWEST, one)) for one in measured))


def league(bank: Bank, field: Field, way: Way, number: int, draws: Draws) -> Course:
    """Play one league of a part and return its course. Nothing is used twice in it."""
    running = _Running(field, draws, number)
    per_match = len(seatings(tuple(range(field.seats)), way.rotations))
    games = field.games if way == ways(field)[0] else field.games * 2 // 3
    looks = _looks(games, per_match)
    values = []
    for match_no, table in enumerate(running.tables(way.schedule), 1):
        running.add(list(bank.match(running.deal(table), way.rotations)))
        if match_no in looks:
            values.append(running.values())
        if match_no == looks[-1]:
            break
    return Course(tuple(per_match * look for look in looks), np.stack(values, axis=1))


def _looks(games: int, per_match: int) -> list[int]:
    looks, at = set(), float(FIRST_LOOK)
    while at <= games:
        looks.add(round(at / per_match))
        at *= GROWTH
    return sorted(looks - {0})


class _Running:
    """A league while it is played. Entry numbers must not matter, so each league gives them to other players."""

    def __init__(self, field: Field, draws: Draws, number: int) -> None:
        self._size, self._seats = len(field.players), field.seats
        self._number = number
        self._player_of = random.Random(f"entries/{number}").sample(range(self._size), self._size)
        self._entry_of = {player: entry for entry, player in enumerate(self._player_of)}
        of_matches = {"draw_probability": draws.of_matches}
        self._system = rater("trueskill", of_matches)
        self._ratings = dict.fromkeys(range(self._size), self._system.scale.start)
        self._after = [dict(self._ratings)]
        """The ratings after each number of matches."""
        self._wandering = rater("trueskill", {**of_matches, "tau": WANDERING})
        self._wandered = dict(self._ratings)
        self._of_games = rater("trueskill", {**of_matches, "draw_probability": draws.of_games})
        self._by_games = dict(self._ratings)
        self._met: Counter[Seating] = Counter()
        self._rows: list[SeatResult] = []

    def tables(self, kind: str) -> Iterator[tuple[int, ...]]:
        """Yield the entries of each match, as a schedule chooses them by the ratings so far."""
        schedule = registry.schedule(kind)
        settings = (
            schedule.settings()
            if kind == "ladder"
            else schedule.settings(rounds=1_000_000, tables=self._size)
        )
        entrants = Entrants(tuple(range(self._size)), (self._seats,), scale=self._system.scale)
        planned: list[tuple[int, ...]] = []
        matches: Counter[int] = Counter()
        pairs: Counter[tuple[int, int]] = Counter()
        seated: Counter[tuple[int, int]] = Counter()
        while True:
            seen = schedule.sees(entrants, settings, len(planned))
            unseen = Counter(entry for table in planned[seen:] for entry in table)
            summary = Summary(len(planned), seen, matches, unseen, pairs, seated, self._after[seen])
            for pairing in schedule.next_matches(entrants, settings, summary) or ():
                table = pairing.entries
                planned.append(table)
                matches.update(table)
                pairs.update(combinations(sorted(table), 2))
                seated.update((entry, len(table)) for entry in table)
                yield table

    def deal(self, table: Sequence[int]) -> Deal:
        """Return a deal that this table of entries hasn't played yet."""
        players = tuple(sorted(self._player_of[entry] for entry in table))
        met = self._met[players]
        self._met[players] += 1
        return players, met

    def add(self, games: Sequence[tuple[Seating, Sequence[int], Sequence[int]]]) -> None:
        """Take the results of a match."""
        match_no = len(self._after) - 1
        sums: Counter[int] = Counter()
        for rotation, (seating, ranks, scores) in enumerate(games):
            entries = [self._entry_of[player] for player in seating]
            self._rows += [
                SeatResult(match_no, rotation, seat, entry, ranks[seat], scores[seat], 0)
                for seat, entry in enumerate(entries)
            ]
            for entry, share in zip(entries, game_shares(ranks), strict=True):
                sums[entry] += share
            self._rate(self._of_games, self._by_games, entries, ranks)
        table = sorted(sums)
        ranks = match_ranks([sums[entry] for entry in table])
        for system, ratings in ((self._system, self._ratings), (self._wandering, self._wandered)):
            self._rate(system, ratings, table, ranks)
        self._after.append(dict(self._ratings))

    @staticmethod
    def _rate(
        system: Rater, ratings: dict[int, Rating], entries: Sequence[int], ranks: Sequence[int]
    ) -> None:
        rated = system.rate([ratings[entry] for entry in entries], ranks)
        ratings.update(zip(entries, rated, strict=True))

    def values(self) -> Floats:
        """Return [order, player]: what each of `ORDERS` ranks by."""
        rows = np.array(self._rows, dtype=np.int64)
        found = (
            self._by_player({entry: one.mu - 3 * one.sigma for entry, one in self._ratings.items()}),
            self._by_player({entry: one.mu for entry, one in self._ratings.items()}),
            self._by_player({entry: one.mu for entry, one in self._wandered.items()}),
            self._by_player({entry: one.mu for entry, one in self._by_games.items()}),
            self._by_player(
                {one.entry_no: one.value for one in fit(match_sums([rows], Measure.SHARES)).strengths}
            ),
            self._by_player(
                {
                    one.entry_no: one.value
                    for one in least_squares(match_sums([rows], Measure.SCORES)).strengths
                }
            ),
        )
        return np.array(found)

    def _by_player(self, values: dict[int, float]) -> list[float]:
        return [values.get(self._entry_of[player], 0.0) for player in range(self._size)]

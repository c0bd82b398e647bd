"""The fold: turns finished matches, in order, into ratings and totals. Pure: equal matches give equal bits.

Ratings depend on the order of matches, totals don't. Each match updates the
ratings once: the shares of each entry are summed over the match's games, and the
entries are ranked by these sums.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from results.ratings.base import Rating
from results.ratings.rater import Rater
from results.records import SeatRecord
from results.scoring import UNIT, game_shares, game_wins, match_ranks


class FinishedMatch(NamedTuple):
    """A match with all its games, as read from the ledger."""

    match_no: int
    entries: tuple[int, ...]
    """In base order."""
    games: Sequence[Sequence[SeatRecord]]
    """By rotation and seat."""


class MatchResult(Struct, frozen=True):
    """The result of one finished match, in its base order."""

    match_no: int
    entries: tuple[int, ...]
    shares: tuple[int, ...]
    """Sum over the match's games, in units of 1 / `scoring.UNIT`."""
    ranks: tuple[int, ...]
    """By shares: 1 is best, equal sums tie."""
    scores: tuple[int, ...]
    """Sum over the match's games."""
    games: int


class EntryTotal(Struct):
    """Sums over all games of one entry."""

    matches: int = 0
    games: int = 0
    wins: int = 0
    """In units of 1 / `scoring.UNIT`."""
    share: int = 0
    """In units of 1 / `scoring.UNIT`."""
    score: int = 0
    faults: int = 0
    """Games it forfeited."""
    decisions: int = 0
    wall_ns: int = 0
    max_wall_ns: int = 0
    cpu_ns: int = 0


class SeatTotal(Struct):
    """Sums over the games of one entry at one seat of tables of one size."""

    games: int = 0
    wins: int = 0
    share: int = 0
    score: int = 0


class PairTotal(Struct):
    """How two entries did at the same table; `above` counts games in which the first finished above the second."""

    games: int = 0
    games_above: int = 0
    games_tied: int = 0
    matches: int = 0
    matches_above: int = 0
    matches_tied: int = 0


class PartTotal(Struct):
    """The same as `PairTotal` for one part of the matches."""

    matches: int = 0
    matches_above: int = 0
    matches_tied: int = 0


class LuckTotal(Struct):
    """Sums of one entry's points over matches of one kind, from which `statistics.luck` computes the spread."""

    matches: int = 0
    points: int = 0
    """In units of 1 / (2 (seats − 1)) of a share."""
    game_squares: int = 0
    match_squares: int = 0


PARTS = 64
"""Number of parts that matches are divided into, so that intervals cost the same for any number of matches."""


def part_of(match_no: int) -> int:
    """Return the part of a match, 0 to 63: a hash, so that parts don't follow any period of the schedule.

    Source of the mixing: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
    """
    mixed = (match_no + 1) * 0x9E3779B97F4A7C15 & _64_BITS
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _64_BITS
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _64_BITS
    return (mixed ^ mixed >> 31) % PARTS


_64_BITS = (1 << 64) - 1


class RatingPoint(NamedTuple):
    """The rating of an entry after a match that it played."""

    match_no: int
    entry_no: int
    mu: float
    sigma: float


class Fold:
    """Ratings and totals of one league, updated match by match.

    To continue an earlier fold, you only need its `ratings`. Totals start empty; add them to
    those of earlier matches.
    """

    def __init__(self, rater: Rater, ratings: Mapping[int, Rating]) -> None:
        """Start with the given ratings; every entry that plays must have one."""
        self._rater = rater
        self.ratings: dict[int, Rating] = dict(ratings)
        self.last: dict[int, tuple[int, float]] = {}
        """By entry: the last match it played, and how that changed the value that rankings are ordered by."""
        self.points: list[RatingPoint] = []
        self.entries: dict[int, EntryTotal] = {}
        self.seats: dict[tuple[int, int, int], SeatTotal] = {}
        """By entry, seats at the table, seat."""
        self.faults: dict[tuple[int, str], int] = {}
        """Games by entry and verdict."""
        self.pairs: dict[tuple[int, int], PairTotal] = {}
        """By two entries, the lower number first."""
        self.parts: dict[tuple[int, int, int], PartTotal] = {}
        """By part of the matches and two entries, the lower number first."""
        self.luck: dict[tuple[int, int, int], LuckTotal] = {}
        """By entry, seats at the table, games of the match."""

    def add(self, match: FinishedMatch) -> None:
        """Count one finished match and rate it. Each entry has one seat in each game.

        Add matches in the order of their numbers. Raises RatingFailed if the rating system fails; in that case
        nothing of the match is counted.
        """
        match_no, entries, games = match
        result = match_result(match)
        before = [self.ratings[entry] for entry in entries]
        after = self._rater.rate(before, result.ranks)
        worth = self._rater.scale.conservative
        for entry, old, new in zip(entries, before, after, strict=True):
            self.ratings[entry] = new
            self.last[entry] = (match_no, worth(new) - worth(old))
            self.points.append(RatingPoint(match_no, entry, new.mu, new.sigma))
            self.entries.setdefault(entry, EntryTotal()).matches += 1
        for game in games:
            self._count_game(game)
        self._count_luck(games)
        place = dict(zip(entries, result.ranks, strict=True))
        part = part_of(match_no)
        for a, b in _pairs(entries):
            for total in (self.pairs[a, b], self.parts.setdefault((part, a, b), PartTotal())):
                total.matches += 1
                total.matches_above += place[a] < place[b]
                total.matches_tied += place[a] == place[b]

    def _count_game(self, game: Sequence[SeatRecord]) -> None:
        ranks = tuple([seat.rank for seat in game])
        seats = len(game)
        for seat, share, win in zip(game, game_shares(ranks), game_wins(ranks), strict=True):
            entry = seat.entry_no
            total = self.entries.get(entry) or self.entries.setdefault(entry, EntryTotal())
            total.games += 1
            total.wins += win
            total.share += share
            total.score += seat.score
            total.decisions += seat.decisions
            total.wall_ns += seat.wall_ns
            if seat.max_wall_ns > total.max_wall_ns:
                total.max_wall_ns = seat.max_wall_ns
            total.cpu_ns += seat.cpu_ns
            place = (entry, seats, seat.seat)
            at_seat = self.seats.get(place) or self.seats.setdefault(place, SeatTotal())
            at_seat.games += 1
            at_seat.wins += win
            at_seat.share += share
            at_seat.score += seat.score
            if seat.verdict is not None:
                total.faults += 1
                fault = (seat.entry_no, str(seat.verdict))
                self.faults[fault] = self.faults.get(fault, 0) + 1
        ordered = sorted([(seat.entry_no, seat.rank) for seat in game])
        for above, (a, rank) in enumerate(ordered, 1):
            for b, other in ordered[above:]:
                pair = self.pairs.get((a, b)) or self.pairs.setdefault((a, b), PairTotal())
                pair.games += 1
                if rank < other:
                    pair.games_above += 1
                elif rank == other:
                    pair.games_tied += 1

    def _count_luck(self, games: Sequence[Sequence[SeatRecord]]) -> None:
        """Count each entry's points in the games of one match, and the squares of these points."""
        points: dict[int, list[int]] = {}
        for game in games:
            unit = UNIT // (2 * (len(game) - 1))
            for seat, share in zip(game, game_shares([seat.rank for seat in game]), strict=True):
                points.setdefault(seat.entry_no, []).append(share // unit)
        for entry, of_match in points.items():
            luck = self.luck.setdefault((entry, len(games[0]), len(games)), LuckTotal())
            points_sum = sum(of_match)
            luck.matches += 1
            luck.points += points_sum
            luck.game_squares += sum([point * point for point in of_match])
            luck.match_squares += points_sum**2


def match_result(match: FinishedMatch) -> MatchResult:
    """Return the result of a match: shares and scores summed over its games, and the ranks by shares."""
    match_no, entries, games = match
    shares = dict.fromkeys(entries, 0)
    scores = dict.fromkeys(entries, 0)
    for game in games:
        for seat, share in zip(game, game_shares([seat.rank for seat in game]), strict=True):
            shares[seat.entry_no] += share
            scores[seat.entry_no] += seat.score
    sums = tuple(shares[entry] for entry in entries)
    return MatchResult(
        match_no,
        tuple(entries),
        sums,
        match_ranks(sums),
        tuple(scores[entry] for entry in entries),
        len(games),
    )


def _pairs(entries: Sequence[int]) -> list[tuple[int, int]]:
    """Return all pairs of the entries, the lower number first."""
    ordered = sorted(entries)
    return [(a, b) for i, a in enumerate(ordered) for b in ordered[i + 1 :]]

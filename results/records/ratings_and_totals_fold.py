"""The fold: turns finished matches, in order, into ratings and totals. Pure: equal matches give equal bits.

Ratings depend on the order of matches, totals don't. Each game of a match updates the
ratings; or, with `rates = "matches"`, the match does once: the shares of each entry are
summed over its games, and the entries are ranked by these sums.

A match that isn't rated, because bots of one author met in it, counts in nothing here: neither
in ratings nor in any total.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from msgspec import Meta, Struct

from results.base.scoring import UNIT, Sides, added, game_shares, game_wins, match_ranks
from results.ratings import Rater
from results.ratings.base import Rating
from results.ratings.mean_score import mean_score
from results.records import SeatRecord
from results.records.query_rows import SeatResult, Standing


class FinishedMatch(NamedTuple):
    """A match with all its games, as read from the ledger."""

    match_no: int
    entries: tuple[int, ...]
    """In base order."""
    games: Sequence[Sequence[SeatRecord]]
    """By rotation and seat."""
    rated: bool = True
    sides: Sides = ()
    """By seat, if some are partners; in base order, since partners stay together in all games."""

    @property
    def partners(self) -> dict[int, int]:
        """The side of each entry, if some are partners."""
        return dict(zip(self.entries, self.sides, strict=True)) if self.sides else {}


class MatchResult(Struct, frozen=True):
    """The result of one finished match, in its base order."""

    match_no: int
    entries: tuple[int, ...]
    shares: tuple[int, ...]
    """Sum over the match's games, in units of 1 / `scoring.UNIT`."""
    ranks: tuple[int, ...]
    """By shares: 1 is best, equal sums tie."""
    scores: tuple[int | float, ...]
    games: int


class EntryTotal(Struct):
    """Sums over all games of one entry; the descriptions are those of the columns in the ledger."""

    matches: Annotated[int, Meta(description="matches played")] = 0
    games: Annotated[int, Meta(description="games played")] = 0
    wins: Annotated[int, Meta(description="wins, in units of 1/1441440")] = 0
    share: Annotated[int, Meta(description="sum of shares, in units of 1/1441440")] = 0
    score: Annotated[float, Meta(description="sum of scores")] = 0
    faults: Annotated[int, Meta(description="games it forfeited")] = 0
    decisions: Annotated[int, Meta(description="decisions it was asked for")] = 0
    wall_ns: Annotated[int, Meta(description="wall time of all decisions, in nanoseconds")] = 0
    max_wall_ns: Annotated[int, Meta(description="the longest wall time of a decision, in nanoseconds")] = 0
    cpu_ns: Annotated[int, Meta(description="CPU time of all decisions, in nanoseconds")] = 0


def standing(
    entry_no: int,
    label: str,
    version: str | None,
    total: Any,
    last: tuple[int, float] | None,
    rating: Rating | None,
    *,
    retired: bool,
) -> Standing:
    """Return an entry's standing, without place; `total`: like `EntryTotal`, None: not played; `last`: `Fold.last`."""
    total = total or EntryTotal()
    share = total.share / UNIT / total.games if total.games else None
    return Standing(
        place=0,
        entry_no=entry_no,
        label=label,
        version=version,
        mu=rating.mu if rating else share or 0.0,
        sigma=rating.sigma if rating else 0.0,
        matches=total.matches,
        games=total.games,
        wins=total.wins / UNIT,
        share=share,
        score=total.score / total.games if total.games else None,
        faults=total.faults,
        change=last[1] if last else None,
        last_match_no=last[0] if last else None,
        retired=retired,
    )


NOTHING: Mapping[int, Any] = MappingProxyType({})


def counts_score(game: Sequence[SeatRecord | SeatResult], seat: SeatRecord | SeatResult) -> bool:
    """Return whether a game's score says something of a seat: not if only others at its table were at fault."""
    return has_forfeited(seat) or not any(map(has_forfeited, game))


def has_forfeited(seat: SeatRecord | SeatResult) -> bool:
    """Return whether a seat was at fault."""
    return bool(seat.forfeited) if isinstance(seat, SeatResult) else seat.verdict is not None


class SeatTotal(Struct):
    """Sums over the games of one entry at one seat of tables of one size."""

    games: Annotated[int, Meta(description="games played there")] = 0
    wins: Annotated[int, Meta(description="wins, in units of 1/1441440")] = 0
    share: Annotated[int, Meta(description="sum of shares, in units of 1/1441440")] = 0
    score: Annotated[float, Meta(description="sum of scores")] = 0


class PairTotal(Struct):
    """How two entries did at the same table."""

    games: Annotated[int, Meta(description="games played together")] = 0
    games_above: Annotated[int, Meta(description="games in which `entry_a` finished above `entry_b`")] = 0
    games_tied: Annotated[int, Meta(description="games in which they shared a rank")] = 0
    matches: Annotated[int, Meta(description="matches played together")] = 0
    matches_above: Annotated[
        int, Meta(description="matches in which `entry_a` had the higher sum of shares")
    ] = 0
    matches_tied: Annotated[int, Meta(description="matches in which the sums were equal")] = 0


class LuckTotal(Struct):
    """Sums of one entry's points over matches of one kind, from which `statistics.luck` computes the spread."""

    matches: Annotated[int, Meta(description="matches of this kind")] = 0
    points: Annotated[int, Meta(description="sum of points over all games")] = 0
    game_squares: Annotated[int, Meta(description="sum of the squares of each game's points")] = 0
    match_squares: Annotated[int, Meta(description="sum of the squares of each match's points")] = 0


class RatingPoint(NamedTuple):
    """The rating of an entry after a match that it played."""

    match_no: int
    entry_no: int
    mu: float
    sigma: float
    """0 if the rating system has none."""


class Fold:
    """Ratings and totals of one league, match by match; to continue an earlier fold, pass its `ratings`."""

    def __init__(
        self, rater: Rater, ratings: Mapping[int, Rating], scored: Mapping[int, tuple[int, float]] = NOTHING
    ) -> None:
        """Start with the given ratings; every entry that plays must have one.

        `scored`: by entry, its games before, and the sum of their scores. Only mean scores need it.
        """
        self._rater = rater
        self._counts_scores = rater.counts_scores
        self._scored = scored
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
        self.luck: dict[tuple[int, int, int], LuckTotal] = {}
        """By entry, seats at the table, games of the match."""

    def add(self, match: FinishedMatch) -> MatchResult:
        """Count one finished match and rate it, or neither (`rated`); return its result.

        Each entry has one seat in each game. Add matches in the order of their numbers. Raises RatingFailed if the
        rating system fails; in that case nothing of the match is counted.
        """
        match_no, entries, games, is_rated, sides = match
        shares = [game_shares([seat.rank for seat in game], sides) for game in games]
        result = _result(match, shares)
        if not is_rated:
            return result
        before = [self.ratings[entry] for entry in entries]
        after: tuple[Rating, ...] = ()
        if not self._counts_scores:
            after = rated_after(self._rater, self.ratings, entries, result.ranks, games, sides)
            self._count_luck(games, shares, sides)
            self._count_pairs(entries, result.ranks, games, match.partners)
        for entry in entries:
            total = self.entries.get(entry) or self.entries.setdefault(entry, EntryTotal())
            total.matches += 1
        for game, of_game in zip(games, shares, strict=True):
            self._count_game(game, of_game, sides)
        after = after or tuple(map(self._mean_score, entries))
        for entry, old, new in zip(entries, before, after, strict=True):
            self.ratings[entry] = new
            self.last[entry] = (match_no, new.mu - old.mu)
            self.points.append(RatingPoint(match_no, entry, new.mu, new.sigma))
        return result

    def _mean_score(self, entry: int) -> Rating:
        """Return the mean score of all games of an entry, whose sum is exact, so that it never depends on the order."""
        games, score = self._scored.get(entry, (0, 0))
        total = self.entries[entry]
        return mean_score(added(score, total.score), games + total.games)

    def _count_game(self, game: Sequence[SeatRecord], shares: Sequence[int], sides: Sides) -> None:
        seats = len(game)
        entries, at_seats = self.entries, self.seats
        wins = game_wins([seat.rank for seat in game], sides)
        for seat, share, win in zip(game, shares, wins, strict=True):
            if self._counts_scores and not counts_score(game, seat):
                continue
            entry, score = seat.entry_no, seat.score
            total = entries[entry]
            total.games += 1
            total.share += share
            total.score = added(total.score, score)
            total.decisions += seat.decisions
            total.wall_ns += seat.wall_ns
            total.cpu_ns += seat.cpu_ns
            if seat.max_wall_ns > total.max_wall_ns:
                total.max_wall_ns = seat.max_wall_ns
            place = (entry, seats, seat.seat)
            at_seat = at_seats.get(place) or at_seats.setdefault(place, SeatTotal())
            at_seat.games += 1
            at_seat.share += share
            at_seat.score = added(at_seat.score, score)
            if win:
                total.wins += win
                at_seat.wins += win
            if seat.verdict is not None:
                total.faults += 1
                fault = (entry, str(seat.verdict))
                self.faults[fault] = self.faults.get(fault, 0) + 1

    def _count_pairs(
        self,
        entries: Sequence[int],
        ranks: Sequence[int],
        games: Sequence[Sequence[SeatRecord]],
        partners: Mapping[int, int],
    ) -> None:
        """Count who finished above whom, in the match by its `ranks` and in each of its games; partners didn't meet."""
        in_match = sorted(zip(entries, ranks, strict=True))
        in_games = [{seat.entry_no: seat.rank for seat in game} for game in games]
        for above, (a, rank) in enumerate(in_match, 1):
            for b, other in in_match[above:]:
                if partners and partners[a] == partners[b]:
                    continue
                pair = self.pairs.get((a, b)) or self.pairs.setdefault((a, b), PairTotal())
                pair.matches += 1
                if rank < other:
                    pair.matches_above += 1
                elif rank == other:
                    pair.matches_tied += 1
                pair.games += len(in_games)
                for of_game in in_games:
                    first, second = of_game[a], of_game[b]
                    if first < second:
                        pair.games_above += 1
                    elif first == second:
                        pair.games_tied += 1

    def _count_luck(
        self, games: Sequence[Sequence[SeatRecord]], shares: Sequence[Sequence[int]], sides: Sides
    ) -> None:
        """Count each entry's points in the games of one match, and the squares of these points; a side is one seat."""
        seats = max(sides) + 1 if sides else len(games[0]) if games else 0
        sums: dict[int, int] = {}
        squares: dict[int, int] = {}
        for game, of_game in zip(games, shares, strict=True):
            unit = UNIT // (2 * (seats - 1))
            for seat, share in zip(game, of_game, strict=True):
                entry, points = seat.entry_no, share // unit
                sums[entry] = sums.get(entry, 0) + points
                squares[entry] = squares.get(entry, 0) + points * points
        kind = (seats, len(games))
        for entry, points in sums.items():
            place = (entry, *kind)
            luck = self.luck.get(place) or self.luck.setdefault(place, LuckTotal())
            luck.matches += 1
            luck.points += points
            luck.game_squares += squares[entry]
            luck.match_squares += points * points


def rated_after(
    rater: Rater,
    ratings: Mapping[int, Rating],
    entries: Sequence[int],
    ranks: Sequence[int],
    games: Sequence[Sequence[SeatRecord | SeatResult]],
    sides: Sides = (),
) -> tuple[Rating, ...]:
    """Return the ratings of a match's entries after it: rated as one, by their `ranks`, or game after game.

    `sides` are those of the seats, and of the entries, which are in base order.
    """
    if not rater.rates_games:
        return rater.rate([ratings[entry] for entry in entries], ranks, sides)
    now = {entry: ratings[entry] for entry in entries}
    for game in games:
        table = [seat.entry_no for seat in game]
        after = rater.rate([now[entry] for entry in table], [seat.rank for seat in game], sides)
        now.update(zip(table, after, strict=True))
    return tuple([now[entry] for entry in entries])


def match_result(match: FinishedMatch) -> MatchResult:
    """Return the result of a match: shares and scores summed over its games, and the ranks by shares."""
    return _result(match, [game_shares([seat.rank for seat in game], match.sides) for game in match.games])


def _result(match: FinishedMatch, shares_of_games: Sequence[Sequence[int]]) -> MatchResult:
    """Do the same with the shares of each game."""
    match_no, entries, games, *_ = match
    shares = dict.fromkeys(entries, 0)
    scores: dict[int, float] = dict.fromkeys(entries, 0)
    for game, of_game in zip(games, shares_of_games, strict=True):
        for seat, share in zip(game, of_game, strict=True):
            entry = seat.entry_no
            shares[entry] += share
            scores[entry] = added(scores[entry], seat.score)
    sums = tuple([shares[entry] for entry in entries])
    return MatchResult(
        match_no,
        tuple(entries),
        sums,
        match_ranks(sums),
        tuple([scores[entry] for entry in entries]),
        len(games),
    )

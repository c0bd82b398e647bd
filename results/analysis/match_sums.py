"""Turns the results of seats into what fits need: a few sums per match, by table size.

A game counts by its *centred* results: the result of a seat minus the mean of its table. What is common to a table,
such as a rich deal, vanishes with the mean.

**A forfeit has a stated score**, because the score that the rules return for the seat says nothing about the bot: the
mean of the seats that played on, less the largest deficit of any finished game, that is how far the worst seat of all
games without a forfeit, at tables of this size, was below the mean of the others; never more than the lowest of the
seats that played on. So nobody gains by forfeiting a game that goes badly.

**Partners count as their side** (`Partners`): each has its result, and where this module speaks of seats and pairs of
seats that is a side of the table and a pair of sides. A side is out as its game says.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from results.analysis.fit_results import Measure
from results.base.scoring import NO_PARTNERS, UNIT, Partners, game_shares
from results.records.query_rows import SeatResult

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Bools = NDArray[np.bool_]

_DECIMALS = 6


class MatchSums(Struct, frozen=True):
    """Sums over the games of each match, for all matches at tables of one size.

    Arrays are by match, in the order of their numbers, then by place in the table: that of an entry among the entries
    of the match, sorted by number, or the seat.
    """

    seats: int
    matches: Integers
    """[match]: its number; `by_deal` puts that of the first match on its deal in its place."""
    entries: Integers
    """[match, place]: numbers of the entries."""
    games: Floats
    seated: Floats
    """[match, place, seat]: how many games the entry played at the seat."""
    by_entry: Floats
    """[match, place]: sum of the entry's centred results."""
    by_seat: Floats
    """[match, seat]: sum of the centred results at the seat."""
    tied: Floats
    """[match]: pairs of seats that tied, over all games."""
    side: Integers | None = None
    """[match, place]: the side of each entry; None if each plays for itself. `seated` and `by_seat` are by side then,
    not by seat."""

    @property
    def sides(self) -> int:
        """How many sides a table has: its seats, if each entry plays for itself."""
        return int(self.by_seat.shape[1])

    def taken(self, which: Any) -> "MatchSums":
        """Return the sums of some of the matches, by an index or a mask."""
        arrays = {name: one for name, one in structs.asdict(self).items() if isinstance(one, np.ndarray)}
        return structs.replace(self, **{name: one[which] for name, one in arrays.items()})

    def same_side(self, part: slice) -> Floats:
        """Return for some matches with partners whether two entries are on the same side, as 1 and 0."""
        if self.side is None:
            raise AssertionError("no partners")
        side = self.side[part]
        return np.asarray(side[:, :, None] == side[:, None, :], dtype=np.float64)


def match_sums(
    blocks: Iterable[Sequence[SeatResult] | Integers], measure: Measure, partners: Partners = NO_PARTNERS
) -> tuple[MatchSums, ...]:
    """Return the sums of all matches by table size, ascending.

    `blocks` have the seats of whole matches, each entry once in each game, in any order; a block may be an array with
    the columns of `SeatResult`.
    """
    return tuple(
        sums_of(games, measure, largest_deficit(games, measure, partners), partners)
        for games in games_by_size(blocks)
    )


def by_deal(sums: Sequence[MatchSums], deals: Mapping[int, int]) -> tuple[MatchSums, ...]:
    """Return the sums with the first match on its deal as the number of each match that shares one, by number."""
    return tuple(
        structs.replace(one, matches=np.array([deals.get(number, number) for number in one.matches.tolist()]))
        for one in sums
    )


def share_deals(sums: Sequence[MatchSums]) -> bool:
    """Return whether some matches share a deal; see `by_deal`."""
    numbers = np.concatenate([one.matches for one in sums])
    return len(np.unique(numbers)) < len(numbers)


def deals_of(sums: Sequence[MatchSums], entries: Integers) -> Integers:
    """Return how many independent deals each of some entries has played: its matches, if none share one."""
    places = np.concatenate([np.searchsorted(entries, one.entries).ravel() for one in sums])
    deals = np.concatenate([np.repeat(one.matches, one.seats) for one in sums])
    played = np.unique(np.stack([places, deals], axis=1), axis=0)
    return np.bincount(played[:, 0], minlength=len(entries))


def games_by_size(blocks: Iterable[Sequence[SeatResult] | Integers]) -> tuple[Integers, ...]:
    """Return the games by table size, ascending: [game, seat, column of `SeatResult`], by match and rotation."""
    read = [_as_array(block) for block in blocks if len(block)]
    if not read:
        return ()
    rows = np.concatenate(read)
    rows = rows[np.lexsort((rows[:, SEAT], rows[:, ROTATION], rows[:, MATCH]))]
    first = np.flatnonzero((np.diff(rows[:, :SEAT], axis=0, prepend=-1) != 0).any(axis=1))
    sizes = np.diff(first, append=len(rows))
    return tuple(rows[first[sizes == size][:, None] + np.arange(size)] for size in np.unique(sizes))


def rounded(value: float | np.float64) -> float:
    """Return a value with so few decimals that it is the same on every machine."""
    return round(float(value), _DECIMALS) + 0.0  # no −0


def _as_array(block: Sequence[SeatResult] | Integers) -> Integers:
    """Return seats as an array with a row for each; from tuples, this is many times as fast as `np.array`."""
    if isinstance(block, np.ndarray):
        return block
    columns = len(SeatResult._fields)
    kind = np.float64 if any(type(row[SCORE]) is float for row in block) else np.int64
    return np.fromiter(chain.from_iterable(block), kind, len(block) * columns).reshape(-1, columns)  # type: ignore[return-value] # floats only where scores have decimals


MATCH, ROTATION, SEAT, ENTRY, RANK, SCORE, FORFEITED = range(len(SeatResult._fields))


def sums_of(games: Integers, measure: Measure, deficit: float, partners: Partners = NO_PARTNERS) -> MatchSums:
    """Return the sums of the matches of some games at tables of one size.

    `games` is by game, seat and column; `deficit`: the `largest_deficit` of the league at tables of this size.
    """
    seats = games.shape[1]
    sides = partners.at(seats)
    centred, unit = _centred(games, measure, deficit, partners)
    games = games.astype(np.int64, copy=False)  # floats, where scores have decimals
    matches, match = np.unique(games[:, 0, MATCH], return_inverse=True)
    first = np.searchsorted(match, np.arange(len(matches)))
    entries = np.sort(games[first, :, ENTRY], axis=1)
    place = (games[:, :, ENTRY, None] > entries[match][:, None, :]).sum(axis=2)
    seat = np.broadcast_to(np.arange(seats), place.shape)
    at_place = match[:, None] * seats + place
    at_seat = match[:, None] * seats + seat
    size = len(matches) * seats
    by_entry = np.bincount(at_place.ravel(), centred.ravel(), size).reshape(-1, seats)
    by_seat = np.bincount(at_seat.ravel(), centred.ravel(), size).reshape(-1, seats)
    seated = (
        np.bincount((at_place * seats + seat).ravel(), minlength=size * seats)
        .astype(np.float64)
        .reshape(-1, seats, seats)
    )
    ranks, side = games[:, :, RANK], None
    if sides:
        is_of_side = np.array(sides)[:, None] == np.arange(max(sides) + 1)
        first_seats = is_of_side.argmax(axis=0)
        ranks, by_seat, seated = ranks[:, first_seats], by_seat[:, first_seats], seated @ is_of_side
        begun = games[first]
        in_order = np.argsort(begun[:, :, ENTRY], axis=1)
        side = np.array(sides)[in_order]
    tied = ((ranks[:, :, None] == ranks[:, None, :]).sum(axis=(1, 2)) - ranks.shape[1]) // 2
    return MatchSums(
        seats,
        matches,
        entries,
        np.bincount(match).astype(np.float64),
        seated,
        np.asarray(unit * by_entry, dtype=np.float64),
        np.asarray(unit * by_seat, dtype=np.float64),
        np.bincount(match, tied, len(matches)).astype(np.float64),
        side,
    )


def centred_results(games: Integers, measure: Measure) -> Floats:
    """Return the centred results by game and seat, in points or percent, of games at tables of one size."""
    centred, unit = _centred(games, measure, largest_deficit(games, measure), NO_PARTNERS)
    return unit * centred


def largest_deficit(games: Integers, measure: Measure, partners: Partners = NO_PARTNERS) -> float:
    """Return how far the worst seat of all games without a forfeit was below the mean of the others, in points.

    `games` are at tables of one size, by game, seat and column. It is 0 where forfeits have no stated score.
    """
    if measure is Measure.SHARES:
        return 0.0
    scores = games[~(games[:, :, FORFEITED] > 0).any(axis=1)][:, :, SCORE]
    seats = scores.shape[1]
    if not len(scores):
        return 0.0
    behind = float((scores.sum(axis=1) - seats * scores.min(axis=1)).max())
    sides = partners.at(seats)
    return float(behind / (seats - (seats // (max(sides) + 1) if sides else 1)))


def _centred(games: Integers, measure: Measure, deficit: float, partners: Partners) -> tuple[Floats, float]:
    """Return the centred results by game and seat, and their unit in points or percent.

    Without forfeits and decimals they are whole numbers, whose sums are exact and don't depend on the order of games.
    """
    seats = games.shape[1]
    sides = partners.at(seats)
    if measure is Measure.SHARES:
        ranks, which = np.unique(games[:, :, RANK].astype(np.int64), axis=0, return_inverse=True)
        shares = np.array([game_shares(row, sides) for row in ranks.tolist()], dtype=np.float64)
        return np.asarray(shares[which.reshape(-1)] - UNIT // 2, dtype=np.float64), 100 / UNIT
    scores = games[:, :, SCORE].astype(np.float64)
    out = games[:, :, FORFEITED] > 0
    if sides:
        same, of_table = np.equal.outer(sides, sides), out[:, None, :]
        is_any = partners.forfeit_loses == "side"
        found = (of_table & same).any(axis=2) if is_any else (of_table | ~same).all(axis=2)
        out = np.asarray(found, dtype=np.bool_)
    if out.any():
        scores = _stated(scores, out, deficit)
    return np.asarray(seats * scores - scores.sum(axis=1, keepdims=True), dtype=np.float64), 1 / seats


def _stated(scores: Floats, out: Bools, deficit: float) -> Floats:
    """Return the scores with the stated ones of forfeited seats; both arrays are by game and seat."""
    stayed = (~out).sum(axis=1)
    mean = np.where(out, 0.0, scores).sum(axis=1) / np.maximum(stayed, 1)
    lowest = np.where(out, np.inf, scores).min(axis=1)
    stated = np.where(stayed > 0, np.minimum(mean - deficit, lowest), 0.0)
    return np.asarray(np.where(out, stated[:, None], scores), dtype=np.float64)

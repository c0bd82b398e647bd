"""Turns the results of seats into what the least squares fit needs: a few sums per match, by table size.

A game counts by its *centred* results: the result of a seat minus the mean of its table. What is common to a table,
such as a rich deal, vanishes with the mean.

**A forfeit has a stated score.** The score that the rules return for a forfeited seat is that of the house, which
played on in its place, or of a game that ended early, so it says nothing about the bot. Instead, the seat gets the
mean of the seats that played on, less the largest deficit of any finished game: how far the worst seat of all games
without a forfeit, at tables of this size, was below the mean of the others. It never gets more than the lowest of the
seats that played on. So a forfeit is the worst result here too, as it is in places: nobody gains by forfeiting a game
that goes badly, and a bot that plays for places, for which a forfeit is the last place, loses nothing by the rule.
The seats that played on keep their scores, and so the differences between them.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING

from msgspec import Struct

from results.base.scoring import UNIT, game_shares
from results.records.query_rows import PairPart, SeatResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


class Measure(StrEnum):
    """What a result of a seat is."""

    SCORES = "scores"
    """Its score, in points; of a forfeit the stated one."""
    SHARES = "shares"
    """The share of its rank, in percent: of the opponents at the table, how many it finished above, ties as halves."""


class MatchSums(Struct, frozen=True):
    """Sums over the games of each match, for all matches at tables of one size.

    Arrays are by match, in the order of their numbers, then by place in the table: that of an entry among the entries
    of the match, sorted by number, or the seat.
    """

    seats: int
    matches: "Integers"
    """Numbers of the matches."""
    entries: "Integers"
    """[match, place]: numbers of the entries."""
    games: "Floats"
    """[match]: number of games."""
    seated: "Floats"
    """[match, place, seat]: how many games the entry played at the seat."""
    by_entry: "Floats"
    """[match, place]: sum of the entry's centred results."""
    by_seat: "Floats"
    """[match, seat]: sum of the centred results at the seat."""
    tied: "Floats"
    """[match]: pairs of seats that tied, over all games."""


def match_sums(
    blocks: "Iterable[Sequence[SeatResult] | Integers]", measure: Measure
) -> tuple[MatchSums, ...]:
    """Return the sums of all matches by table size, ascending.

    `blocks` have the seats of whole matches, each entry once in each game, in any order; a block may be an array with
    the columns of `SeatResult`.
    """
    return tuple(sums_of(games, measure, largest_deficit(games, measure)) for games in games_by_size(blocks))


def games_by_size(blocks: "Iterable[Sequence[SeatResult] | Integers]") -> "tuple[Integers, ...]":
    """Return the games by table size, ascending: [game, seat, column of `SeatResult`], by match and rotation."""
    import numpy as np

    read = [_as_array(block) for block in blocks if len(block)]
    if not read:
        return ()
    rows = np.concatenate(read)
    rows = rows[np.lexsort((rows[:, SEAT], rows[:, ROTATION], rows[:, MATCH]))]
    first = np.flatnonzero((np.diff(rows[:, :SEAT], axis=0, prepend=-1) != 0).any(axis=1))
    sizes = np.diff(first, append=len(rows))
    return tuple(rows[first[sizes == size][:, None] + np.arange(size)] for size in np.unique(sizes))


def _as_array(block: "Sequence[SeatResult] | Integers") -> "Integers":
    """Return seats as an array with a row for each; from tuples, this is many times as fast as `np.array`."""
    import numpy as np

    if isinstance(block, np.ndarray):
        return block
    columns = len(SeatResult._fields)
    return np.fromiter(chain.from_iterable(block), np.int64, len(block) * columns).reshape(-1, columns)


def pair_sums(parts: Sequence[PairPart]) -> MatchSums:
    """Return the matches of pairs as games between two, by `Measure.SHARES`; each part of a pair is one match."""
    import numpy as np

    rows = np.array(parts, dtype=np.int64).reshape(-1, len(PairPart._fields))
    _, a, b, matches, above, tied = rows.T
    ahead = 50.0 * (2 * above + tied - matches)
    by_entry = np.stack([ahead, -ahead], axis=1)
    seated = np.repeat(matches / 2, 4).reshape(-1, 2, 2)
    return MatchSums(
        2,
        np.arange(len(rows)),
        np.stack([a, b], axis=1),
        matches.astype(np.float64),
        seated,
        by_entry,
        np.zeros_like(by_entry),
        tied.astype(np.float64),
    )


MATCH, ROTATION, SEAT, ENTRY, RANK, SCORE, FORFEITED = range(len(SeatResult._fields))


def sums_of(games: "Integers", measure: Measure, deficit: float) -> MatchSums:
    """Return the sums of the matches of some games at tables of one size.

    `games` is by game, seat and column; `deficit`: the `largest_deficit` of the league at tables of this size.
    """
    import numpy as np

    seats = games.shape[1]
    centred, unit = _centred(games, measure, deficit)
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
    ranks = games[:, :, RANK]
    tied = ((ranks[:, :, None] == ranks[:, None, :]).sum(axis=(1, 2)) - seats) // 2
    return MatchSums(
        seats,
        matches,
        entries,
        np.bincount(match).astype(np.float64),
        np.bincount((at_place * seats + seat).ravel(), minlength=size * seats)
        .astype(np.float64)
        .reshape(-1, seats, seats),
        np.asarray(unit * by_entry, dtype=np.float64),
        np.asarray(unit * by_seat, dtype=np.float64),
        np.bincount(match, tied, len(matches)).astype(np.float64),
    )


def centred_results(games: "Integers", measure: Measure) -> "Floats":
    """Return the centred results by game and seat, in points or percent, of games at tables of one size."""
    centred, unit = _centred(games, measure, largest_deficit(games, measure))
    return unit * centred


def largest_deficit(games: "Integers", measure: Measure) -> float:
    """Return how far the worst seat of all games without a forfeit was below the mean of the others, in points.

    `games` are at tables of one size, by game, seat and column. It is 0 where forfeits have no stated score.
    """
    if measure is Measure.SHARES:
        return 0.0
    scores = games[~(games[:, :, FORFEITED] > 0).any(axis=1)][:, :, SCORE]
    seats = scores.shape[1]
    if not len(scores):
        return 0.0
    behind = int((scores.sum(axis=1) - seats * scores.min(axis=1)).max())
    return float(behind / (seats - 1))


def _centred(games: "Integers", measure: Measure, deficit: float) -> "tuple[Floats, float]":
    """Return the centred results by game and seat, and their unit in points or percent.

    Without forfeits they are whole numbers, whose sums are exact and don't depend on the order of the games.
    """
    import numpy as np

    seats = games.shape[1]
    if measure is Measure.SHARES:
        ranks, which = np.unique(games[:, :, RANK], axis=0, return_inverse=True)
        shares = np.array([game_shares(row) for row in ranks.tolist()], dtype=np.float64)
        return np.asarray(shares[which.reshape(-1)] - UNIT // 2, dtype=np.float64), 100 / UNIT
    scores = games[:, :, SCORE].astype(np.float64)
    out = games[:, :, FORFEITED] > 0
    if out.any():
        scores = _stated(scores, out, deficit)
    return np.asarray(seats * scores - scores.sum(axis=1, keepdims=True), dtype=np.float64), 1 / seats


def _stated(scores: "Floats", out: "NDArray[np.bool_]", deficit: float) -> "Floats":
    """Return the scores with the stated ones of forfeited seats; both arrays are by game and seat."""
    import numpy as np

    stayed = (~out).sum(axis=1)
    mean = np.where(out, 0.0, scores).sum(axis=1) / np.maximum(stayed, 1)
    lowest = np.where(out, np.inf, scores).min(axis=1)
    stated = np.where(stayed > 0, np.minimum(mean - deficit, lowest), 0.0)
    return np.asarray(np.where(out, stated[:, None], scores), dtype=np.float64)

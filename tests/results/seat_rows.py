"""Seats of made-up games, as fits take them."""

from collections.abc import Iterable, Sequence

from results.records.query_rows import SeatResult

Game = tuple[int, Sequence[int], Sequence[int]]
"""Number of the match, entries by seat, scores by seat."""


def rows_of(games: Iterable[Game], out: Iterable[tuple[int, int]] = ()) -> list[SeatResult]:
    """Return the seats of games; `out`: match and seat of those that were forfeited."""
    rotations: dict[int, int] = {}
    forfeited = set(out)
    rows = []
    for match_no, entries, scores in games:
        rotation = rotations.setdefault(match_no, 0)
        rotations[match_no] += 1
        standing = [((match_no, seat) not in forfeited, score) for seat, score in enumerate(scores)]
        for seat, entry in enumerate(entries):
            rank = 1 + sum(other > standing[seat] for other in standing)
            is_out = int((match_no, seat) in forfeited)
            rows.append(SeatResult(match_no, rotation, seat, entry, rank, scores[seat], is_out))
    return rows

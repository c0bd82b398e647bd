"""Sums of matches that grow with a league: what has been summed up once is not read again.

The sums of a match don't change once it is over, with one exception: the stated score of a forfeit follows from the
largest deficit of all games (`match_sums`). So by scores, the games of matches with a forfeit are kept as they are and
summed up whenever the sums are asked for, and the largest deficit is kept beside them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from results.analysis.match_sums import (
    FORFEITED,
    MATCH,
    MatchSums,
    Measure,
    games_by_size,
    largest_deficit,
    sums_of,
)
from results.records.query_rows import SeatResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Array = NDArray[np.generic]

_ARRAYS = tuple(name for name in MatchSums.__struct_fields__ if name != "seats")


class GrowingSums:
    """The sums of a league's matches so far."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._finished: dict[int, MatchSums] = {}
        """By table size: the sums that stay as they are."""
        self._forfeited: dict[int, Integers] = {}
        """By table size: the games of the other matches, by game, seat and column of `SeatResult`."""
        self._deficits: dict[int, float] = {}

    def add(self, blocks: "Iterable[Sequence[SeatResult] | Integers]") -> None:
        """Add the seats of matches that aren't in the sums yet; `blocks` as for `match_sums`."""
        import numpy as np

        for games in games_by_size(blocks):
            seats = games.shape[1]
            deficit = max(self._deficits.get(seats, 0.0), largest_deficit(games, self._measure))
            self._deficits[seats] = deficit
            if self._measure is Measure.SCORES:
                out = np.unique(games[(games[:, :, FORFEITED] > 0).any(axis=1), 0, MATCH])
                apart = np.isin(games[:, 0, MATCH], out)
                before = self._forfeited.get(seats, games[:0])
                self._forfeited[seats] = np.concatenate([before, games[apart]])
                games = games[~apart]
            if len(games):
                made = sums_of(games, self._measure, deficit)
                known = self._finished.get(seats)
                self._finished[seats] = _joined(known, made) if known else made

    def sums(self) -> tuple[MatchSums, ...]:
        """Return the sums of all matches by table size, as `match_sums` does for all of them at once."""
        found = []
        for seats in sorted(self._deficits):
            sums, games = self._finished.get(seats), self._forfeited.get(seats)
            if games is not None and len(games):
                stated = sums_of(games, self._measure, self._deficits[seats])
                sums = _joined(sums, stated) if sums else stated
            if sums:
                found.append(sums)
        return tuple(found)

    def arrays(self) -> "dict[str, Array]":
        """Return all that is known as named arrays, for `from_arrays`."""
        import numpy as np

        found: dict[str, Array] = {}
        for seats, deficit in self._deficits.items():
            found[f"{seats}.deficit"] = np.array([deficit])
            if seats in self._forfeited:
                found[f"{seats}.forfeited"] = self._forfeited[seats]
            if seats in self._finished:
                for name in _ARRAYS:
                    found[f"{seats}.{name}"] = getattr(self._finished[seats], name)
                seated = self._finished[seats].seated
                if seated.max() < 1 << 16:  # numbers of games, and most of the space
                    found[f"{seats}.seated"] = seated.astype(np.uint16)
        return found

    @classmethod
    def from_arrays(cls, measure: Measure, arrays: "Mapping[str, Array]") -> "GrowingSums":
        """Return the sums that these arrays are of. Raises KeyError or ValueError if they aren't those of sums."""
        import numpy as np

        made = cls(measure)
        for name in arrays:
            size, _, what = name.partition(".")
            if what != "deficit":
                continue
            seats = int(size)
            made._deficits[seats] = float(arrays[name][0])
            if f"{size}.forfeited" in arrays:
                made._forfeited[seats] = arrays[f"{size}.forfeited"].astype(np.int64)
            if f"{size}.matches" in arrays:
                kept: dict[str, Any] = {key: arrays[f"{size}.{key}"] for key in _ARRAYS}
                kept["seated"] = kept["seated"].astype(np.float64)
                made._finished[seats] = MatchSums(seats=seats, **kept)
        return made


def _joined(one: MatchSums, other: MatchSums) -> MatchSums:
    """Return the matches of both, in the order of their numbers."""
    import numpy as np

    matches = np.concatenate([one.matches, other.matches])
    order = np.argsort(matches, kind="stable")
    return MatchSums(
        one.seats,
        **{name: np.concatenate([getattr(one, name), getattr(other, name)])[order] for name in _ARRAYS},
    )

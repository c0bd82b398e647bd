"""How each entry does with and without each other one at the table, as it was played."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from results.analysis.match_sums import ENTRY, SCORE, Measure, centred_results, games_by_size
from results.records.query_rows import SeatResult

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


class Company(Struct, frozen=True):
    """An entry, with and without another one."""

    entry_no: int
    other_no: int
    games_with: int
    games_without: int
    share_with: float
    """Mean share of a game, 0 to 1; a forfeit is the last place."""
    share_without: float | None
    """None if it played no game without the other."""
    score_with: float
    """Mean score of a game."""
    score_without: float | None


def company(blocks: "Iterable[Sequence[SeatResult] | Integers]") -> tuple[Company, ...]:
    """Return all entries with all that they met, by numbers; `blocks` as for `match_sums`."""
    import numpy as np

    tables = games_by_size(blocks)
    if not tables:
        return ()
    entries = np.unique(np.concatenate([games[:, :, ENTRY].ravel() for games in tables]))
    size = len(entries)
    alone, together = np.zeros((3, size)), np.zeros((3, size * size))
    for games in tables:
        seats = games.shape[1]
        entry = np.searchsorted(entries, games[:, :, ENTRY])
        shares = 0.5 + centred_results(games, Measure.SHARES) / 100
        sums = (np.ones(entry.shape), shares, games[:, :, SCORE].astype(np.float64))
        for kind, values in enumerate(sums):
            alone[kind] += np.bincount(entry.ravel(), values.ravel(), size)
            for step in range(1, seats):
                cells = entry * size + np.roll(entry, step, axis=1)
                together[kind] += np.bincount(cells.ravel(), values.ravel(), size * size)
    of_pair = together.reshape(3, size, size)
    found = []
    for a, b in zip(*np.nonzero(of_pair[0]), strict=True):
        games_with, share, score = of_pair[:, a, b]
        rest, share_rest, score_rest = alone[:, a] - of_pair[:, a, b]
        found.append(
            Company(
                int(entries[a]),
                int(entries[b]),
                round(games_with),
                round(rest),
                float(share / games_with),
                float(share_rest / rest) if rest else None,
                float(score / games_with),
                float(score_rest / rest) if rest else None,
            )
        )
    return tuple(found)

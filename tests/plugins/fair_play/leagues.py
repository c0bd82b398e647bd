"""Leagues in which some bots gain by others."""

import numpy as np

from benchmarks.coalitions import Rows, Setting
from results.store import Store
from tests.support.ledgers import new_league, plan, played

QUIET = Setting("hardly any luck", 6, 4, 4, 60, 0.5, 0.02, 0.0)


def with_gains(rows: Rows, gains: dict[tuple[int, int], int]) -> Rows:
    """Return the games with so many points more for an entry wherever another is at the table."""
    changed = rows.copy()
    for (one, other), points in gains.items():
        matches = set(rows[rows[:, 3] == other, 0].tolist())
        is_with = (rows[:, 3] == one) & np.isin(rows[:, 0], list(matches))
        changed[is_with, 5] += points
    return changed


def stored(store: Store, rows: Rows) -> None:
    """Make a league of these games, which are four to a match."""
    made = new_league(store, 6)
    tables = rows.reshape(-1, 4, 4, rows.shape[1])
    planned = plan(store, made, *(tuple(table[0, :, 3].tolist()) for table in tables), games=4)
    store.append(
        [
            played(match, rotation, table[rotation, :, 5].tolist())
            for match, table in zip(planned, tables, strict=True)
            for rotation in range(4)
        ]
    )

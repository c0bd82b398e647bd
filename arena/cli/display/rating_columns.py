"""Adapts rating columns to a league's scale: leaves out σ if there is none, and shows what rankings are ordered by."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from arena.cli.display.tables import Column

if TYPE_CHECKING:
    from results.ratings.base import Scale


def fitted_to(scale: "Scale", columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return columns with those for μ, σ and the conservative rating adapted to the scale.

    If rankings are ordered by μ alone, that column takes over the priority of the conservative rating, and without σ
    it is titled "rating".
    """
    by_mu = not (scale.has_sigma and scale.deviations)
    fitted = []
    for column in columns:
        if (column.key == "sigma" and not scale.has_sigma) or (column.key == "conservative" and by_mu):
            continue
        if column.key in ("start_mu", "mu", "sigma", "conservative"):
            column = replace(column, decimals=scale.decimals)
        if column.key == "mu" and by_mu:
            stays = min(one.priority for one in columns if one.key in ("mu", "conservative"))
            column = replace(column, title="μ" if scale.has_sigma else "rating", priority=stays)
        if column.key == "moments" and not scale.has_sigma:
            column = replace(column, title="rating over the league")
        if column.key == "conservative":
            column = replace(column, title=f"μ−{scale.deviations:g}σ")
        fitted.append(column)
    return tuple(fitted)

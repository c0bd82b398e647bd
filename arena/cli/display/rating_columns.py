"""Columns of ratings, as the league's scale has them: no σ where there is none, and how rankings are ordered."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from arena.cli.display.tables import Column

if TYPE_CHECKING:
    from results.ratings.base import Scale


def fitted_to(scale: "Scale", columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return columns with those of μ, σ and what rankings are ordered by as the scale has them.

    Where rankings are ordered by μ alone, it is called the rating, and stays as long as what they are ordered by does
    elsewhere.
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

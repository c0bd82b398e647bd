"""Adapts rating columns to a league's scale: leaves out σ if there is none."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from results.reports.columns import Column

if TYPE_CHECKING:
    from results.ratings.base import Scale


def fitted_to(scale: "Scale", columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return columns with those for μ and σ adapted to the scale; without σ, μ is titled "rating"."""
    fitted = []
    for column in columns:
        if column.key == "sigma" and not scale.has_sigma:
            continue
        if column.key in ("start_mu", "mu", "sigma"):
            column = replace(column, decimals=scale.decimals)
        if column.key == "mu" and not scale.has_sigma:
            column = replace(column, title="rating")
        if column.key == "moments" and not scale.has_sigma:
            column = replace(column, title="rating over the league")
        fitted.append(column)
    return tuple(fitted)

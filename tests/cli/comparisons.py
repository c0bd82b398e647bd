"""Rows of `arena compare` for tests of its words."""

from typing import Any

from results.reports.comparison_rows import ComparisonRow


def comparison(**changed: Any) -> ComparisonRow:
    """Return the row of a comparison of a and b without an answer; `changed`: fields to change."""
    fields: dict[str, Any] = {
        "comparison": "compare-1",
        "game": "bread-basket",
        "ruleset": "tens",
        "old": "a",
        "new": "b",
        "others": (),
        "answer": None,
        "estimate": 0.02,
        "low": -0.031,
        "high": 0.072,
        "difference": 0.05,
        "error_rate": 0.05,
        "matches": 400,
        "games": 800,
        "games_played": 800,
        "forfeits_old": 0,
        "forfeits_new": 0,
    }
    return ComparisonRow(**{**fields, **changed})

"""What rankings say of that which a ladder finds out first."""

from types import SimpleNamespace
from typing import Any

import pytest

from results.reports.ranking_columns import aim_in_words


def found(aim: str, *places: tuple[int, int] | None) -> Any:
    """Return rankings with an entry for each range of places; None: an entry without intervals."""
    rows = [
        SimpleNamespace(
            label=label, rank=1, claims=one and SimpleNamespace(place_best=one[0], place_worst=one[1])
        )
        for label, one in zip("abcde", places, strict=False)
    ]
    return SimpleNamespace(league=SimpleNamespace(aim=aim), rows=rows)


@pytest.mark.parametrize(
    ("rankings", "words"),
    [
        (found("", (1, 1)), ""),
        (found("order", (1, 1)), ""),
        (found("bot:b", (1, 1)), "This ladder aims at b."),
        (found("top:2", None, None), "This ladder aims at the best 2."),
        (found("top:2", (1, 1), (2, 2), (3, 3)), "a, b are among the best 2 (95 %)."),
        (
            found("top:2", (1, 1), (2, 3), (2, 4), (4, 5)),
            "a is among the best 2; b, c may have the other place (95 %).",
        ),
        (found("top:2", (1, 3), (1, 3), (1, 3)), "a, b, c may be among the best 2 (95 %)."),
    ],
)
def test_who_is_among_the_best(rankings: Any, words: str) -> None:
    assert aim_in_words(rankings) == words

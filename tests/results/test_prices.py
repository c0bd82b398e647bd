"""What moves cost the bots of a league: means, their errors, and what costs most, against sums done by hand."""

from math import sqrt
from types import SimpleNamespace

import pytest

from results.reports.charts import Dot, dots_svg
from results.reports.move_costs import PricedSeat, dots, summed

A, B = 4, 7
LABELS = {A: "alice", B: "bob <b>"}


def of(entry: int, *prices: tuple[str, float]) -> tuple[int, PricedSeat]:
    return entry, SimpleNamespace(prices=[SimpleNamespace(kind=kind, price=price) for kind, price in prices])


def test_a_mean_over_decisions_with_an_error_by_games() -> None:
    seats = [
        of(A, ("first_card", 1.0), ("card", 0.0)),
        of(B, ("card", 0.1)),
        of(A, ("card", 0.5), ("card", 0.1), ("card", 0.0), ("first_card", 0.4)),
        of(A),
        of(99, ("card", 5.0)),
    ]
    bob, alice = summed(seats, (), LABELS)
    assert (bob.bot, bob.low, bob.games) == ("bob <b>", None, 1)
    assert bob.price == pytest.approx(0.1)
    # Sums 1.0 of 2 and 1.0 of 4: the mean is 2 / 6, what games are off it ±1/3, so the variance is 2 (1/9 + 1/9).
    assert alice.price == pytest.approx(1 / 3)
    half = 1.96 * sqrt(4 / 9) / 6
    assert alice.low == pytest.approx(1 / 3 - half)
    assert alice.high == pytest.approx(1 / 3 + half)
    assert (alice.games, alice.decisions) == (2, 6)
    assert alice.dearest == "first card"
    assert alice.dearest_percent == pytest.approx(70)
    assert not dots([alice]), "nobody knows its strength"


def test_the_chart_is_safe_and_inside_its_frame() -> None:
    drawn = dots_svg([Dot("<b>", -900.0, 0.1, -0.2, 0.4), Dot("b", 300.0, 2.0, 2.0, 2.0)], "a < b")
    assert "<b>" not in drawn
    assert drawn.count("<circle") == 2
    assert 'aria-label="a &lt; b"' in drawn

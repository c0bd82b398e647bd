"""The moments of truncated normal laws, held against numerical integration."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from results.ratings.trueskill_messages import LEAST, draw, mills, win


def moments(low: float, high: float) -> tuple[float, float]:
    """Return mean and variance of the standard normal law between two bounds, by Simpson's rule."""
    steps = 20_000
    nearest = min(max(0.0, low), high)
    width = (high - low) / steps
    sums = [0.0, 0.0, 0.0]
    points = []
    for i in range(steps + 1):
        z = low + i * width
        weight = (1 if i in (0, steps) else 4 if i % 2 else 2) * math.exp((nearest - z) * (nearest + z) / 2)
        points.append((z, weight))
    sums[0] = math.fsum(weight for _, weight in points)
    mean = math.fsum(z * weight for z, weight in points) / sums[0]
    variance = math.fsum((z - mean) ** 2 * weight for z, weight in points) / sums[0]
    return mean, variance


@pytest.mark.parametrize("x", [-60.0, -31.0, -29.9, -12.0, -5.0, -1.0, 0.0, 0.5, 3.0, 8.0])
def test_a_win_cuts_the_law_off_below(x: float) -> None:
    reach = 12 if x > -5 else 60 / abs(x)  # beyond it there is nothing left to count
    mean, variance = moments(-x, max(-x + reach, 12 if x > -5 else -x + reach))
    v, w = win(x)
    assert v == pytest.approx(mean, rel=1e-7)
    assert 1 - w == pytest.approx(variance, rel=1e-4)


@pytest.mark.parametrize(
    ("d", "margin"),
    [(0, 0.7), (0.3, 0.001), (1, 0.05), (2, 3), (5, 0.4), (5, 4.5), (20, 0.3), (35, 0.01), (40, 6), (100, 1)],
)
def test_a_draw_cuts_it_off_on_both_sides(d: float, margin: float) -> None:
    near, far = margin - d, -margin - d
    low = max(far, near - 60 / max(1.0, -near))
    mean, variance = moments(low, near)
    v, w = draw(d, margin)
    assert v == pytest.approx(mean, rel=1e-6, abs=1e-9)
    assert 1 - w == pytest.approx(variance, rel=1e-3)
    mirrored, same = draw(-d, margin)
    assert (abs(mirrored), same) == (abs(v), w)


FINITE = st.floats(-1e12, 1e12)


@given(FINITE)
def test_a_win_always_moves_up_and_narrows(x: float) -> None:
    v, w = win(x)
    assert v >= 0
    assert v >= -x * (1 - 1e-12)  # the mean of what is left lies beyond the cut
    assert 0 <= w <= 1 - LEAST


@given(FINITE, st.floats(1e-9, 1e6))
def test_a_draw_always_moves_into_the_window_and_narrows(d: float, margin: float) -> None:
    v, w = draw(d, margin)
    assert -margin - abs(d) <= (v if d >= 0 else -v) <= margin - abs(d)
    assert 0 <= w <= 1 - LEAST


def test_the_two_ways_of_computing_the_tail_meet() -> None:
    assert mills(30 - 1e-9) == pytest.approx(mills(30), rel=1e-9)
    assert win(-30 + 1e-9)[0] == pytest.approx(win(-30)[0], rel=1e-8)

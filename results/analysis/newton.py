"""Newton's method: the unknowns at the only top of a likelihood."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_LONGEST_STEP = 2.0
"""Of any unknown: from far away, whole steps may lead too far."""


def likeliest(
    at: "Callable[[Floats], tuple[float, Floats, Floats]]",
    begin: "Floats",
    *,
    shortest_step: float,
    most_steps: int,
    held: "Floats | float" = 0.0,
) -> "Floats":
    """Return the unknowns that explain the results best, within `shortest_step`.

    `at` returns the log-likelihood, its slope and the information at some values of the unknowns, and `begin` are those
    to begin with. `held` is added to the information, for directions of which it says nothing. A step that leads down
    is halved.
    """
    import numpy as np

    value = begin
    likelihood, slope, information = at(value)
    for _ in range(most_steps):
        step = np.linalg.solve(information + held, slope)
        step *= min(1.0, _LONGEST_STEP / np.abs(step).max(initial=shortest_step))
        while True:
            new = at(value + step)
            if new[0] >= likelihood - 1e-12 * abs(likelihood) or np.abs(step).max() < shortest_step:
                break
            step /= 2
        value = value + step
        likelihood, slope, information = new
        if np.abs(step).max() < shortest_step:
            break
    return np.asarray(value, dtype=np.float64)

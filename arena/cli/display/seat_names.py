"""Names of seats for the terminal."""

from collections.abc import Sequence

from arena.core import seat_names as names
from results.escaping import one_line


def seat_names(labels: Sequence[str]) -> list[str]:
    """Return a name for each seat on one line each; players with the same label are numbered."""
    return names.seat_names([one_line(label) for label in labels])

"""Finds the first rows of the squares behind `rotations = "balanced"`, for arena/core/ticket.py.

    python benchmarks/rotation_squares.py [--most-seats 12] [--seconds 20]

A square has its first row a and, in row r, a + r modulo n. Best is the row whose square has the smallest sum of squares
of how often each entry sits right after each other, then of how often two sit side by side, then of how often one sits
two places after the other. Up to 10 seats the search is complete in seconds; beyond that it ends with its time.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterable, Iterator

Measure = tuple[int, int, int]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--most-seats", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=20.0, help="time for each number of seats")
    given = parser.parse_args()
    for seats in range(2, given.most_seats + 1):
        ends = time.monotonic() + given.seconds
        best: tuple[Measure, tuple[int, ...]] | None = None
        complete = True
        for row in rows(seats):
            found = measure(row), row
            best = found if best is None else min(best, found)
            if time.monotonic() > ends:
                complete = False
                break
        print(seats, best, "complete" if complete else "not complete", flush=True)


def rows(seats: int) -> Iterator[tuple[int, ...]]:
    """Yield the first rows in which as few steps as can be come twice: one with an even number of seats, or else two.

    With an odd number the steps sum to 0 without any repeated one, so a repeated one takes the place of another.
    """
    if seats <= 3:
        yield tuple(range(seats))
        return
    most_repeated = 1 if seats % 2 == 0 else 2
    yield from _longer([0], Counter(), most_repeated, seats)


def _longer(row: list[int], steps: Counter[int], left: int, seats: int) -> Iterator[tuple[int, ...]]:
    if len(row) == seats:
        yield tuple(row)
        return
    for number in set(range(1, seats)) - set(row):
        step = (number - row[-1]) % seats
        repeated = steps[step] == 1
        if steps[step] <= 1 and left >= repeated:
            steps[step] += 1
            row.append(number)
            yield from _longer(row, steps, left - repeated, seats)
            row.pop()
            steps[step] -= 1


def measure(row: tuple[int, ...]) -> Measure:
    """Return what a square of this first row is judged by, for one of its entries; smaller is better."""
    seats = len(row)
    after = Counter((row[(i + 1) % seats] - row[i]) % seats for i in range(seats))
    beside = [after[step] + after[seats - step] for step in range(1, seats)]
    two_after = Counter((row[(i + 2) % seats] - row[i]) % seats for i in range(seats))
    return _squares(after.values()), _squares(beside), _squares(two_after.values())


def _squares(counts: Iterable[int]) -> int:
    return sum(count * count for count in counts)


if __name__ == "__main__":
    main()

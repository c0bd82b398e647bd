"""How pairs of entries did, by parts of the matches: the input of the fit by places, whose intervals resample parts."""

from collections.abc import Sequence
from itertools import combinations

from results.query_rows import PairPart

PARTS = 64
"""Number of parts that matches are divided into, so that intervals cost the same for any number of matches."""

_64_BITS = (1 << 64) - 1


def part_of(match_no: int) -> int:
    """Return the part of a match, 0 to 63: a hash, so that parts don't follow any period of the schedule.

    Source of the mixing: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
    """
    mixed = (match_no + 1) * 0x9E3779B97F4A7C15 & _64_BITS
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _64_BITS
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _64_BITS
    return (mixed ^ mixed >> 31) % PARTS


class PairParts:
    """Counts the matches of each pair of entries, by part."""

    def __init__(self) -> None:
        """Start with no matches."""
        self._counts: dict[tuple[int, int, int], list[int]] = {}
        """By part and two entries, the lower number first: matches, matches above, matches tied."""

    def add(self, match_no: int, entries: Sequence[int], ranks: Sequence[int]) -> None:
        """Count a match with the ranks of its entries, by the sums of their shares or by anything in the same order."""
        part = part_of(match_no)
        for (a, rank), (b, other) in combinations(sorted(zip(entries, ranks, strict=True)), 2):
            count = self._counts.get((part, a, b)) or self._counts.setdefault((part, a, b), [0, 0, 0])
            count[0] += 1
            if rank < other:
                count[1] += 1
            elif rank == other:
                count[2] += 1

    def rows(self) -> list[PairPart]:
        """Return what was counted, by part and pair."""
        return [PairPart(*key, *count) for key, count in sorted(self._counts.items())]

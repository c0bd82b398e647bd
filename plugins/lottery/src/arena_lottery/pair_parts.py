"""How pairs of entries did in each part of a league's matches, which are what the bootstrap resamples."""

from collections.abc import Mapping, Sequence
from itertools import combinations, groupby
from operator import attrgetter
from typing import NamedTuple

from results.base.scoring import game_shares, match_ranks
from results.records import LeagueRecord
from results.store import Store

PARTS = 64
"""Number of parts that matches are divided into, so that intervals cost the same for any number of matches."""

_64_BITS = (1 << 64) - 1


class PairPart(NamedTuple):
    """How two entries did in one part of the matches."""

    part: int
    entry_a: int
    entry_b: int
    matches: int
    matches_above: int
    """Matches in which `entry_a` had the higher sum of shares."""
    matches_tied: int


def part_of(match_no: int) -> int:
    """Return the part of a match, 0 to 63: a hash (Steele, Lea and Flood 2014), so free of the schedule's periods."""
    mixed = (match_no + 1) * 0x9E3779B97F4A7C15 & _64_BITS
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _64_BITS
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _64_BITS
    return (mixed ^ mixed >> 31) % PARTS


class PairParts:
    """Counts the matches of each pair of entries, by part."""

    def __init__(self) -> None:
        self._counts: dict[tuple[int, int, int], list[int]] = {}
        """By part and two entries, the lower number first: matches, matches above, matches tied."""

    def add(
        self, match_no: int, entries: Sequence[int], ranks: Sequence[int], partners: Mapping[int, int] = {}
    ) -> None:
        """Count a match with the ranks of its entries; `partners`: by entry, the side of those who didn't meet."""
        part = part_of(match_no)
        for (a, rank), (b, other) in combinations(sorted(zip(entries, ranks, strict=True)), 2):
            if partners and partners[a] == partners[b]:
                continue
            count = self._counts.setdefault((part, a, b), [0, 0, 0])
            count[0] += 1
            count[1] += rank < other
            count[2] += rank == other

    def rows(self) -> list[PairPart]:
        """Return what was counted, by part and pair."""
        return [PairPart(*key, *count) for key, count in sorted(self._counts.items())]


def pair_parts(store: Store, league: LeagueRecord) -> list[PairPart]:
    """Return how each pair did in each part of the matches, from every game; empty without ratings."""
    parts, teams = PairParts(), league.partners.teams
    for block in store.seats.results(league.uuid) if league.rated else ():
        for match_no, of_match in groupby(block, attrgetter("match_no")):
            sums: dict[int, int] = {}
            partners: dict[int, int] = {}
            for _, game in groupby(of_match, attrgetter("rotation")):
                table = list(game)
                sides = () if teams else league.partners.at(len(table))  # each team is one entry
                shares = game_shares([seat.rank for seat in table], sides)
                for seat, share in zip(table, shares, strict=True):
                    sums[seat.entry_no] = sums.get(seat.entry_no, 0) + share
                    if sides:
                        partners[seat.entry_no] = sides[seat.seat]
            parts.add(match_no, list(sums), match_ranks(list(sums.values())), partners)
    return parts.rows()

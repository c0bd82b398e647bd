"""Leagues played without games: results are made up, and the schedule sees what it asks for."""

from collections.abc import Callable, Iterator
from itertools import combinations
from random import Random
from typing import Any

from arena.schedules.base import Checked, Field, Finished, Pairing, Schedule, Summary, Tally
from results.ratings import rater
from results.ratings.base import Rating
from results.scoring import UNIT, match_ranks

MOST_MATCHES = 5000
"""A schedule that continues for longer is stopped here."""

Play = Callable[[tuple[int, ...], Random], tuple[int, ...] | None]
"""Returns the shares of a table's entries in units, or None for a void match."""


def by_strength(table: tuple[int, ...], rng: Random) -> tuple[int, ...]:
    """Return shares without upsets: the lower the number, the stronger the entry."""
    del rng
    return tuple(UNIT * sum(other > entry for other in table) // (len(table) - 1) for entry in table)


def by_chance(table: tuple[int, ...], rng: Random) -> tuple[int, ...] | None:
    """Return shares of a random ranking, sometimes with ties, sometimes None for a void match."""
    if rng.random() < 0.03:
        return None
    luck = [rng.randrange(3) for _ in table]
    return tuple(
        UNIT
        * (2 * sum(other < own for other in luck) + sum(other == own for other in luck) - 1)
        // (2 * (len(table) - 1))
        for own in luck
    )


class Simulated:
    """One league, planned and played to the end."""

    def __init__(
        self,
        schedule: Schedule,
        field: Field,
        settings: Any,
        play: Play = by_chance,
        seed: int = 0,
        most: int = MOST_MATCHES,
    ) -> None:
        self.schedule, self.field, self.settings = schedule, field, settings
        if isinstance(schedule, Checked):
            schedule.check(field, settings)
        self.total = schedule.total(field, settings)
        self.pairings: list[Pairing] = []
        self.blocks: list[int] = []
        """The numbers of planned matches at which a block was planned."""
        self._rng = Random(seed)
        self._system = rater("trueskill")
        self._ratings = [dict.fromkeys(field.entries, self._system.scale.start)]
        self.results: list[Finished] = []
        self._tally = schedule.tally(field, settings)
        self._tallied = 0
        while len(self.pairings) < most and (more := self.plan()) is not None:
            self.blocks.append(len(self.pairings))
            self.pairings += more
            for pairing in more:
                self._finish(pairing, play)

    def plan(self) -> tuple[Pairing, ...] | None:
        """Return the schedule's next matches."""
        return self.schedule.next_matches(self.field, self.settings, self.summary())

    def summary(self) -> Summary:
        """Return the summary for the schedule now."""
        planned = len(self.pairings)
        seen = self.schedule.sees(self.field, self.settings, planned)
        assert 0 <= seen <= planned
        matches = {e: sum(e in p.entries for p in self.pairings) for e in self.field.entries}
        unseen = {e: sum(e in p.entries for p in self.pairings[seen:]) for e in self.field.entries}
        pairs: dict[tuple[int, int], int] = {}
        seated: dict[tuple[int, int], int] = {}
        for pairing in self.pairings:
            for entry in pairing.entries:
                at_size = entry, len(pairing.entries)
                seated[at_size] = seated.get(at_size, 0) + 1
            for pair in combinations(sorted(pairing.entries), 2):
                pairs[pair] = pairs.get(pair, 0) + 1
        return Summary(
            planned=planned,
            seen=seen,
            matches=matches,
            unseen=unseen,
            seated=seated,
            pairs=pairs,
            ratings=self._ratings[seen],
            tally=self._tally_of(seen),
        )

    def _tally_of(self, seen: int) -> Tally | None:
        """Return the schedule's tally of that many matches; like in a real league, it is kept between blocks."""
        if self._tally is not None:
            for match in self.results[self._tallied : seen]:
                self._tally.add(match)
        self._tallied = seen
        return self._tally

    def _finish(self, pairing: Pairing, play: Play) -> None:
        entries = list(pairing.entries)
        self._rng.shuffle(entries)
        shares = play(tuple(entries), self._rng)
        self.results.append(Finished(len(self.results), pairing.round_no, tuple(entries), shares, 1))
        ratings: dict[int, Rating] = dict(self._ratings[-1])
        if shares is not None:
            new = self._system.rate([ratings[entry] for entry in entries], match_ranks(shares))
            ratings.update(zip(entries, new, strict=True))
        self._ratings.append(ratings)

    def rounds(self) -> Iterator[list[Pairing]]:
        """Yield the matches round by round."""
        for round_no in sorted({pairing.round_no for pairing in self.pairings}):
            yield [pairing for pairing in self.pairings if pairing.round_no == round_no]

"""Leagues played without games: results are made up, and the schedule sees what it asks for."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from random import Random
from typing import Any

from msgspec.structs import replace

from arena.schedules.base import Checked, Field, Final, Finished, Open, Pairing, Schedule, Summary, Tally
from results.base.scoring import UNIT, match_ranks
from results.ratings import rater
from results.ratings.base import Rating

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


Change = tuple[int, tuple[int, ...] | int]
"""After how many planned matches the field changes, and the entries of the new one, or the matches of the final."""


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
        changes: Sequence[Change] = (),
        keep: int | None = None,
    ) -> None:
        """Play a league. The schedule must be `Open` if there are `changes`; of each block, `keep` matches are kept."""
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
        self.fields: list[Field] = []
        """The field of each match."""
        self.results: list[Finished] = []
        self._tally = schedule.tally(field, settings)
        self._tallied = 0
        waiting = list(changes)
        while len(self.pairings) < most:
            room = self._change(waiting)
            more = self.plan()
            if more is None:
                if not waiting:
                    break
                waiting[0] = (len(self.pairings), waiting[0][1])  # nothing else is left to do
                if self._changes_at() is None:
                    break
                continue
            self.blocks.append(len(self.pairings))
            for pairing in more[:keep][:room]:
                self.pairings.append(pairing)
                self.fields.append(self.field)
                self._finish(pairing, play)

    def _change(self, waiting: list[Change]) -> int | None:
        """Change the field if it is time; return how many matches can be planned before the next change."""
        planned = len(self.pairings)
        while waiting and waiting[0][0] <= planned:
            at = self._changes_at()
            if at is None:
                waiting.clear()
                break
            assert at >= planned, (
                f"`changes_at` returns {at} where {planned} matches are planned: return that or more"
            )
            if at > planned:
                waiting[0] = (at, waiting[0][1])
                break
            _, change = waiting.pop(0)
            entries = change if isinstance(change, tuple) else self.field.entries
            new = {entry: planned for entry in entries if entry not in self.field.entries}
            self.field = replace(
                self.field,
                entries=entries,
                from_match=planned,
                from_round=self.pairings[-1].round_no + 1 if planned else 0,
                joined={e: at for e, at in {**self.field.joined, **new}.items() if e in entries},
                final=None if isinstance(change, tuple) else Final(planned, change),
            )
        return waiting[0][0] - planned if waiting else None

    def _changes_at(self) -> int | None:
        assert isinstance(self.schedule, Open), "only an `Open` schedule can be played with changes"
        return self.schedule.changes_at(self.field, self.settings, len(self.pairings))

    def plan(self) -> tuple[Pairing, ...] | None:
        """Return the schedule's next matches."""
        return self.schedule.next_matches(self.field, self.settings, self.summary())

    def summary(self) -> Summary:
        """Return the summary for the schedule now."""
        planned = len(self.pairings)
        seen = self.schedule.sees(self.field, self.settings, planned)
        assert 0 <= seen <= planned, (
            f"`sees` returns {seen} where {planned} matches are planned: return 0 to the number of planned matches"
        )
        tables = [tuple(sorted(pairing.entries)) for pairing in self.pairings]
        final = self.field.final.from_match if self.field.final else planned
        return Summary(
            planned=planned,
            seen=seen,
            matches=_counted(tables),
            unseen=_counted(tables[seen:]),
            seated=Counter((entry, len(table)) for table in tables for entry in table),
            pairs=Counter(pair for table in tables for pair in combinations(table, 2)),
            ratings=self._ratings[seen],
            latest={entry: match_no for match_no, table in enumerate(tables) for entry in table},
            in_final=_counted(tables[final:]),
            latest_tables=lambda matches: tables[planned - matches :],
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
            start = self._system.scale.start
            new = self._system.rate([ratings.get(entry, start) for entry in entries], match_ranks(shares))
            ratings.update(zip(entries, new, strict=True))
        self._ratings.append(ratings)

    def rounds(self) -> Iterator[list[Pairing]]:
        """Yield the matches round by round."""
        for round_no in sorted({pairing.round_no for pairing in self.pairings}):
            yield [pairing for pairing in self.pairings if pairing.round_no == round_no]


def _counted(tables: Sequence[tuple[int, ...]]) -> Counter[int]:
    return Counter(entry for table in tables for entry in table)

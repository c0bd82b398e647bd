"""Ladder: every match is made to teach most about the order, from results a fixed number of matches back.

What a match between two entries would teach is taken to be the product of three
things: how likely it is that the ratings have the two in the wrong order, how
uncertain the two are, and how open the match is. The first goes to nothing for
entries that are told apart, the second as both become known, the third where
the outcome is sure. Whoever would learn most sits down first, then whoever
teaches the table most.

Two bounds stand above that: nobody's number of matches falls below half the
mean, and nobody has more than about twice the mean of the matches that are
planned and not yet seen.
"""

from collections.abc import Iterable, Sequence
from math import erfc, exp, sqrt
from typing import Annotated

from msgspec import Meta, Struct

from arena.core.chance import Stream
from arena.core.errors import UsageError
from arena.core.rotation import Rotations
from arena.schedules.base import Field, Pairing, Summary
from arena.schedules.seating import counted
from results.ratings.base import Rating

BLOCK_MATCHES = 16
"""Matches that are made from the same results: enough for workers to keep their bots over many games."""
RIVALS = 24
"""So many entries above and below in the ratings are looked at: those further off are told apart."""
LEAST_PART = 0.5
"""Nobody's number of matches falls below this part of the mean."""
CROWDED = 2.0
"""An entry sits out where it has more than this many times the mean of matches that are not seen, and 2 more."""
SOFTNESS = 2.0
"""Whom to meet is chosen as if ratings were this much less sure: who is beaten by whom is not all in one number."""

_SEED = b"arena/schedules/ladder"
_SQRT_HALF = sqrt(0.5)


class LadderSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The `[schedule]` table of a ladder."""

    lag: Annotated[
        int,
        Meta(
            ge=1,
            le=4096,
            description="a match is made from results at least so many matches back; workers wait less with more",
        ),
    ] = 32


class Ladder:
    """Matchmaking without end, by what a table would teach. A `Schedule`."""

    name = "ladder"
    settings = LadderSettings
    rotations: Rotations = "off"
    """Another deal teaches more of the order than the same one from another seat: docs/adr/0013."""

    def tally(self, field: Field, settings: LadderSettings) -> None:
        """Return None: no results are needed."""

    def sees(self, field: Field, settings: LadderSettings, planned: int) -> int:  # noqa: ARG002 - the same for every field
        """Return how many results a match is made from: those `lag` before the first match of its block."""
        return max(0, planned - planned % BLOCK_MATCHES - settings.lag)

    def total(self, field: Field, settings: LadderSettings) -> None:
        """Return None: a ladder goes on until it is stopped."""

    def check(self, field: Field, settings: LadderSettings) -> None:  # noqa: ARG002 - the same for all settings
        """Raise UsageError for too small a field."""
        for seats in field.seats:
            if len(field.entries) < seats:
                raise UsageError(
                    f"seats: {counted(len(field.entries))} cannot fill a table of {seats} seats",
                    "add bots, or set fewer seats",
                )
            authors = len({_author(field, entry) for entry in field.entries})
            if seats >= 3 and authors < seats:
                raise UsageError(
                    f"same_author: {authors} authors cannot fill a table of {seats} seats",
                    "bots of one author share no table of three or more; same_author = true allows it",
                )

    def next_matches(self, field: Field, settings: LadderSettings, summary: Summary) -> tuple[Pairing, ...]:  # noqa: ARG002
        """Return the rest of the block, each match in view of those before it."""
        block, first = divmod(summary.planned, BLOCK_MATCHES)
        matchmaking = _Matchmaking(field, summary, block)
        return tuple(
            matchmaking.next_match(_table_size(field.seats, block * BLOCK_MATCHES + place))
            for place in range(first, BLOCK_MATCHES)
        )


class _Matchmaking:
    """Makes the matches of one block. What it gives depends on the summary with what it has given added, alone."""

    def __init__(self, field: Field, summary: Summary, block: int) -> None:
        self._field = field
        self._block = block
        self._matches = {entry: summary.matches.get(entry, 0) for entry in field.entries}
        self._unseen = {entry: summary.unseen.get(entry, 0) for entry in field.entries}
        self._seated = {
            (entry, seats): summary.seated.get((entry, seats), 0)
            for entry in field.entries
            for seats in field.seats
        }
        self._pairs = summary.pairs
        self._new_pairs: dict[tuple[int, int], int] = {}
        start = field.scale.start
        rated = {entry: self._belief(entry, summary.ratings.get(entry, start)) for entry in field.entries}
        self._mu = {entry: mu for entry, (mu, _) in rated.items()}
        self._variance = {entry: sigma * sigma for entry, (_, sigma) in rated.items()}
        """As seen."""
        self._sigma = {entry: sigma for entry, (_, sigma) in rated.items()}
        self._expected = {entry: self._after_unseen(entry) for entry in field.entries}
        """Variance when the matches not yet seen will be in."""
        order = list(field.entries)
        Stream(_SEED, f"order/{block}").shuffle(order)
        self._chance = {entry: place for place, entry in enumerate(order)}
        """Decides between entries that are equal in all else."""
        self._order = sorted(field.entries, key=lambda entry: (self._mu[entry], self._chance[entry]))
        self._rivals = {
            entry: self._order[max(0, place - RIVALS) : place] + self._order[place + 1 : place + 1 + RIVALS]
            for place, entry in enumerate(self._order)
        }
        self._need = {entry: self._need_of(entry) for entry in field.entries}

    def next_match(self, seats: int) -> Pairing:
        """Return the next match, and count it in."""
        willing = self._willing(seats)
        starving = self._starving()
        first = self._first(starving & willing) or self._first(willing)
        if first is None:
            raise AssertionError("nobody to sit down first")
        table = [first]
        while len(table) < seats:
            free = [entry for entry in self._field.entries if self._may_join(entry, table, seats)]
            ranked = [
                (
                    sum(self._worth(member, entry) for member in table),
                    -abs(self._mu[entry] - self._mu[first]),  # where all are out of reach: the nearest
                    self._chance[entry],
                    entry,
                )
                for entry in self._candidates(table[0], free, willing, starving)
            ]
            table.append(max(ranked)[-1])
        why = self._why(table, first in starving)
        self._count(table)
        return Pairing(self._block, tuple(table), why)

    # Who may

    def _starving(self) -> set[int]:
        """Return the entries with too few matches; one that came late only as long as it is not catching up."""
        least = LEAST_PART * sum(self._matches.values()) / len(self._matches)
        catching_up = sum(self._unseen.values()) / len(self._unseen) + 1
        return {
            entry
            for entry, matches in self._matches.items()
            if matches < least and self._unseen[entry] < catching_up
        }

    def _willing(self, seats: int) -> set[int]:
        """Return the entries of which not too much is unseen and that are due at such a table; enough for one."""
        entries = self._field.entries
        most = CROWDED * sum(self._unseen.values()) / len(entries) + 2
        part = seats / sum(self._field.seats)
        due = {e for e in entries if self._seated[e, seats] <= part * self._matches[e] + 0.5}
        for willing in ({entry for entry in due if self._unseen[entry] < most}, due):
            if len(willing) >= seats:
                return willing
        return set(entries)

    def _may_join(self, entry: int, table: Sequence[int], seats: int) -> bool:
        """Whether an entry may sit at a table: once, and with nobody of its author at a table of three or more."""
        if entry in table:
            return False
        if seats < 3:
            return True
        return all(_author(self._field, entry) != _author(self._field, member) for member in table)

    def _candidates(
        self, first: int, free: Sequence[int], willing: set[int], starving: set[int]
    ) -> Sequence[int]:
        """Return the candidates for the next seat: the starving, else the rivals of the first, else whoever may."""
        rivals = set(self._rivals[first]) & willing
        for wanted in (starving & willing, rivals, willing):
            found = [entry for entry in free if entry in wanted]
            if found:
                return found
        return free

    # What it would teach

    def _belief(self, entry: int, rating: Rating) -> tuple[float, float]:
        """Return μ and σ of an entry as seen; in a system without σ by the number of matches, as after unseen ones."""
        if rating.sigma > 0:
            return rating.mu, rating.sigma
        unit = self._field.scale.unit
        seen = self._matches[entry] - self._unseen[entry]
        return rating.mu, sqrt(1 / (1 / (2 * unit) ** 2 + seen / (3 * unit**2)))

    def _after_unseen(self, entry: int) -> float:
        """Return the variance of an entry's rating that is to be expected when its unseen matches are in."""
        learnt = self._unseen[entry] / (
            3 * self._field.scale.unit**2
        )  # a match of two equals tells about this much
        return 1 / (1 / self._variance[entry] + learnt)

    def _need_of(self, entry: int) -> float:
        """Return what an entry would learn: its variance, by the chance of every rival to be misplaced beside it."""
        own = self._expected[entry]
        found = 0.0
        for rival in self._rivals[entry]:
            spread = sqrt(own + self._variance[rival])
            found += _misplaced(self._mu[entry] - self._mu[rival], spread) / spread
        return own * found

    def _worth(self, one: int, other: int) -> float:
        """Return what a match of two would teach; less where they meet all the time."""
        apart = self._mu[one] - self._mu[other]
        variance = self._expected[one] + self._expected[other]
        spread = sqrt(variance)
        openness = exp(-apart * apart / (2 * (2 * self._field.scale.unit**2 + variance)))
        pair = (one, other) if one < other else (other, one)
        met = self._pairs.get(pair, 0) + self._new_pairs.get(pair, 0)
        fresh = 1 - met / (1 + min(self._matches[one], self._matches[other]))
        return _misplaced(apart, SOFTNESS * spread) * spread * openness * fresh

    def _first(self, entries: Iterable[int]) -> int | None:
        """Return the entry with the greatest need, or None of none."""
        return max(entries, key=lambda entry: (self._need[entry], self._chance[entry]), default=None)

    def _why(self, table: Sequence[int], starving: bool) -> str:
        first, *others = table
        names = [f"#{entry}" for entry in others]
        them = names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" and {names[-1]}"
        if starving:
            mean = sum(self._matches.values()) / len(self._matches)
            return f"#{first} has played least: {self._matches[first]} matches, where {mean:.1f} is the mean"
        if self._matches[first] == self._unseen[first]:
            return f"#{first} is new; {them} will tell most about it"
        sure = self._sigma[first]
        how = f"σ {sure:.1f}" if self._field.scale.has_sigma else f"{self._matches[first]} matches"
        return f"the place of #{first} is least sure ({how}); {them} will tell most about it"

    def _count(self, table: Sequence[int]) -> None:
        """Count a match that has been made."""
        for place, one in enumerate(table):
            self._matches[one] += 1
            self._unseen[one] += 1
            self._seated[one, len(table)] += 1
            self._expected[one] = self._after_unseen(one)
            self._need[one] = self._need_of(one)
            for other in table[:place]:
                pair = (one, other) if one < other else (other, one)
                self._new_pairs[pair] = self._new_pairs.get(pair, 0) + 1


def _misplaced(apart: float, spread: float) -> float:
    """Return the probability that two are in the wrong order, from the difference of their means and its σ."""
    return erfc(abs(apart) / spread * _SQRT_HALF) / 2


def _author(field: Field, entry: int) -> str:
    """Return an entry's author; one of its own where none is named."""
    return field.authors.get(entry, f"#{entry}")


def _table_size(sizes: Sequence[int], match_no: int) -> int:
    """Return the size of a match's table: every size once in each run of as many matches, in a random order."""
    turn, place = divmod(match_no, len(sizes))
    order = list(sizes)
    Stream(_SEED, f"sizes/{turn}").shuffle(order)
    return order[place]


SCHEDULE = Ladder()

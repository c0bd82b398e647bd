"""Ladder: each match is chosen to reveal most about the order, based on results a fixed number of matches back.

The value of a match between two entries is the product of three factors: the
probability that the ratings have the two in the wrong order, the uncertainty of the
two ratings, and how open the match is. The first approaches zero for entries that are
clearly ordered, the second as both ratings become certain, and the third if the
outcome is certain. The entry that would learn most is seated first, followed by
those that teach the table most.

Two limits take precedence: no entry's number of matches falls below half the mean,
and no entry has more than about twice the mean number of matches that are planned
and not yet seen.
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
"""Matches created from the same results: enough for workers to keep their bots over many games."""
RIVALS = 24
"""How many entries above and below in the ratings are considered; those further away are clearly ordered."""
LEAST_PART = 0.5
"""No entry's number of matches falls below this fraction of the mean."""
CROWDED = 2.0
"""An entry sits out if it has more unseen matches than this many times the mean, plus 2."""
SOFTNESS = 2.0
"""Opponents are chosen as if ratings were less certain by this factor, since one number doesn't tell who beats whom."""

_SEED = b"arena/schedules/ladder"
_SQRT_HALF = sqrt(0.5)


class LadderSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The `[schedule]` table of a ladder."""

    lag: Annotated[
        int,
        Meta(
            ge=1,
            le=4096,
            description="a match uses results at least this many matches back; with more, workers wait less",
        ),
    ] = 32


class Ladder:
    """Endless matchmaking by how much a table would reveal. A `Schedule`."""

    name = "ladder"
    settings = LadderSettings
    rotations: Rotations = "off"
    """Another deal reveals more about the order than the same deal from another seat: docs/adr/0013."""

    def tally(self, field: Field, settings: LadderSettings) -> None:
        """Return None: no results are needed."""

    def sees(self, field: Field, settings: LadderSettings, planned: int) -> int:  # noqa: ARG002 - the same for every field
        """Return how many results a match is based on: those `lag` before the first match of its block."""
        return max(0, planned - planned % BLOCK_MATCHES - settings.lag)

    def changes_at(self, field: Field, settings: LadderSettings, planned: int) -> int:  # noqa: ARG002 - at once
        """Return the next match: the field can change at any time."""
        return planned

    def rests(self, field: Field, settings: LadderSettings, summary: Summary) -> str:  # noqa: ARG002 - never
        """Return an empty text: there is always a match worth playing."""
        return ""

    def total(self, field: Field, settings: LadderSettings) -> None:
        """Return None: a ladder continues until it is stopped."""

    def check(self, field: Field, settings: LadderSettings) -> None:  # noqa: ARG002 - the same for all settings
        """Raise UsageError if the field is too small."""
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
        """Return the rest of the block; each match takes the ones before it into account."""
        block, first = divmod(summary.planned, BLOCK_MATCHES)
        matchmaking = _Matchmaking(field, summary, block)
        return tuple(
            matchmaking.next_match(_table_size(field.seats, block * BLOCK_MATCHES + place))
            for place in range(first, BLOCK_MATCHES)
        )


class _Matchmaking:
    """Creates the matches of one block, each from the summary and the matches created before it, and nothing else."""

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
        """The expected variance once the unseen matches have results."""
        order = list(field.entries)
        Stream(_SEED, f"order/{block}").shuffle(order)
        self._chance = {entry: place for place, entry in enumerate(order)}
        """Decides between entries that are otherwise equal."""
        self._order = sorted(field.entries, key=lambda entry: (self._mu[entry], self._chance[entry]))
        self._rivals = {
            entry: self._order[max(0, place - RIVALS) : place] + self._order[place + 1 : place + 1 + RIVALS]
            for place, entry in enumerate(self._order)
        }
        self._need = {entry: self._need_of(entry) for entry in field.entries}

    def next_match(self, seats: int) -> Pairing:
        """Return the next match and count it."""
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
                    -abs(self._mu[entry] - self._mu[first]),  # if all are out of reach, the nearest
                    self._chance[entry],
                    entry,
                )
                for entry in self._candidates(table[0], free, willing, starving)
            ]
            table.append(max(ranked)[-1])
        why = self._why(table, first in starving)
        self._count(table)
        return Pairing(self._block, tuple(table), why)

    # Who may play

    def _starving(self) -> set[int]:
        """Return the entries with too few matches; a latecomer counts only while it isn't catching up."""
        least = LEAST_PART * sum(self._matches.values()) / len(self._matches)
        catching_up = sum(self._unseen.values()) / len(self._unseen) + 1
        return {
            entry
            for entry, matches in self._matches.items()
            if matches < least and self._unseen[entry] < catching_up
        }

    def _willing(self, seats: int) -> set[int]:
        """Return the entries without too many unseen matches that are due at such a table; enough for one."""
        entries = self._field.entries
        most = CROWDED * sum(self._unseen.values()) / len(entries) + 2
        part = seats / sum(self._field.seats)
        due = {e for e in entries if self._seated[e, seats] <= part * self._matches[e] + 0.5}
        for willing in ({entry for entry in due if self._unseen[entry] < most}, due):
            if len(willing) >= seats:
                return willing
        return set(entries)

    def _may_join(self, entry: int, table: Sequence[int], seats: int) -> bool:
        """Whether an entry may join a table: only once, and at three or more seats without others of its author."""
        if entry in table:
            return False
        if seats < 3:
            return True
        return all(_author(self._field, entry) != _author(self._field, member) for member in table)

    def _candidates(
        self, first: int, free: Sequence[int], willing: set[int], starving: set[int]
    ) -> Sequence[int]:
        """Return the candidates for the next seat: starving entries, else rivals of the first, else any allowed."""
        rivals = set(self._rivals[first]) & willing
        for wanted in (starving & willing, rivals, willing):
            found = [entry for entry in free if entry in wanted]
            if found:
                return found
        return free

    # What a match would reveal

    def _belief(self, entry: int, rating: Rating) -> tuple[float, float]:
        """Return μ and σ of an entry as seen; without σ, use the number of matches, like after unseen ones."""
        if rating.sigma > 0:
            return rating.mu, rating.sigma
        unit = self._field.scale.unit
        seen = self._matches[entry] - self._unseen[entry]
        return rating.mu, sqrt(1 / (1 / (2 * unit) ** 2 + seen / (3 * unit**2)))

    def _after_unseen(self, entry: int) -> float:
        """Return the expected variance of an entry's rating once its unseen matches have results."""
        learnt = self._unseen[entry] / (
            3 * self._field.scale.unit**2
        )  # roughly what a match of two equals reveals
        return 1 / (1 / self._variance[entry] + learnt)

    def _need_of(self, entry: int) -> float:
        """Return what an entry would learn: its variance times the chances that its rivals are misplaced."""
        own = self._expected[entry]
        found = 0.0
        for rival in self._rivals[entry]:
            spread = sqrt(own + self._variance[rival])
            found += _misplaced(self._mu[entry] - self._mu[rival], spread) / spread
        return own * found

    def _worth(self, one: int, other: int) -> float:
        """Return what a match of two would reveal; less if they meet all the time."""
        apart = self._mu[one] - self._mu[other]
        variance = self._expected[one] + self._expected[other]
        spread = sqrt(variance)
        openness = exp(-apart * apart / (2 * (2 * self._field.scale.unit**2 + variance)))
        pair = (one, other) if one < other else (other, one)
        met = self._pairs.get(pair, 0) + self._new_pairs.get(pair, 0)
        fresh = 1 - met / (1 + min(self._matches[one], self._matches[other]))
        return _misplaced(apart, SOFTNESS * spread) * spread * openness * fresh

    def _first(self, entries: Iterable[int]) -> int | None:
        """Return the entry with the greatest need; None if there are no entries."""
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
        """Count a match that has been created."""
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
    """Return the probability that two are in the wrong order, given the difference of their means and its σ."""
    return erfc(abs(apart) / spread * _SQRT_HALF) / 2


def _author(field: Field, entry: int) -> str:
    """Return an entry's author, or a unique one if none is named."""
    return field.authors.get(entry, f"#{entry}")


def _table_size(sizes: Sequence[int], match_no: int) -> int:
    """Return the size of a match's table: each run of as many matches as sizes has every size once, in random order."""
    turn, place = divmod(match_no, len(sizes))
    order = list(sizes)
    Stream(_SEED, f"sizes/{turn}").shuffle(order)
    return order[place]


SCHEDULE = Ladder()

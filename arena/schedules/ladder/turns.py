"""Whose turn it is on a ladder: who sits down first, and who may take the other seats. For the ladder.

There is one rule for each phase of a league:

- `EvenTurns`, as long as the field has not changed: no entry's number of matches falls
  below a quarter of the mean.
- `MovingTurns`, once it has: no entry waits longer than four mean intervals between two
  matches, and newcomers get up to half of the tables until they are placed.
- `FinalTurns`, for the final of a season: the entry with the fewest matches of the final
  comes first.

With the first two, no entry has more than about twice the mean number of matches that are
planned and not yet seen.
"""

from collections.abc import Collection, Iterator, Sequence, Set
from heapq import heapify, heappop, heappush
from math import ceil
from typing import Protocol

from arena.schedules.base import Field, Final, Summary
from arena.schedules.ladder.information import Information, Needs

BLOCK_MATCHES = 16
"""Matches created from the same results: enough for workers to keep their bots over many games."""
CROWDED = 2.0
"""An entry sits out if it has more unseen matches than this many times the mean, plus 2."""
LEAST_PART = 0.25
"""No entry's number of matches falls below this fraction of the mean while the field has not changed."""
LATE = 2.5
"""In a moving field, an entry sits down first if it has waited longer than this many mean intervals."""
LATEST = 3.0
"""After this many mean intervals, it also takes the other seats of a table."""
LONGEST_WAIT = 4.0
"""No entry waits longer than this many mean intervals: within one interval, all that are late can be seated."""
NEWCOMERS_PART = 0.5
"""Newcomers get this fraction of the tables of a block, or their fraction of the field if that is larger."""
PLACED_SIGMA = 0.3
"""A newcomer is placed once its σ is expected to be below this many units of the scale."""
PLACED_MATCHES = 60
"""A newcomer is placed after this many matches at the latest."""
FINAL_LEAD = 2
"""In a final, opponents have at most this many more matches than the entry with the fewest."""
FINAL_RIVALS = 8
"""In a final, an entry meets this many neighbours in the ratings in turn."""


class Turns(Protocol):
    """A rule for who plays."""

    def may_draw(self, match_no: int, seats: int) -> bool:
        """Return whether the table of that match may be drawn at random."""

    def willing(self, seats: int) -> Set[int]:
        """Return the entries from which it is drawn, enough for such a table."""

    def first(self, match_no: int, seats: int) -> tuple[int, str]:
        """Return the entry that sits down first at the next match, and why, with `{them}` for the other entries."""

    def tiers(self, table: Sequence[int], seats: int) -> Iterator[Collection[int]]:
        """Yield the candidates for the next seat of that match, the most wanted first; after those, any will do."""

    def count(self, match_no: int, table: Sequence[int]) -> None:
        """Count a planned match."""


def turns(field: Field, summary: Summary, information: Information, block: int) -> Turns:
    """Return the rule for the present phase of a league; it is used for at most `block` matches."""
    if field.final is not None:
        return FinalTurns(field, summary, information, field.final)
    if field.joined or field.from_match:
        return MovingTurns(field, summary, information, block)
    return EvenTurns(field, summary, information)


class _Seats:
    """Which entries are free and due at tables of each size. The sets are kept up to date as matches are counted."""

    def __init__(self, field: Field, summary: Summary, information: Information) -> None:
        self.entries = field.entries
        self.sizes = field.seats
        self._everybody = set(field.entries)
        self._matches, self._unseen = information.matches, information.unseen
        self._unseen_total = self._unseen.total()
        most = self._most_unseen()
        self._crowded = {entry for entry, unseen in self._unseen.items() if unseen >= most}
        """Entries with too many unseen matches."""
        self._seated: dict[tuple[int, int], int] = {}
        self._due: dict[int, set[int]] = {}
        self._willing: dict[int, set[int]] = {}
        if len(self.sizes) == 1:  # then all are due
            self._due = {self.sizes[0]: self._everybody}
        else:
            self._seated = {
                (entry, seats): summary.seated.get((entry, seats), 0)
                for entry in field.entries
                for seats in field.seats
            }
            for seats in self.sizes:
                self._due[seats] = {entry for entry in self.entries if self._is_due(entry, seats)}
        for seats in self.sizes:
            self._willing[seats] = self._due[seats] - self._crowded

    def due(self, seats: int) -> Set[int]:
        """Return the entries that haven't yet had their share of tables of that size."""
        return self._due[seats]

    def willing(self, seats: int) -> Set[int]:
        """Return the entries without too many unseen matches that are due at such a table; enough for one."""
        for willing in (self._willing[seats], self._due[seats]):
            if len(willing) >= seats:
                return willing
        return self._everybody

    def count(self, table: Sequence[int]) -> None:
        """Count a planned match, after `information` has."""
        self._unseen_total += len(table)
        most = self._most_unseen()
        if len(self.sizes) > 1:
            for entry in table:
                self._seated[entry, len(table)] += 1
        for entry in {*table, *self._crowded}:
            crowded = self._unseen[entry] >= most
            (self._crowded.add if crowded else self._crowded.discard)(entry)
            for seats in self.sizes:
                due = self._is_due(entry, seats)
                (self._due[seats].add if due else self._due[seats].discard)(entry)
                willing = self._willing[seats]
                (willing.add if due and not crowded else willing.discard)(entry)

    def _is_due(self, entry: int, seats: int) -> bool:
        if len(self.sizes) == 1:
            return True
        return self._seated[entry, seats] <= seats / sum(self.sizes) * self._matches[entry] + 0.5

    def _most_unseen(self) -> float:
        return CROWDED * self._unseen_total / len(self.entries) + 2


class EvenTurns:
    """The rule for a field that never changed: by need, but first those with too few of the mean. `Turns`."""

    def __init__(self, field: Field, summary: Summary, information: Information) -> None:
        self._field = field
        self._information = information
        self._seats = _Seats(field, summary, information)
        self.willing = self._seats.willing
        self._matches_total = sum(information.matches.values())
        self._unseen_total = information.unseen.total()
        self._limits = self._starving_below()
        self._starving = self._with_too_few()
        """Entries with too few matches; one that is catching up doesn't count."""
        self._first: Collection[int] = ()
        """Those of them who are willing to sit at this table."""
        self._willing: Set[int] = set()

    def may_draw(self, match_no: int, seats: int) -> bool:  # noqa: ARG002 - the same for every match
        """Return True."""
        return True

    def first(self, match_no: int, seats: int) -> tuple[int, str]:  # noqa: ARG002 - the same for every match
        """Return the entry with the greatest need, among those that have played too little if there are any."""
        information = self._information
        self._willing = self._seats.willing(seats)
        self._first = self._starving & self._willing
        first = information.neediest(self._first or self._willing)
        if first in self._starving:
            matches = information.matches
            mean = self._matches_total / len(matches)
            return first, f"#{first} has played least: {matches[first]} matches, where {mean:.1f} is the mean"
        return first, _why(self._field, information, first)

    def tiers(self, table: Sequence[int], seats: int) -> Iterator[Collection[int]]:  # noqa: ARG002 - of this match
        """Yield starving entries, then rivals of the first, then all that are willing."""
        yield self._first
        yield self._willing & set(self._information.rivals(table[0]))
        yield self._willing

    def count(self, match_no: int, table: Sequence[int]) -> None:  # noqa: ARG002 - the same for every match
        """Count a planned match."""
        self._seats.count(table)
        self._matches_total += len(table)
        self._unseen_total += len(table)
        limits = self._starving_below()
        if limits != self._limits:
            self._limits = limits
            self._starving = self._with_too_few()
        else:
            self._starving.difference_update(table)
            self._starving.update(entry for entry in table if self._is_starving(entry))

    def _starving_below(self) -> tuple[int, int]:
        """Return the numbers of matches, and of unseen ones, that an entry with too few has less than."""
        information = self._information
        least = LEAST_PART * self._matches_total / len(information.matches)
        catching_up = self._unseen_total / len(information.matches) + 1
        return ceil(least), ceil(catching_up)

    def _is_starving(self, entry: int) -> bool:
        least, catching_up = self._limits
        return self._information.matches[entry] < least and self._information.unseen[entry] < catching_up

    def _with_too_few(self) -> set[int]:
        least, catching_up = self._limits
        matches, unseen = self._information.matches, self._information.unseen
        few = [entry for entry, played in matches.items() if played < least]
        return {entry for entry in few if unseen[entry] < catching_up}


class MovingTurns:
    """The rule for a field that has changed: by need, but nobody waits too long, and newcomers are placed. `Turns`.

    An entry's wait is the number of matches since it last sat at a table, or since it joined; the mean interval is the
    number of entries per seat. It sits down first after `LATE` intervals, and in any seat after `LATEST`. At
    most all entries are that late at once, and these fill the tables of one interval. So nobody waits longer than
    `LONGEST_WAIT` intervals, and everybody plays at least a quarter of the mean. With several table sizes, or with
    authors who are kept apart, a seat can go to one who waited less.

    A newcomer is an entry that joined later and isn't placed yet. The newcomers' tables are spread evenly over a block.
    """

    def __init__(self, field: Field, summary: Summary, information: Information, block: int) -> None:
        self._field = field
        self._information = information
        self._seats = _Seats(field, summary, information)
        self.willing = self._seats.willing
        self._interval = len(field.entries) * len(field.seats) / sum(field.seats)
        latest, joined = summary.latest.get, field.joined.get
        end = summary.planned + block - LATE * self._interval
        self._since = {
            entry: since
            for entry in field.entries
            if latest(entry, -1) + 1 < end and (since := max(latest(entry, -1) + 1, joined(entry, 0))) < end
        }
        """By entry: the match after its latest, or the one with which it joined; of all that can be late in this block.
        """
        self._waiting = [(since, information.place[entry], entry) for entry, since in self._since.items()]
        """A heap: who has waited longest comes first. Those who have sat down since are there again, further back."""
        heapify(self._waiting)
        self._wide = PLACED_SIGMA * field.scale.unit
        self._newcomers = {entry for entry in field.joined if self._is_new(entry)}
        """The entries that joined and aren't placed yet."""
        self._new_needs = Needs(information, self._newcomers)
        self._other_needs = Needs(information, set(field.entries) - self._newcomers)
        self._match_no = 0
        self._willing: Set[int] = set()
        self._left_out: Set[int] = set()
        """Newcomers that wait for another table."""

    def may_draw(self, match_no: int, seats: int) -> bool:
        """Return whether nobody has waited too long."""
        self._match_no = match_no
        return self._latest(LATE, seats) is None

    def first(self, match_no: int, seats: int) -> tuple[int, str]:
        """Return the entry that has waited too long, else a newcomer if it is their turn, else the neediest."""
        information = self._information
        self._match_no = match_no
        self._willing = self._seats.willing(seats)
        newcomers = self._newcomers & self._willing
        theirs = _is_theirs(match_no % BLOCK_MATCHES, len(self._newcomers) / len(self._field.entries))
        are_invited = theirs or len(self._willing) - len(newcomers) < seats
        self._left_out = set() if are_invited else newcomers
        if (late := self._latest(LATE, seats)) is not None:
            return late, (
                f"#{late} has waited longest: {self._wait(late)} matches, where {self._interval:.1f} is the mean; "
                "{them} will tell most about it"
            )
        if theirs and (new := self._new_needs.first(newcomers)) is not None:
            return new[-1], _why(self._field, information, new[-1], is_new=True)
        found = [self._other_needs.first(self._willing)]
        if are_invited and newcomers:
            found.append(self._new_needs.first(newcomers))
        first = min((one for one in found if one is not None), default=None)
        if first is None:
            raise AssertionError("nobody to sit down first")
        return first[-1], _why(self._field, information, first[-1])

    def tiers(self, table: Sequence[int], seats: int) -> Iterator[Collection[int]]:
        """Yield who has waited far too long, then rivals of the first, then others of this turn, then all willing."""
        taken = list(table)
        while (late := self._latest(LATEST, seats, taken)) is not None:
            yield (late,)
            taken.append(late)
        yield (self._willing & set(self._information.rivals(table[0]))) - self._left_out
        yield self._willing - self._left_out
        yield self._willing

    def count(self, match_no: int, table: Sequence[int]) -> None:
        """Count a planned match."""
        self._seats.count(table)
        for entry in table:
            if entry in self._since:
                self._since[entry] = match_no + 1
                heappush(self._waiting, (match_no + 1, self._information.place[entry], entry))
        for entry in self._newcomers.intersection(table):
            if not self._is_new(entry):
                self._newcomers.discard(entry)
                self._other_needs.add(entry)

    def _wait(self, entry: int) -> int:
        return self._match_no - self._since[entry]

    def _latest(self, intervals: float, seats: int, taken: Collection[int] = ()) -> int | None:
        """Return who has waited longest, and too long; first those due at such a table; `taken` don't count."""
        waiting, due, passed = self._waiting, self._seats.due(seats), []
        found = not_due = None
        while waiting and self._match_no - waiting[0][0] > intervals * self._interval:
            since, _, entry = top = heappop(waiting)
            if self._since[entry] != since:
                continue
            passed.append(top)
            if entry in taken:
                continue
            if entry in due:
                found = entry
                break
            not_due = entry if not_due is None else not_due
        for top in passed:
            heappush(waiting, top)
        return not_due if found is None else found

    def _is_new(self, entry: int) -> bool:
        """Whether an entry that joined plays and isn't placed yet."""
        information = self._information
        return (
            information.matches.get(entry, PLACED_MATCHES) < PLACED_MATCHES
            and information.expected_sigma(entry) > self._wide
        )


class FinalTurns:
    """A season's final: who has the fewest matches of it comes first, against neighbours in turn. `Turns`."""

    def __init__(self, field: Field, summary: Summary, information: Information, final: Final) -> None:
        self._field = field
        self._final = final
        self._information = information
        self._seats = _Seats(field, summary, information)
        self.willing = self._seats.willing
        self._played = {entry: summary.in_final.get(entry, 0) for entry in field.entries}

    def is_over(self) -> bool:
        """Return whether every entry has played all its matches."""
        return min(self._played.values()) >= self._final.matches

    def may_draw(self, match_no: int, seats: int) -> bool:  # noqa: ARG002 - the same for every match
        """Return False: all play equally often, and meet their neighbours in turn."""
        return False

    def first(self, match_no: int, seats: int) -> tuple[int, str]:  # noqa: ARG002 - the same for every match
        """Return the neediest of the entries with the fewest matches."""
        least = min(self._played.values())
        fewest = {entry for entry, played in self._played.items() if played == least}
        first = self._information.neediest(fewest & self._seats.due(seats) or fewest)
        return first, (
            f"#{first} has played {least} of {self._final.matches} matches of the final; "
            "{them} will tell most about it"
        )

    def tiers(self, table: Sequence[int], seats: int) -> Iterator[Collection[int]]:
        """Yield opponents not far ahead in matches: of the nearest in turn, then all of the nearest, then any."""
        first, mu = table[0], self._information.mu
        near = {e for e, played in self._played.items() if played <= self._played[first] + FINAL_LEAD}
        rivals = self._information.rivals(first)
        nearest = sorted(rivals, key=lambda entry: abs(mu[entry] - mu[first]))[:FINAL_RIVALS]
        if len(table) == 1:
            turn = self._played[first] % max(1, len(nearest))
            yield from ((rival,) for rival in nearest[turn:] + nearest[:turn] if rival in near)
        yield near.intersection(nearest) & self._seats.due(seats)
        yield near.intersection(nearest)
        yield near

    def count(self, match_no: int, table: Sequence[int]) -> None:  # noqa: ARG002 - the same for every match
        """Count a planned match."""
        self._seats.count(table)
        for entry in table:
            self._played[entry] += 1


def _is_theirs(place: int, part: float) -> bool:
    """Return whether the table at that place of a block is one of the newcomers, who are that part of the field."""
    tables = round(BLOCK_MATCHES * max(NEWCOMERS_PART, part))
    return (place + 1) * tables // BLOCK_MATCHES > place * tables // BLOCK_MATCHES


def _why(field: Field, information: Information, first: int, *, is_new: bool = False) -> str:
    """Return why the neediest sits down first, or a newcomer."""
    them = "{them} will tell most about it"
    if information.matches[first] == information.unseen[first]:
        return f"#{first} is new; {them}"
    has_sigma = field.scale.has_sigma
    how = f"σ {information.sigma(first):.1f}" if has_sigma else f"{information.matches[first]} matches"
    return (
        f"#{first} is new ({how}); {them}"
        if is_new
        else f"the place of #{first} is least sure ({how}); {them}"
    )

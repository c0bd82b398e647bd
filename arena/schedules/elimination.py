"""Single elimination: who loses is out; at larger tables the upper half goes on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from typing import Annotated, Literal

from msgspec import Meta, Struct

from arena.core.errors import UsageError
from arena.schedules.base import MOST_AT_ONCE, Field, Finished, Pairing, Placing, Summary
from arena.schedules.seating import cannot_keep_apart, check_filled, groups, one_size, table_sizes


class EliminationSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The `[schedule]` table of a single elimination."""

    best_of: Annotated[
        int,
        Meta(
            ge=1,
            le=999,
            description="matches of a table in each round; two meet until one cannot be caught up",
        ),
    ] = 3
    extra: Annotated[
        int,
        Meta(
            ge=0,
            le=999,
            description="matches more, one at a time, while it is open who goes on; then seeds decide",
        ),
    ] = 1
    seeds: Annotated[
        Literal["order", "rating"],
        Meta(description="by the order of the bots, or by the ratings they start with"),
    ] = "order"
    go_on: (
        Annotated[
            int, Meta(ge=1, le=99, description="of a table of three or more; default: half, rounded up")
        ]
        | None
    ) = None
    third_place: Annotated[
        bool, Meta(description="have the losers of the semifinals play for the third place, at tables of two")
    ] = False


class Elimination:
    """Single elimination. A `Schedule` that is `Sized` and `Placed`.

    At tables of two: a bracket in which the best seeds meet last and have the byes. A match counts 1 for who has
    more shares of its games, 1/2 each where they have as many; who has more after `best_of` matches goes on, and
    if it is the same, who has the larger sum of shares. At larger tables, equal in size but for one seat, seeds are
    spread in turns forth and back, and the sum of shares decides; where all that are left fit one table, it is the
    last. Where those on both sides of the line are equal, all at the table play up to `extra` matches more, one at
    a time, and then the better seed goes on. A void match counts as played, and for nobody.
    """

    name = "elimination"
    settings: type[Struct] = EliminationSettings

    def tally(self, field: Field, settings: EliminationSettings) -> "_Tally":  # noqa: ARG002
        """Return the tables before the first match."""
        return _Tally()

    def sees(self, field: Field, settings: EliminationSettings, planned: int) -> int:  # noqa: ARG002
        """Return all that is planned: what comes next depends on the matches before."""
        return planned

    def check(self, field: Field, settings: EliminationSettings) -> None:
        """Raise UsageError for a field that cannot be seated."""
        check_filled(field)
        seats = one_size(field, "an elimination")
        if seats > 2 and settings.third_place:
            raise UsageError(
                "schedule.third_place: at tables of three or more the last table decides all its places",
                "leave it out, or set seats = 2",
            )
        if seats == 2 and settings.go_on not in (None, 1):
            raise UsageError("schedule.go_on: of two, one goes on", "leave it out")
        if seats > 2 and len(set(groups(field, seats).values())) < len(field.entries):
            raise cannot_keep_apart(
                f"who meets in an elimination follows from the results, so bots of one author cannot be kept apart "
                f"at tables of {seats}"
            )

    def total(self, field: Field, settings: EliminationSettings) -> int | None:
        """Return the number of matches, where none can be spared or added; else None."""
        if settings.extra or (settings.best_of > 1 and field.seats[0] == 2):
            return None
        return settings.best_of * sum(_tables_of_all_rounds(field, settings).values())

    def sizes(self, field: Field, settings: EliminationSettings) -> Mapping[int, int | None]:
        """Return the table sizes that will be needed, with the number of matches where it is known."""
        known = self.total(field, settings) is not None
        tables = _tables_of_all_rounds(field, settings)
        return {size: settings.best_of * count if known else None for size, count in tables.items()}

    def next_matches(
        self, field: Field, settings: EliminationSettings, summary: Summary
    ) -> tuple[Pairing, ...] | None:
        """Return matches that are needed in any case at the tables that are open; None after the last."""
        bracket = _Bracket(field, settings, summary.tally)
        matches = tuple(islice(bracket.needed(), MOST_AT_ONCE))
        return matches or None

    def placing(
        self, field: Field, settings: EliminationSettings, results: Iterable[Finished]
    ) -> tuple[Placing, ...]:
        """Return who got how far: points are the rounds in which an entry went on, byes among them.

        Who went out in the same round shares a place; who is still in shares the first.
        """
        tally = _Tally()
        for match in results:
            tally.add(match)
        return _Bracket(field, settings, tally).placing()


@dataclass(slots=True)
class _Played:
    """What was played at one table."""

    matches: int = 0
    """Void ones among them."""
    scores: dict[int, tuple[Fraction, int]] = field(default_factory=dict)
    """Of each entry the matches won (at tables of two) and the sum of shares, in units."""

    def add(self, match: Finished) -> None:
        """Count a match."""
        self.matches += 1
        if match.shares is None:
            return
        best = max(match.shares)
        winners = match.shares.count(best)
        for entry, share in zip(match.entries, match.shares, strict=True):
            won, sum_of_shares = self.scores.get(entry, _NOTHING)
            if len(match.entries) == 2 and share == best:
                won += Fraction(1, winners)
            self.scores[entry] = won, sum_of_shares + share


_NOTHING = Fraction(0), 0


class _Tally:
    """What was played at each table of each round. A `Tally`."""

    def __init__(self) -> None:
        self.played: dict[tuple[int, frozenset[int]], _Played] = {}

    def add(self, match: Finished) -> None:
        """Take in the next match."""
        self.played.setdefault((match.round_no, frozenset(match.entries)), _Played()).add(match)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of one round, with what was played at it."""

    entries: tuple[int, ...]
    """The best seed first."""
    keep: int
    """How many go on."""
    played: _Played
    what: str
    """`final`, `semifinal`, `round of 16`."""

    def scores(self) -> dict[int, tuple[Fraction, int]]:
        """Return of each entry the matches won (at tables of two) and the sum of shares, in units."""
        return {entry: self.played.scores.get(entry, _NOTHING) for entry in self.entries}

    def order(self) -> list[int]:
        """Return the entries, best first; equals by seed."""
        scores = self.scores()
        return sorted(self.entries, key=scores.__getitem__, reverse=True)  # a stable sort, also reversed

    def needed(self, settings: EliminationSettings) -> int:
        """Return how many matches have to be played in any case before it can be decided; 0: it is decided."""
        left = settings.best_of - self.played.matches
        scores = self.scores()
        order = self.order()
        inside, outside = scores[order[self.keep - 1]], scores[order[self.keep]]
        if left > 0:
            if len(self.entries) > 2:
                return left
            lead = inside[0] - outside[0]
            return 0 if lead > left else min(left, int((left - lead) // 2) + 1)
        return int(inside == outside and -left < settings.extra)


class _Bracket:
    """An elimination as far as its results have it."""

    def __init__(self, field: Field, settings: EliminationSettings, tally: _Tally) -> None:
        self._settings = settings
        self._seats = field.seats[0]
        self._entries = _seeded(field, settings)
        self._seed = {entry: seed for seed, entry in enumerate(self._entries)}
        self._played = tally.played
        self._gone_on = dict.fromkeys(self._entries, 0)
        self._byes = dict.fromkeys(self._entries, 0)
        self._out: list[list[int]] = []
        """By round: who went out in it."""
        self._notes: dict[int, str] = {}
        """How who is out went out."""
        self._places: list[int] = []
        """The entries of a last table in their order."""
        self.open: list[_Table] = []
        """The tables of the round that is being played."""
        self.round_no = 0
        self._play()

    def _play(self) -> None:
        """Go through the rounds as far as they are decided."""
        slots: list[int | None] = list(self._entries)
        if self._seats == 2:
            slots = [
                self._entries[seed] if seed < len(self._entries) else None for seed in _slots(len(slots))
            ]
        losers: list[int] = []
        while len(slots) > 1:
            tables = list(self._tables(slots))
            last = len(tables) == 1 and len(slots) <= self._seats
            third: tuple[_Table, ...] = ()
            if last and self._settings.third_place and len(losers) == 2:
                third = (self._table(losers, 1, "third place"),)
            if any(table.needed(self._settings) for table in (*tables, *third)):
                self.open = [*tables, *third]
                return
            went_on = {entry for table in tables for entry in table.order()[: table.keep]}
            losers = self._leave(tables, went_on)
            if last:
                self._end(tables[0], third[0] if third else None)
                return
            slots = self._next_slots(slots, went_on)
            self.round_no += 1

    def _tables(self, slots: Sequence[int | None]) -> Iterator[_Table]:
        """Yield the tables of the round; count the byes of those that have none."""
        if self._seats == 2:
            for a, b in zip(slots[::2], slots[1::2], strict=True):
                if a is not None and b is not None:
                    yield self._table((a, b), 1, _round_name(len(slots)))
            return
        left = [entry for entry in slots if entry is not None]
        sizes = table_sizes(len(left), self._seats)
        for table in _serpentine(left, len(sizes)):
            keep = 1 if len(sizes) == 1 else _go_on(len(table), self._settings)
            yield self._table(table, keep, "last table" if len(sizes) == 1 else f"{len(left)} are left")

    def _table(self, entries: Sequence[int], keep: int, what: str) -> _Table:
        by_seed = tuple(sorted(entries, key=self._seed.__getitem__))
        return _Table(by_seed, keep, self._played.get((self.round_no, frozenset(entries)), _Played()), what)

    def _leave(self, tables: Sequence[_Table], went_on: set[int]) -> list[int]:
        """Note who goes on and who is out; return these."""
        out = []
        for table in tables:
            order = table.order()
            for entry in order:
                if entry in went_on:
                    self._gone_on[entry] += 1
                else:
                    out.append(entry)
                    self._notes[entry] = f"out in round {self.round_no + 1} ({table.what}) behind #{order[0]}"
        self._out.append(out)
        return out

    def _next_slots(self, slots: Sequence[int | None], went_on: set[int]) -> list[int | None]:
        if self._seats > 2:
            return [entry for entry in self._entries if entry in went_on]
        following: list[int | None] = []
        for a, b in zip(slots[::2], slots[1::2], strict=True):
            if a is None or b is None:
                lucky = a if b is None else b
                if lucky is not None:
                    self._byes[lucky] += 1
                    self._gone_on[lucky] += 1
                following.append(lucky)
            else:
                following.append(a if a in went_on else b)
        return following

    def _end(self, final: _Table, third: _Table | None) -> None:
        self._places = final.order()
        if third:
            better, other = third.order()
            self._places += [better, other]
            self._notes[better] += f"; third before #{other}"
            self._notes[other] += f"; fourth behind #{better}"

    def needed(self) -> Iterator[Pairing]:
        """Yield the matches to be played now: one at each table, then a second where it is needed, and so on."""
        needed = [(table, table.needed(self._settings)) for table in self.open]
        for turn in range(max((count for _, count in needed), default=0)):
            for table, count in needed:
                if turn < count:
                    yield Pairing(self.round_no, table.entries, self._why(table))

    def _why(self, table: _Table) -> str:
        played = table.played.matches
        seeds = ", ".join(f"#{entry} (seed {self._seed[entry] + 1})" for entry in table.entries)
        if played >= self._settings.best_of:
            return f"{table.what}: {seeds}; an extra match, as {played} have not decided who goes on"
        return f"{table.what}: {seeds}"

    def placing(self) -> tuple[Placing, ...]:
        """Return how far each entry got."""
        places: dict[int, int] = {entry: place for place, entry in enumerate(self._places, 1)}
        left = len(self._entries)
        for out in self._out:
            for entry in out:
                places.setdefault(entry, left - len(out) + 1)
            left -= len(out)
        not_out = "winner" if self._places else "still in"
        return tuple(
            Placing(
                places.get(entry, 1),
                entry,
                float(self._gone_on[entry]),
                self._byes[entry],
                self._notes.get(entry, not_out),
            )
            for entry in sorted(self._entries, key=lambda entry: (places.get(entry, 1), self._seed[entry]))
        )


def _seeded(field: Field, settings: EliminationSettings) -> list[int]:
    """Return the entries, the best seed first."""
    if settings.seeds == "order":
        return list(field.entries)
    starts = field.starts
    return sorted(
        field.entries,
        key=lambda entry: (
            entry not in starts,
            -field.scale.conservative(starts[entry]) if entry in starts else 0.0,
        ),
    )


def _slots(entries: int) -> list[int]:
    """Return the seeds in the order of a bracket: neighbours meet, and the first two seeds at the very end.

    >>> _slots(8)
    [0, 7, 3, 4, 1, 6, 2, 5]
    """
    slots = [0]
    while len(slots) < entries:
        slots = [seed for one in slots for seed in (one, 2 * len(slots) - 1 - one)]
    return slots


def _serpentine(entries: Sequence[int], tables: int) -> list[list[int]]:
    """Return the entries dealt to tables forth and back, so that the sums of their seeds are near to equal.

    >>> _serpentine([0, 1, 2, 3, 4, 5, 6, 7], 3)
    [[0, 5, 6], [1, 4, 7], [2, 3]]
    """
    dealt: list[list[int]] = [[] for _ in range(tables)]
    for place, entry in enumerate(entries):
        row, column = divmod(place, tables)
        dealt[column if row % 2 == 0 else tables - 1 - column].append(entry)
    return dealt


def _go_on(seats: int, settings: EliminationSettings) -> int:
    return min(settings.go_on or -(-seats // 2), seats - 1)


def _tables_of_all_rounds(field: Field, settings: EliminationSettings) -> dict[int, int]:
    """Return how many tables of each size there will be."""
    seats, left = field.seats[0], len(field.entries)
    if seats == 2:
        return {2: left - 1 + (settings.third_place and left > 3)}
    tables: dict[int, int] = {}
    while left > 1:
        sizes = table_sizes(left, seats)
        for size in sizes:
            tables[size] = tables.get(size, 0) + 1
        left = 1 if len(sizes) == 1 else sum(_go_on(size, settings) for size in sizes)
    return tables


def _round_name(slots: int) -> str:
    return {2: "final", 4: "semifinal", 8: "quarterfinal"}.get(slots, f"round of {slots}")


SCHEDULE = Elimination()

"""Single elimination: losers are out; at larger tables the upper half advances."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from typing import Annotated, Literal

from msgspec import Meta, Struct

from arena.core.errors import BadValue
from arena.schedules.base import MOST_AT_ONCE, Field, Finished, Pairing, Placing, Summary
from arena.schedules.base.table_rules import (
    cannot_keep_apart,
    check_filled,
    groups,
    one_size,
    table_sizes,
)
from results.base.scoring import UNIT
from results.records import Traits
from results.records.bracket import BracketRound, BracketTable

THIRD_PLACE = "third place"


class EliminationSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The `[schedule]` table of a single elimination.

    Keys:
        best_of: matches per table in each round; at tables of two, until one can't be caught up
        extra: additional matches, one at a time, while it is undecided who advances; then seeds decide
        seeds: by the order of the bots, or by their initial ratings
        go_on: how many advance at tables of three or more; default: half, rounded up
        third_place: let the losers of the semi-finals play for third place, at tables of two
    """

    best_of: Annotated[int, Meta(ge=1, le=999)] = 3
    extra: Annotated[int, Meta(ge=0, le=999)] = 1
    seeds: Literal["order", "rating"] = "order"
    go_on: Annotated[int, Meta(ge=1, le=99)] | None = None
    third_place: bool = False


class Elimination:
    """Single elimination. A `Schedule` that is `Sized`, `Placed` and `Bracketed`.

    At tables of two, this is a bracket in which the best seeds meet last and have the byes, as far as bots of one
    author are kept apart as long as possible (`bracket`). A match counts 1 for the
    entry with more shares in its games, or 1/2 each if they are equal. The entry with more after `best_of` matches
    advances; if they are equal, the one with the larger sum of shares. Larger tables differ in size by one seat at
    most, seeds are spread over them back and forth, and the sum of shares decides. Once all remaining entries fit
    one table, it is the last. If entries on both sides of the line are equal, everyone at the table plays up to
    `extra` more matches, one at a time; after that the better seed advances. A void match counts as played, with no
    points.
    """

    name = "elimination"
    words = "Whoever loses is out, round by round, until one bot is left."
    settings: type[Struct] = EliminationSettings
    traits = Traits(chooses=True, places="elimination")

    def tally(self, field: Field, settings: EliminationSettings) -> "_Tally":  # noqa: ARG002
        """Return the tables before the first match."""
        return _Tally()

    def sees(self, field: Field, settings: EliminationSettings, planned: int) -> int:  # noqa: ARG002
        """Return `planned`: the next matches depend on all matches before."""
        return planned

    def check(self, field: Field, settings: EliminationSettings) -> None:
        """Raise BadValue if the field can't be seated."""
        check_filled(field)
        seats = one_size(field, "an elimination")
        if seats > 2 and settings.third_place:
            raise BadValue(
                ("schedule", "third_place"),
                "at tables of three or more the last table decides all its places",
                "leave it out, or set seats = 2",
            )
        if seats == 2 and settings.go_on not in (None, 1):
            raise BadValue(("schedule", "go_on"), "at tables of two, one advances", "leave it out")
        if seats > 2 and len(set(groups(field, seats).values())) < len(field.entries):
            raise cannot_keep_apart(
                f"who meets in an elimination follows from the results, so bots of one author cannot be kept apart "
                f"at tables of {seats}"
            )

    def total(self, field: Field, settings: EliminationSettings) -> int | None:
        """Return the number of matches if none can be skipped or added, else None."""
        if settings.extra or (settings.best_of > 1 and field.seats[0] == 2):
            return None
        return settings.best_of * sum(_tables_of_all_rounds(field, settings).values())

    def sizes(self, field: Field, settings: EliminationSettings) -> Mapping[int, int | None]:
        """Return the table sizes needed, each with its number of matches if known."""
        known = self.total(field, settings) is not None
        tables = _tables_of_all_rounds(field, settings)
        return {size: settings.best_of * count if known else None for size, count in tables.items()}

    def next_matches(
        self, field: Field, settings: EliminationSettings, summary: Summary
    ) -> tuple[Pairing, ...] | None:
        """Return matches that are certainly needed at the open tables; None after the last."""
        bracket = _Bracket(field, settings, summary.tally)
        matches = tuple(islice(bracket.needed(), MOST_AT_ONCE))
        return matches or None

    def placing(
        self, field: Field, settings: EliminationSettings, results: Iterable[Finished]
    ) -> tuple[Placing, ...]:
        """Return how far each entry got, sharing places by round; points: the rounds in which it advanced."""
        return _Bracket(field, settings, _Tally.of(results)).placing()

    def bracket(
        self, field: Field, settings: EliminationSettings, results: Iterable[Finished]
    ) -> tuple[BracketRound, ...]:
        """Return the rounds; scores are matches won at tables of two, sums of shares at larger ones."""
        state = _Bracket(field, settings, _Tally.of(results))
        return tuple(state.tree() if field.seats[0] == 2 else state.larger_tables())


@dataclass(slots=True)
class _Played:
    matches: int = 0
    """Including void ones."""
    scores: dict[int, tuple[Fraction, int]] = field(default_factory=dict)
    """By entry: the matches won (at tables of two) and the sum of shares, in units."""

    def add(self, match: Finished) -> None:
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
    """The matches played at each table of each round. A `Tally`."""

    def __init__(self) -> None:
        self.played: dict[tuple[int, frozenset[int]], _Played] = {}

    @classmethod
    def of(cls, results: Iterable[Finished]) -> "_Tally":
        tally = cls()
        for match in results:
            tally.add(match)
        return tally

    def add(self, match: Finished) -> None:
        self.played.setdefault((match.round_no, frozenset(match.entries)), _Played()).add(match)


@dataclass(frozen=True, slots=True)
class _Table:
    entries: tuple[int, ...]
    """Best seed first."""
    keep: int
    """How many advance."""
    played: _Played
    what: str
    """`final`, `semi-final`, `round of 16`."""

    def scores(self) -> dict[int, tuple[Fraction, int]]:
        """Return, by entry, the matches won (at tables of two) and the sum of shares, in units."""
        return {entry: self.played.scores.get(entry, _NOTHING) for entry in self.entries}

    def order(self) -> list[int]:
        """Return the entries, best first; equal ones by seed."""
        scores = self.scores()
        return sorted(self.entries, key=scores.__getitem__, reverse=True)  # stable, even when reversed

    def needed(self, settings: EliminationSettings) -> int:
        """Return how many more matches are certainly needed for a decision; 0: it is decided."""
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
    """The state of an elimination after its results so far."""

    def __init__(self, field: Field, settings: EliminationSettings, tally: _Tally) -> None:
        self._settings = settings
        self._seats = field.seats[0]
        self._entries = _seeded(field, settings)
        self._group_of = groups(field, self._seats)
        self._seed = {entry: seed for seed, entry in enumerate(self._entries)}
        self._played = tally.played
        self._gone_on = dict.fromkeys(self._entries, 0)
        self._byes = dict.fromkeys(self._entries, 0)
        self._out: list[list[int]] = []
        """The entries that went out, by round."""
        self._notes: dict[int, str] = {}
        """How each entry went out."""
        self._places: list[int] = []
        """The entries of a last table in order."""
        self.open: list[_Table] = []
        """The tables of the current round."""
        self.round_no = 0
        self._rounds: list[tuple[Sequence[int | None], Sequence[_Table]]] = []
        """The slots and tables of each round that has begun; a match for third place is the last table."""
        self._play()

    def _play(self) -> None:
        """Run through the rounds as far as they are decided."""
        slots = bracket(self._entries, self._group_of) if self._seats == 2 else [*self._entries]
        losers: list[int] = []
        while len(slots) > 1:
            tables = list(self._tables(slots))
            last = len(tables) == 1 and len(slots) <= self._seats
            third: tuple[_Table, ...] = ()
            if last and self._settings.third_place and len(losers) == 2:
                third = (self._table(losers, 1, THIRD_PLACE),)
            self._rounds.append((slots, (*tables, *third)))
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
        """Yield the tables of the round; count the byes of entries without a table."""
        if self._seats == 2:
            for a, b in zip(slots[::2], slots[1::2], strict=True):
                if a is not None and b is not None:
                    yield self._table((a, b), 1, _round_name(len(slots)))
            return
        left = [entry for entry in slots if entry is not None]
        sizes = table_sizes(len(left), self._seats)
        for table in _serpentine(left, len(sizes)):
            keep = 1 if len(sizes) == 1 else _go_on(len(table), self._settings)
            yield self._table(table, keep, _name_of_last(len(left), len(sizes)))

    def _table(self, entries: Sequence[int], keep: int, what: str) -> _Table:
        by_seed = tuple(sorted(entries, key=self._seed.__getitem__))
        return _Table(by_seed, keep, self._played.get((self.round_no, frozenset(entries)), _Played()), what)

    def _leave(self, tables: Sequence[_Table], went_on: set[int]) -> list[int]:
        """Record who advances and who is out; return the latter."""
        out = []
        for table in tables:
            order = table.order()
            for entry in order:
                if entry in went_on:
                    self._gone_on[entry] += 1
                else:
                    out.append(entry)
                    what = f"lost the {table.what} to" if self._seats == 2 else f"out in {table.what} behind"
                    by = self._tie_break(table, entry, order[0])
                    self._notes[entry] = f"{what} #{order[0]}{f' on {by}' if by else ''}"
        self._out.append(out)
        return out

    def _tie_break(self, table: _Table, entry: int, winner: int) -> str:
        """Return what decided between two that are level; empty if they aren't, and at larger tables."""
        own, other = table.scores()[entry], table.scores()[winner]
        if self._seats > 2 or own[0] != other[0]:
            return ""
        return "seed" if own == other else "share"

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

    def tree(self) -> Iterator[BracketRound]:
        """Yield all rounds of tables of two."""
        slots: Sequence[int | None] = ()
        losers: list[int | None] = []
        for slots, tables in self._rounds:
            of_entries = {frozenset(table.entries): table for table in tables if table.what != THIRD_PLACE}
            pairs = [[entry for entry in pair if entry is not None] for pair in _pairs(slots)]
            drawn = [self._drawn(pair, of_entries.get(frozenset(pair))) for pair in pairs]
            losers = [_loser(table) for table in drawn]
            third = [self._drawn(table.entries, table) for table in tables if table.what == THIRD_PLACE]
            yield BracketRound(name=_round_name(len(slots)), tables=(*drawn, *third))
            slots = [table.advancing[0] if table.advancing else None for table in drawn]
        while len(slots) > 1:
            to_come = [BracketTable(entries=pair) for pair in _pairs(slots)]
            if self._settings.third_place and len(slots) == 2 and len(self._entries) > 3:
                to_come.append(BracketTable(entries=tuple(losers) or (None, None), name=THIRD_PLACE))
            yield BracketRound(name=_round_name(len(slots)), tables=tuple(to_come))
            slots, losers = [None] * len(to_come) if len(slots) > 2 else [], []

    def larger_tables(self) -> Iterator[BracketRound]:
        """Yield all rounds of tables of three or more."""
        left = len(self._entries)
        for _, tables in self._rounds:
            drawn = tuple(self._drawn(table.order(), table) for table in tables)
            yield BracketRound(name=tables[0].what, tables=drawn, is_tree=False)
            left = 1 if len(tables) == 1 else sum(table.keep for table in tables)
        while left > 1:
            sizes = table_sizes(left, self._seats)
            to_come = tuple(BracketTable(entries=(None,) * size) for size in sizes)
            yield BracketRound(name=_name_of_last(left, len(sizes)), tables=to_come, is_tree=False)
            left = 1 if len(sizes) == 1 else sum(_go_on(size, self._settings) for size in sizes)

    def _drawn(self, entries: Sequence[int], table: _Table | None) -> BracketTable:
        if table is None:
            return BracketTable(entries=tuple(entries), advancing=tuple(entries))
        scores = table.scores()
        won = [float(scores[entry][0]) if self._seats == 2 else scores[entry][1] / UNIT for entry in entries]
        is_decided = not table.needed(self._settings)
        return BracketTable(
            entries=tuple(entries),
            scores=tuple(won) if table.played.matches else (),
            advancing=tuple(table.order()[: table.keep]) if is_decided else (),
            decided_by=self._tie_break(table, *reversed(table.order()[:2])) if is_decided else "",
            name=THIRD_PLACE if table.what == THIRD_PLACE else "",
        )

    def _end(self, final: _Table, third: _Table | None) -> None:
        self._places = final.order()
        if third:
            better, other = third.order()
            self._places += [better, other]
            self._notes[better] += f"; beat #{other} for third place"
            self._notes[other] += f"; lost to #{better} for third place"

    def needed(self) -> Iterator[Pairing]:
        """Yield the matches to play now: one at each table, then a second if needed, and so on."""
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
                note=self._notes.get(entry, not_out),
            )
            for entry in sorted(self._entries, key=lambda entry: (places.get(entry, 1), self._seed[entry]))
        )


def _seeded(field: Field, settings: EliminationSettings) -> list[int]:
    if settings.seeds == "order":
        return list(field.entries)
    starts = field.starts
    return sorted(
        field.entries, key=lambda entry: (entry not in starts, -starts[entry].mu if entry in starts else 0.0)
    )


def _serpentine(entries: Sequence[int], tables: int) -> list[list[int]]:
    """Return the entries dealt to tables back and forth, so that the sums of their seeds are nearly equal.

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
    return {2: "final", 4: "semi-final", 8: "quarter-final"}.get(slots, f"round of {slots}")


def _name_of_last(entries: int, tables: int) -> str:
    return "the last table" if tables == 1 else f"the last {entries}"


def _pairs(slots: Sequence[int | None]) -> list[tuple[int | None, int | None]]:
    return list(zip(slots[::2], slots[1::2], strict=True))


def _loser(table: BracketTable) -> int | None:
    """Return who is out at a table of two; None if that isn't known yet."""
    out = [entry for entry in table.entries if entry not in table.advancing] if table.advancing else []
    return out[0] if out else None


def bracket(entries: Sequence[int], group_of: Mapping[int, Hashable]) -> list[int | None]:
    """Return the places of a bracket in order; entries are best seed first, and who meets nobody is beside a None.

    A bracket is made from the top: the field is split into two halves, each half again, and so on. A split parts every
    two neighbours in the order of the seeds, so the best 2, 4, 8 … seeds meet as late as they can. It also parts the
    entries of each group two by two, so as many are in one half as in the other, give or take one. Both are always
    possible: who is parted from whom makes chains and even rings, and along these the halves alternate. So of a group
    with at most as many entries as a round has tables, none meet in that round or before it, and no other bracket keeps
    them apart for longer. Without larger groups, seeds meet as usual: the best the last, the second the one before.

    >>> bracket(range(8), {entry: entry for entry in range(8)})
    [0, 7, 3, 4, 1, 6, 2, 5]
    >>> bracket(range(5), {0: "a", 1: "b", 2: "c", 3: "d", 4: "d"})
    [0, None, 3, None, 1, None, 2, 4]
    """
    return _placed(entries, 1 << (len(entries) - 1).bit_length(), group_of)


def _placed(entries: Sequence[int], places: int, group_of: Mapping[int, Hashable]) -> list[int | None]:
    if places == 1:
        return [entries[0] if entries else None]
    is_first = _halves([group_of[entry] for entry in entries])
    first = [entry for entry, first in zip(entries, is_first, strict=True) if first]
    second = [entry for entry, first in zip(entries, is_first, strict=True) if not first]
    return _placed(first, places // 2, group_of) + _placed(second, places // 2, group_of)


def _halves(groups: Sequence[Hashable]) -> list[bool]:
    """Return whether each entry is in the first half; those whose group leaves it open are where they usually are."""
    usual = [seed % 4 in (0, 3) for seed in range(len(groups))]
    parted: list[list[int]] = [[] for _ in groups]
    for seed in range(0, len(groups) - 1, 2):
        _part(parted, seed, seed + 1)
    members: dict[Hashable, list[int]] = {}
    for seed, group in enumerate(groups):
        members.setdefault(group, []).append(seed)
    for of_group in members.values():
        ones = [seed for seed in of_group if usual[seed]]
        others = [seed for seed in of_group if not usual[seed]]
        matched = min(len(ones), len(others))
        left = ones[matched:] + others[matched:]
        for one, other in (*zip(ones, others, strict=False), *zip(left[::2], left[1::2], strict=False)):
            _part(parted, one, other)
    found: dict[int, bool] = {}
    for seed, first in enumerate(usual):
        chain = [] if seed in found else [(seed, first)]
        while chain:
            at, half = chain.pop()
            if at not in found:
                found[at] = half
                chain += [(next_to, not half) for next_to in parted[at]]
    return [found[seed] for seed in range(len(groups))]


def _part(parted: list[list[int]], one: int, other: int) -> None:
    parted[one].append(other)
    parted[other].append(one)


SCHEDULE = Elimination()

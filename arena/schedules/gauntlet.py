"""Gauntlet: one or a few challengers against all others, who meet each other only at a challenger's table."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate
from math import gcd
from typing import Annotated

from msgspec import Meta, Struct

from arena.core.errors import BadValue, UnknownName, UsageError
from arena.schedules.base import MOST_AT_ONCE, Field, Pairing, Remark, Summary
from arena.schedules.base.balance import Rounds, balanced_tables, count_pairs, pairs_before, turns
from arena.schedules.base.table_rules import STRICT_FROM, cannot_keep_apart, groups, kept_apart
from results.records import Traits

_KEYS = ("schedule", "challengers")
BLOCK_MATCHES = 64
"""Matches to plan at a time in small rounds."""


class GauntletSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The `[schedule]` table of a gauntlet.

    Keys:
        challengers: labels of the challengers, or how many of the first bots are challengers
        rounds: how often each challenger meets all others, each equally often
        tables: tables of three and more: how many each challenger has per round, at most what the others
            fill; those left out come first in the next; default: what it takes to meet all equally often
    """

    challengers: (
        Annotated[int, Meta(ge=1, le=10_000)]
        | Annotated[
            tuple[Annotated[str, Meta(min_length=1, max_length=100)], ...],
            Meta(min_length=1, max_length=10_000),
        ]
    ) = 1
    rounds: Annotated[int, Meta(ge=1, le=1_000_000)] = 1
    tables: Annotated[int, Meta(ge=1, le=10_000)] | None = None


class Gauntlet(Rounds):
    """Challengers against all others. A `Schedule`.

    At tables of two, each challenger meets each of the others once per round, but for those of its own author, unless
    there are no others. At larger tables, a challenger sits with others in turn: a round is the smallest number of
    tables at which it meets all of them equally often, and the others meet each other as equally often as a search can
    find. Challengers never meet.

    An entry that replaces a challenger becomes one; if a challenger retires, no other bot takes its place.
    """

    name = "gauntlet"
    words = "One or a few challengers meet all others, who do not meet each other."
    settings: type[Struct] = GauntletSettings
    traits = Traits()

    def check(self, field: Field, settings: GauntletSettings) -> None:
        """Raise BadValue if challengers and field don't fit."""
        challengers = _challengers(field, settings)
        if not challengers:
            raise BadValue(_KEYS, "none of the challengers is active", "resume or replace a challenger")
        others = _others(field, challengers)
        for seats in field.seats:
            if len(others) < seats - 1:
                raise BadValue(
                    _KEYS,
                    f"{field.named(len(others))} besides the challengers cannot fill {field.table(seats)} with one",
                    f"name fewer challengers, or {field.remedy}",
                )
            _check_authors(field, seats, challengers, others)

    def remarks(self, field: Field, settings: GauntletSettings) -> list[Remark]:
        """Return a line if bots meet no challenger, as all challengers are of their author."""
        challengers = _challengers(field, settings)
        group_of = groups(field, 2)
        theirs = {group_of[challenger] for challenger in challengers}
        others = _others(field, challengers)
        idle = sum({group_of[other]} == theirs for other in others)
        if field.seats != (2,) or idle in (0, len(others)):
            return []
        return [
            Remark(
                ("same_author",),
                f"{field.named(idle)} won't play, by the author of all challengers; same_author = true lets them "
                "meet",
            )
        ]

    def a_round(self, field: Field, settings: GauntletSettings) -> dict[int, int]:
        """Return the number of tables of each size per round; 0 for a size that the field can't fill."""
        turns_of = _turns(field, _challengers(field, settings), settings.tables)
        return {seats: sum(turn[number] for turn in turns_of) for number, seats in enumerate(field.seats)}

    def next_matches(
        self, field: Field, settings: GauntletSettings, summary: Summary
    ) -> tuple[Pairing, ...] | None:
        """Return the next tables: rounds up to `BLOCK_MATCHES`, or part of a larger one; None after the last.

        Also None for a changed field that can't go on.
        """
        challengers = _challengers(field, settings)
        turns_end = list(accumulate(map(sum, _turns(field, challengers, settings.tables))))
        if not turns_end or not turns_end[-1]:
            return None
        round_no, played = divmod(summary.planned - field.from_match, turns_end[-1])
        rounds = self.rounds_left(field, settings) - round_no
        if rounds <= 0:
            return None
        first = bisect_right(turns_end, played)
        start = turns_end[first - 1] if first else 0
        last = max(first + 1, bisect_right(turns_end, start + MOST_AT_ONCE))
        begun = played - start
        pairs = pairs_before(summary.pairs, summary.latest_tables(begun) if begun else ())
        number = field.from_round + round_no
        tables = [*_tables_of(field, challengers, slice(first, last), number, pairs, settings.tables)][begun:]
        most = 1 + (min(BLOCK_MATCHES, MOST_AT_ONCE) - len(tables)) // turns_end[-1]
        for later in range(1, min(rounds, most) if last == len(turns_end) else 0):
            tables += _tables_of(field, challengers, slice(None), number + later, pairs, settings.tables)
        return tuple(tables)


def _others(field: Field, challengers: Collection[int]) -> list[int]:
    challenging = set(challengers)
    return [entry for entry in field.entries if entry not in challenging]


def _turns(field: Field, challengers: Sequence[int], most: int | None) -> list[list[int]]:
    """Return, by challenger and size, its number of tables per round; 0 for a size that the field can't fill."""
    others = _others(field, challengers)
    of_pair = groups(field, 2)
    by_group = Counter(of_pair[entry] for entry in others)
    whole = {
        seats: _tables(len(others), seats, most) * _fits(field, seats, challengers, others)
        for seats in field.seats
    }
    return [
        [
            len(others) - by_group[of_pair[challenger]] or len(others) if seats == 2 else whole[seats]
            for seats in field.seats
        ]
        for challenger in challengers
    ]


def _challengers(field: Field, settings: GauntletSettings) -> tuple[int, ...]:
    """Return the challengers' entry numbers. Raises BadValue for labels that aren't in the field."""
    given = settings.challengers
    if field.from_match or field.joined:
        return _remaining_challengers(field, given)
    if isinstance(given, int):
        return field.entries[:given]
    if not given or len(set(given)) < len(given):
        raise BadValue(
            _KEYS,
            "a label is listed twice" if given else "no challenger is named",
            "name each challenger once, or say how many of the first bots challenge",
        )
    numbers = {label: entry for entry, label in field.labels.items()}
    unknown = [label for label in given if label not in numbers]
    if not unknown:
        return tuple(numbers[label] for label in given)
    if len(numbers) == len(field.entries):
        error = UnknownName("bot labelled", unknown[0], list(numbers))
        raise BadValue(_KEYS, str(error), error.advice)
    # Not all labels are known before the bots are read, but their number is.
    return field.entries[: len(given)]


def _remaining_challengers(field: Field, given: int | tuple[str, ...]) -> tuple[int, ...]:
    """Return the challengers of a changed field: those that are active, and those that replaced one."""
    numbers = {label: entry for entry, label in field.labels.items()}
    named = range(given) if isinstance(given, int) else [numbers.get(label, -1) for label in given]
    challengers = []
    for entry in field.entries:
        place: int | None = entry
        while place is not None and place not in named:
            place = field.predecessors.get(place)
        if place is not None:
            challengers.append((named.index(place), entry))
    return tuple(entry for _, entry in sorted(challengers))


def _check_authors(field: Field, seats: int, challengers: Sequence[int], others: Sequence[int]) -> None:
    """Raise BadValue if a challenger's author has other bots, or any author has too many."""
    if seats < STRICT_FROM or not kept_apart(field, seats):
        return
    group_of = groups(field, seats)
    for challenger in challengers:
        if any(group_of[entry] == group_of[challenger] for entry in others):
            raise cannot_keep_apart(
                f"{group_of[challenger]} has a challenger and another bot, who cannot be kept apart at tables "
                f"of {seats} if each challenger has to meet everybody"
            )
    author, bots = Counter(group_of[entry] for entry in others).most_common(1)[0]
    if bots * (seats - 1) > len(others):
        raise cannot_keep_apart(
            f"{bots} of the {len(others)} bots besides the challengers are by {author}, too many to keep them "
            f"apart at tables of {seats}"
        )


def _fits(field: Field, seats: int, challengers: Sequence[int], others: Sequence[int]) -> bool:
    """Return whether the field can play tables of that size."""
    if len(others) < seats - 1:
        return False
    try:
        _check_authors(field, seats, challengers, others)
    except UsageError:
        return False
    return True


def _tables(others: int, seats: int, most: int | None) -> int:
    """Return the smallest number of tables at which one entry meets all others equally often, or how many it has."""
    every = others // gcd(others, seats - 1)
    return every if most is None else min(every, most, others // (seats - 1))


def _tables_of(
    field: Field,
    challengers: tuple[int, ...],
    some: slice,
    round_no: int,
    pairs: dict[tuple[int, int], int],
    most: int | None,
) -> Iterator[Pairing]:
    """Yield the tables of some challengers in a round, one challenger after the other; count who meets in `pairs`."""
    others = _others(field, challengers)
    for challenger in challengers[some]:
        for seats in field.seats:
            tables = _tables(len(others), seats, most)
            group_of = groups(field, seats)
            if seats == 2:
                strangers = [other for other in others if group_of[other] != group_of[challenger]]
                yield from (Pairing(round_no, (challenger, other)) for other in strangers or others)
                continue
            taking = turns(others, round_no * tables * (seats - 1), tables, seats - 1, group_of)
            name = f"gauntlet/{seats}/{round_no}/{challenger}"
            for table in balanced_tables(taking, tables, group_of, pairs, name):
                yield Pairing(round_no, (challenger, *table))
                count_pairs(pairs, table)


SCHEDULE = Gauntlet()

"""Gauntlet: one or a few challengers against all others, who meet each other only at a challenger's table."""

from collections import Counter
from collections.abc import Iterator, Mapping
from math import gcd
from typing import Annotated

from msgspec import Meta, Struct

from arena.core.errors import UnknownName, UsageError
from arena.schedules.balance import balanced_tables, turns
from arena.schedules.base import MOST_AT_ONCE, Field, Pairing, Summary
from arena.schedules.seating import cannot_keep_apart, groups, kept_apart


class GauntletSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The `[schedule]` table of a gauntlet."""

    challengers: Annotated[
        Annotated[int, Meta(ge=1, le=10_000)]
        | Annotated[
            tuple[Annotated[str, Meta(min_length=1, max_length=100)], ...],
            Meta(min_length=1, max_length=10_000),
        ],
        Meta(description="labels of the challengers, or how many of the first bots are challengers"),
    ] = 1
    rounds: Annotated[
        int,
        Meta(
            ge=1, le=1_000_000, description="how often each challenger meets all others, each equally often"
        ),
    ] = 1


class Gauntlet:
    """Challengers against all others. A `Schedule`.

    At tables of two, each challenger meets each of the others once per round. At larger tables, a challenger sits
    with others in turn: a round is the smallest number of tables at which it meets all of them equally
    often, and the others meet each other as equally often as a search can find. Challengers never meet.
    """

    name = "gauntlet"
    settings: type[Struct] = GauntletSettings

    def tally(self, field: Field, settings: GauntletSettings) -> None:
        """Return None: no results are needed."""

    def sees(self, field: Field, settings: GauntletSettings, planned: int) -> int:  # noqa: ARG002 - needs no results
        """Return 0: who meets whom does not depend on results."""
        return 0

    def check(self, field: Field, settings: GauntletSettings) -> None:
        """Raise UsageError if challengers and field don't fit."""
        challengers = _challengers(field, settings)
        challenging = set(challengers)
        others = [entry for entry in field.entries if entry not in challenging]
        for seats in field.seats:
            if len(others) < seats - 1:
                raise UsageError(
                    f"schedule.challengers: bots besides the challengers: {len(others)}, too few for tables of "
                    f"{seats} seats",
                    "name fewer challengers, add bots, or set fewer seats",
                )
            if kept_apart(field, seats):
                _check_authors(field, seats, challengers, others)

    def total(self, field: Field, settings: GauntletSettings) -> int:
        """Return the number of matches."""
        return sum(count or 0 for count in self.sizes(field, settings).values())

    def sizes(self, field: Field, settings: GauntletSettings) -> Mapping[int, int | None]:
        """Return the number of matches by table size."""
        challengers = len(_challengers(field, settings))
        others = len(field.entries) - challengers
        return {seats: settings.rounds * challengers * _tables(others, seats) for seats in field.seats}

    def next_matches(
        self, field: Field, settings: GauntletSettings, summary: Summary
    ) -> tuple[Pairing, ...] | None:
        """Return the tables of the next challengers in a round; None after the last."""
        challengers = _challengers(field, settings)
        each = sum(_tables(len(field.entries) - len(challengers), seats) for seats in field.seats)
        round_no, first = divmod(summary.planned // each, len(challengers))
        if round_no >= settings.rounds:
            return None
        last = first + max(1, MOST_AT_ONCE // each)
        return tuple(_tables_of(field, challengers, slice(first, last), round_no, summary.pairs))


def _challengers(field: Field, settings: GauntletSettings) -> tuple[int, ...]:
    """Return the challengers' entry numbers. Raises UsageError for labels that aren't in the field."""
    given = settings.challengers
    if isinstance(given, int):
        return field.entries[:given]
    if not given or len(set(given)) < len(given):
        raise UsageError(
            "schedule.challengers: " + ("a label is listed twice" if given else "no challenger is named"),
            "name each challenger once, or say how many of the first bots challenge",
        )
    numbers = {label: entry for entry, label in field.labels.items()}
    unknown = [label for label in given if label not in numbers]
    if not unknown:
        return tuple(numbers[label] for label in given)
    if len(numbers) == len(field.entries):
        raise UnknownName("bot labelled", unknown[0], list(numbers))
    return field.entries[
        : len(given)
    ]  # not all labels are known before the bots are read, but their number is


def _check_authors(field: Field, seats: int, challengers: tuple[int, ...], others: list[int]) -> None:
    """Raise UsageError if a challenger's author has other bots, or any author has too many."""
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


def _tables(others: int, seats: int) -> int:
    """Return the smallest number of tables at which one entry meets all others equally often."""
    return others // gcd(others, seats - 1)


def _tables_of(
    field: Field,
    challengers: tuple[int, ...],
    some: slice,
    round_no: int,
    met: Mapping[tuple[int, int], int],
) -> Iterator[Pairing]:
    """Yield the tables of some challengers in a round, one challenger after the other."""
    challenging = set(challengers)
    others = [entry for entry in field.entries if entry not in challenging]
    pairs = dict(met)
    for challenger in challengers[some]:
        for seats in field.seats:
            tables = _tables(len(others), seats)
            if seats == 2:
                yield from (Pairing(round_no, (challenger, other)) for other in others)
                continue
            group_of = groups(field, seats)
            taking = turns(others, 0, tables, seats - 1, group_of)
            name = f"gauntlet/{seats}/{round_no}/{challenger}"
            for table in balanced_tables(taking, tables, group_of, pairs, name):
                yield Pairing(round_no, (challenger, *table))
                for i, a in enumerate(table):
                    for b in table[i + 1 :]:
                        pairs[a, b] = pairs.get((a, b), 0) + 1


SCHEDULE = Gauntlet()

"""Who meets whom in a league, as far as it is known, and what that costs compared with all meeting equally."""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations, product

from arena.league.definition.define import Definition
from arena.registry import blaming
from arena.schedules.base import Focused, Summary
from results.analysis.telling_apart import variance_ratio

MOST_TABLES, MOST_ENTRIES = 4096, 300
"""Larger leagues are taken to let all meet equally often."""


@dataclass(frozen=True, slots=True)
class Design:
    """Who meets whom, as far as that matters for how soon two are told apart."""

    ratio: float
    """How many times as many matches it takes as in a league in which all entries meet equally often.

    It is 1 for schedules that look at results, as nobody knows who will meet."""
    parts: dict[int, float] | None = None
    """In a gauntlet, where `ratio` is that of a challenger and another: by table size, the part of the matches that is
    played by the one of the two who plays fewer. None elsewhere: `ratio` is that of any two."""
    ratio_of_others: float | None = None
    """In a gauntlet: the same as `ratio`, of two that aren't challengers; None if there is only one."""

    def part(self, seats: int) -> float | None:
        """Return the part of the matches at tables of that size, if it is known."""
        return None if self.parts is None else self.parts.get(seats)


def design_of(definition: Definition) -> Design | None:
    """Return who meets whom; None if some entries can't be compared."""
    tables = _first_round(definition)
    entries = len(definition.field.entries)
    focus = _focus(definition)
    if tables is None or entries > MOST_ENTRIES:
        return Design(1.0)
    if not focus:
        ratio = variance_ratio(tables, entries)
        return None if ratio is None else Design(ratio)
    others = [number for number in range(entries) if number not in focus]
    ratio = variance_ratio(tables, entries, list(product(focus, others)))
    if ratio is None:
        return None
    parts = {
        seats: min(1 / len(focus), (seats - 1) / len(others))  # one challenger is at each table
        for seats in definition.field.seats
    }
    among = list(combinations(others, 2))
    return Design(ratio, parts, variance_ratio(tables, entries, among) if among else None)


def _focus(definition: Definition) -> list[int]:
    """Return the places in the field of the entries that are compared with all others; none if all are alike."""
    schedule, field = definition.schedule, definition.field
    if not isinstance(schedule, Focused):
        return []
    with blaming("schedule", schedule.name, schedule):
        return [field.entries.index(entry) for entry in schedule.focus(field, definition.schedule_settings)]


def _first_round(definition: Definition) -> list[tuple[int, ...]] | None:
    """Return the tables of the first round by places of entries in the field; None if they aren't known."""
    schedule, field, settings = definition.schedule, definition.field, definition.schedule_settings
    total = definition.total_matches
    with blaming("schedule", schedule.name, schedule):
        if not total or schedule.sees(field, settings, total):
            return None
        tables: list[tuple[int, ...]] = []
        matches: Counter[int] = Counter()
        pairs: Counter[tuple[int, int]] = Counter()
        while len(tables) < min(total, MOST_TABLES):
            summary = Summary(
                len(tables),
                matches=matches,
                pairs=pairs,
                latest_tables=lambda count: tables[len(tables) - count :],
            )
            more = schedule.next_matches(field, settings, summary)
            of_round = [pairing for pairing in more or () if pairing.round_no == 0]
            for pairing in of_round:
                tables.append(tuple(sorted(pairing.entries)))
                matches.update(pairing.entries)
                pairs.update(combinations(sorted(pairing.entries), 2))
            if not of_round or len(of_round) < len(more or ()):
                break
        else:
            if len(tables) < total:  # part of a round
                return None
    place = {entry: place for place, entry in enumerate(field.entries)}
    return [tuple(place[entry] for entry in table) for table in tables]

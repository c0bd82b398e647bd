"""Who meets whom in a league, as far as it is known, and what that costs compared with all meeting equally."""

from collections import Counter
from itertools import combinations

from arena.league.definition.define import Definition
from arena.registry import blaming
from arena.schedules.base import Summary
from results.analysis.telling_apart import variance_ratio

MOST_TABLES, MOST_ENTRIES = 4096, 300
"""Larger leagues are taken to let all meet equally often."""


def design_ratio(definition: Definition) -> float | None:
    """Return by how much more matches the league needs than one in which all entries meet equally often.

    It is 1 for schedules that look at results, as nobody knows who will meet. None if some entries can't be compared.
    """
    tables = _first_round(definition)
    if tables is None or len(definition.field.entries) > MOST_ENTRIES:
        return 1.0
    return variance_ratio(tables, len(definition.field.entries))


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

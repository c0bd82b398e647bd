"""What a league will tell: how many matches tell two of its bots apart, and what gap its planned matches tell."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import log

from msgspec import Struct

from arena.league.definition.checked_definition import Definition
from arena.league.forecast.luck import KnownLuck, games_per_s, known_luck
from arena.registry import blaming
from arena.schedules.base import Focused, Summary
from results.analysis.sample_size import variance_ratio
from results.analysis.statistical_power import gap_told, matches_between_two, matches_of_league
from results.store import Store

MOST_TABLES, MOST_ENTRIES = 4096, 300
"""Larger leagues are taken to let all meet equally often."""


class Design(Struct, frozen=True):
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
    size = definition.partners.team_size
    parts = {
        units * size: min(1 / len(focus), (units - 1) / len(others))  # one challenger is at each table
        for units in definition.field.seats
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


SHARE_GAPS = (0.01, 0.02, 0.05, 0.1)
SCORE_GAPS = 4
"""Number of gaps in points, from the series 1, 2, 5, 10 …"""
SMALLEST_SCORE_GAP = 0.02
"""In standard deviations of a match."""
FAR = 0.05
"""A league is far too short if bots must differ by more than this in share to be told apart."""
WANTED = 0.02
"""What it is then told to plan for."""
_LENGTH_KEYS = ("matches", "rounds", "best_of")
"""The settings of schedules that say how long a league is, the better one first."""


class GapForecast(Struct, frozen=True):
    """What it takes to tell a gap at tables of one size."""

    seats: int
    gap: float
    """In the unit of the league."""
    matches_of_two: int
    """If the two are at every table together."""
    matches_of_league: int
    """As often as its entries meet, on average; if that depends on results, as if all met equally often.

    In a gauntlet, of a challenger and another."""


class LeagueForecast(Struct, frozen=True):
    """What a league will tell of two bots whose results differ by some gap: in shares, 0 to 1, or in points."""

    gaps: tuple[GapForecast, ...]
    """By table size, then by gap."""
    luck: Mapping[int, KnownLuck]
    unknown: tuple[int, ...]
    """Table sizes about whose luck nothing is known."""
    planned_matches: int | None
    """None if nobody knows, as with a ladder that goes on until it is stopped."""
    games_per_s: float | None
    told_gap: float | None
    told_share: float | None
    """The same in shares, 0 to 1."""
    most_gap: float
    """The largest gap that is named: a whole share, or as much luck in points per game. `told_gap` may be larger."""
    wanted_gap: float
    """A gap worth telling: of those in `gaps`, the nearest to `WANTED` shares."""
    wanted_matches: int | None
    """How many matches the league needs for that; None if its tables have several sizes."""
    made_longer_by: tuple[str, ...]
    """The keys of its file to raise for more matches, such as `rounds in [schedule]`; empty if none is known."""
    design: Design

    @property
    def is_far_too_short(self) -> bool:
        """Whether even bots that differ by far aren't told apart."""
        return self.told_share is not None and self.told_share > FAR


def forecast_league(definition: Definition, store: Store | None) -> LeagueForecast | None:
    """Return the forecast of a league that isn't created yet.

    None if nothing is known of its luck, or some of its bots can't be compared. `store`: where it would be played; None
    if there is none yet. Raises PluginFailed if the game or the schedule fails.
    """
    entries = len(definition.field.entries)
    found = {seats: known_luck(definition, seats, store) for seats in definition.rulesets}
    luck = {seats: one for seats, one in found.items() if one is not None}
    if entries < 2 or not luck:
        return None
    by_scores = definition.file.ranking.by == "scores"
    deviations = {seats: one.spread.score if by_scores else one.spread.share for seats, one in luck.items()}
    design = design_of(definition)
    if design is None:
        return None
    ratio = design.ratio
    pace = None if store is None else games_per_s(store, definition)
    planned = _planned(definition)
    told = told_share = None
    if planned and set(planned) <= set(luck) and sum(planned.values()):
        shares = {seats: one.spread.share for seats, one in luck.items()}
        told, told_share = (
            gap_told(planned, of_measure, entries, ratio, design.parts) for of_measure in (deviations, shares)
        )
    matches = None if planned is None else sum(planned.values())
    gaps = [
        GapForecast(
            seats,
            gap,
            matches_between_two(gap, deviation),
            matches_of_league(gap, deviation, entries, seats, ratio, design.part(seats)),
        )
        for seats, deviation in deviations.items()
        for gap in (_score_gaps(deviation) if by_scores else SHARE_GAPS)
    ]
    first = min(luck)
    spread = luck[first].spread
    most = spread.score / spread.share if by_scores else 1.0
    wanted = _nearest(WANTED * most, _score_gaps(spread.score)) if by_scores else WANTED
    return LeagueForecast(
        tuple(gaps),
        luck,
        tuple(seats for seats, one in found.items() if one is None),
        matches,
        pace,
        told,
        told_share,
        most,
        wanted,
        matches_of_league(wanted, deviations[first], entries, first, ratio, design.part(first))
        if len(found) == 1
        else None,
        _made_longer_by(definition, matches),
        design,
    )


def _made_longer_by(definition: Definition, planned: int | None) -> tuple[str, ...]:
    """Return the keys of the file that a league with so many planned matches is made longer by."""
    total, stop = definition.total_matches, definition.file.stop
    if planned is None:
        return ()
    if total is None or planned < total:
        budgets = {"matches": stop.matches, "games": stop.games}
        return tuple(f"{key} in [stop]" for key, most in budgets.items() if most is not None)
    settings = definition.schedule_settings
    return tuple(f"{key} in [schedule]" for key in _LENGTH_KEYS if hasattr(settings, key))[:1]


def _planned(definition: Definition) -> dict[int, int] | None:
    """Return the planned matches by table size, as far as the schedule or `[stop]` says; None if neither does."""
    sizes, stop = definition.matches_by_size, definition.file.stop
    counts = {seats: count for seats, count in sizes.items() if count is not None}
    is_endless = len(counts) < len(sizes)  # then every entry plays each size equally often
    if is_endless:
        if stop.matches is None and stop.games is None:
            return None
        counts = {seats: 1_000_000 // seats for seats in sizes}
    matches = sum(counts.values())
    games = sum(count * definition.games_of(seats) for seats, count in counts.items())
    parts = [most / count for most, count in ((stop.matches, matches), (stop.games, games)) if most and count]
    part = min(parts, default=1.0) if is_endless else min([1.0, *parts])
    return {seats: round(count * part) for seats, count in counts.items()}


def _score_gaps(deviation: float) -> list[float]:
    """Return round numbers of points, the smallest a small part of a match's luck.

    >>> _score_gaps(11.0), _score_gaps(90.0)
    ([0.5, 1.0, 2.0, 5.0], [2.0, 5.0, 10.0, 20.0])
    """
    series = [factor * 10.0**power for power in range(-6, 9) for factor in (1, 2, 5)]
    first = next(i for i, gap in enumerate(series) if gap * (1 + 1e-9) >= SMALLEST_SCORE_GAP * deviation)
    return [float(f"{gap:.6g}") for gap in series[first : first + SCORE_GAPS]]


def _nearest(value: float, gaps: Sequence[float]) -> float:
    """Return the gap that is off by the smallest factor.

    >>> _nearest(0.37, [0.2, 0.5, 1.0])
    0.5
    """
    return min(gaps, key=lambda gap: abs(log(gap / value)))

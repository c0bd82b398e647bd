"""What a league will tell: how far apart two bots must be for its planned matches, and how many a small gap takes.

It is assumed that all entries meet equally often.
"""

from collections.abc import Mapping

from msgspec import Struct

from arena.league.definition.checked_definition import Definition
from arena.league.forecast.luck import KnownLuck, games_per_s, known_luck
from results.analysis.matches_needed import gap_told, matches_of_league
from results.store import Store

FAR = 0.05
"""A league is far too short if bots must differ by more than this in share to be told apart."""
WANTED = 0.02
"""A difference of shares worth telling."""
_LENGTH_KEYS = ("matches", "rounds", "best_of")
"""The settings of schedules that say how long a league is, the better one first."""


class LeagueForecast(Struct, frozen=True):
    """What a league will tell of two bots; gaps between their results are in shares, 0 to 1, or in points per game."""

    luck: Mapping[int, KnownLuck]
    """By table size."""
    unknown: tuple[int, ...]
    """Table sizes about whose luck nothing is known."""
    planned_matches: int | None
    """None if nobody knows, as with a ladder that goes on until it is stopped."""
    games_per_s: float | None
    told_gap: float | None
    """The gap that the planned matches tell."""
    most_gap: float
    """The largest gap that is named: a whole share, or as much luck in points per game. `told_gap` may be larger."""
    wanted_gap: float
    """`WANTED`, or what it is in points per game."""
    wanted_matches: int | None
    """How many matches the league needs for that; None if its tables have several sizes."""
    made_longer_by: tuple[str, ...]
    """The keys of its file to raise for more matches, such as `rounds in [schedule]`; empty if none is known."""

    @property
    def is_far_too_short(self) -> bool:
        """Whether even bots that differ by far aren't told apart."""
        return self.told_gap is not None and self.told_gap > FAR * self.most_gap


def forecast_league(definition: Definition, store: Store | None) -> LeagueForecast | None:
    """Return the forecast of a league that isn't created yet; None if it has fewer than two bots, or nothing is known.

    `store`: where it would be played; None if there is none yet. Raises PluginFailed if the game fails.
    """
    entries = len(definition.field.entries)
    found = {seats: known_luck(definition, seats, store) for seats in definition.rulesets}
    luck = {seats: one for seats, one in found.items() if one is not None}
    if entries < 2 or not luck:
        return None
    by_scores = definition.file.ranking.by == "scores"
    deviations = {seats: one.spread.score if by_scores else one.spread.share for seats, one in luck.items()}
    planned = _planned(definition)
    tells = planned and set(planned) <= set(luck) and sum(planned.values())
    matches = None if planned is None else sum(planned.values())
    seats = min(luck)
    most = deviations[seats] / luck[seats].spread.share
    return LeagueForecast(
        luck,
        tuple(seats for seats, one in found.items() if one is None),
        matches,
        None if store is None else games_per_s(store, definition),
        gap_told(planned, deviations, entries) if planned and tells else None,
        most,
        WANTED * most,
        matches_of_league(WANTED * most, deviations[seats], entries, seats) if len(found) == 1 else None,
        _made_longer_by(definition, matches),
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

"""Forecasts: how many matches tell two bots of a league apart."""

from enum import StrEnum

from msgspec import field

from results.reports.columns import ReportRow


class GapUnit(StrEnum):
    """What a gap between two bots is in."""

    SHARE = "share"
    """Percentage points: the difference of the two bots' shares in matches that both play."""
    SCORE = "score"
    """Points per game, the same for scores."""


class ForecastRow(ReportRow, frozen=True, kw_only=True):
    """What it takes to tell a gap with 95 % confidence in eight leagues of ten, at tables of one size."""

    league: str
    game: str
    ruleset: str
    seats: int
    rotations: str
    games: int
    """In each match."""
    unit: GapUnit
    gap: float
    """In percentage points or points per game, by the unit."""
    matches_of_two: int
    """How many matches it takes if the two play nobody but each other, or always sit at one table with others."""
    games_of_two: int
    matches_of_league: int
    """How many matches the league needs in all: for two entries that meet as often as two do on average."""
    games_of_league: int
    seconds_of_league: float | None
    """About how long the league then takes, at the pace of the newest games with these rules; None: not known."""
    planned_matches: int | None
    """How many the league has, by its schedule and `[stop]`; None: nobody knows."""
    told_gap: float | None
    """The gap that so many tell, in the same unit."""
    luck_share_percent: float = field(name="luck_share")
    """Standard deviation of the difference of two equal bots' shares in one match, in percent of a whole share."""
    luck_score: float
    """The same for scores, in points per game."""
    luck_from: str
    """Where the luck is known from: `comparisons`, `store`, `game`, or `random players`."""
    luck_matches: int
    """From how many matches."""

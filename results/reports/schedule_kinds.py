"""What follows for reports from the kind of a league's schedule."""

from results.records import LeagueRecord

CHOOSING = frozenset({"ladder", "swiss", "elimination"})
"""The schedules whose matches depend on results."""

PLACING = frozenset({"swiss", "elimination"})
"""The schedules with standings of their own, which decide who has won."""


def kind_of(league: LeagueRecord) -> str:
    """Return the schedule that a league's file names; empty if it names none, as that of `casual`."""
    table = league.config.get("schedule")
    return str(table.get("kind", "")) if isinstance(table, dict) else ""


def is_chosen(league: LeagueRecord) -> bool:
    """Return whether a league's results decide who meets whom."""
    return kind_of(league) in CHOOSING


def own_standings(league: LeagueRecord) -> str | None:
    """Return the schedule of a league whose own standings decide who has won; None if the rankings do."""
    kind = kind_of(league)
    return kind if kind in PLACING else None

"""An entry of a league: its place, rating, opponents, seats, faults, times and games."""

from arena.web.line_chart import LineChart, Value, line_chart
from arena.web.page import Crumb, NoPage, Page
from arena.web.pages.league_tabs import league_named, path_of, tabs
from results.ratings.base import Rating
from results.records import EntryRecord, LeagueRecord
from results.reports.history import RatingCourse
from results.reports.league_bot import PLACINGS_OF
from results.reports.league_bot import league_bot as report_of
from results.store import Store


def league_bot(store: Store, name: str, label: str) -> Page:
    """Return the page of an entry. Raises NoPage."""
    league = league_named(store, name)
    entry = entry_labelled(store, league, label)
    found = report_of(store, league, entry)
    return Page(
        path_of(league, "bots", label),
        label,
        "league_bot.html",
        {
            "league": league,
            "entry": entry,
            "bot": found,
            "chart": _chart(league, found.course) if found.course else None,
            "planned": store.leagues.progress(league.uuid).matches_planned,
            "placings_of": PLACINGS_OF,
        },
        crumbs=(Crumb(league.name, path_of(league)),),
        tabs=tabs(league),
        polls_s=10,
    )


def entry_labelled(store: Store, league: LeagueRecord, label: str) -> EntryRecord:
    """Return the newest entry of a league with a label. Raises NoPage."""
    for entry in reversed(store.entries.all(league.uuid)):
        if entry.label == label:
            return entry
    raise NoPage(f"League {league.name} has no bot called {label}.")


def _chart(league: LeagueRecord, course: RatingCourse) -> LineChart | None:
    """Return the course of a rating: the value that rankings are ordered by, as far below the mean as above it."""
    values: list[Value | None] = []
    for moment in course.moments:
        if moment is None:
            values.append(None)
        else:
            low = league.scale.conservative(Rating(moment.mu, moment.sigma))
            values.append(Value(low, moment.mu, 2 * moment.mu - low))
    return line_chart(values)

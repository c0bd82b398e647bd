"""An entry of a league: its place, rating, opponents, seats, faults, times and games."""

from collections.abc import Sequence
from typing import NamedTuple

from arena.web.html.drawing import LineChart, Value, line_chart
from arena.web.html.page import Crumb, NoPage, Page
from arena.web.pages.ladder import UNIT_WORDS, strength_in_words
from arena.web.pages.league_tabs import league_named, path_of, tabs
from results.records import EntryRecord, LeagueRecord
from results.reports.fits import UNITS
from results.reports.history import RatingCourse
from results.reports.league_bot import PLACINGS_OF
from results.reports.league_bot import league_bot as report_of
from results.store import Store

MOST_CLAIMED = 20
"""Bots named in one line of claims."""
BAND_DEVIATIONS = 2.0
"""How many σ the band around μ reaches, where rankings are ordered by μ."""


class ClaimLine(NamedTuple):
    """The bots that a bot is surely stronger or weaker than."""

    words: str
    labels: Sequence[str]
    more: int
    """How many are not named."""


def league_bot(store: Store, name: str, label: str, number: str = "") -> Page:
    """Return the page of an entry: the one of that number, or the newest of that label. Raises NoPage.

    In `casual`, several players may have the same label, such as a person and a bot.
    """
    league = league_named(store, name)
    same = entries_labelled(store, league, label)
    entry = next((one for one in same if not number or str(one.entry_no) == number), None)
    if entry is None:
        raise NoPage(f"League {league.name} has no bot called {label} with the number {number}.")
    found = report_of(store, league, entry)
    return Page(
        path_of(league, "bots", label, number) if number else path_of(league, "bots", label),
        label,
        "league_bot.html",
        {
            "league": league,
            "entry": entry,
            "others": [one for one in same if one is not entry],
            "bot": found,
            "chart": _chart(found.course) if found.course else None,
            "strength": strength_in_words(found.row) if found.row else None,
            "fit_unit": UNIT_WORDS[UNITS[found.fit_by]],
            "claims": [
                ClaimLine(words, labels[:MOST_CLAIMED], max(0, len(labels) - MOST_CLAIMED))
                for words, labels in (
                    ("Stronger than", found.below.familywise),
                    ("Stronger than, pair by pair only", found.below.pair_by_pair),
                    ("Weaker than", found.above.familywise),
                    ("Weaker than, pair by pair only", found.above.pair_by_pair),
                )
                if labels
            ],
            "planned": store.leagues.progress(league.uuid).matches_planned,
            "placings_of": PLACINGS_OF,
        },
        crumbs=(Crumb(league.name, path_of(league)),),
        tabs=tabs(league),
        polls_s=10,
    )


def entries_labelled(store: Store, league: LeagueRecord, label: str) -> list[EntryRecord]:
    """Return the entries of a league with a label, the newest first. Raises NoPage if there are none."""
    found = [entry for entry in reversed(store.entries.all(league.uuid)) if entry.label == label]
    if not found:
        raise NoPage(f"League {league.name} has no bot called {label}.")
    return found


def _chart(course: RatingCourse) -> LineChart | None:
    """Return the course of a rating, with a band of μ ± 2σ."""
    values: list[Value | None] = []
    for moment in course.moments:
        if moment is None:
            values.append(None)
        else:
            low = moment.mu - BAND_DEVIATIONS * moment.sigma
            values.append(Value(low, moment.mu, 2 * moment.mu - low))
    return line_chart(values)

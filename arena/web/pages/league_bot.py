"""An entry of a league: its place, rating, opponents, seats, faults, times and games."""

from arena.web.page import Crumb, NoPage, Page
from arena.web.pages.league_tabs import league_named, path_of, tabs
from results.records import EntryRecord, LeagueRecord
from results.store import Store


def league_bot(store: Store, name: str, label: str) -> Page:
    """Return the page of an entry. Raises NoPage."""
    league = league_named(store, name)
    entry = entry_labelled(store, league, label)
    return Page(
        path_of(league, "bots", label),
        f"{label} in {league.name}",
        "league_bot.html",
        {"league": league, "entry": entry},
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

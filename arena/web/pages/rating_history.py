"""How the ratings of a league's bots have changed."""

from arena.web.html.page import Page, PageRefused
from arena.web.html.paging import A_PAGE, asks_of, listed
from arena.web.pages import league_named, path_of, tabs
from results.reports.charts import MOST_LINES, chart
from results.reports.leagues import league_summary
from results.store import Store

ASKS = ("bot", *asks_of(""))


def history(store: Store, name: str, bot: tuple[str, ...] = (), **asked: tuple[str, ...]) -> Page:
    """Return the page. Raises NoPage, and PageRefused if one of the bots isn't there."""
    league = league_named(store, name)
    standings = [row for row in store.ratings.standings(league.uuid) if row.matches]
    numbers = {row.label: row.entry_no for row in standings}
    chosen = [label for label in dict.fromkeys(bot) if label in numbers]
    shown = chosen[:MOST_LINES] or [row.label for row in standings if not row.retired][:MOST_LINES]
    drawn = chart(store, league, {label: numbers[label] for label in shown})
    unknown = [label for label in bot if label and label not in numbers]
    listing = listed(list(numbers), path_of(league, "history"), {**asked, "bot": bot}, str)
    offered = dict.fromkeys((*chosen[:MOST_LINES], *listing.found[:A_PAGE]))
    page = Page(
        path_of(league, "history"),
        f"{league.scale.title.capitalize()}s over time · {league.name}",
        "history.html",
        {
            "league": league_summary(store, league),
            "chart": drawn,
            "shown": shown,
            "is_chosen": bool(chosen),
            "unknown": unknown,
            "too_many": max(0, len(chosen) - MOST_LINES),
            "labels": [*offered][:A_PAGE],
            "more": max(0, len(listing.found) - A_PAGE),
            "choices": listing.part,
            "most": MOST_LINES,
            "has_sigma": league.scale.has_sigma,
            "title": league.scale.title,
        },
        tabs=tabs(store, league),
        polls_s=0 if league.state == "finished" else 30,
        scripts=("charts.js",),
        description=f"How the {league.scale.title}s of {league.name} have changed over its matches.",
    )
    if unknown:
        raise PageRefused(page, 404)
    return page

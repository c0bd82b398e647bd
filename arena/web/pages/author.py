"""An author and all their bots."""

from arena.web.page import NoPage, Page
from results.reports.versions import places_of
from results.store import Store


def author(store: Store, name: str) -> Page:
    """Return the page of an author. Raises NoPage."""
    versions = store.versions.all(author=name)
    if not versions:
        raise NoPage(f"There is no author called {name}.")
    latest = {one.bot: one for one in versions}  # by number, so the last one stays
    places = places_of(store, versions)
    rows = [(one, place) for one in versions for place in places[one.id]]
    rows.sort(key=lambda row: (row[1].league, row[1].row is None, (row[1].row and row[1].row.rank) or 2**31))
    return Page(
        ("authors", name),
        name,
        "author.html",
        {
            "author": name,
            "latest": [(one, sum(other.bot == one.bot for other in versions)) for one in latest.values()],
            "places": rows,
            "versions": len(versions),
            "games": sum(place.row.games for _, place in rows if place.row),
            "faults": sum(place.row.faults for _, place in rows if place.row),
        },
        polls_s=30,
    )

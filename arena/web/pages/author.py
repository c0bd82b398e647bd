"""An author and all their bots."""

from arena.web.page import NoPage, Page
from results.store import Store


def author(store: Store, name: str) -> Page:
    """Return the page of an author. Raises NoPage."""
    versions = store.versions.all(author=name)
    if not versions:
        raise NoPage(f"There is no author called {name}.")
    bots = {one.bot: one for one in versions}  # the latest of each comes last
    return Page(("authors", name), name, "author.html", {"author": name, "bots": bots})

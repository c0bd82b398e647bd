"""A bot with all its versions."""

from arena.web.page import Crumb, NoPage, Page
from results.store import Store


def bot(store: Store, author: str, name: str) -> Page:
    """Return the page of a bot. Raises NoPage."""
    versions = store.versions.all(author=author, bot=name)
    if not versions:
        raise NoPage(f"There is no bot called {author}/{name}.")
    return Page(
        ("bots", author, name),
        f"{author}/{name}",
        "bot.html",
        {"author": author, "name": name, "versions": versions},
        crumbs=(Crumb(author, ("authors", author)),),
    )

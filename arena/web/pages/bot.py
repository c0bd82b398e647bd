"""A bot with all its versions."""

from arena.web.page import Crumb, NoPage, Page
from results.reports.versions import version_lines
from results.store import Store

MOST_INDENTED = 6


def bot(store: Store, author: str, name: str) -> Page:
    """Return the page of a bot. Raises NoPage."""
    versions = store.versions.all(author=author, bot=name)
    if not versions:
        raise NoPage(f"There is no bot called {author}/{name}.")
    lines = version_lines(store, versions)
    return Page(
        ("bots", author, name),
        f"{author}/{name}",
        "bot.html",
        {"author": author, "name": name, "lines": lines, "newest": versions[-1], "most": MOST_INDENTED},
        crumbs=(Crumb(author, ("authors", author)),),
        polls_s=30,
    )

"""A version of a bot: its manifest, check, build, places and faults; no files and no logs."""

from arena.web.page import Crumb, NoPage, Page
from results.records import VersionRecord
from results.reports.versions import version_page
from results.store import Store


def version(store: Store, author: str, name: str, number: str) -> Page:
    """Return the page of a version. Raises NoPage."""
    record = version_numbered(store, author, name, number)
    return Page(
        ("bots", author, name, number),
        record.reference,
        "version.html",
        {"version": version_page(store, record), "author": author, "name": name},
        crumbs=(Crumb(author, ("authors", author)), Crumb(f"{author}/{name}", ("bots", author, name))),
    )


def version_numbered(store: Store, author: str, name: str, number: str) -> VersionRecord:
    """Return a version of a bot. Raises NoPage."""
    for one in store.versions.all(author=author, bot=name):
        if str(one.number) == number:
            return one
    raise NoPage(f"There is no version {author}/{name}@{number}.")

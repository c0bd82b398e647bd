"""All public pages: which function makes the page of a path."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from arena.web.links import Path
from arena.web.page import NoPage, Page
from arena.web.pages import home, ladder, rules
from results.store import Store


class Entry(NamedTuple):
    """A kind of page."""

    pattern: str
    """`leagues/{league}/bots/{label}`: each name in braces is an argument of the function."""
    make: Callable[..., Page]
    """From a store and the names of the pattern, the latter by keyword."""


PAGES: tuple[Entry, ...] = (
    Entry("", lambda store: home.home(store)),
    Entry("leagues/{name}", ladder.ladder),
    Entry("rules", lambda _store: rules.all_rules()),
    Entry("rules/{game}", lambda _store, game: rules.rules_of(game)),
)
"""The first that fits is used. Patterns have the same number of parts as the paths they fit."""


def page_at(store: Store, path: Path) -> Page:
    """Return the page of a path. Raises NoPage."""
    for entry in PAGES:
        names = _fits(entry.pattern, path)
        if names is not None:
            return entry.make(store, **names)
    raise NoPage("There is no such page.")


def _fits(pattern: str, path: Path) -> Mapping[str, str] | None:
    """Return the arguments that a path gives a pattern; None if it doesn't fit."""
    parts = pattern.split("/") if pattern else []
    if len(parts) != len(path):
        return None
    names = {}
    for part, given in zip(parts, path, strict=True):
        if part.startswith("{"):
            names[part[1:-1]] = given
        elif part != given:
            return None
    return names

"""All public pages: which function makes the page of a path."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from arena.web.html.links import Path, sorting
from arena.web.html.page_model import NoPage, Page
from arena.web.html.paging import PAGE, asks_of
from arena.web.pages import (
    bots,
    first_bot,
    game,
    highlights,
    home,
    home_top,
    matches,
    play,
    rankings,
    standings,
    statistics,
)
from results.store import Store


class Entry(NamedTuple):
    """A kind of page."""

    pattern: str
    """`leagues/{league}/bots/{label}`: each name in braces is an argument of the function."""
    make: Callable[..., Page]
    """From a store and the names of the pattern, the latter by keyword."""
    asks: tuple[str, ...] = ()
    """What may follow the path as `?name=value`; given by keyword too, as a tuple of texts, empty without any."""
    kept_s: float | None = None
    """For how long a page is served again if it shows more than the store; None: until the store changes."""
    beside_store: bool = False
    """Whether it shows the prices of moves, which a runner adds without a change of the store."""
    sorts: tuple[str, ...] = ()
    """Columns by which scripts sort its tables, as `?sort=rank`, or `?times-sort=-wall` if it has several tables."""
    lists: str = ""
    """A pattern of the names of its lists besides the main one; what they are asked is given too."""
    in_pages: bool = False
    """Whether its list continues at `…/page-2`; the number is given as `page`."""
    exported: Mapping[str, tuple[str, ...]] = {}
    """What is asked for in an exported folder, where nobody can."""
    needs_store: bool = True
    """Whether the page can't be made, with None for the store, as long as there is none."""
    for_other_sites: bool = False
    """Whether pages of other sites may show it; then it is the same for everybody, whoever is signed in."""


PAGES: tuple[Entry, ...] = (
    Entry(
        "",
        lambda store, **asked: home.home(store, **asked) if store else home_top.empty(),
        asks_of(""),
        in_pages=True,
        needs_store=False,
    ),
    Entry("leagues/{name}", standings.first_page, rankings.ASKS, sorts=rankings.SORTS, in_pages=True),
    Entry("leagues/{name}/ratings", rankings.ratings, rankings.ASKS, sorts=rankings.SORTS, in_pages=True),
    Entry("leagues/{name}/rounds/{number}", standings.round_page, asks_of(""), in_pages=True),
    Entry("leagues/{name}/history", statistics.history, statistics.HISTORY_ASKS),
    Entry("leagues/{name}/head-to-head", statistics.head_to_head, statistics.PAIRS_ASK),
    Entry(
        "leagues/{name}/seats",
        statistics.seats,
        beside_store=True,
        sorts=statistics.SORTS,
        lists=statistics.LISTS,
    ),
    Entry(
        "leagues/{name}/faults",
        statistics.faults,
        statistics.FAULT_ASKS,
        sorts=statistics.FAULT_SORTS,
        in_pages=True,
    ),
    Entry("leagues/{name}/live", home.live, kept_s=home.KEPT_S),
    Entry(
        "leagues/{name}/matches",
        matches.matches,
        matches.ASKS,
        in_pages=True,
        exported={"latest": (str(matches.EXPORTED),)},
    ),
    Entry("leagues/{name}/matches/{number}", matches.match),
    Entry("leagues/{name}/bots/{label}", bots.league_bot),
    Entry("leagues/{name}/bots/{label}/{number}", bots.league_bot),
    Entry("leagues/{name}/games/{number}", game.open_view, beside_store=True),
    Entry("leagues/{name}/games/{number}/embed", game.embedded, for_other_sites=True),
    Entry("leagues/{name}/games/{number}/{seat}", game.seat_view, beside_store=True),
    Entry("bots", bots.bots, asks_of(""), sorts=bots.SORTS, in_pages=True),
    Entry("bots/{author}/{name}", bots.bot, asks_of(""), in_pages=True),
    Entry("bots/{author}/{name}/{number}", bots.version, asks_of(""), in_pages=True),
    Entry("authors/{name}", bots.author, asks_of("", "bots"), in_pages=True),
    Entry("queue", home.queue, asks_of(""), kept_s=home.KEPT_S, in_pages=True),
    Entry("watch", highlights.channel, highlights.ASKS),
    Entry("docs", lambda _store: first_bot.docs(), needs_store=False),
    Entry("first-bot", first_bot.first_bot, needs_store=False),
    Entry("rules", lambda _store: play.all_rules(), needs_store=False),
    Entry("rules/{game}", lambda _store, game: play.rules_of(game), needs_store=False),
)
"""The first that fits is used. Patterns have the same number of parts as the paths they fit."""


Asked = Mapping[str, tuple[str, ...]]
"""What follows a path, by name."""


class Found(NamedTuple):
    """The page that a request means."""

    entry: Entry
    names: Mapping[str, str]
    asked: Asked
    """Only what this page understands."""

    def make(self, store: Store | None) -> Page:
        """Return the page; `store`: None only if it isn't needed. Raises NoPage."""
        return self.entry.make(store, **self.names, **self.asked)


def find(path: Path, asked: Asked) -> Found:
    """Return which page a path and what follows it mean. Raises NoPage, NotUnderstood."""
    for entry in PAGES:
        names = _fits(entry.pattern, path)
        if names is None and entry.in_pages and path and path[-1].startswith(PAGE):
            names = _fits(entry.pattern, path[:-1])
            names = None if names is None else {**names, "page": path[-1].removeprefix(PAGE)}
        if names is not None:
            for name, given in asked.items():
                if entry.sorts and (name == "sort" or name.endswith("-sort")):
                    sorting(name, given, entry.sorts)
            known = {name: tuple(asked.get(name, ())) for name in entry.asks}
            of_lists = re.compile(f"({entry.lists})-(page|find|sort)") if entry.lists else None
            known |= {
                name: tuple(given) for name, given in asked.items() if of_lists and of_lists.fullmatch(name)
            }
            return Found(entry, names, known)
    raise NoPage("There is no such page.")


def exported_page(store: Store, path: Path) -> Page:
    """Return the page of a path as an exported folder has it. Raises NoPage."""
    found = find(path, {})
    return found._replace(asked={**found.asked, **found.entry.exported}).make(store)


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

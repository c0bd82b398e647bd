"""All public pages and files: which there are, and which function makes the one of a path."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from arena import registry
from arena.web.html.links import Links, Path, sorting
from arena.web.html.page_model import FileWish, NoPage, Page
from arena.web.html.paging import PAGE, asks_of
from arena.web.pages import (
    FEED,
    PREVIEW,
    bots,
    first_bot,
    game,
    games_and_play,
    has_standings,
    home,
    home_top,
    matches,
    rankings,
    standings,
    statistics,
    watch_channel,
)
from arena.web.pages.league_format import round_count
from arena.web.public import feeds_and_sitemap, previews
from arena.web.public.table_downloads import ASKS, FORMS, REPORTS, download
from results.records import LeagueRecord
from results.store import Store

Asked = Mapping[str, tuple[str, ...]]
"""What follows a path, by name."""


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
    Entry("watch", watch_channel.channel, watch_channel.ASKS),
    Entry("docs", lambda _store: first_bot.docs(), needs_store=False),
    Entry("first-bot", first_bot.first_bot, needs_store=False),
    Entry("rules", lambda _store: games_and_play.all_rules(), needs_store=False),
    Entry("rules/{game}", lambda _store, game: games_and_play.rules_of(game), needs_store=False),
)
"""The first that fits is used. Patterns have the same number of parts as the paths they fit."""


class File(NamedTuple):
    """A kind of file, the same for everybody."""

    pattern: str
    """As of a page."""
    make: Callable[..., bytes]
    """From a store, a `FileWish`, and the names of the pattern, the latter by keyword. Raises NoPage, Refusal."""
    media_type: str
    asks: tuple[str, ...] = ()
    """What may follow the path."""
    kept_s: float | None = None
    """For how long it is served again, whatever happens; None: until the store changes."""
    is_table: bool = False
    """Whether browsers save it instead of showing it."""


MATCHES_IN_SITEMAP = 20
"""Of each league, the latest."""
FILES: tuple[File, ...] = (
    File(f"leagues/{{name}}/{FEED}", feeds_and_sitemap.of_league, feeds_and_sitemap.MEDIA_TYPE, kept_s=60.0),
    File(
        f"bots/{{author}}/{{name}}/{FEED}",
        feeds_and_sitemap.of_bot,
        feeds_and_sitemap.MEDIA_TYPE,
        kept_s=60.0,
    ),
    File(f"leagues/{{name}}/{PREVIEW}", previews.of_league, "image/png", kept_s=600.0),
    File(f"leagues/{{name}}/games/{{number}}/{PREVIEW}", previews.of_game, "image/png", kept_s=600.0),
    File(
        "sitemap.xml",
        lambda store, wish: feeds_and_sitemap.sitemap(exported_paths(store, MATCHES_IN_SITEMAP), wish.links),
        "application/xml",
        kept_s=3600.0,
    ),
    *(
        File(
            f"leagues/{{name}}/{report}.{form}",
            partial(download, report=report, form=form),
            media_type,
            ASKS.get(report, ()),
            is_table=True,
        )
        for report in REPORTS
        for form, media_type in FORMS.items()
    ),
)


def find_file(path: Path) -> tuple[File, Mapping[str, str]] | None:
    """Return which file a path means, and the names in it; None if it is that of a page, or of nothing."""
    fits = ((file, _fits(file.pattern, path)) for file in FILES)
    return next(((file, names) for file, names in fits if names is not None), None)


def content_of(store: Store, path: Path, links: Links, site_name: str) -> bytes:
    """Return the content of a file of which nothing is asked. Raises NoPage, Refusal."""
    found = find_file(path)
    if found is None:
        raise NoPage("There is no such file.")
    file, names = found
    return file.make(store, FileWish(links, site_name), **names)


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


OF_A_LEAGUE = ("live", "matches", "history", "head-to-head", "seats", "faults")


def exported_paths(store: Store, most_matches: int) -> Iterator[Path]:
    """Yield the paths of all pages. `most_matches`: of each league, only the latest have pages; 0 for all."""
    yield ()
    yield from (("watch",), ("docs",), ("first-bot",), ("rules",), ("bots",))
    yield from (("rules", game) for game in registry.games())
    versions = store.versions.all()
    yield from dict.fromkeys(("authors", one.author) for one in versions)
    yield from dict.fromkeys(("bots", one.author, one.bot) for one in versions)
    yield from (("bots", one.author, one.bot, str(one.number)) for one in versions)
    for league in store.leagues.all():
        here = ("leagues", league.name)
        yield here
        yield from ((*here, page) for page in OF_A_LEAGUE)
        if has_standings(store, league):
            yield (*here, "ratings")
        yield from ((*here, "rounds", str(number + 1)) for number in range(round_count(store, league)))
        entries = store.entries.all(league.uuid)
        labels = Counter(entry.label for entry in entries)
        yield from ((*here, "bots", label) for label in labels)
        shared = [entry for entry in entries if labels[entry.label] > 1]
        yield from ((*here, "bots", entry.label, str(entry.entry_no)) for entry in shared)
        yield from _of_matches(store, league, most_matches)


def _of_matches(store: Store, league: LeagueRecord, most: int) -> Iterator[Path]:
    """Yield the paths of the latest matches, and of those of their games that can be watched."""
    planned = store.leagues.progress(league.uuid).matches_planned
    found = store.matches.all(league.uuid, first=max(0, planned - most) if most else 0)
    for match in found:
        yield ("leagues", league.name, "matches", str(match.match_no))
    hidden = store.matches.hidden(league.uuid)
    seats = {match.match_no: len(match.entries) for match in found if match.match_no not in hidden}
    first = found[0].match_no if found else 0
    for match_no, rotation in sorted(store.games.keys(league.uuid, first)):
        if match_no not in seats:
            continue
        game = ("leagues", league.name, "games", f"{match_no}.{rotation}")
        yield game
        yield from ((*game, f"seat-{seat}") for seat in range(seats[match_no]))


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

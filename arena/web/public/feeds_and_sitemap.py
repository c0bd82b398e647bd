"""News of leagues and bots for feed readers, and what search engines ask for.

Only finished matches are news. Titles name who played; results are in the summaries, as on the page of a match.
Sources: RFC 4287 (Atom), sitemaps.org, RFC 9309 (robots.txt).
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple
from uuid import NAMESPACE_URL, UUID, uuid5
from xml.etree.ElementTree import Element, SubElement, tostring

from arena.web.html.links import Links, Path
from arena.web.html.page_model import FileWish, NoPage
from arena.web.html.rendering import score
from arena.web.pages import FEED, league_named, path_of, some
from results.base.clock import to_the_second
from results.base.text import visible
from results.records import LeagueRecord, VersionRecord
from results.reports.matches import match_rows
from results.store import Store

MOST_NEWS = 50
"""In a feed, the latest."""
MOST_ENTRIES = 20
"""Entries of a bot whose matches are looked at, the latest."""
MOST_ADDRESSES = 10_000
"""In a sitemap; the protocol allows five times as many."""
MEDIA_TYPE = "application/atom+xml; charset=utf-8"


class _News(NamedTuple):
    """One piece of news."""

    at: str
    id: UUID
    """The same for good, wherever the site is."""
    title: str
    words: str
    path: Path


def of_league(store: Store, wish: FileWish, name: str) -> bytes:
    """Return the news of a league. Raises NoPage."""
    league = league_named(store, name)
    news = [*_matches(store, league), *_versions(one.version for one in store.entries.all(league.uuid))]
    return _atom(path_of(league, FEED), UUID(league.uuid), league.name, league.created_at, news, wish)


def of_bot(store: Store, wish: FileWish, author: str, name: str) -> bytes:
    """Return the news of a bot. Raises NoPage."""
    versions = store.versions.all(author=author, bot=name)
    if not versions:
        raise NoPage(f"There is no bot called {author}/{name}.")
    own = uuid5(NAMESPACE_URL, f"arena:{author}/{name}")
    news = [*_matches_of(store, versions), *_versions(versions)]
    return _atom(("bots", author, name, FEED), own, f"{author}/{name}", versions[0].added_at, news, wish)


def _matches_of(store: Store, versions: Iterable[VersionRecord]) -> Iterator[_News]:
    entries = store.entries.of_versions([one.id for one in versions])
    places = [place for version in sorted(entries, reverse=True) for place in entries[version]]
    for name, entry_no, _ in places[:MOST_ENTRIES]:
        yield from _matches(store, store.leagues.get(name), (entry_no,))


def _matches(store: Store, league: LeagueRecord, entries: tuple[int, ...] = ()) -> Iterator[_News]:
    for row in match_rows(store, league, MOST_NEWS, entries=[entries] if entries else (), state="done"):
        if row.ended_at is not None:
            yield _News(
                row.ended_at,
                uuid5(UUID(league.uuid), f"match {row.match_no}"),
                f"{some(sorted(one.label for one in row.results))}: match {row.match_no} of {league.name}",
                ", ".join(f"{one.label} {score(one.score)}" for one in row.results),
                path_of(league, "matches", str(row.match_no)),
            )


def _versions(versions: Iterable[VersionRecord | None]) -> Iterator[_News]:
    for one in versions:
        if one is not None and not one.bundled:
            yield _News(
                one.added_at,
                uuid5(NAMESPACE_URL, f"arena:{one.reference} {one.sha256}"),
                f"New version: {one.reference}",
                str(one.manifest.get("description", "")),
                ("bots", one.author, one.bot, str(one.number)),
            )


def _atom(path: Path, own: UUID, about: str, since: str, news: Iterable[_News], wish: FileWish) -> bytes:
    links = wish.links
    latest = sorted({one.id: one for one in news}.values(), key=lambda one: one.at, reverse=True)[:MOST_NEWS]
    root = Element("feed", xmlns="http://www.w3.org/2005/Atom")
    _add(root, "id", own.urn)
    _add(root, "title", f"{about} · {wish.site_name}")
    _add(root, "updated", to_the_second(latest[0].at if latest else since))
    _add(SubElement(root, "author"), "name", wish.site_name)
    SubElement(root, "link", href=links.whole(path[:-1]) or links.page(path, path[:-1]))
    if whole := links.whole_file(path):
        SubElement(root, "link", rel="self", href=whole)
    for one in latest:
        entry = SubElement(root, "entry")
        there = one.path if links.has(one.path) else path[:-1]
        _add(entry, "id", one.id.urn)
        _add(entry, "title", one.title)
        _add(entry, "updated", to_the_second(one.at))
        SubElement(entry, "link", href=links.whole(there) or links.page(path, there))
        _add(entry, "summary", one.words)
    return _written(root)


def _written(root: Element) -> bytes:
    content: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return content


def _add(parent: Element, tag: str, text: str) -> None:
    SubElement(parent, tag).text = visible(text, keep="\u202f")


def sitemap(paths: Iterable[Path], links: Links) -> bytes:
    """Return the addresses of pages for search engines; each bot and game has one. Raises NoPage without an address."""
    if not links.whole(()):
        raise NoPage("The public address of this site isn't known.")
    root = Element("urlset", xmlns="http://www.sitemaps.org/schemas/sitemap/0.9")
    main = (path for path in paths if len(path) < 4 or (path[0] == "leagues" and len(path) == 4))
    for path in islice(main, MOST_ADDRESSES):
        SubElement(SubElement(root, "url"), "loc").text = links.whole(path)
    return _written(root)


def robots(links: Links, prefix: str = "") -> bytes:
    """Return what programs that follow links should leave alone: programs of others, and every choice of matches."""
    lines = ["User-agent: *", f"Disallow: {prefix}/api/", f"Disallow: {prefix}/*?"]
    if whole := links.whole_file(("sitemap.xml",)):
        lines += ["", f"Sitemap: {whole}"]
    return ("\n".join(lines) + "\n").encode()

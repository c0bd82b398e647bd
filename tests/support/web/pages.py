"""Reads pages as a browser does: where links lead, which parts they name, a page of every kind."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from arena.web.html.links import path_of
from arena.web.public.url_map import PAGES

_LINKS = {
    ("a", "href"),
    ("link", "href"),
    ("script", "src"),
    ("img", "src"),
    ("form", "action"),
    ("use", "href"),
}
_NAMES = {"for", "aria-labelledby", "aria-describedby", "aria-controls", "list", "form"}


@dataclass
class PageRead(HTMLParser):
    """What a page has, as far as links are concerned."""

    links: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    """Ids that other parts refer to."""
    live: list[str] = field(default_factory=list)
    """Ids of the parts that `live.js` fills."""
    live_without_id: int = 0
    headings: int = 0
    """Of the first level."""
    frames: list[str] = field(default_factory=list)
    """Addresses of pages that stand in it."""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.headings += tag == "h1"
        self.live_without_id += "data-live" in given and "id" not in given
        if "data-live" in given:
            self.live.append(given.get("id") or "")
        for name, value in attrs:
            if value is None:
                continue
            if name == "id":
                self.ids.append(value)
            elif name in _NAMES:
                self.named += value.split()
            elif (tag, name) == ("iframe", "src"):
                self.frames.append(value)
            elif (tag, name) in _LINKS:
                self.links.append(value)

    handle_startendtag = handle_starttag


def page_read(html: str) -> PageRead:
    """Return what a page has."""
    page = PageRead()
    page.feed(html)
    return page


def check(html: str, where: str) -> PageRead:
    """Check what every page keeps to; return what it has."""
    page = page_read(html)
    twice = {one for one in page.ids if page.ids.count(one) > 1}
    assert not twice, f"{where}: ids that several parts have: {twice}"
    missing = {name for name in page.named if name not in page.ids}
    missing |= {link for link in page.links if link.startswith("#") and link[1:] not in page.ids}
    assert not missing, f"{where}: parts that are named but aren't there: {missing}"
    assert not page.live_without_id, f"{where}: a live part has no id"
    assert page.headings == 1, f"{where}: {page.headings} headings of the first level"
    assert "about:not-exported" not in html, where
    return page


def check_folder(folder: Path) -> int:
    """Check that every link between the files of a folder leads to a file in it; return how many pages there are."""
    pages = sorted(folder.rglob("*.html"))
    ids = {}
    links = []
    for page in pages:
        found = check(page.read_text(encoding="utf-8"), str(page))
        ids[page] = set(found.ids)
        links += [(page, link) for link in found.links if not link.startswith(("#", "https://"))]
    for page, link in links:
        parts = urlsplit(link)
        assert not parts.scheme, f"{page}: {link} leaves the folder"
        assert not parts.query, f"{page}: {link} asks a server"
        target = (page.parent / unquote(parts.path)).resolve()
        assert target.is_relative_to(folder.resolve()), f"{page}: {link} leaves the folder"
        assert target.is_file(), f"{page}: {link} leads nowhere"
        assert not parts.fragment or parts.fragment in ids[target], f"{page}: {link} names no part"
    return len(pages)


_NO_PAGES = (".atom", ".csv", ".json", ".zip", ".txt", "/log", "/archive")
NO_PAGE = "/there-is-no-such-page"


def kind_of(address: str) -> str:
    """Return the kind of a page: its pattern, and for games the league too, because every ruleset has a table."""
    pattern, league = _pattern_of(address)
    return f"{pattern} of {league}" if "/games/" in pattern else pattern or "home"


def _pattern_of(address: str) -> tuple[str, str]:
    """Return the pattern of a page, and the league it belongs to."""
    parts = path_of(urlsplit(address).path)
    league = parts[1] if parts[:1] == ("leagues",) and len(parts) > 1 else ""
    for entry in PAGES:
        pattern = entry.pattern.split("/") if entry.pattern else []
        if len(pattern) == len(parts) and all(
            one.startswith("{") or one == part for one, part in zip(pattern, parts, strict=True)
        ):
            return entry.pattern, league
    return "/".join("{number}" if _is_name(parts, at) else part for at, part in enumerate(parts)), league


def _is_name(parts: Sequence[str], at: int) -> bool:
    part = parts[at]
    return any(one.isdigit() for one in part) or (at > 0 and parts[at - 1] in ("leagues", "commands", "bots"))


def every_kind(read: Callable[[str], str | None], first: Sequence[str] = ("/",)) -> Iterator[tuple[str, str]]:
    """Yield a kind and the address of one page of it, for every kind that links lead to.

    `read` returns the HTML of an address; None if it has none. `first`: where to begin; their pages are preferred.
    """
    waiting, seen = deque(first), set(first)
    read_before: set[tuple[str, str]] = set()
    kinds: set[str] = set()
    while waiting:
        address = waiting.popleft()
        if _pattern_of(address) in read_before or (html := read(address)) is None:
            continue
        read_before.add(_pattern_of(address))
        if (kind := kind_of(address)) not in kinds:
            kinds.add(kind)
            yield kind, address
        for link in page_read(html).links:
            to = link.partition("#")[0]
            path = urlsplit(to).path
            if (
                not to.startswith("/")
                or to in seen
                or path.startswith("/static/")
                or path.endswith(_NO_PAGES)
            ):
                continue
            seen.add(to)
            waiting.append(to)
    yield "error", NO_PAGE


LINKED = {entry.pattern for entry in PAGES} - {
    "leagues/{name}/bots/{label}/{number}",
    "leagues/{name}/faults",
    "leagues/{name}/ratings",
    "leagues/{name}/rounds/{number}",
    "leagues/{name}/games/{number}/embed",
}
"""Pages that the store of these tests links to: no two of its bots have the same name, none has forfeited a game, and
ratings decide who has won. Only pages of other sites link to what is embedded."""

"""Reads pages as a browser does: where their links lead, and which parts they name."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

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

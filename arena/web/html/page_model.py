"""What a page is before it becomes HTML: a template and its values."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from arena.core.errors import UsageError
from arena.web.html.links import Links, Path
from results.base.text import counted

if TYPE_CHECKING:
    from arena.web.html.paging import Part


class NoPage(Exception):
    """There is no such page; the message tells people what is missing."""


@dataclass(frozen=True, slots=True)
class Crumb:
    """One step of the way to a page."""

    text: str
    path: Path
    count: int = 0
    """Of what is there; 0 if that isn't said."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page: plain values for a template. Reading it needs no store."""

    path: Path
    title: str
    """For the window, search engines and previews, without results; the name of the site is added."""
    template: str
    values: Mapping[str, Any] = field(default_factory=dict)
    crumbs: tuple[Crumb, ...] = ()
    """The pages above it, without the home page and itself."""
    tabs: tuple[Crumb, ...] = ()
    """Pages beside it, such as those of a league; the one with its own path is marked."""
    polls_s: int = 0
    """How often an open page looks for news; 0 if it can't change."""
    scripts: tuple[str, ...] = ()
    """Static files of this page alone, after those of every page."""
    heading: str = ""
    """At its top; empty: the title."""
    description: str = ""
    """A sentence for search engines and previews, without results of games; empty for pages that aren't public."""
    feeds: tuple[Crumb, ...] = ()
    """News about what is on it."""
    preview: Path = ()
    """The picture for previews of other programs; empty without one."""
    is_embedded: bool = False
    """Whether it stands in pages of other sites: without what is around the pages of this one."""
    part: "Part | None" = None
    """Of its list, which continues on other pages; None if all of it is here."""

    @property
    def whole(self) -> Path:
        """Return its path; of a page of a list, that of the first."""
        return self.part.whole if self.part else self.path


class FileWish(NamedTuple):
    """What a file may depend on besides its path and the store."""

    links: Links
    site_name: str
    asked: Mapping[str, tuple[str, ...]] = {}
    """What follows the path, by name."""


class PageRefused(Exception):
    """What was asked of a page can't be shown. The page that is shown instead says why, and keeps what was typed."""

    def __init__(self, page: Page, status: int) -> None:
        """`status`: of the response, by HTTP."""
        super().__init__(page.title)
        self.page = page
        self.status = status


SITE_NAME = "Arena"
MOST_TITLE = 40
MOST_TEXT = 1_000
MOST_CONTACT = 200
_MAIL = re.compile(r"[^\s@<>\"?&%]+@[^\s@<>\"?&%]+\.[^\s@<>\"?&%]+")
_ADDRESS = re.compile(r"https://[^\s<>\"]+")


@dataclass(frozen=True, slots=True)
class About:
    """What the organiser says of the site; each text may be empty. It is shown on every page, to everybody."""

    title: str = ""
    text: str = ""
    """Of several lines."""
    contact: str = ""
    """Of whom to ask: an e-mail address, an address of the web, or words."""

    def __post_init__(self) -> None:
        """Raise UsageError for a text that is too long."""
        for name, most in (("title", MOST_TITLE), ("text", MOST_TEXT), ("contact", MOST_CONTACT)):
            length = len(getattr(self, name))
            if length > most:
                raise UsageError(
                    f"the {name} has {counted(length, 'character')}, and may have {most:,}", "make it shorter"
                )

    @property
    def name(self) -> str:
        """The name of the site."""
        return self.title or SITE_NAME

    @property
    def contact_link(self) -> str:
        """Where the contact leads; empty if it is words."""
        if _MAIL.fullmatch(self.contact):
            return f"mailto:{self.contact}"
        return self.contact if _ADDRESS.fullmatch(self.contact) else ""

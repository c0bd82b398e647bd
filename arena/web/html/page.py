"""What a page is before it becomes HTML: a template and its values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.web.html.links import Path


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
    """For the window and search engines; the name of the site is added."""
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


class PageRefused(Exception):
    """What was asked of a page can't be shown. The page that is shown instead says why, and keeps what was typed."""

    def __init__(self, page: Page, status: int) -> None:
        """`status`: of the response, by HTTP."""
        super().__init__(page.title)
        self.page = page
        self.status = status

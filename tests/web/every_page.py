"""A page of every kind of a running site, found by following its links: for tests and pictures of all of them."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import urlsplit

from arena.web.html.links import path_of
from arena.web.site_map import PAGES
from tests.web.crawling import page_read

_NO_PAGES = (".csv", ".json", ".zip", ".txt", "/log", "/archive")
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


LINKED = {entry.pattern for entry in PAGES} - {"leagues/{name}/bots/{label}/{number}"}
"""Pages that the store of these tests links to: no two of its bots have the same name."""

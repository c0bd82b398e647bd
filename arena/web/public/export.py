"""Writes the public pages as a folder, which any web host can serve, and which opens from disk."""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from arena.core.errors import UsageError
from arena.web.html import links
from arena.web.html.links import FileLinks, file_of, plain_file_of, without_missing
from arena.web.html.links import Path as Route
from arena.web.html.page_model import About, NoPage, Page
from arena.web.html.rendering import render, static_files
from arena.web.pages import FEED, path_of
from arena.web.pages.game import exported_views
from arena.web.public.feeds_and_sitemap import robots, sitemap
from arena.web.public.table_downloads import FORMS, REPORTS
from arena.web.public.url_map import content_of, exported_page, exported_paths
from results.store import Store

LATEST_MATCHES = 200
"""So many matches of each league have pages, unless told otherwise."""


def is_game(path: links.Path) -> bool:
    """Return whether this is the open view of a game."""
    return len(path) == 4 and path[0] == "leagues" and path[2] == "games"


def exported_files(store: Store) -> Iterator[links.Path]:
    """Yield the paths of all tables to download, and of feeds."""
    yield from dict.fromkeys(("bots", one.author, one.bot, FEED) for one in store.versions.all())
    for league in store.leagues.all():
        yield path_of(league, FEED)
        yield from (path_of(league, f"{report}.{form}") for report in REPORTS for form in FORMS)


_ADDRESS = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*")


def export(
    store: Store,
    folder: Path,
    most_matches: int = LATEST_MATCHES,
    tell: Callable[[int, int], None] = lambda _done, _of: None,
    damaged: Callable[[str], None] = lambda _game: None,
    about: About | None = None,
    address: str = "",
) -> int:
    """Write all public pages to a new folder, which appears complete or not at all; return how many.

    `most_matches`: of each league, only the latest matches and their games have pages; 0 for all. `tell` gets the
    number of pages written so far, and of all; `damaged` the name of each game whose page only says that its replay is
    damaged. `about`: what the organiser says of the site. `address`: where the folder will be found, such as
    `https://arena.example/spring`; empty if that isn't known. Raises UsageError if there is something in the folder
    already, or it can't be written, or if that is no such address.
    """
    address = address.rstrip("/")
    if address and not _ADDRESS.fullmatch(address):
        raise UsageError(
            f"--address {address!r} is no address of a site", "write it like https://arena.example/spring"
        )
    folder = folder.absolute()
    try:
        if os.path.lexists(folder) and not (folder.is_dir() and not any(folder.iterdir())):
            raise UsageError(
                f"{folder} exists already, and isn't an empty folder", "name a new or an empty one"
            )
        if not folder.parent.is_dir():
            raise UsageError(f"there is no folder {folder.parent}", "create it first")
        return _write(store, folder.resolve(), most_matches, tell, damaged, about or About(), address)
    except OSError as error:
        raise UsageError(
            f"{folder} can't be written: {error.strerror}",
            "check its name, and the room and the permissions of the folder above it",
        ) from error


def _write(
    store: Store,
    folder: Path,
    most_matches: int,
    tell: Callable[[int, int], None],
    damaged: Callable[[str], None],
    about: About,
    address: str,
) -> int:
    scratch = Path(tempfile.mkdtemp(prefix=".arena-site-", dir=folder.parent))
    try:
        scratch.chmod(0o755)
        (scratch / "static").mkdir()
        for name, content in static_files().items():
            (scratch / "static" / name).write_bytes(content)
        written = 0
        paths = dict.fromkeys(exported_paths(store, most_matches))
        there = set(paths)
        with_links = FileLinks(there, address)
        for path in paths:
            if len(path) == 5 and is_game(path[:4]):  # a seat's view: its game has written it
                continue
            try:
                pages, files = _made(store, path, damaged)
            except NoPage:  # it has been deleted meanwhile
                continue
            there.update(page.path for page in pages)
            for file, content in files.items():
                _write_file(scratch / plain_file_of(file), content)
            for page in pages:
                html = without_missing(render(page, with_links, site=about))
                _write_file(scratch / file_of(page.path), html.encode("utf-8"))
                written += 1
            tell(written, len(paths))
        for path in exported_files(store):
            _write_file(scratch / plain_file_of(path), content_of(store, path, with_links, about.name))
        if address:
            _write_file(scratch / "sitemap.xml", sitemap(paths, with_links))
            _write_file(scratch / "robots.txt", robots(with_links, urlsplit(address).path))
        scratch.replace(folder)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    return written


def _made(
    store: Store, path: Route, damaged: Callable[[str], None]
) -> tuple[Sequence[Page], dict[Route, bytes]]:
    """Return the page of a path and the files that it needs; for a game, the pages of its seats too. Raises NoPage."""
    if not is_game(path):
        first = exported_page(store, path)
        more = [first.part.path(number) for number in range(2, first.part.pages + 1)] if first.part else []
        return [first, *(exported_page(store, one) for one in more)], {}
    _, league, _, number = path
    views = exported_views(store, league, number)
    if views.is_damaged:
        damaged(f"{league}/{number}")
    return views.pages, {views.script_path: views.script} if views.script else {}


def _write_file(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)

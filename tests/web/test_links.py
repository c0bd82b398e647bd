"""Links between pages: absolute on a server, relative between files that every file system can hold.

Users may call their leagues and bots like any word that addresses of the site have.
"""

import re
from collections.abc import Iterator
from html import escape
from itertools import pairwise
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import pytest
from fastapi.routing import APIRoute
from hypothesis import given
from hypothesis import strategies as st

from arena.config.names import is_bot_name, is_label
from arena.web.app import create_app
from arena.web.html.links import FileLinks, LiveLinks, file_of, path_of, plain_file_of
from arena.web.html.links import Path as Route
from arena.web.live.site import Site
from arena.web.public.export import export
from arena.web.public.table_downloads import FORMS, REPORTS
from arena.web.public.url_map import FILES, PAGES, Entry, find
from results.records import EntrySpec
from tests.support.ledgers import RULES, add_version, new_store
from tests.support.web.pages import check_folder
from tests.support.web.visitors import browser, member, site_at


def test_live_links_quote_every_name() -> None:
    assert LiveLinks().page((), ("leagues", "a b/c?#%", "é")) == "/leagues/a%20b%2Fc%3F%23%25/%C3%A9"


def test_file_links_lead_from_one_file_to_another() -> None:
    links = FileLinks()
    here = ("leagues", "spring", "bots", "greedy")
    assert file_of(here) == "leagues/spring/bots/greedy.html"
    assert links.page(here, ("leagues", "spring")) == "../../../leagues/spring.html"
    assert links.page(here, ()) == "../../../index.html"
    assert links.asset(("rules",), "site.css") == "static/site.css"


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("Greedy", "~47reedy.html"),
        ("..", "~2e..html"),
        (".ssh", "~2essh.html"),
        ("con", "~63on.html"),
        ("ä/b", "~c3~a4~2fb.html"),
    ],
)
def test_names_that_a_file_system_would_misread_are_encoded(name: str, file: str) -> None:
    assert file_of((name,)) == file


@given(st.text(min_size=1, max_size=100), st.text(min_size=1, max_size=100))
def test_different_names_have_different_files_even_without_case(one: str, other: str) -> None:
    files = file_of((one,)), file_of((other,))
    assert all(len(file) < 150 and file.isascii() and "/" not in file for file in files)
    same = one.encode("utf-8", "replace") == other.encode("utf-8", "replace")
    assert (files[0].lower() == files[1].lower()) == same


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), max_size=4).map(tuple))
def test_a_live_address_leads_back_to_the_path(path: tuple[str, ...]) -> None:
    address = LiveLinks().page((), path)
    assert path_of(address) == path


@pytest.mark.parametrize("name", [".", "..", "~", "~.."])
def test_browsers_take_no_name_for_a_folder(name: str) -> None:
    part = LiveLinks().page((), (name,)).removeprefix("/")
    assert unquote(part) not in (".", "..")
    assert path_of("/" + part) == (name,)


NAMES = {"name", "league", "label", "author"}
"""Parts of an address that users have chosen; what else is in braces has digits."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = site_at(tmp_path)
    yield found
    found.close()


def words(site: Site) -> list[str]:
    """Return every word that an address of the site has, and what looks like one of its files."""
    routes = [one.path for one in create_app(site).router.routes if isinstance(one, APIRoute)]
    patterns = (*routes, *(entry.pattern for entry in PAGES), *(file.pattern for file in FILES))
    parts = {part for one in patterns for part in one.split("/")}
    found = {part for part in parts if part and "{" not in part}
    assert {"matches", "new", "own", "feed.atom", "preview.png", "files.zip", "embed"} <= found
    found |= {"2", "0.0", "page", "page-2", "seat-1", "index", "~", "~page", "..."}
    return sorted(found | {f"{report}.{form}" for report in REPORTS for form in FORMS})


def named(entry: Entry, word: str) -> tuple[Route, dict[str, str]]:
    """Return the path of a page about something that is called like a word, and the names in it."""
    given = {
        key: word if key in NAMES else "seat-5" if key == "seat" else "5"
        for key in re.findall(r"\{(\w+)\}", entry.pattern)
    }
    if entry.pattern.startswith("rules"):
        given = {"game": word} if given else {}
    parts = entry.pattern.split("/") if entry.pattern else []
    return tuple(given[part[1:-1]] if part.startswith("{") else part for part in parts), given


def may_be(entry: Entry, word: str) -> bool:
    return is_bot_name(word) if entry.pattern.startswith(("bots/", "authors/")) else is_label(word)


def test_no_name_is_taken_for_another_part_of_an_address(site: Site) -> None:
    for word in words(site):
        for entry in (one for one in PAGES if may_be(one, word)):
            path, given = named(entry, word)
            further = [((*path, "page-2"), {**given, "page": "2"})] if entry.in_pages else []
            for one, names in ((path, given), *further):
                found = find(one, {})
                assert (found.entry.pattern, dict(found.names)) == (entry.pattern, names), one


def test_no_file_of_an_exported_folder_is_the_folder_of_another(site: Site) -> None:
    pages, files = set(), set()
    for word in words(site):
        for name in (word, f"{word}.html", f"{word}.csv"):
            for entry in (one for one in PAGES if may_be(one, name)):
                path, _ = named(entry, name)
                pages |= {path, (*path, "page-2")} if entry.in_pages else {path}
                if entry.pattern in ("leagues/{name}", "bots/{author}/{name}"):
                    files.add((*path, "feed.atom"))
                if entry.pattern == "leagues/{name}":
                    files |= {(*path, f"{report}.{form}") for report in REPORTS for form in FORMS}
    there = sorted([*map(file_of, pages), *map(plain_file_of, files)])
    assert all(one != other for one, other in pairwise(there))
    folders = {str(folder) for one in there for folder in PurePosixPath(one).parents}
    assert not folders & set(there)


@pytest.mark.parametrize(
    "word", ["page", "2", "new", "page-2", "feed.atom", "x.csv", "preview.png", "own", "~a"]
)
def test_pages_of_things_with_the_strangest_names(tmp_path: Path, word: str) -> None:
    bot = word if is_bot_name(word) else "page"
    with new_store(tmp_path) as store:
        version = add_version(store, bot, bot, "ab" * 32, {"name": bot}, {})
        entries = [EntrySpec(word, version.id), EntrySpec(f"{word}.html", None)]
        store.leagues.create(word, config={}, ruleset=RULES, entries=entries, secret=bytes(32))
        store.leagues.create(f"{word}.html", config={}, ruleset=RULES, entries=entries, secret=bytes(32))
        assert export(store, tmp_path / "folder") == check_folder(tmp_path / "folder")
    site = site_at(tmp_path)
    organiser, _ = member(site, "olga", "organiser")
    own, _ = member(site, bot)
    pages = {("leagues", word): word, ("leagues", word, "live"): word, ("leagues", word, "bots", word): word}
    pages |= {
        ("bots", bot, bot): f"{bot}/{bot}",
        ("bots", bot, bot, "1"): f"{bot}/{bot}",
        ("authors", bot): bot,
    }
    for client in (browser(site), organiser, own):
        for path, name in pages.items():
            answer = client.get(LiveLinks().page((), path))
            assert answer.status_code == 200, path
            assert re.search(rf"<title>[^<]*{re.escape(escape(name))}", answer.text), path
        for path in (
            ("leagues", word, "feed.atom"),
            ("leagues", word, "rankings.csv"),
            ("bots", bot, bot, "feed.atom"),
        ):
            assert client.get(LiveLinks().page((), path)).status_code == 200, path
    organised = organiser.get(LiveLinks().page((), ("organiser", "leagues", word)))
    assert (organised.status_code, f"<h1>{escape(word)}" in organised.text) == (200, True)
    back = organiser.get(LiveLinks().page((), ("organiser", "leagues", word, "extend"))).headers["location"]
    assert organiser.get(back).status_code == 200
    site.close()

"""Links between pages: absolute on a server, relative between files that every file system can hold."""

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.web.html.links import FileLinks, LiveLinks, file_of, path_of


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

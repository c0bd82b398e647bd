"""The type of the site: one family, served by the site itself, and times that tell the reader's own clock."""

import re
from importlib.resources import files

import pytest
from markupsafe import Markup

from arena.web.html.rendering import CONTENT_TYPES, environment, moment, static_files
from arena.web.http.security import CONTENT_SECURITY_POLICY

FONTS_BYTES = 40_000


def test_the_fonts_are_small_and_come_with_their_licence() -> None:
    fonts = {name: content for name, content in static_files().items() if name.endswith(".woff2")}
    assert fonts
    assert all(content.startswith(b"wOF2") for content in fonts.values())
    assert sum(map(len, fonts.values())) <= FONTS_BYTES
    licence = files("arena.web").joinpath("static", "figtree.OFL.txt").read_text("utf-8")
    assert "SIL Open Font License, Version 1.1" in licence


def test_style_sheets_name_only_files_of_the_site() -> None:
    found = [
        named
        for name, content in static_files().items()
        if name.endswith(".css")
        for named in re.findall(r"url\(\"?([^)\"]+)\"?\)", content.decode())
    ]
    assert found
    assert set(found) <= static_files().keys()
    assert CONTENT_TYPES["woff2"] == "font/woff2"
    assert "font-src 'self'" in CONTENT_SECURITY_POLICY


def test_a_time_is_an_element_with_the_exact_time() -> None:
    assert moment("2026-11-22T14:05:09Z") == '<time datetime="2026-11-22T14:05:09Z">2026-11-22 14:05</time>'
    assert moment(None) == "–"


@pytest.mark.parametrize("hostile", ['2026"><script>', "<b>"])
def test_a_time_is_escaped(hostile: str) -> None:
    drawn = environment().from_string("{{ at | moment }}").render(at=hostile)
    assert isinstance(moment(hostile), Markup)
    assert "<script" not in drawn
    assert "<b>" not in drawn

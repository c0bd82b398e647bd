"""Makes HTML of pages: the templates, with names escaped, and the functions that templates may call."""

import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from jinja2 import BaseLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from arena.core.ruleset import name_in_words
from arena.web.html.advice_words import on_pages, refused_on_pages, why_refused
from arena.web.html.game_art import art_of, drawings, games_with_art, title_of_game
from arena.web.html.links import Links
from arena.web.html.page_model import About, Page
from results.base.text import visible
from results.reports.charts import course_svg, dots_svg, face_of
from results.reports.comparison_rows import outcome_in_words
from results.reports.league_states import ENTRY_STATES, LEAGUE_STATES, STATES_ON_PAGES
from results.reports.ranking_columns import aim_in_words

PREVIEW_SIZE = (1200, 630)
"""Of pictures for previews, in pixels: what the programs that show them ask for."""
DRAWS_PREVIEWS = find_spec("resvg_py") is not None
"""Whether the extra `png` is installed, which draws them."""


class _Templates(BaseLoader):
    """Templates of the site by name, and those of other packages as `package:name`: in their folders `templates`."""

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str | None, Callable[[], bool] | None]:
        package, _, name = template.rpartition(":")
        return PackageLoader(package or "arena.web", "templates").get_source(environment, name)


@cache
def environment() -> Environment:
    """Return the templates. Everything they print is escaped, and an unknown name is an error."""
    found = Environment(
        loader=_Templates(),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    found.filters.update(
        count=count, moment=moment, number=number, percent=percent, score=score, signed=signed
    )
    found.filters.update(
        game_title=title_of_game, outcome=outcome_in_words, aim=aim_in_words, rules=name_in_words
    )
    found.filters.update(game_words=game_words, state_word=lambda state: STATES_ON_PAGES.get(state, state))
    found.filters.update(on_pages=on_pages, refused_on_pages=refused_on_pages, why_refused=why_refused)
    found.globals.update(dots_chart=lambda dots, label: Markup(dots_svg(dots, label)))  # noqa: S704 - escaped there
    found.globals.update(course_chart=lambda chart, label: Markup(course_svg(chart, label)))  # noqa: S704 - escaped there
    found.globals.update(
        styles_of=styles_of,
        draws_previews=DRAWS_PREVIEWS,
        preview_size=PREVIEW_SIZE,
        art_of=art_of,
        games_with_art=games_with_art,
    )
    found.globals.update(league_states=LEAGUE_STATES, entry_states=ENTRY_STATES)
    return found


def number(value: float | None, decimals: int = 0) -> str:
    """Return a number as the terminal writes it, `1,400`, but with a minus sign; a dash for None."""
    return "–" if value is None else f"{value:z,.{decimals}f}".replace("-", "−")


def score(value: float) -> str:
    """Return a score with the decimals that it has: `1,400`, `−2.5`."""
    return f"{value:,}".replace("-", "−")


def signed(value: float | None, decimals: int = 0) -> str:
    """Return a number with its sign; a dash for None."""
    return "–" if value is None else f"{value:+z,.{decimals}f}".replace("-", "−")


def percent(value: float | None, decimals: int = 1) -> str:
    """Return a percentage (0 to 100); a dash for None."""
    return "–" if value is None else f"{value:z.{decimals}f}\u202f%"


def count(value: int, one: str, many: str = "") -> str:
    """Return a number with its noun: `1 game`, `2 games`."""
    return f"{number(value)} {one if value == 1 else many or one + 's'}"


def game_words(number: str) -> str:
    """Return what people call a game: that with the number `12.0` is game 1 of match 12."""
    match_no, _, rotation = number.partition(".")
    return f"game {int(rotation) + 1} of match {match_no}"


def moment(text: str | None) -> str:
    """Return a time of the store, UTC, as an element that says `2026-11-22 14:05`; a dash for None."""
    if not text:
        return "–"
    return Markup('<time datetime="{}">{}</time>').format(text, text[:16].replace("T", " "))


def _shown(value: object) -> object:
    """Return what a template prints of a value: of text from outside, only visible characters and line breaks."""
    return (
        visible(value, keep="\n\u202f") if isinstance(value, str) and not isinstance(value, Markup) else value
    )


@cache
def static_files() -> dict[str, bytes]:
    """Return the static files of all pages, by name, with the drawings of the installed games: without comments."""
    own = {
        one.name: one.read_bytes()
        for one in files("arena.web").joinpath("static").iterdir()
        if one.is_file() and one.name.rpartition(".")[2] in CONTENT_TYPES
    }
    own |= {name: _DARK.sub(_IN_DARK, text) for name, text in own.items() if name.endswith(".css")}
    own["base.css"] = _PARTS.sub(b"", own["site.css"])
    own |= {f"front-{name}.css": _PARTS.sub(b"", own[f"{name}.css"]) for name in _CARDS}
    found = {name: small(name, content) for name, content in (drawings() | own).items()}
    return found | {name: b"\n".join(found[part] for part in parts) for name, parts in _BUNDLES.items()}


_CARDS = ("cards", "card-table", "card-table-sizes")
"""Styles of cards and of the table they lie on, in the order in which they hold."""
_BUNDLES = {
    f"{page}-page.{kind}": tuple(f"{part}.{kind}" for part in parts.split())
    for page, kind, parts in (
        ("game", "css", f"site {' '.join(_CARDS)} viewer"),  # of a game that isn't drawn
        ("viewer", "css", f"base {' '.join(_CARDS)} viewer"),
        ("viewer", "js", "cards table-head viewer-timeline viewer-document viewer-table viewer"),
        ("play", "css", f"base {' '.join(_CARDS)} play"),
        ("play", "js", "cards table-head play"),
        ("front", "css", f"base {' '.join(f'front-{name}' for name in _CARDS)} front"),
        ("front", "js", "cards viewer-document viewer-table front"),
    )
}
"""What a page with a table loads as one file, which compresses better than its parts."""


def styles_of(scripts: Sequence[str]) -> list[str]:
    """Return the styles that go with scripts: those of the same names."""
    return [name for script in scripts if (name := script.replace(".js", ".css")) in static_files()]


_PARTS = re.compile(rb"/\* (Lists|Pages): .*?/\* End of \w+\. \*/", re.DOTALL)
"""Rules of `site.css` that pages with a table of cards, which link `base.css`, don't need, and those of `_CARDS`
that the first page doesn't."""
_DARK = re.compile(rb"@dark \{([^}]*)\}")
_IN_DARK = rb"""@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) {\1} }
:root[data-theme="dark"] {\1}"""
_IN_STYLES = re.compile(rb'("[^"]*")|/\*.*?\*/|[;\s]*(\})\s*|\s*([{;,])\s*|(:)\s+|\s+', re.DOTALL)
_IN_SCRIPTS = re.compile(rb"^\s*(//.*)?\n?|\s+// [^\"'\n]*$", re.MULTILINE)


def small(name: str, content: bytes) -> bytes:
    """Return a style or a script without its comments and indentation, another file as it is."""
    if name.endswith(".css"):
        return _IN_STYLES.sub(
            lambda part: part[part.lastindex] if part.lastindex else b" " * (part[0][:2] != b"/*"), content
        ).strip()
    if not name.endswith(".js") or b"`" in (short := _IN_SCRIPTS.sub(b"", content)):
        return content  # a text between backticks may have lines of any kind
    return short


CONTENT_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "woff2": "font/woff2",
}
"""Of static files, by suffix. Others aren't served."""


@cache
def fingerprint() -> str:
    """Return a short hash of all static files."""
    digest = sha256()
    for name, content in sorted(static_files().items()):
        digest.update(name.encode() + b"\0" + content)
    return digest.hexdigest()[:12]


_NOTHING_SAID = About()


@cache
def _release() -> str:
    return version("arena-league")


def render(page: Page, links: Links, **more: Any) -> str:
    """Return a page as HTML. `more`: values of the whole site, such as who is signed in."""
    url: Callable[..., str] = lambda *path: links.page(page.path, path)  # noqa: E731 - given to the template
    return (
        environment()
        .get_template(page.template)
        .render(
            {
                "account": None,
                "csrf": "",
                "organises": False,
                "guests_play": False,
                "notice": "",
                "site": _NOTHING_SAID,
                "release": _release(),
                **page.values,
                **more,
                "page": page,
                "is_live": links.is_live,
                "url": url,
                "file": lambda *path: links.file(page.path, path),
                "whole": lambda *path: links.whole(path),
                "asset": partial(links.asset, page.path),
                "icon": _icon,
                "face": _face,
            }
        )
    )


def _icon(name: str) -> Markup:
    """Return one of the site's symbols, for decoration: screen readers skip it."""
    return Markup('<svg class="icon" aria-hidden="true"><use href="#icon-{}"></use></svg>').format(name)


def _face(bot: str, x: float = 0, y: float = 0) -> Markup:
    """Return the picture that stands beside the name of a bot; `x`, `y`: in a drawing."""
    colour, shape = face_of(bot)
    at = Markup(' x="{}" y="{}" width="16" height="16"').format(x, y) if x or y else ""
    return Markup(
        '<svg class="face face{}"{} aria-hidden="true"><use href="#icon-bot{}"></use></svg>'
    ).format(colour, at, shape)

"""The rules of the games, from the pages that come with them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from arena import registry
from arena.core.data_files import rules_page
from arena.core.errors import UnknownName
from arena.web.html.page import Crumb, NoPage, Page

_HEADING = ("h1", "h2", "h3", "h4", "h5")


def all_rules() -> Page:
    """Return the list of the games that are installed."""
    games = [game.info for game in registry.games().values()]
    return Page(("rules",), "Games", "games.html", {"games": games})


def rules_of(name: str) -> Page:
    """Return the rules of a game. Raises NoPage."""
    try:
        game = registry.game(name)
    except UnknownName as error:
        raise NoPage(str(error)) from None
    return Page(
        ("rules", name),
        game.info.title,
        "rules.html",
        {"info": game.info, "rules": _html(rules_page(game) or "")},
        crumbs=(Crumb("Games", ("rules",)),),
    )


@cache
def _html(text: str) -> Markup:
    """Return Markdown as HTML: HTML in it is shown as text, and links lead nowhere but within the page.

    The title is left out, because every page has one of its own. Tables are wrapped, so that they scroll on their own.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    if tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        del tokens[:3]
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open" and not str(child.attrs.get("href", "")).startswith(
                ("#", "https://")
            ):
                child.attrs.pop("href", None)  # to another page of the documentation
            if child.type == "image":
                child.type, child.tag, child.children = "text", "", None
    html = markdown.renderer.render([*_with_frames(tokens)], markdown.options, {})
    html = html.replace("<pre>", '<pre tabindex="0">')  # a wide one scrolls, by the keyboard too
    return Markup(html)  # noqa: S704 - markdown-it has escaped it, and renders no HTML of the source


def _with_frames(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens of a page with a frame around each table, which scrolls and is labelled by the heading above."""
    heading, tables = "", Counter[str]()
    for before, token in zip((None, *tokens), tokens, strict=False):
        if before is not None and before.type == "heading_open":
            heading = "".join(child.content for child in token.children or ())
        if token.type == "table_open":
            tables[heading] += 1
            label = f"{heading}, table {tables[heading]}" if tables[heading] > 1 else f"{heading}, table"
            frame = {"class": "scroll", "tabindex": "0", "role": "region", "aria-label": label}
            yield Token("frame_open", "div", 1, attrs=dict(frame))
        yield token
        if token.type == "table_close":
            yield Token("frame_close", "div", -1)

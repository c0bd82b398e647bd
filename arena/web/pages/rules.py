"""The rules of the games, from the pages that come with them."""

from functools import cache

from markdown_it import MarkdownIt
from markupsafe import Markup

from arena import registry
from arena.core.data_files import rules_page
from arena.core.errors import ArenaError
from arena.web.page import Crumb, NoPage, Page

_HEADING = ("h1", "h2", "h3", "h4", "h5")


def all_rules() -> Page:
    """Return the list of the games that are installed."""
    games = [game.info for game in registry.games().values()]
    return Page(("rules",), "Games", "games.html", {"games": games})


def rules_of(name: str) -> Page:
    """Return the rules of a game. Raises NoPage."""
    try:
        game = registry.game(name)
    except ArenaError as error:
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
    html = markdown.renderer.render(tokens, markdown.options, {})
    html = html.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>")
    return Markup(html)  # noqa: S704 - markdown-it has escaped it, and renders no HTML of the source

"""Pages of games: their rules, and on a live site playing: what to play, the table, and what became of it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import urlencode

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from msgspec import json

from arena import registry
from arena.core.errors import UnknownName
from arena.core.game import AnyGame
from arena.core.game_files import rules_page
from arena.core.move_words import FormWording, drawn, wording_of
from arena.core.ruleset import players
from arena.web.html.game_art import games_with_art, scripts_of, turns_of
from arena.web.html.page_model import Crumb, NoPage, Page
from arena.web.html.paging import A_PAGE
from arena.web.pages import some
from arena.web.pages.home_top import rivals_of
from arena.web.play_tables.setup import (
    BOT,
    MOVE_TIMES,
    OPTION,
    Opponent,
    default_choice,
    default_of,
    fields_of,
    first_fields,
    mixed_table,
    possible_seats,
    seats_of,
)
from arena.web.play_tables.table import Table
from arena.web.viewer.document import in_script

PLAY = Crumb("Play", ("play",))
MOST_PORTRAITS = 24
"""Bots to choose by their faces; the fields of the other seats have all."""
_PICTURE_COLUMNS = 64


def choosing(
    fields: Mapping[str, str],
    offered: Sequence[Opponent],
    shown_in: Mapping[str, str],
    tables: Sequence[Table],
    mine: Sequence[Table],
    *,
    may_play: bool,
    form_id: str,
    problem: tuple[str, str] | None = None,
    only_own: bool = False,
) -> Page:
    """Return the page to begin a game.

    `fields`: what is filled in; `shown_in`: by game, the league whose games somebody who may not play can watch;
    `problem`: the field, and what is wrong with it; `only_own`: only bots that come with Arena may play, because others
    aren't confined.
    """
    games = registry.games()
    game = games.get(fields.get("game", ""))
    values: dict[str, Any] = {
        "rivals": () if game else rivals_of(games_with_art()),
        "chosen": None,
        "form_id": form_id,
        "shown_in": shown_in,
        "tables": tables,
        "mine": mine,
        "may_play": may_play,
        "problem": problem,
        "only_own": only_own,
    }
    if game is not None:
        values |= {"chosen": game.info, **_form(game, fields, offered)}
    title = f"Play {game.info.title}" if game is not None else "Play"
    return Page(
        ("play",),
        title,
        "play.html",
        values,
        crumbs=(PLAY,) if game is not None else (),
        scripts=("send-once.js", "play-start.js"),
    )


def _form(game: AnyGame, fields: Mapping[str, str], offered: Sequence[Opponent]) -> dict[str, Any]:
    ranges = seats_of(game)
    seats = possible_seats(game)
    chosen = fields.get(BOT, "") or default_choice(game.info.name, offered)
    return {
        "fields": {**first_fields(game), **fields, BOT: chosen},
        "portraits": [one for no, one in enumerate(offered) if no < MOST_PORTRAITS or one.name == chosen],
        "mixed": mixed_table(game.info.name, 3),
        "rulesets": [{"name": name, "least": low, "most": high} for name, (low, high) in ranges.items()],
        "seat_counts": range(seats[0], seats[-1] + 1),
        "options": [
            {"field": OPTION + one.name, "about": one, "default": default_of(game, one.name)}
            for one in game.info.options
        ],
        "offered": offered,
        "most_offered": A_PAGE,
        "bots": range(seats[-1] - 1),
        "times": MOVE_TIMES,
    }


def at_table(table: Table, csrf: str) -> Page:
    """Return the page of the person at a table. `csrf`: what its forms and scripts send back."""
    news = table.news(-1, 0) or b"{}"
    shown = json.decode(news)
    values = {
        "table": table,
        "news": in_script(shown),
        "now": shown,
        "form_csrf": csrf,
        "again": "?" + urlencode(fields_of(table.setup)),
        "picture": _picture(table, shown),
    }
    game = registry.game(table.setup.game)
    composes = ("move-form.js",) if isinstance(wording_of(game), FormWording) else ()
    return Page(
        ("play", table.id),
        game.info.title,
        "table.html",
        values,
        crumbs=(PLAY,),
        scripts=("play-page.js", *composes, *scripts_of(table.setup.game)[1:]),
    )


def watching(table: Table) -> Page:
    """Return the page of spectators of a table: what everybody may see."""
    game = registry.game(table.setup.game).info
    values = {"table": table, "news": in_script(json.decode(table.public_news(-1, 0) or b"{}"))}
    return Page(
        ("play", table.id, "watch"),
        f"{game.title}, as spectators see it",
        "watch_table.html",
        values,
        crumbs=(PLAY,),
        scripts=("play-page.js", *scripts_of(table.setup.game)[1:]),
    )


def closed(number: str, words: str, match: int | None) -> Page:
    """Return the page of a table that this server has no more."""
    return Page(
        ("play", number),
        "This table is closed",
        "closed_table.html",
        {"words": words, "match": match},
        crumbs=(PLAY,),
    )


def _picture(table: Table, shown: Mapping[str, Any]) -> list[str]:
    """Return the table in lines of text, for browsers without scripts."""
    if not shown["ask"] or not shown["names"]:
        return []
    rules = registry.game(table.setup.game)
    return drawn(rules, shown["ask"]["view"], _PICTURE_COLUMNS, shown["names"])


def all_rules() -> Page:
    """Return the list of the games that are installed."""
    games = games_with_art()
    about = f"The rules of {some([game.title for game, _ in games])}."
    shown = [(*one, _players(one[0].name), turns_of(one[0].name).values()) for one in games]
    return Page(("rules",), "Games", "games.html", {"games": shown}, description=about)


def _players(name: str) -> str:
    """Return how many play a game, in words."""
    return players(possible_seats(registry.game(name)))


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
        {
            "info": game.info,
            "players": _players(name),
            "rules": _html(rules_page(game) or "", name)[0],
            "sections": _html(rules_page(game) or "", name)[1],
            "turns": turns_of(name),
        },
        crumbs=(Crumb("Games", ("rules",)),),
        description=f"The rules of {game.info.title}. {game.info.summary}",
    )


@cache
def _html(text: str, game: str) -> tuple[Markup, list[tuple[str, str]]]:
    """Return Markdown as HTML, and the ids and titles of its sections.

    HTML in it is shown as text, links lead nowhere but within the page, and pictures are only those of a turn.

    The title is left out, because every page has one of its own. Tables are wrapped, so that they scroll on their own.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    if tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        del tokens[:3]
    sections = []
    for token, after in zip(tokens, (*tokens[1:], None), strict=False):
        if token.type == "heading_open" and token.tag == "h2" and after:
            anchor = re.sub(r"[^a-z0-9]+", "-", after.content.lower()).strip("-")
            token.attrs["id"] = anchor
            sections.append((anchor, after.content))
        for child in token.children or ():
            if child.type == "link_open" and not str(child.attrs.get("href", "")).startswith(
                ("#", "https://")
            ):
                child.attrs.pop("href", None)  # to another page of the documentation
            if child.type == "image" and str(child.attrs.get("src", "")) not in turns_of(game):
                child.type, child.tag, child.children = "text", "", None
    html = markdown.renderer.render([*_with_frames(tokens)], markdown.options, {})
    html = html.replace("<pre>", '<pre tabindex="0">')  # a wide one scrolls, by the keyboard too
    return Markup(html), sections  # noqa: S704 - markdown-it has escaped it, and renders no HTML of the source


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

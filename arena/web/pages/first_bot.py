"""Your first bot in three steps, and the kit that it begins with, as a zip archive."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any

from markdown_it import MarkdownIt

from arena import registry
from arena.core.errors import ArenaError
from arena.core.game_files import rules_page
from arena.league.changes.base import subject
from arena.submissions.archives.zip_format import zip_of
from arena.submissions.folder import File
from arena.submissions.manifest import first_opponents
from arena.templates.new_folder import TOOLCHAINS, BotDraft, Language, drafted
from arena.web.html.game_art import games_with_art, title_of_game
from arena.web.html.links import NotUnderstood, choice
from arena.web.html.page_model import Page
from results.base.text import json_text
from results.records import LeagueRecord
from results.store import Store

KIT_ASKS = ("game", "language")
LANGUAGES = [chain.title for chain in TOOLCHAINS.values()]


def docs() -> Page:
    """Return the page that says how all of this works, and how its numbers are checked."""
    return Page(("docs",), "Docs", "docs.html", description="How Arena works, and where to read on.")


def first_bot(store: Store | None = None) -> Page:
    """Return the page of the three steps; `store`: None if there is none yet."""
    about = "How to write a bot, try it, and let it play in a league: three steps."
    return Page(
        ("first-bot",),
        "Your first bot",
        "first_bot.html",
        steps(store),
        scripts=("first-bot.js",),
        description=about,
    )


def steps(store: Store | None) -> dict[str, Any]:
    """Return what the three steps show; `store`: None if there is none yet."""
    leagues = [] if store is None else list(open_leagues(store))
    return {
        "games": games_with_art(),
        "examples": examples(),
        "languages": [(one.value, chain.title, chain) for one, chain in TOOLCHAINS.items()],
        "open_leagues": [(one.name, title_of_game(one.ruleset.game)) for one in leagues if one.ruleset],
    }


@cache
def examples() -> list[tuple[str, str, str]]:
    """Return name and title of each game with an `ask` in its rules, and that in short, with a move."""
    found = []
    for name, game in registry.games().items():
        for block in MarkdownIt("commonmark").parse(rules_page(game) or ""):
            if block.type != "fence" or block.info != "json":
                continue
            # One that isn't ours may be written in another way.
            with suppress(ValueError, LookupError, TypeError, AttributeError):
                if (ask := json.loads(block.content))["type"] == "ask":
                    found.append((name, game.info.title, _example(ask)))
                    break
    return found


def _example(ask: Mapping[str, Any]) -> str:
    """Return an ask and a move in short lines: of the view, what is text; of lists, the first few."""
    legal, number = ask.get("legal"), ask["id"]
    parts = [
        f"{json_text(key)}: {json_text(value)}"
        for key, value in (legal[0] if legal else ask["example"]).items()
    ]
    move = f"{{{(', ' if sum(map(len, parts)) < _NARROW else f',{_INDENT}').join(parts)}}}"
    view = [
        f"{json_text(key)}: {_short(value)}" for key, value in ask["view"].items() if '"' in json_text(value)
    ]
    of_view = f",{_INDENT}".join([*view, "…"])
    offered = f'"legal":\n  [{move},{_INDENT}…]' if legal else f'"example":\n  {move}'
    return (
        f'{{"type": "ask", "id": {number},\n "view":\n  {{{of_view}}},\n {offered}}}\n\n'
        f'{{"type": "move", "id": {number}, "move":\n  {move}}}'
    )


_NARROW = 32
"""Characters of a move that fit a line on a phone."""
_INDENT = "\n   "


def _short(value: Any, most: int = 3) -> str:
    """Return a value as JSON, of a list as many members as fit a line, of those within it one."""
    if not isinstance(value, list):
        return json_text(value)
    shown = [_short(one, 1) for one in value]
    while most > 1 and len(", ".join(shown[:most])) > _NARROW // 2:
        most -= 1
    return f"[{', '.join([*shown[:most], *['…'] * (len(value) > most)])}]"


def open_leagues(store: Store) -> Iterator[LeagueRecord]:
    """Yield the leagues that bots can enter now."""
    for league in store.leagues.all():
        if league.ruleset is None:
            continue
        try:
            subject(store, league.name).changes_at()
        except ArenaError:
            continue
        yield league


def kit_name(game: str) -> str:
    """Return the name of the bot in a kit, which is also the folder in the archive."""
    return f"{game}-bot"


def kit(game: str, language: str, author: str) -> bytes:
    """Return the archive of a new bot: always the same for the same game, language and author, who may be empty.

    Raises NotUnderstood.
    """
    games = registry.games()
    chosen = games.get(choice("game", (game,), tuple(games)))
    written_in = choice("language", (language,), [one.value for one in Language])
    if chosen is None or not written_in:
        raise NotUnderstood("A kit is for a game in a language, such as ?game=bread-basket&language=python.")
    name, opponents = kit_name(game), first_opponents(chosen)
    draft = BotDraft(name, author, Language(written_in), game, chosen.info.title, opponents, f"./{name}")
    return zip_of([File(path, False, content) for path, content in drafted(draft).items()], name)

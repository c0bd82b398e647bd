"""The scripts with which games draw their cards and tables, and their pictures."""

from functools import cache

from arena import registry
from arena.core.game_files import own_text
from arena.core.ruleset import GameInfo

_DRAWINGS = ("cards.js", "table.js", "table.css")
_ART = "art.svg"
TURNS = ("turn-1.svg", "turn-2.svg", "turn-3.svg")
"""A game may bring `cards.js`, `table.js` and `table.css`. They are served as `cards-GAME.js` and so on.

Its picture, `art.svg`, is served as `art-GAME.svg`, those of a turn, for its page of rules, as
`turn-1-GAME.svg`.
"""


@cache
def drawings() -> dict[str, bytes]:
    """Return the scripts of all installed games, by the name they are served under."""
    found = {}
    for name, game in registry.games().items():
        for file in _DRAWINGS:
            text = own_text(game, file)
            if text is not None:
                found[file.replace(".", f"-{name}.")] = text.encode()
        for picture in (_ART, *TURNS):
            if (art := own_text(game, picture)) is not None:
                found[served_as(picture, name)] = art.encode()
    return found


def served_as(picture: str, game: str) -> str:
    """Return the static file with a picture of a game, by the name of the file that the game brings."""
    return f"{picture.removesuffix('.svg')}-{game}.svg"


def art_of(game: str) -> str:
    """Return the static file with a picture of a game; empty if it brings none."""
    name = served_as(_ART, game)
    return name if name in drawings() else ""


def turns_of(game: str) -> dict[str, str]:
    """Return the static files with the pictures of a turn, by the names of the files that the game brings."""
    return {one: served for one in TURNS if (served := served_as(one, game)) in drawings()}


def games_with_art() -> list[tuple[GameInfo, str]]:
    """Return the installed games, each with its picture."""
    return [(game.info, art_of(name)) for name, game in registry.games().items()]


def scripts_of(game: str) -> tuple[str, ...]:
    """Return the static files that draw the tables of a game, in the order in which they are loaded."""
    own = tuple(name for kind in ("cards", "table") if (name := f"{kind}-{game}.js") in drawings())
    return ("cards.js", *(() if f"table-{game}.js" in own else ("plain-table.js",)), *own)


def title_of_game(name: str) -> str:
    """Return the title of a game; its name if it isn't installed."""
    found = registry.games().get(name)
    return found.info.title if found else name

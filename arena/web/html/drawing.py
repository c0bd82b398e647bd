"""The scripts with which games draw their cards and tables."""

from functools import cache

from arena import registry
from arena.core.game_files import own_text

_KINDS = ("cards", "table")
"""A game may bring `cards.js` and `table.js`. They are served as `cards-GAME.js` and `table-GAME.js`."""
STYLES = ("cards.css",)
"""What every page with cards links."""


@cache
def drawings() -> dict[str, bytes]:
    """Return the scripts of all installed games, by the name they are served under."""
    found = {}
    for name, game in registry.games().items():
        for kind in _KINDS:
            text = own_text(game, f"{kind}.js")
            if text is not None:
                found[f"{kind}-{name}.js"] = text.encode()
    return found


def scripts_of(game: str) -> tuple[str, ...]:
    """Return the static files that draw the tables of a game, in the order in which they are loaded."""
    own = tuple(name for kind in _KINDS if (name := f"{kind}-{game}.js") in drawings())
    return ("cards.js", "plain-table.js", *own)

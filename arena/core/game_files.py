"""Read a game's own data files from its package. The only module of the core that touches files."""

import sys
import tomllib
from importlib.resources import files
from typing import cast

from arena.core.game import JSON


def read_toml(package: str, file_name: str) -> dict[str, JSON]:
    """Return the content of a TOML file that lies directly in a package, by the import name of the package."""
    return tomllib.loads((files(package) / file_name).read_text(encoding="utf-8"))


def rules_page(game: object) -> str | None:
    """Return a game's rules page in Markdown, its `rules.md`; None if there is none."""
    return own_text(game, "rules.md")


def own_text(game: object, file_name: str) -> str | None:
    """Return the text of a file of a game; None if it has none of that name.

    A game with a member `own_text` is asked; otherwise the file lies in the package of the game's module.
    """
    if (own := getattr(game, "own_text", None)) is not None:
        return cast("str | None", own(file_name))
    package = sys.modules[type(game).__module__].__package__
    if not package:  # the game is a module of its own
        return None
    try:
        return (files(package) / file_name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None

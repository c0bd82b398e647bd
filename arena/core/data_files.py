"""Read a game's own data files from its package. The only module of the core that touches files."""

import sys
import tomllib
from importlib.resources import files

from arena.core.errors import ArenaError
from arena.core.game import JSON


class BadData(ArenaError):
    """A data file that is missing or has the wrong content; the message names the file and the place in it."""


def read_toml(package: str, file_name: str) -> dict[str, JSON]:
    """Return the content of a TOML file in a package.

    `package` is the import name of the package, `file_name` a file directly in it. The package may be a folder
    or an archive. Raises BadData if the file is missing, isn't UTF-8 or isn't TOML; for the last two, the
    message says where.
    """
    file = files(package) / file_name
    try:
        return tomllib.loads(file.read_bytes().decode())
    except OSError as error:
        raise BadData(
            f"{place(package, file_name)} can't be read: {error.strerror or error}",
            "reinstall the package",
        ) from None
    except UnicodeDecodeError as error:
        raise BadData(f"{place(package, file_name)}: not UTF-8 at byte {error.start + 1}") from None
    except tomllib.TOMLDecodeError as error:
        raise BadData(f"{place(package, file_name)}: not TOML: {error}") from None


def rules_page(game: object) -> str | None:
    """Return a game's rules page in Markdown, `rules.md` in its module's package; None if there is none."""
    return own_text(game, "rules.md")


def own_text(game: object, file_name: str) -> str | None:
    """Return the text of a file in the package of a game's module; None if there is none, or no package."""
    package = sys.modules[type(game).__module__].__package__
    if not package:  # the game is a module of its own
        return None
    try:
        return (files(package) / file_name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def place(package: str, file_name: str) -> str:
    """Return the name of a data file for messages, such as `arena/games/sandwich/ingredients.toml`."""
    return f"{package.replace('.', '/')}/{file_name}"

"""Reading a game's own data files, wherever its package lies: the one module of the core that touches files."""

import sys
import tomllib
from importlib.resources import files

from arena.core.errors import ArenaError
from arena.core.game import JSON


class BadData(ArenaError):
    """A data file that is missing or does not hold what it should; the message names the file and the place."""


def read_toml(package: str, file_name: str) -> dict[str, JSON]:
    """Return what a TOML file that lies in a package holds.

    `package` is the package's import name, `file_name` the name of a file directly in it. The package may lie
    in a folder or in an archive. Raises BadData where there is no such file, where it is not UTF-8 and where
    it is not TOML, with the line.
    """
    file = files(package) / file_name
    try:
        return tomllib.loads(file.read_bytes().decode())
    except OSError as error:
        raise BadData(
            f"{place(package, file_name)} can't be read: {error.strerror or error}",
            "install the package again",
        ) from None
    except UnicodeDecodeError as error:
        raise BadData(f"{place(package, file_name)}: not UTF-8 at byte {error.start + 1}") from None
    except tomllib.TOMLDecodeError as error:
        raise BadData(f"{place(package, file_name)}: not TOML: {error}") from None


def rules_page(game: object) -> str | None:
    """Return the rules page of a game, Markdown: `rules.md` in the package of its module; None without one."""
    module = sys.modules[type(game).__module__]
    package = module.__package__ or module.__name__
    try:
        return (files(package) / "rules.md").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def place(package: str, file_name: str) -> str:
    """Return how a data file is called in messages, such as `arena/games/sandwich/ingredients.toml`."""
    return f"{package.replace('.', '/')}/{file_name}"

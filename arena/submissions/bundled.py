"""Finds the reference bots that come with Arena."""

import re
from pathlib import Path

import arena
from arena.core.errors import ArenaError

_PATH = re.compile(r"bots/[a-z_]+/[a-z0-9_-]+")


def bundled_bots() -> Path:
    """Return the folder of the reference bots, with `<game>/<bot>/bot.toml` inside it.

    It is next to the package `arena`, in a checkout and in an installation. Don't write to it.
    Raises ArenaError if an installation lacks it.
    """
    folder = Path(arena.__file__).resolve().parent.parent / "bots"
    if not folder.is_dir():
        raise ArenaError(
            f"the reference bots are missing: there is no folder {folder}", "install Arena again"
        )
    return folder


def bundled_bot(path: str) -> Path | None:
    """Return the folder of the reference bot with a path such as `bots/any_game/random`; None for every other path.

    The text may come from anyone: it never leads out of the folder of the reference bots.
    """
    if not _PATH.fullmatch(path):
        return None
    root = bundled_bots()
    folder = root.parent / path
    is_inside = folder.resolve().is_relative_to(root.resolve())
    return folder if is_inside and (folder / "bot.toml").is_file() else None

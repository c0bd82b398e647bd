"""Finds the reference bots that come with Arena."""

from pathlib import Path

import arena
from arena.core.errors import ArenaError


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

"""Where the reference bots lie that come with Arena."""

from pathlib import Path

import arena
from arena.core.errors import ArenaError


def bundled_bots() -> Path:
    """Return the folder of the reference bots, `<game>/<bot>/bot.toml` inside it.

    It lies beside the package `arena`, in a checkout as in an installation; nothing may be written into it.
    Raises ArenaError where an installation lacks it.
    """
    folder = Path(arena.__file__).resolve().parent.parent / "bots"
    if not folder.is_dir():
        raise ArenaError(
            f"the reference bots are missing: there is no folder {folder}", "install Arena again"
        )
    return folder

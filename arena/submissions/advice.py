"""What to do about a bot that failed its check, where its log tells."""

import re

_MISSING = re.compile(r"^ModuleNotFoundError: No module named '([\w.]+)'", re.MULTILINE)
_OURS = {
    "arena_kit": "set `kit = true` in bot.toml, and Arena puts arena_kit.py beside the program",
    "arena": "set `engine = true` in bot.toml to import arena.core and arena.games",
}


def advice(log: str) -> str:
    """Return what an author can do about the error that ended the bot, by its log; empty where that does not tell."""
    missing = _MISSING.findall(log)
    if not missing:
        return ""
    name = missing[-1].partition(".")[0]
    return _OURS.get(
        name,
        f"`python3` has the standard library and no packages: put {name} into the bot's folder, or ask the "
        "organiser for a Python that has it (docs/writing-a-bot.md, Packages)",
    )

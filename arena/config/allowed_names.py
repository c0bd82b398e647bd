"""Which names leagues, their entries, bots and authors may have."""

import re

from arena.core.errors import UsageError

LABEL_CHARS = 100
ALLOWED = "a name is one line of printable text without '/', and no '-' at its start: \"friday 2\""


def check_name(key: str, name: str) -> None:
    """Raise UsageError for a name that a command line, a path or a terminal would take for something else.

    `key` is that of the file. Refused are control characters and those that turn the direction of text, names of
    spaces, with spaces around them, with a slash or a backslash, `.` and `..`, and names that look like options.
    """
    problem = _problem(name)
    if problem:
        raise UsageError(f"{key}: {name!r} {problem}", ALLOWED)


def is_label(text: str) -> bool:
    """Whether a text that was put together could also be given as a label."""
    return len(text) <= LABEL_CHARS and not _problem(text)


def _problem(name: str) -> str:
    if not name.strip():
        return "is empty"
    if unprintable := next((character for character in name if not character.isprintable()), None):
        return f"has a character that can't be shown: U+{ord(unprintable):04X}"
    if name != name.strip():
        return "has spaces around it"
    if name.startswith("-"):
        return "begins with '-', like an option"
    if name in (".", ".."):
        return "is the name of a folder"
    if mark := next((mark for mark in "/\\" if mark in name), None):
        return f"has a {mark!r} in it"
    return ""


BOT_NAME_CHARS = 40
BOT_NAME = (
    f"use up to {BOT_NAME_CHARS} lower-case letters, digits, '-' and '_', starting with a letter or digit"
)


def check_bot_name(key: str, name: str) -> None:
    """Raise UsageError for what cannot be the name of a bot or an author; the hint has one that can.

    `key` is that of the file. The names are written on command lines as `author/bot@2` and in paths.
    """
    if re.fullmatch(rf"[a-z0-9][a-z0-9_-]{{0,{BOT_NAME_CHARS - 1}}}", name):
        return
    near = re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-_")[:BOT_NAME_CHARS].strip("-_")
    raise UsageError(
        f"{key}: {name!r} is not a valid name: {BOT_NAME}", f'write {key} = "{near or "my-bot-2"}"'
    )

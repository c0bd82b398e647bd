"""Checks the names of leagues, entries, bots and authors, and the arguments of their commands."""

import re
from collections.abc import Collection

from arena.core.errors import BadValue

LABEL_CHARS = 100
ALLOWED = "a name is one line of printable text without '/', and no '-' at its start: \"friday 2\""


def check_name(keys: tuple[str, ...], name: str) -> None:
    """Raise BadValue for a name that a command line, a path or a terminal could misread.

    `keys` is the path of the key in the file. Refuses control characters, characters that change the direction of text,
    empty names, spaces at the ends, slashes and backslashes, `.` and `..`, and names that look like options.
    """
    problem = _problem(name)
    if problem:
        raise BadValue(keys, f"{name!r} {problem}", ALLOWED)


def is_label(text: str) -> bool:
    """Return whether a text is a valid label."""
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
        return f"contains {mark!r}"
    return ""


BOT_NAME_CHARS = 40
BOT_NAME = (
    f"use up to {BOT_NAME_CHARS} lower-case letters, digits, '-' and '_', starting with a letter or digit"
)


ARENA = "arena"
"""The author of the reference bots, which come with Arena."""
RESERVED = {
    ARENA: "the bots that come with Arena have this author",
    "guest": "people who play without an account are called guests",
    "house": "the house moves for a bot that has forfeited",
    "person": "the record of a game calls a player so who is no bot",
    "somebody": "the audit log calls so whoever isn't signed in",
}
"""Names that no author and no new account has, with the reason."""

OWN_NAME = 'write your own name there, such as author = "ada"'

_READ_AS = str.maketrans("0134579", "oleastg", "-_")
"""What a digit can be taken for, beside the marks that are easily overlooked."""


def why_reserved(name: str) -> str:
    """Return why no author and no account has a name, or one that reads like it; empty if anybody can have it.

    `name` is one that bots can have (`is_bot_name`), so no other alphabet and no capital letters need be looked for.
    """
    if name.replace("_", "-").startswith(f"{ARENA}-"):
        return RESERVED[ARENA]
    looks = {_as_read(name), _as_read(name.rstrip("0123456789-_"))}
    return next((why for reserved, why in RESERVED.items() if _as_read(reserved) in looks), "")


def _as_read(name: str) -> str:
    return name.translate(_READ_AS).replace("rn", "m").replace("vv", "w")


def check_bot_name(key: str, name: str) -> None:
    """Raise BadValue, which suggests a valid name, if a bot or an author can't have the name in this key."""
    if not is_bot_name(name):
        near = (near_author(name) or "ada") if key == "author" else near_bot_name(name) or "my-bot-2"
        raise BadValue((key,), f"{name!r} is not a valid name: {BOT_NAME}", f'write {key} = "{near}"')


def check_author(name: str) -> None:
    """Raise BadValue if nobody can be called so as the author of a new bot."""
    check_bot_name("author", name)
    if why := why_reserved(name):
        raise BadValue(("author",), f"{name!r} can't be the author of a bot: {why}", OWN_NAME)


def is_bot_name(name: str) -> bool:
    """Return whether a bot or an author can have this name."""
    return re.fullmatch(rf"[a-z0-9][a-z0-9_-]{{0,{BOT_NAME_CHARS - 1}}}", name) is not None


def near_bot_name(name: str) -> str:
    """Return a valid name that is like this one; empty if there is none."""
    near = re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-_")[:BOT_NAME_CHARS].strip("-_")
    return near if is_bot_name(near) else ""


def near_author(name: str) -> str:
    """Return a name like this one that an author or an account can have; empty if there is none."""
    near = near_bot_name(name)
    return "" if near and why_reserved(near) else near


MOST_WORDS = 64
WORD_CHARS = 4_000
ALL_BYTES = 32_768
"""Limit for all arguments together. Most systems allow more, but two such lists have to fit everywhere."""


def check_arguments(keys: tuple[str, ...], words: Collection[str]) -> None:
    """Raise BadValue if no program could be started with these arguments; `keys` is the path of the key in the file."""
    elsewhere = "move them to a file in the bot's folder"
    if len(words) > MOST_WORDS:
        raise BadValue(keys, f"{len(words)} arguments; the limit is {MOST_WORDS}", elsewhere)
    for word in words:
        if not word:
            raise BadValue(keys, "an argument is empty", 'remove the ""')
        if "\0" in word:
            raise BadValue(keys, f"{word[:40]!r} has a NUL character, which no argument can contain")
        if len(word) > WORD_CHARS:
            said = f"an argument of {len(word):,} characters; the limit is {WORD_CHARS:,}"
            raise BadValue(keys, said, "move it to a file in the bot's folder")
    if (size := sum(len(word.encode()) for word in words)) > ALL_BYTES:
        raise BadValue(keys, f"{size:,} bytes of arguments; the limit is {ALL_BYTES:,}", elsewhere)

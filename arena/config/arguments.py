"""Checks the arguments of commands: `command` in bot.toml, and `args` in a league file."""

from collections.abc import Collection

from arena.core.errors import UsageError

MOST_WORDS = 64
WORD_CHARS = 4_000
ALL_BYTES = 32_768
"""Limit for all arguments together. Most systems allow more, but two such lists have to fit everywhere."""


def check_arguments(key: str, words: Collection[str]) -> None:
    """Raise UsageError if no program could be started with these arguments. `key` is the key in the file."""
    if len(words) > MOST_WORDS:
        raise UsageError(
            f"{key}: {len(words)} arguments; the limit is {MOST_WORDS}",
            "move them to a file in the bot's folder",
        )
    for word in words:
        if not word:
            raise UsageError(f"{key}: an argument is empty", 'remove the ""')
        if "\0" in word:
            raise UsageError(f"{key}: {word[:40]!r} has a NUL character, which no argument can contain")
        if len(word) > WORD_CHARS:
            raise UsageError(
                f"{key}: an argument of {len(word):,} characters; the limit is {WORD_CHARS:,}",
                "move it to a file in the bot's folder",
            )
    if (size := sum(len(word.encode()) for word in words)) > ALL_BYTES:
        raise UsageError(
            f"{key}: {size:,} bytes of arguments; the limit is {ALL_BYTES:,}",
            "move them to a file in the bot's folder",
        )

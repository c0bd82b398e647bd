"""What may be put into a command: the words of `command` in bot.toml, and of `args` in a league file."""

from collections.abc import Collection

from arena.core.errors import UsageError

MOST_WORDS = 64
WORD_CHARS = 4_000
ALL_BYTES = 32_768
"""Of all words together. The system takes more, but not everywhere, and two such lists have to fit."""


def check_arguments(key: str, words: Collection[str]) -> None:
    """Raise UsageError for words with which no program could be started. `key` is that of the file."""
    if len(words) > MOST_WORDS:
        raise UsageError(
            f"{key}: {len(words)} words; {MOST_WORDS} are the most", "put them into a file of the bot"
        )
    for word in words:
        if not word:
            raise UsageError(
                f"{key}: an empty text is no argument", 'leave it out; nothing is what "" would say'
            )
        if "\0" in word:
            raise UsageError(f"{key}: {word[:40]!a} has a NUL character, which no argument can have")
        if len(word) > WORD_CHARS:
            raise UsageError(
                f"{key}: an argument of {len(word):,} characters; {WORD_CHARS:,} is the most",
                "put it into a file of the bot",
            )
    if (size := sum(len(word.encode()) for word in words)) > ALL_BYTES:
        raise UsageError(
            f"{key}: {size:,} bytes together; {ALL_BYTES:,} is the most", "put them into a file of the bot"
        )

"""Makes errors in a league file name the file, the line and the key."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from arena.config.errors import BadFile
from arena.config.key_lines import key_in_words, line_of
from arena.config.league_file import LeagueFile
from arena.core.errors import UsageError
from results.errors import AmbiguousName, BadPolicy, BadRating, NameRefused, UnknownName

_KEYS = re.compile(rf"(?:{'|'.join(LeagueFile.__struct_fields__)})(?:\.[\w-]+)*(?=: )")
"""The key path at the start of a message, such as `schedule.go_on: …`."""

_OPTION = re.compile(r"option ([\w-]+): ")
"""How a game begins a message about one of its options."""

_OF_THE_LEDGER = (AmbiguousName, BadPolicy, BadRating, NameRefused, UnknownName)
"""Errors of the ledger about names and numbers in the file."""


@contextmanager
def naming(name: str, text: str = "") -> Iterator[None]:
    """Make every error name the file, and the line if its message begins with a key path.

    `name` and `text` are the file's. Raises BadFile for any UsageError, and for errors of the ledger.
    """
    try:
        yield
    except BadFile:
        raise  # it names its file already
    except (UsageError, *_OF_THE_LEDGER) as error:
        located_error = BadFile(located(str(error), name, text), error.advice)
        if isinstance(error, UsageError):
            located_error.exit_code = error.exit_code
        raise located_error from None


def located(said: str, name: str, text: str = "") -> str:
    """Return a message with the file before it, and the line if it begins with a key path.

    Further lines of the message that begin with one get the same.
    """
    said, *further = said.split("\n")
    if further:
        rest = (located(line, name, text) if _KEYS.match(line) else line for line in further)
        return "\n".join([located(said, name, text), *rest])
    keys = _KEYS.match(said)
    line = line_of(text, keys[0].split(".")) if keys and text else None
    if keys:
        said = key_in_words(keys[0]) + said[keys.end() :]
    return f"{name}{f':{line}' if line else ''}: {said}"


@contextmanager
def keyed(keys: str) -> Iterator[None]:
    """Make every error begin with this key path, such as `schedule.kind`, unless it begins with one."""
    try:
        yield
    except (UsageError, *_OF_THE_LEDGER) as error:
        if isinstance(error, BadFile) or _KEYS.match(str(error)):
            raise
        said = str(error)
        if keys.partition(".")[0] == "options" and (option := _OPTION.match(said)):
            keys, said = f"options.{option[1]}", said[option.end() :]
        raise UsageError(f"{keys}: {said}", error.advice) from None

"""Has whatever is wrong with a league file be said with the file, the line and the key."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from arena.config.errors import BadFile
from arena.config.key_lines import line_of
from arena.config.league_file import LeagueFile
from arena.core.errors import UsageError
from results.errors import AmbiguousName, BadPolicy, BadRating, NameRefused, UnknownName

_KEYS = re.compile(rf"(?:{'|'.join(LeagueFile.__struct_fields__)})(?:\.[\w-]+)*(?=: )")
"""The key path with which a message begins: `schedule.go_on: at tables of two, one advances`."""

_OF_THE_LEDGER = (AmbiguousName, BadPolicy, BadRating, NameRefused, UnknownName)
"""What the ledger says of names and numbers that stand in the file."""


@contextmanager
def naming(name: str, text: str = "") -> Iterator[None]:
    """Have every refusal name the file it is about, and the line where its message begins with a key path.

    `name` and `text` are the file's. Raises BadFile for any UsageError, and for what the ledger refuses.
    """
    try:
        yield
    except BadFile:
        raise  # it names its file already
    except (UsageError, *_OF_THE_LEDGER) as error:
        keys = _KEYS.match(str(error))
        line = line_of(text, keys[0].split(".")) if keys and text else None
        raise BadFile(f"{name}{f':{line}' if line else ''}: {error}", error.hint) from None


@contextmanager
def keyed(keys: str) -> Iterator[None]:
    """Have every refusal begin with this key path, such as `schedule.kind`, if it begins with none."""
    try:
        yield
    except (UsageError, *_OF_THE_LEDGER) as error:
        if isinstance(error, BadFile) or _KEYS.match(str(error)):
            raise
        raise UsageError(f"{keys}: {error}", error.hint) from None

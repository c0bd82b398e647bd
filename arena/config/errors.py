"""Errors of this room."""

from collections.abc import Sequence

from arena.core.errors import UsageError


class BadFile(UsageError):
    """A file has a mistake; the message names the file, and the line if there is one."""

    names_remedy = False
    """Whether the message says itself what was probably meant, so that the hint can be left out of a list."""


class UnknownKey(BadFile):
    """A file has a key where there is none of that name; the hint lists the keys that are there."""

    def __init__(self, message: str, hint: str, keys: tuple[str, ...], line: int | None) -> None:
        """`keys`: the path of the key in the file, with indexes of lists; `line`: its line, if it was found."""
        super().__init__(message, hint)
        self.keys = keys
        self.line = line


class SeveralMistakes(BadFile):
    """A file has several mistakes; the message has a line for each."""

    def __init__(self, problems: Sequence[BadFile]) -> None:
        """`problems`: in the order of their lines."""
        lines = [f"{one} ({one.hint})" if one.hint and not one.names_remedy else str(one) for one in problems]
        super().__init__("\n".join(lines), f"these are {len(problems)} mistakes; mend them and try again")
        self.problems = tuple(problems)

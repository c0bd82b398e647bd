"""Errors of the arena, each with an exit code and a hint for the person who reads it."""

from difflib import get_close_matches


class ArenaError(Exception):
    """Anything the arena refuses or fails at; `hint` says what to do about it."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(ArenaError):
    """What was asked for makes no sense as it stands."""

    exit_code = 2


class MachineRefuses(ArenaError):
    """The machine refuses what every game needs. Once that is mended, the same command goes on."""

    exit_code = 5


class UnknownName(UsageError):
    """A name that is not among those that exist; the message has the nearest, the hint lists them."""

    def __init__(self, what: str, name: str, known: tuple[str, ...] | list[str]) -> None:
        there_are = ", ".join(known) if known else "none"
        close = get_close_matches(name, known, 1)
        nearest = f"; did you mean {close[0]!r}?" if close else ""
        super().__init__(f"there is no {what} {name!r}{nearest}", f"there are: {there_are}")


class BadOption(UsageError):
    """An option of a ruleset with a value that it cannot have."""


class IllegalMove(ArenaError):
    """A move that the rules do not allow; the message names the rule."""


class CorruptReplay(ArenaError):
    """A replay that does not follow from its own deal and moves."""

"""Errors of the arena, each with an exit code and a hint for the user."""

from difflib import get_close_matches


class ArenaError(Exception):
    """Base class of everything the arena refuses or fails at; `hint` says what to do about it."""

    exit_code = 1

    def __init__(self, message: str, hint: object = "") -> None:
        """`hint`: what to do about it: a text, or `results.base.advice.Advice`, worded for each audience."""
        super().__init__(message)
        self.advice = hint

    @property
    def hint(self) -> str:
        """What to do about it, as a terminal says it."""
        return str(self.advice)


class UsageError(ArenaError):
    """The user's request makes no sense."""

    exit_code = 2


class MachineRefuses(ArenaError):
    """The machine refuses something that every game needs. After the cause is fixed, the same command continues."""

    exit_code = 5


class UnknownName(UsageError):
    """A name that doesn't exist; the message suggests the nearest one, the hint lists all."""

    def __init__(self, what: str, name: str, known: tuple[str, ...] | list[str], *, owner: str = "") -> None:
        """`owner`: the game, where the name is that of one of its rulesets or options."""
        available = ", ".join(known) if known else "none"
        close = get_close_matches(name, known, 1)
        nearest = f"; did you mean {close[0]!r}?" if close else ""
        lacking = f"{owner} has no" if owner else "there is no"
        super().__init__(f"{lacking} {what} {name!r}{nearest}", f"available: {available}")


class BadOption(UsageError):
    """A value that an option of a ruleset can't have."""


class IllegalMove(ArenaError):
    """A move that the rules don't allow; the message names the rule."""


class CorruptReplay(ArenaError):
    """A replay that doesn't follow from its own deal and moves."""

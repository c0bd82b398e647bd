"""The steps of a check and their results, as plain data."""

from typing import Literal

from msgspec import Struct

State = Literal["ok", "failed", "untested"]


class Failure(Struct, frozen=True):
    """Why a step failed, for the bot's author. Text from the bot is as it wrote it, not escaped."""

    cause: str
    cure: str = ""
    """What to do about it; empty if that isn't known."""
    place: str = ""
    """File and line, such as `mybot/bot.py:12`; empty if they aren't known."""
    doing: str = ""
    """What the bot was doing: the game, its seat, the decision."""
    sent: str = ""
    """The last message that the bot was sent, cut to a bounded length."""
    came: tuple[str, ...] = ()
    """What it wrote since then, line by line, cut to a bounded length."""
    log: tuple[str, ...] = ()
    """The last lines of its log."""


class Step(Struct, frozen=True):
    """The result of one step."""

    number: int
    """From 1."""
    name: str
    state: State
    text: str
    """What was found, in words; if the step is untested, why."""
    seconds: float
    failure: Failure | None = None


class StepFailed(Exception):
    """A step has failed."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.cause)
        self.failure = failure


class Untested(Exception):
    """A step can't be tested here; the text says why."""

"""What the process that checks one upload is told, and what it reports: one JSON object per line."""

from typing import Literal

from msgspec import Struct

from arena.checking.steps import Failure, Step
from arena.submissions.submission import Submission
from results.isolation_levels import Wanted

MOST_LINE_BYTES = 4_194_304
"""Longest line of a report."""


class Order(Struct, frozen=True, forbid_unknown_fields=True):
    """What to check."""

    store: str
    """The absolute path of the store."""
    folder: str
    """The absolute path of the folder that the archive is in."""
    archive: str
    """The archive's name, which messages call it."""
    account: str
    """Who submits it, and must be its author."""
    leagues: tuple[str, ...] = ()
    """Where it is to play."""
    sandbox: Wanted = "require"


class Began(Struct, frozen=True, tag="began"):
    """The next part of the work has begun."""

    state: Literal["reading", "building", "checking"]
    bot: str = ""
    """The bot's name, once it is known."""


class Said(Struct, frozen=True, tag="said"):
    """A line for people, while something takes long."""

    line: str


class Stepped(Struct, frozen=True, tag="step"):
    """A step of the check is over. Text from the bot is not escaped."""

    step: Step


class BuildEnded(Struct, frozen=True, tag="built"):
    """The build has ended."""

    words: str
    """What it printed, shortened in the middle."""


class Passed(Struct, frozen=True, tag="passed"):
    """The bot has passed, and its files are kept; what remains is to enter it. The last line."""

    submission: Submission
    kept_bytes: int


class Refused(Struct, frozen=True, tag="refused"):
    """The upload is refused, for a reason that its author can mend. The last line."""

    step: str
    failure: Failure


class Failed(Struct, frozen=True, tag="failed"):
    """The machine or Arena failed, so nothing was found out about the bot. The last line."""

    words: str


Message = Began | Said | Stepped | BuildEnded | Passed | Refused | Failed
"""One line of a report."""

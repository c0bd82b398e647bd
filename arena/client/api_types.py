"""What the JSON API answers, as plain data: the server writes these types, the command line reads them."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from arena.checking.step_results import Failure, Step
from results.reports.league_states import EntryState
from results.reports.versions import VersionPlace

VERSION = "v1"
"""Of the API. Fields may be added within a version."""

UploadState = Literal[
    "receiving", "queued", "reading", "building", "checking", "entering", "accepted", "refused", "broken"
]
"""receiving: the archive is on its way · queued: it waits · reading, building, checking: it is looked at ·
entering: it has passed, and waits for the runner · accepted: it is a version · refused: it didn't pass, or may not
enter · broken: the archive never arrived whole."""
ENDED: frozenset[UploadState] = frozenset({"accepted", "refused", "broken"})
"""States that nothing follows."""


class Problem(Struct, frozen=True):
    """Why a request failed."""

    message: str
    hint: str = ""
    """What to do about it."""
    names_request: bool = False
    """Whether the hint names a request of the API; others are for people too."""


class Who(Struct, frozen=True):
    """Who a request comes from."""

    account: str | None
    """None if nobody is signed in."""
    role: Literal["author", "organiser"] | None


class Entry(Struct, frozen=True):
    """A bot in a league."""

    entry_no: int
    label: str
    version: str | None
    """`author/bot@3`; None for a player that isn't a submitted bot."""
    args: tuple[str, ...]
    retired: bool
    """Retired or replaced."""
    state: EntryState
    state_why: str
    """Why it is paused or benched, or the label of the entry that replaced it."""


class Match(Struct, frozen=True):
    """A match that is planned or has been played."""

    match_no: int
    round_no: int
    state: Literal["planned", "done", "void"]
    entries: tuple[str, ...]
    """Labels in base order."""
    games: int
    why: str
    """Why these entries play each other."""
    rated: bool = True
    """False if bots of one author meet in it: it counts in no table but the standings of a format."""


class Seat(Struct, frozen=True):
    """One seat of a finished game."""

    seat: int
    bot: str
    score: int | float
    rank: int
    verdict: str | None
    """Why it was forfeited."""


class Game(Struct, frozen=True):
    """A finished game."""

    game: str
    """Number of the match and rotation, `12.0`."""
    league: str
    match_no: int
    rotation: int
    decisions: int
    finished_at: str
    sandbox: str
    """The level of isolation that the bots ran at."""
    fingerprint: str
    """SHA-256 of the replay."""
    has_replay: bool
    is_visible: bool
    """Whether all games of its match are in, so that its replay and logs can be seen."""
    seats: tuple[Seat, ...]


class Refusal(Struct, frozen=True):
    """Why an upload is refused."""

    step: str
    """What was being done, or the step of the check that failed."""
    failure: Failure


class Upload(Struct, frozen=True):
    """An upload and what has become of it. Text from the bot is as it wrote it, not escaped."""

    id: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{8,64}\Z")]
    account: str
    archive: str
    """The name of the file."""
    size_bytes: int
    leagues: tuple[str, ...]
    """Where it was to play."""
    state: UploadState
    place: int | None
    """How many uploads come before it; None if it doesn't wait."""
    created_at: str
    ended_at: str | None
    bot: str
    """The bot's name; empty until it is known."""
    steps: tuple[Step, ...]
    said: str
    """What goes on now, if it takes long."""
    build_log: str
    refusal: Refusal | None
    words: str
    """What was entered; why the archive is missing, if it is broken."""
    version: str | None
    """`author/bot@3`, once it is accepted."""
    places: tuple[VersionPlace, ...]
    """The leagues that it plays in."""


class Command(Struct, frozen=True):
    """A change that was asked for."""

    id: str
    kind: str
    state: Literal["waiting", "done", "refused"]
    words: str
    """What it did, or why it was refused."""
    hint: str = ""
    """What to do about a refusal."""

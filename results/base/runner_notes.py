"""What a runner notes of itself while it plays, as plain data: the content of the file `runner.json` next to a store.

The notes are for display only, and nothing depends on them. They are read as untrusted text, because anyone who can
write to the folder can write them.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

VERSION = 1
"""Of the format. It changes if a field changes its meaning or goes; new fields are ignored by older readers."""
MOST_BYTES = 2_097_152
"""Largest file that is read."""
MOST_TEXT = 400
MOST_NAME = 100
MOST_SEATS = 16
MOST_PLAYING = 128
MOST_WAITING = 256
MOST_TROUBLES = 20
MOST_HOSTS = 1_024
"""Bounds on texts in characters, and on lists."""

Name = Annotated[str, Meta(max_length=MOST_NAME)]
Line = Annotated[str, Meta(max_length=MOST_TEXT)]
Time = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")]
"""In the format of `clock.utc_text`."""
Count = Annotated[int, Meta(ge=0, le=2**53)]
Rate = Annotated[float, Meta(ge=0, le=1e9)]


class LeagueInPlay(Struct, frozen=True):
    """The league that the runner plays."""

    uuid: Name
    name: Name
    """When it began; it may have another one by now."""
    since: Time


class GameInPlay(Struct, frozen=True):
    """A game that a worker plays."""

    league: Name
    match_no: Count
    rotation: Count
    bots: Annotated[tuple[Name, ...], Meta(max_length=MOST_SEATS)]
    """Labels by seat."""
    worker: Count
    since: Time
    """When it came first in the worker's queue. Workers report several short games at once, so it may be later than
    the game's real start, or earlier."""


class WaitingLeague(Struct, frozen=True):
    """A league that isn't over, but has nothing to play."""

    name: Name
    why: Line
    since: Time
    rests: bool = False
    """Whether it has nothing to play, or is paused; otherwise it can't be played."""


class HostInPlay(Struct, frozen=True, kw_only=True):
    """A host that plays for the runner, or was set aside."""

    name: Name
    state: Literal["plays", "waits", "leaves", "set aside"]
    why: Line = ""
    slots: Count
    """How many games it plays at a time."""
    level: Name
    machine: Name
    playing: Count = 0
    games: Count = 0
    """Results since it joined."""
    faults: Count = 0
    """How many of its games failed because of the platform."""
    speed: Rate = 0.0
    """Reference playouts per second, on one core."""
    versions: Count = 0


class Trouble(Struct, frozen=True):
    """Something that went wrong, in a line."""

    what: Line
    at: Time


class RunnerNotes(Struct, frozen=True, kw_only=True):
    """What a runner does now."""

    version: Literal[1] = 1
    pid: Annotated[int, Meta(gt=0, le=2**31)]
    does: Line
    """Words that follow the process: `runs league main`."""
    since: Time
    written_at: Time
    league: LeagueInPlay | None
    """None while nothing is played."""
    playing: Annotated[tuple[GameInPlay, ...], Meta(max_length=MOST_PLAYING)] = ()
    queued: Count = 0
    """Games that the workers have been given and will play next."""
    games: Count = 0
    """Games played since the runner began."""
    games_per_s: Rate = 0.0
    games_per_s_minute: Rate = 0.0
    waiting: Annotated[tuple[WaitingLeague, ...], Meta(max_length=MOST_WAITING)] = ()
    hosts: Annotated[tuple[HostInPlay, ...], Meta(max_length=MOST_HOSTS)] = ()
    """The hosts that play for it; empty if it plays by itself."""
    plays_on_hosts: bool = False
    """Whether hosts play for it, even if none is there now."""
    refusals: Annotated[tuple[Trouble, ...], Meta(max_length=MOST_TROUBLES)] = ()
    """What the machine refused, the newest last."""
    errors: Annotated[tuple[Trouble, ...], Meta(max_length=MOST_TROUBLES)] = ()
    """Games that failed because of the platform, the newest last."""

    def plays(self, uuid: str) -> bool:
        """Return whether the runner plays this league."""
        return self.league is not None and self.league.uuid == uuid


def unpacked(content: bytes) -> RunnerNotes | None:
    """Return the notes that a file contains; None if it contains anything else."""
    if len(content) > MOST_BYTES:
        return None
    try:
        return msgspec.json.decode(content, type=RunnerNotes)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None

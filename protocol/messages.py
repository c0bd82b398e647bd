"""The messages of protocol version 1, one type each.

Limits and versions are at the end. Every message is one JSON object on one line; `type` names it. The JSON Schema and
the reference page are generated from the docstrings and field descriptions here.
"""

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from protocol.verdicts import NoCommonVersion

JSON = Any
"""A JSON value: None, bool, int, float, str, or a list or dict of these."""

LARGEST_INTEGER = 2**53 - 1
"""Whole numbers in messages lie within ± this, so that every language can hold them exactly."""


class Message(Struct, frozen=True, tag_field="type", tag=str.lower, omit_defaults=False):
    """Any message of the protocol."""


class Clock(Struct, frozen=True):
    """The time allowed in one game, in milliseconds of wall time."""

    ready_ms: Annotated[int, Meta(ge=0, description="from `start` to `ready`")]
    move_ms: Annotated[int, Meta(ge=0, description="for each decision, before the bank is used")]
    bank_ms: Annotated[
        int, Meta(ge=0, description="for the whole game, used by decisions longer than `move_ms`")
    ]
    margin_ms: Annotated[int, Meta(ge=0, description="tolerance on top, for the arena's own delays")]


class Limits(Struct, frozen=True):
    """What a bot may write in one game."""

    line_bytes: Annotated[int, Meta(ge=1, description="longest line, newline included, in both directions")]
    depth: Annotated[int, Meta(ge=1, description="deepest nesting of arrays and objects in a line")]
    output_bytes: Annotated[
        int, Meta(ge=1, description="the most a bot may write to standard output in one game")
    ]
    note_chars: Annotated[int, Meta(ge=0, description="longer notes are cut")]


class Time(Struct, frozen=True):
    """The time left for this decision, in milliseconds of wall time."""

    move_ms: Annotated[int, Meta(ge=0, description="for this decision, before the bank is used")]
    bank_ms: Annotated[int, Meta(ge=0, description="left in the bank")]


# Arena → bot


class Hello(Message, frozen=True):
    """The first line, sent once per process."""

    protocols: Annotated[list[int], Meta(description="protocol versions that the arena speaks, best first")]


class Start(Message, frozen=True):
    """A new game begins; ids from earlier games are no longer valid."""

    game: Annotated[str, Meta(description="name of the game, such as `bread-basket`")]
    ruleset: Annotated[str, Meta(description="name of its ruleset, such as `tens` or `tens+hands=2`")]
    options: Annotated[dict[str, JSON], Meta(description="every option of the ruleset with its value")]
    seat: Annotated[int, Meta(ge=0, description="your seat, 0 to `seats` − 1")]
    seats: Annotated[int, Meta(ge=1, description="number of seats")]
    bot_seed: Annotated[
        int,
        Meta(ge=0, le=LARGEST_INTEGER, description="for your own random choices; unrelated to the deal"),
    ]
    clock: Clock
    limits: Limits
    private: Annotated[
        dict[str, JSON], Meta(description="what only you know and what stays the same for the whole game")
    ]


class Ask(Message, frozen=True):
    """You have a decision to make. Either `legal` or `example` is present."""

    id: Annotated[int, Meta(ge=0, le=LARGEST_INTEGER, description="repeat it in the answer")]
    kind: Annotated[str, Meta(description="which of the game's decisions this is")]
    view: Annotated[dict[str, JSON], Meta(description="everything on the table or in your hand now")]
    events: Annotated[
        list[dict[str, JSON]], Meta(description="what you saw since the last message, in order")
    ]
    time: Time
    legal: Annotated[
        list[JSON] | UnsetType, Meta(description="every legal move once, in the game's order")
    ] = UNSET
    example: Annotated[
        JSON | UnsetType, Meta(description="one legal move, if there are too many to list")
    ] = UNSET


class End(Message, frozen=True):
    """The game is over. Send no answer."""

    ranks: Annotated[list[int], Meta(description="rank of each seat; 1 is best, equal seats share one")]
    scores: Annotated[list[int | float], Meta(description="score of each seat")]
    verdicts: Annotated[list[str | None], Meta(description="why a seat was forfeited, or null")]
    events: Annotated[list[dict[str, JSON]], Meta(description="what you saw since the last message")]


class Quit(Message, frozen=True):
    """Exit now; standard input closes with this message."""


# Bot → Arena


class HelloReply(Message, frozen=True, tag="hello"):
    """Answer to `hello`."""

    protocol: Annotated[
        int,
        Meta(
            ge=-LARGEST_INTEGER,
            le=LARGEST_INTEGER,
            description="the version the bot chose from `protocols`; if it speaks none of them, its own best",
        ),
    ]


class Ready(Message, frozen=True):
    """Answer to `start`: the bot is ready to be asked."""


class Move(Message, frozen=True, omit_defaults=True):
    """Answer to `ask`."""

    id: Annotated[
        int,
        Meta(ge=-LARGEST_INTEGER, le=LARGEST_INTEGER, description="the id of the `ask` that this answers"),
    ]
    move: Annotated[JSON, Meta(description="the move: one of `legal`, or a move built like `example`")]
    note: Annotated[
        str | None, Meta(description="a comment, kept in the replay and never shown to the other seats")
    ] = None


ArenaMessage = Hello | Start | Ask | End | Quit
"""Messages that the arena sends."""
BotMessage = HelloReply | Ready | Move
"""Messages that a bot sends."""


LINE_BYTES = 65_536
"""Longest line in either direction, newline included, unless a game declares more."""

DEPTH = 16
"""Deepest nesting of arrays and objects in a line; the message itself is level 1."""

NOTE_CHARS = 500
"""Longer notes are cut, not refused."""

OUTPUT_BYTES = 16_777_216
"""The most that a bot may write to standard output in one game."""

STARTUP_MS = 10_000
"""Wall time from starting a bot's process to its `hello`. Bots aren't told, since they can't use it."""

DEFAULT_CLOCK = Clock(ready_ms=2_000, move_ms=1_000, bank_ms=10_000, margin_ms=20)
"""The clock of a game if its league sets none."""

DEFAULT_LIMITS = Limits(line_bytes=LINE_BYTES, depth=DEPTH, output_bytes=OUTPUT_BYTES, note_chars=NOTE_CHARS)
"""The limits of a game if neither the game nor its league sets others."""

UNSAID_CLOCK = Clock(ready_ms=2_000, move_ms=1_000, bank_ms=10_000, margin_ms=20)
UNSAID_LIMITS = Limits(line_bytes=65_536, depth=16, output_bytes=16_777_216, note_chars=500)
"""Those of a stored game that says nothing of them. They never change, unlike the defaults of new leagues."""


SUPPORTED: tuple[int, ...] = (1,)
"""Versions the arena speaks, best first."""

CHANGES: dict[int, str] = {1: "The first version."}
"""What each version changed, for the reference page."""


def negotiate(arena_versions: Sequence[int], bot_choice: int) -> int:
    """Return the version to speak with a bot: the one its `hello` chose, if the arena offered it.

    Raises NoCommonVersion, naming the versions of both sides.
    """
    if bot_choice in arena_versions:
        return bot_choice
    offered = ", ".join(map(str, arena_versions))
    raise NoCommonVersion(
        f"no common protocol version: the arena speaks {offered}; the bot answered {bot_choice}"
    )

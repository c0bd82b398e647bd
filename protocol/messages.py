"""The messages of protocol version 1, one type each.

Every message is one JSON object on a line of its own; `type` names it. Docstrings
and field descriptions become those of the JSON Schema and of the reference page.
"""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

JSON = Any
"""A JSON value: None, bool, int, float, str, or a list or dict of these."""

LARGEST_INTEGER = 2**53 - 1
"""Whole numbers on the wire lie within ± this: every language holds them exactly."""


class Message(Struct, frozen=True, tag_field="type", tag=str.lower, omit_defaults=False):
    """Any message of the protocol."""


class Clock(Struct, frozen=True):
    """The time allowances of one game, in milliseconds of wall time."""

    ready_ms: Annotated[int, Meta(ge=0, description="from `start` to `ready`")]
    move_ms: Annotated[int, Meta(ge=0, description="for each decision, before the bank is touched")]
    bank_ms: Annotated[
        int, Meta(ge=0, description="for the whole game, spent by decisions longer than `move_ms`")
    ]
    margin_ms: Annotated[int, Meta(ge=0, description="forgiven at the very end, for the arena's own delays")]


class Limits(Struct, frozen=True):
    """What a bot may write in one game."""

    line_bytes: Annotated[int, Meta(ge=1, description="longest line, newline included, in both directions")]
    depth: Annotated[int, Meta(ge=1, description="deepest nesting of arrays and objects in a line")]
    output_bytes: Annotated[
        int, Meta(ge=1, description="all that a bot may write to standard output in one game")
    ]
    note_chars: Annotated[int, Meta(ge=0, description="a longer `note` is cut")]


class Time(Struct, frozen=True):
    """What is left for this decision, in milliseconds of wall time."""

    move_ms: Annotated[int, Meta(ge=0, description="for this decision before the bank is touched")]
    bank_ms: Annotated[int, Meta(ge=0, description="left in the bank")]


# Arena → bot


class Hello(Message, frozen=True):
    """Once per process, the first line."""

    protocols: Annotated[list[int], Meta(description="versions that the arena speaks, best first")]


class Start(Message, frozen=True):
    """A new game begins; all ids of earlier games are void."""

    game: Annotated[str, Meta(description="name of the game, such as `bread-basket`")]
    ruleset: Annotated[str, Meta(description="name of its ruleset, such as `tens` or `tens+hands=2`")]
    options: Annotated[dict[str, JSON], Meta(description="every option of the ruleset with its value")]
    seat: Annotated[int, Meta(ge=0, description="your seat, 0 to `seats` − 1")]
    seats: Annotated[int, Meta(ge=1, description="number of seats")]
    bot_seed: Annotated[
        int,
        Meta(ge=0, le=LARGEST_INTEGER, description="for your own random choices; tells nothing of the deal"),
    ]
    clock: Clock
    limits: Limits
    private: Annotated[
        dict[str, JSON], Meta(description="what only you know and what never changes in this game")
    ]


class Ask(Message, frozen=True):
    """A decision is yours. Either `legal` or `example` is present."""

    id: Annotated[int, Meta(ge=0, le=LARGEST_INTEGER, description="to be repeated in the answer")]
    kind: Annotated[str, Meta(description="which decision of the game this is")]
    view: Annotated[dict[str, JSON], Meta(description="all that lies on the table or in your hand now")]
    events: Annotated[
        list[dict[str, JSON]], Meta(description="what you saw since the last message, in order")
    ]
    time: Time
    legal: Annotated[
        list[JSON] | UnsetType, Meta(description="every legal move once, in the game's order")
    ] = UNSET
    example: Annotated[
        JSON | UnsetType, Meta(description="one legal move of a decision with too many to list")
    ] = UNSET


class End(Message, frozen=True):
    """The game is over. No answer."""

    ranks: Annotated[list[int], Meta(description="rank of each seat; 1 is best, equal seats share one")]
    scores: Annotated[list[int], Meta(description="score of each seat")]
    verdicts: Annotated[list[str | None], Meta(description="why a seat was forfeited, else null")]
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
            description="the version that the bot chose from `protocols`; with none in common, its own best",
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
    move: Annotated[JSON, Meta(description="the move: one of `legal`, or one made like `example`")]
    note: Annotated[
        str | None, Meta(description="a remark, kept in the replay; never shown to the other seats")
    ] = None


ArenaMessage = Hello | Start | Ask | End | Quit
"""What the arena sends."""
BotMessage = HelloReply | Ready | Move
"""What a bot sends."""

"""What the server and the process of a table send each other."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from arena.core.move_words import Form, Group
from protocol.messages import LARGEST_INTEGER
from results.base.children import Failed
from results.base.isolation_levels import Wanted

MOST_TYPED_CHARS = 2_000
"""Longest move that a person writes."""
Number = Annotated[int, Meta(ge=0, le=LARGEST_INTEGER)]
"""Of a question, or of a choice."""
_MOST_SLOTS = 64
_MOST_ITEMS = 512
_Key = Annotated[str, Meta(max_length=200)]
_Keys = Annotated[tuple[_Key, ...], Meta(max_length=_MOST_ITEMS)]


class Setup(Struct, frozen=True, tag="setup"):
    """The first message to a table's process: the game to play, and where to store it."""

    store: str
    """Path of the store."""
    game: str
    ruleset: str
    options: tuple[str, ...]
    """As NAME=VALUE."""
    seats: int
    seat: int
    """The person's, from 0."""
    bots: tuple[str, ...]
    """For the other seats in order, each as a command names it."""
    person: str
    """The person's name."""
    move_s: float
    """Time for each of the person's moves."""
    total_s: float
    """Time for the whole game; then the person's seat forfeits."""
    command: str
    """The id of the command that enters the game into the ledger."""
    sandbox: Wanted = "require"
    """How the bots are confined; the server decides."""
    all_with_arena: bool = False
    """Whether all bots come with Arena."""


# Server → table


class Filling(Struct, frozen=True, forbid_unknown_fields=True):
    """A form as a person filled it."""

    slots: Annotated[tuple[_Keys, ...], Meta(max_length=_MOST_SLOTS)]
    words: Annotated[tuple[_Key, ...], Meta(max_length=_MOST_SLOTS)] = ()


class Answer(Struct, frozen=True, tag="answer", forbid_unknown_fields=True):
    """A person's move; exactly one of the last three is set."""

    ask: Number
    """The number of the question that it answers."""
    choice: Number | None = None
    """The listed move, counted through all groups from 0."""
    filled: Filling | None = None
    typed: Annotated[str, Meta(max_length=MOST_TYPED_CHARS)] | None = None


class Leave(Struct, frozen=True, tag="leave"):
    """The person gives the game up."""

    why: str


# Table → server


class Opened(Struct, frozen=True, tag="opened"):
    """The bots are ready to be started."""

    title: str
    """Of the game."""
    ruleset: str
    names: tuple[str, ...]
    """Of the players, by seat, each different."""


class Begun(Struct, frozen=True, tag="begun"):
    """What a bot at the seat is sent at the start, and what it says about the seat in words."""

    start: msgspec.Raw
    known: tuple[str, ...]
    worth: dict[str, float]
    """What cards are worth to it, where that differs from seat to seat."""


class Asked(Struct, frozen=True, tag="asked"):
    """A question to the person: what a bot at the seat is sent, and the same in words."""

    ask: msgspec.Raw
    number: int
    """The id of the ask."""
    told: tuple[str, ...]
    """Its events, a sentence each; some have none."""
    groups: tuple[Group, ...]
    form: Form | None
    how: tuple[str, ...]
    """How to write the move, if it isn't listed."""
    left_s: float


class AnswerRefused(Struct, frozen=True, tag="refused"):
    """The last answer broke a rule; the same question again."""

    number: int
    why: str


class Only(Struct, frozen=True, tag="only"):
    """The person's only legal move, which is made without a question."""

    ask: msgspec.Raw
    told: tuple[str, ...]
    move: str
    """In words."""


class Ended(Struct, frozen=True, tag="ended"):
    """What a bot at the seat is sent at the end."""

    end: msgspec.Raw
    told: tuple[str, ...]


class Public(Struct, frozen=True, tag="public"):
    """What spectators see after a turn."""

    view: msgspec.Raw
    told: tuple[str, ...]
    """In sentences, with the names of players between marks."""
    events: tuple[msgspec.Raw, ...] = ()
    """Those that the table of the game draws."""


class Place(Struct, frozen=True):
    """How a seat did."""

    seat: int
    rank: int
    score: int | float
    verdict: str | None
    """Why it forfeited; None if it didn't."""


class Result(Struct, frozen=True, tag="result"):
    """The game is over; it is being stored."""

    places: tuple[Place, ...]
    """By seat."""


class Stored(Struct, frozen=True, tag="stored"):
    """The game is in the ledger, or waits in the inbox for the runner."""

    words: str
    """Its name, such as `casual/12`; empty if it waits."""


ToTable = Setup | Answer | Leave
FromTable = Opened | Begun | Asked | AnswerRefused | Only | Ended | Public | Result | Stored | Failed


def raw(message: Any) -> msgspec.Raw:
    """Return a message of the protocol as the JSON that a bot is sent."""
    return msgspec.Raw(msgspec.json.encode(message))

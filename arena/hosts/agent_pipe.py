"""What a host's worker and its agent, the process that plays, say to each other: frames of msgpack through pipes."""

import contextlib
import os
from threading import Lock
from typing import Any

import msgspec
from msgspec import Struct

MOST_BYTES = 2**29
"""Largest frame: a unit, or a version."""


class Begin(Struct, tag=True, frozen=True):
    """To the agent, first: the work, and how to play it here."""

    work: bytes
    name: str
    slots: int
    first_core: int
    folder: str
    private: tuple[str, ...]
    may_be_unconfined: bool
    cache_bytes: int


class Play(Struct, tag=True, frozen=True):
    """To the agent: a packed `Unit`."""

    unit: bytes


class Version(Struct, tag=True, frozen=True):
    """To the agent: a version it has asked for, packed; or why it can't have it."""

    sha256: str
    content: bytes
    why_not: str


class Finish(Struct, tag=True, frozen=True):
    """To the agent: finish the games being played, begin no others, and end."""


class Ready(Struct, tag=True, frozen=True):
    """From the agent: it can play."""

    level: str
    versions: int


class Refused(Struct, tag=True, frozen=True):
    """From the agent: it can't play this, and ends."""

    why: str
    hint: str
    kind: str = "refused"


class Needs(Struct, tag=True, frozen=True):
    """From the agent: a version that it has not."""

    sha256: str


class Playing(Struct, tag=True, frozen=True):
    """From the agent: the numbers of the tickets that are played now. Also a sign of life, at least each second."""

    numbers: tuple[int, ...]
    versions: int


class Result(Struct, tag=True, frozen=True):
    """From the agent: the result of a ticket, packed by the work."""

    number: int
    packed: bytes
    is_fault: bool
    """Whether it is a fault of the platform."""


ToAgent = Begin | Play | Version | Finish
FromAgent = Ready | Refused | Needs | Playing | Result


class Pipe:
    """One end of two pipes."""

    def __init__(self, reading: int, writing: int, kind: Any) -> None:
        """`kind` is the type of what is read. Takes over the descriptors."""
        self._reading = os.fdopen(reading, "rb")
        self._writing = os.fdopen(writing, "wb")
        self._decoder = msgspec.msgpack.Decoder(kind)
        self._lock = Lock()

    def send(self, *messages: ToAgent | FromAgent) -> None:
        """Send messages. Any thread may; nothing happens if nobody reads any more."""
        with self._lock, contextlib.suppress(OSError, ValueError):
            for message in messages:
                packed = msgspec.msgpack.encode(message)
                self._writing.write(len(packed).to_bytes(4, "big") + packed)
            self._writing.flush()

    def receive(self) -> Any:
        """Return the next message; None at the end of the pipe."""
        try:
            length = int.from_bytes(self._read(4), "big")
            return self._decoder.decode(self._read(length)) if length <= MOST_BYTES else None
        except (EOFError, OSError, ValueError, msgspec.DecodeError):
            return None

    def close(self) -> None:
        """Close the writing end, so that the other side comes to the end of its pipe."""
        with contextlib.suppress(OSError):
            self._writing.close()

    def _read(self, count: int) -> bytes:
        found = self._reading.read(count)
        if len(found) < count:
            raise EOFError
        return found

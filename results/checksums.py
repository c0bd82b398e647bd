"""Checksums of rows, to detect damage. They don't stop anyone who can write to the store, who can recompute them."""

import struct
from collections.abc import Sequence
from typing import Any, NamedTuple
from zlib import crc32

import msgspec

MATCH_STATES = ("planned", "done", "void")
"""The two lowest bits of a match's checksum hold its state, so changing the state is an addition."""

_encode = msgspec.msgpack.Encoder().encode


def of_row(values: Sequence[Any]) -> int:
    """Return the CRC-32 of a row's values (integers, floats, texts, bytes, None), never 0.

    The values are encoded with MessagePack, in which values of different types or lengths never give the same bytes.
    """
    return crc32(_encode(values)) or 1


def of_match(values: Sequence[Any], state: str) -> int:
    """Return the checksum of a match, over its state and all its other values."""
    return of_row(values) * 4 + MATCH_STATES.index(state)


def state_of_match(checksum: int) -> str | None:
    """Return the state in a match's checksum; None if there is none."""
    code = checksum % 4
    return MATCH_STATES[code] if code < len(MATCH_STATES) else None


class GameChecksums(NamedTuple):
    """The checksums of one game's rows, each from `of_row`, or 0 if the row doesn't exist."""

    game: int
    replay: int
    seats: tuple[int, ...]
    logs: tuple[int, ...]
    """By seat; `seats` has as many."""


def packed(game: int, replay: int, seats: Sequence[int], logs: Sequence[int]) -> bytes:
    """Return a game's checksums as stored: four bytes each, little-endian, followed by the CRC-32 of all these."""
    form = _FORMS.get(len(seats)) or _FORMS.setdefault(len(seats), struct.Struct(f"<{2 + 2 * len(seats)}I"))
    content = form.pack(game, replay, *seats, *logs)
    return content + crc32(content).to_bytes(4, "little")


def unpacked(stored: object) -> GameChecksums | None:
    """Return the packed checksums; None if the bytes are damaged or missing."""
    if not isinstance(stored, bytes) or len(stored) < 12 or len(stored) % 8 != 4:
        return None
    content, own = stored[:-4], int.from_bytes(stored[-4:], "little")
    if crc32(content) != own:
        return None
    game, replay, *rest = struct.unpack(f"<{len(content) // 4}I", content)
    seats = len(rest) // 2
    return GameChecksums(game, replay, tuple(rest[:seats]), tuple(rest[seats:]))


_FORMS: dict[int, struct.Struct] = {}

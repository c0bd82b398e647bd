"""Checksums of rows, by which damage is found. Whoever can write to the store can compute them too."""

import struct
from collections.abc import Sequence
from typing import Any, NamedTuple
from zlib import crc32

import msgspec

MATCH_STATES = ("planned", "done", "void")
"""A match's checksum names its state in the two lowest bits, so that a change of state is an addition."""

_encode = msgspec.msgpack.Encoder().encode


def of_row(values: Sequence[Any]) -> int:
    """Return the CRC-32 of a row's values (integers, floats, texts, bytes, None), never 0.

    Source of the form: MessagePack, in which values of different types or lengths are never the same bytes.
    """
    return crc32(_encode(values)) or 1


def of_match(values: Sequence[Any], state: str) -> int:
    """Return the checksum of a match: of all its values but the state, and the state."""
    return of_row(values) * 4 + MATCH_STATES.index(state)


def state_of_match(checksum: int) -> str | None:
    """Return the state that a match's checksum names; None if it names none."""
    code = checksum % 4
    return MATCH_STATES[code] if code < len(MATCH_STATES) else None


class GameChecksums(NamedTuple):
    """The checksums of one game's rows, each as `of_row` gives it, or 0 for a row that there was not."""

    game: int
    replay: int
    seats: tuple[int, ...]
    logs: tuple[int, ...]
    """By seat, as many as `seats`."""


def packed(game: int, replay: int, seats: Sequence[int], logs: Sequence[int]) -> bytes:
    """Return a game's checksums as they are stored: four bytes each, little-endian, and the CRC-32 of all these."""
    form = _FORMS.get(len(seats)) or _FORMS.setdefault(len(seats), struct.Struct(f"<{2 + 2 * len(seats)}I"))
    content = form.pack(game, replay, *seats, *logs)
    return content + crc32(content).to_bytes(4, "little")


def unpacked(stored: object) -> GameChecksums | None:
    """Return what was packed; None if the bytes are damaged themselves, or not there."""
    if not isinstance(stored, bytes) or len(stored) < 12 or len(stored) % 8 != 4:
        return None
    content, own = stored[:-4], int.from_bytes(stored[-4:], "little")
    if crc32(content) != own:
        return None
    game, replay, *rest = struct.unpack(f"<{len(content) // 4}I", content)
    seats = len(rest) // 2
    return GameChecksums(game, replay, tuple(rest[:seats]), tuple(rest[seats:]))


_FORMS: dict[int, struct.Struct] = {}

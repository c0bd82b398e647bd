"""Makes pictures of pages small: a PNG with a palette instead of three bytes for each pixel.

Pages have few colours, and between them the soft edges of letters, which look the same in the nearest of 256 colours.
Source: W3C, "Portable Network Graphics (PNG) Specification", third edition, 9 (filtering) and 11 (chunks).
"""

import struct
from collections import Counter
from pathlib import Path
from zlib import compress, crc32, decompress

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOURS = 256
_RGB, _PALETTE = 2, 3
_CHANNELS = 3


def with_palette(picture: Path) -> None:
    """Rewrite a PNG of 8 bits and three channels, without interlacing, with a palette of its most common colours."""
    chunks = _chunks(picture.read_bytes())
    header = b"".join(content for kind, content in chunks if kind == b"IHDR")
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if (depth, colour, interlaced) != (8, _RGB, 0):
        raise ValueError(f"{picture} is no plain RGB picture")
    rows = _rows(decompress(b"".join(content for kind, content in chunks if kind == b"IDAT")), width, height)
    pixels = [[row[at : at + _CHANNELS] for at in range(0, len(row), _CHANNELS)] for row in rows]
    found = Counter(pixel for row in pixels for pixel in row)
    palette = [pixel for pixel, _ in found.most_common(_COLOURS)]
    numbers = {
        pixel: min(range(len(palette)), key=lambda at: _distance(palette[at], pixel)) for pixel in found
    }
    body = b"".join(b"\0" + bytes(numbers[pixel] for pixel in row) for row in pixels)
    picture.write_bytes(
        _SIGNATURE
        + _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, _PALETTE, 0, 0, 0))
        + _chunk(b"PLTE", b"".join(palette))
        + _chunk(b"IDAT", compress(body, 9))
        + _chunk(b"IEND", b"")
    )


def _distance(a: bytes, b: bytes) -> int:
    return sum((one - other) ** 2 for one, other in zip(a, b, strict=True))


def _chunks(content: bytes) -> list[tuple[bytes, bytes]]:
    at, found = len(_SIGNATURE), []
    while at < len(content):
        length, kind = struct.unpack_from(">I4s", content, at)
        found.append((kind, content[at + 8 : at + 8 + length]))
        at += length + 12
    return found


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", crc32(kind + content))


def _rows(filtered: bytes, width: int, height: int) -> list[bytes]:
    """Undo the filter of every row."""
    length = _CHANNELS * width
    rows, above = [], bytearray(length)
    for number in range(height):
        at = number * (length + 1)
        method, row = filtered[at], bytearray(filtered[at + 1 : at + 1 + length])
        for place in range(length):
            left = row[place - _CHANNELS] if place >= _CHANNELS else 0
            corner = above[place - _CHANNELS] if place >= _CHANNELS else 0
            guess = (0, left, above[place], (left + above[place]) // 2, _paeth(left, above[place], corner))[
                method
            ]
            row[place] = (row[place] + guess) & 0xFF
        rows.append(bytes(row))
        above = row
    return rows


def _paeth(left: int, above: int, corner: int) -> int:
    """Return the neighbour that is nearest to left + above − corner, in this order."""
    guess = left + above - corner
    return min((left, above, corner), key=lambda one: abs(guess - one))

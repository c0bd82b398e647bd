"""Decompresses a file piece by piece: gzip, xz and zstd, in bounded memory."""

import sys
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Protocol

from arena.submissions.archives.members import Members

GZIP = b"\x1f\x8b"
XZ = b"\xfd7zXZ\0"
ZSTD = b"\x28\xb5\x2f\xfd"

_PIECE_BYTES = 65_536
_MAX_PARTS = 1_000
"""A file may be several compressed files in a row, as parallel compressors write it."""
_XZ_MEMORY_BYTES = 104_857_600
"""What the strongest preset of xz needs, 65 MiB, and some more."""
_GZIP_WINDOW = 31
"""For zlib: the largest window, and the header and checksum of gzip."""


class _Decoder(Protocol):
    """What `lzma` and `zstd` have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _Gzip:
    """Decodes gzip, with the interface of `lzma`."""

    def __init__(self) -> None:
        self._decoder = zlib.decompressobj(_GZIP_WINDOW)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._decoder.eof

    @property
    def unused_data(self) -> bytes:
        return self._decoder.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        piece = self._decoder.decompress(self._decoder.unconsumed_tail + data, max_length)
        self.needs_input = len(piece) < max_length and not self._decoder.unconsumed_tail
        return piece


def pieces(file: IO[bytes], members: Members) -> Iterator[bytes]:
    """Yield the content of a file, decompressed by what its first bytes say, 64 KiB at a time.

    Raises BadFile, from `members`, if it is damaged, or unpacks to more than an archive may have.
    """
    start = file.read(len(XZ))
    file.seek(0)
    total = 0
    for piece in _decoded(file, start, members):
        total += len(piece)
        if total > members.stream_bytes:
            raise members.too_long()
        members.check_ratio(total)
        yield piece


def _decoded(file: IO[bytes], start: bytes, members: Members) -> Iterator[bytes]:
    if start.startswith(GZIP):
        yield from _parts(file, _Gzip, zlib.error, members)
    elif start.startswith(XZ):
        import lzma

        yield from _parts(
            file, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY_BYTES), lzma.LZMAError, members
        )
    elif start.startswith(ZSTD):
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd

        yield from _parts(file, zstd.ZstdDecompressor, zstd.ZstdError, members)
    else:
        while piece := file.read(_PIECE_BYTES):
            yield piece


def _parts(
    file: IO[bytes], make: Callable[[], _Decoder], error: type[Exception], members: Members
) -> Iterator[bytes]:
    """Yield the content of a file that consists of one compressed file, or of several in a row."""
    data, parts = file.read(_PIECE_BYTES), 0
    while data:
        parts += 1
        if parts > _MAX_PARTS:
            raise members.damaged(f"it is more than {_MAX_PARTS:,} compressed files in a row")
        decoder = make()
        while not decoder.eof:
            try:
                piece = decoder.decompress(data, _PIECE_BYTES)
            except error as why:
                after = "" if parts == 1 else "what follows the end of the compressed data is none: "
                raise members.damaged(f"{after}{why}") from None
            data = b""
            if piece:
                yield piece
            if decoder.eof:
                break
            if decoder.needs_input:
                data = file.read(_PIECE_BYTES)
                if not data:
                    raise members.damaged("it ends too early")
            elif not piece:
                raise members.damaged("it makes no progress")
        data = decoder.unused_data or file.read(_PIECE_BYTES)

"""Reads tar archives, plain or compressed by gzip, xz or zstd, piece by piece in bounded memory.

`tarfile` reads the single headers. What they say together is read here: `tarfile` stops silently at a damaged header,
follows extended headers by recursion, and reads a header of any size into memory.

Sources: POSIX.1-2024, pax, "pax Interchange Format" and "ustar Interchange Format"; GNU tar 1.35 manual, "Basic Tar
Format".
"""

import sys
import tarfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any

from msgspec import Struct, field

from arena.submissions.archives.members import Kind, Members
from arena.submissions.folder import MIB

BLOCK_BYTES = tarfile.BLOCKSIZE
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

_MAX_EXTENDED_BYTES = 65_536
_ZEROS = bytes(BLOCK_BYTES)
_PREFIX = slice(345, 500)
_MAGIC = slice(257, 263)
_POSIX, _OTHERS = b"ustar\x00", (b"ustar ", bytes(6))
_KINDS = {
    tarfile.REGTYPE: Kind.FILE,
    tarfile.AREGTYPE: Kind.FILE,
    tarfile.CONTTYPE: Kind.FILE,
    tarfile.LNKTYPE: Kind.HARD_LINK,
    tarfile.SYMTYPE: Kind.LINK,
    tarfile.CHRTYPE: Kind.DEVICE,
    tarfile.BLKTYPE: Kind.DEVICE,
    tarfile.DIRTYPE: Kind.FOLDER,
    tarfile.FIFOTYPE: Kind.PIPE,
}
_PAX, _PAX_OF_ALL = tarfile.XHDTYPE, tarfile.XGLTYPE
_LONG_NAME, _LONG_LINK = tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK
_KEYS_OF_ALL = {b"comment", b"mtime", b"atime", b"ctime", b"uid", b"gid", b"uname", b"gname"}
"""What a header may say of all members: nothing that changes their names, sizes or contents."""


def is_tar(start: bytes) -> bool:
    """Return whether a file that begins with this block is a tar archive."""
    try:
        tarfile.TarInfo.frombuf(start, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def read_tar(file: IO[bytes], members: Members) -> None:
    """Add the files of a tar archive, or a compressed one, to `members`. Raises BadFile."""
    stream = _Stream(file, members)
    extended = _Extended()
    block = stream.exactly(BLOCK_BYTES)
    if block != _ZEROS and not is_tar(block):
        raise members.damaged("there is no tar archive in it")
    while block != _ZEROS:
        members.count()
        header = _header(block, members)
        if header.type == _PAX_OF_ALL:
            for key in _pax(stream.extended(header), members):
                if key not in _KEYS_OF_ALL:
                    raise members.damaged(f"a header for all members sets {_decoded(key)[:120]!r}")
        elif header.type in (_PAX, _LONG_NAME, _LONG_LINK):
            extended.read(header, stream.extended(header), members)
        else:
            _member(header, extended, stream, members)
            extended = _Extended()
        block = stream.exactly(BLOCK_BYTES)
    if extended.seen:
        raise members.damaged("it ends within the headers of a member")
    while rest := stream.read(_PIECE_BYTES):
        if rest.strip(b"\0"):
            raise members.damaged("something follows its end")


class _Stream:
    """The bytes of an archive, decompressed, in the sizes asked for."""

    def __init__(self, file: IO[bytes], members: Members) -> None:
        self._members = members
        self._pieces = _decompressed(file, members)
        self._held = bytearray()
        self._total = 0

    def read(self, size: int) -> bytes:
        """Return this many bytes; fewer only at the end. Raises BadFile beyond the limits of an archive."""
        while len(self._held) < size and (piece := next(self._pieces, b"")):
            self._held += piece
            self._total += len(piece)
            if self._total > self._members.stream_bytes:
                raise self._members.too_large(f"{self._members.stream_bytes // MIB} MiB before compression")
            self._members.check_ratio(self._total)
        found = bytes(memoryview(self._held)[:size])
        del self._held[:size]
        return found

    def exactly(self, size: int) -> bytes:
        """Return this many bytes. Raises BadFile if the archive ends before."""
        content = self.read(size)
        if len(content) < size:
            raise self._members.damaged("it ends too early")
        return content

    def content(self, size: int) -> bytes:
        """Return the content of a member, and skip what fills its last block."""
        content = self.exactly(size)
        self.exactly(-size % BLOCK_BYTES)
        return content

    def skip(self, size: int) -> None:
        size += -size % BLOCK_BYTES
        while size:
            size -= len(self.exactly(min(size, _PIECE_BYTES)))

    def extended(self, header: tarfile.TarInfo) -> bytes:
        if header.size > _MAX_EXTENDED_BYTES:
            raise self._members.damaged(f"an extended header has {header.size:,} bytes", header.name)
        content = self.exactly(header.size)
        if self.exactly(-header.size % BLOCK_BYTES).strip(b"\0"):
            raise self._members.damaged("something follows an extended header", header.name)
        return content


class _Extended(Struct):
    """What extended headers say about the next member."""

    seen: set[bytes] = field(default_factory=set)
    """Their types."""
    name: bytes | None = None
    size: int | None = None
    is_sparse: bool = False

    def read(self, header: tarfile.TarInfo, content: bytes, members: Members) -> None:
        """Read one more header. Raises BadFile if it contradicts another one."""
        if header.type in self.seen:
            raise members.damaged("a member has two extended headers of a kind", header.name)
        self.seen.add(header.type)
        name: bytes | None = None
        if header.type == _LONG_NAME:
            name = content.partition(b"\0")[0]
        elif header.type == _PAX:
            records = _pax(content, members)
            name, size = records.get(b"path"), records.get(b"size", b"0")
            if not size.isdigit() or len(size) > 20:
                raise members.damaged("a size is no number", header.name)
            self.size = int(size) if b"size" in records else None
            self.is_sparse = any(key.startswith(b"GNU.sparse.") for key in records)
        if name is not None and self.name not in (None, name):
            raise members.damaged("a member has two names", _decoded(name))
        self.name = self.name if name is None else name


def _header(block: bytes, members: Members) -> tarfile.TarInfo:
    """Return what a header block says. Raises BadFile if it is none."""
    try:
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError as error:
        raise members.damaged(f"a header is wrong ({error}), or something follows its end") from None
    if block[_MAGIC] not in (_POSIX, *_OTHERS):
        raise members.damaged("it has a header of another format", header.name)
    if block[_MAGIC] != _POSIX and block[_PREFIX].strip(b"\0") and header.type != tarfile.GNUTYPE_SPARSE:
        # GNU tar writes two times there in incremental backups; some programs take them for a folder.
        raise members.refused(
            _decoded(block[:100].partition(b"\0")[0]),
            "has a prefix to its name, which its format doesn't have",
            "make the archive again, with tar without the option --incremental",
        )
    if header.size < 0 or header.mode < 0:
        raise members.damaged("its size or its permissions are no numbers", header.name)
    return header


def _pax(content: bytes, members: Members) -> dict[bytes, bytes]:
    """Return the records of a pax header: each is its length, a space, the key, `=`, the value, and a line feed."""
    records: dict[bytes, bytes] = {}
    at = 0
    while at < len(content):
        digits = content[at : at + 8].partition(b" ")[0]
        length = int(digits) if digits.isdigit() else 0
        record = content[at : at + length]
        key, equals, value = record[len(digits) + 1 : -1].partition(b"=")
        if len(record) != length or not (key and equals and record.endswith(b"\n")) or key in records:
            raise members.damaged("an extended header can't be read")
        records[key] = value
        at += length
    return records


def _member(header: tarfile.TarInfo, extended: _Extended, stream: _Stream, members: Members) -> None:
    """Check a member, and read it if it is a file."""
    name = header.name if extended.name is None else _decoded(extended.name)
    size = header.size if extended.size is None else extended.size
    # Left out or not: it may have another name.
    if header.type == tarfile.GNUTYPE_SPARSE or extended.is_sparse:
        hint = "make the archive again without tar's option --sparse"
        raise members.refused(name, f"is {Kind.SPARSE}", hint)
    if not name and extended.name is not None:
        raise members.damaged("an extended header gives it an empty name", header.name)
    kind = _KINDS.get(header.type, Kind.OTHER)
    if kind is Kind.FILE and name.endswith("/"):
        raise members.two_kinds(name)
    path = members.take(name, kind, header.mode)
    if kind is not Kind.FILE and size:
        raise members.damaged(f"it is {kind}, and has content", name)
    if path is None:
        stream.skip(size)
        return
    members.expect(name, size)
    members.add(path, stream.content(size), header.mode)


def _decoded(name: bytes) -> str:
    """Return a name as text; bytes that aren't UTF-8 become characters that no name may have."""
    return name.decode("utf-8", "surrogateescape")


def _decompressed(file: IO[bytes], members: Members) -> Iterator[bytes]:
    """Yield the content of a file, decompressed by what its first bytes say, at most 64 KiB at a time.

    The standard library's file objects have no limit on memory for xz, and none on compressed files in a row.
    Raises BadFile, from `members`, if it is damaged.
    """
    start = file.read(len(XZ))
    file.seek(0)
    make, error = _decoder(start)
    data, parts = file.read(_PIECE_BYTES), 0
    while data and make is not None:
        decoder = make()
        parts += 1
        if parts > _MAX_PARTS:
            raise members.damaged(f"it is more than {_MAX_PARTS:,} compressed files in a row")
        while not decoder.eof:
            try:
                piece = decoder.decompress(data, _PIECE_BYTES)
            except error as why:
                after = "" if parts == 1 else "what follows the end of the compressed data is none: "
                raise members.damaged(f"{after}{why}") from None
            data = getattr(decoder, "unconsumed_tail", b"")
            if piece:
                yield piece
            if len(piece) < _PIECE_BYTES and not decoder.eof and not (data := file.read(_PIECE_BYTES)):
                raise members.damaged("it ends too early")
        data = decoder.unused_data or file.read(_PIECE_BYTES)
    while data:
        yield data
        data = file.read(_PIECE_BYTES)


def _decoder(start: bytes) -> tuple[Callable[[], Any] | None, type[Exception]]:
    """Return what makes a decoder for a file that begins so, None if it isn't compressed, and the decoder's error."""
    if start.startswith(GZIP):
        return lambda: zlib.decompressobj(_GZIP_WINDOW), zlib.error
    if start.startswith(XZ):
        import lzma

        return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY_BYTES), lzma.LZMAError
    if start.startswith(ZSTD):
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd

        return zstd.ZstdDecompressor, zstd.ZstdError
    return None, OSError

"""Reads tar archives: POSIX ustar, pax and GNU headers.

It reads strictly what honest programs write, so that no two readers see different things in one archive. `tarfile`
reads as much as it can: it stops silently at a damaged header, and follows extended headers recursively.

Sources: POSIX.1-2024, pax, "pax Interchange Format" and "ustar Interchange Format"; GNU tar 1.35 manual, "Basic Tar
Format".
"""

from collections.abc import Iterator
from dataclasses import dataclass

from arena.submissions.archives.members import Kind, Members
from arena.submissions.folder import MAX_PATH_BYTES

BLOCK_BYTES = 512
_MAX_EXTENDED_BYTES = 65_536
_ZEROS = bytes(BLOCK_BYTES)
_POSIX = b"ustar\x00"
_GNU = b"ustar "
_KINDS = {
    b"0": Kind.FILE,
    b"\0": Kind.FILE,
    b"7": Kind.FILE,
    b"1": Kind.HARD_LINK,
    b"2": Kind.LINK,
    b"3": Kind.DEVICE,
    b"4": Kind.DEVICE,
    b"5": Kind.FOLDER,
    b"6": Kind.PIPE,
}
_SPARSE = b"S"
_PAX, _PAX_OF_ALL, _LONG_NAME, _LONG_LINK = b"x", b"g", b"L", b"K"
_KEYS_OF_ALL = {b"comment", b"mtime", b"atime", b"ctime", b"uid", b"gid", b"uname", b"gname"}
"""What a header may say of all members: nothing that changes their names, sizes or contents."""


def is_tar(start: bytes) -> bool:
    """Return whether a file that begins with this block is a tar archive."""
    return len(start) == BLOCK_BYTES and start != _ZEROS and _number(start[148:156]) == _checksum(start)


def read_tar(pieces: Iterator[bytes], members: Members) -> None:
    """Add the files of a tar archive to `members`; `pieces` are its bytes. Raises BadFile."""
    stream = _Stream(pieces, members)
    extended = _Extended()
    block = stream.block()
    if block != _ZEROS and not is_tar(block):
        raise members.damaged("there is no tar archive in it")
    while block != _ZEROS:
        members.count()
        header = _header(block, members)
        if header.type in (_PAX, _PAX_OF_ALL, _LONG_NAME, _LONG_LINK):
            _extend(extended, header, stream, members)
        else:
            _member(header, extended, stream, members)
            extended = _Extended()
        block = stream.block()
    if not extended.is_empty:
        raise members.damaged("it ends within the headers of a member")
    while rest := stream.read(BLOCK_BYTES):
        if rest.strip(b"\0"):
            raise members.damaged("something follows its end")


@dataclass(slots=True)
class _Header:
    """One header block."""

    name: bytes
    mode: int
    size: int
    type: bytes


@dataclass(slots=True)
class _Extended:
    """What extended headers say about the next member."""

    long_name: bytes | None = None
    path: bytes | None = None
    size: int | None = None
    is_sparse: bool = False
    has_pax: bool = False
    has_link: bool = False

    @property
    def is_empty(self) -> bool:
        return self == _Extended()


class _Stream:
    """The bytes of an archive, read in the sizes asked for."""

    def __init__(self, pieces: Iterator[bytes], members: Members) -> None:
        self._pieces = pieces
        self._members = members
        self._held = memoryview(b"")

    def read(self, size: int) -> bytes:
        """Return this many bytes; fewer only at the end."""
        found: list[memoryview] = []
        while size:
            if not self._held:
                self._held = memoryview(next(self._pieces, b""))
                if not self._held:
                    break
            part, self._held = self._held[:size], self._held[size:]
            size -= len(part)
            found.append(part)
        return b"".join(found)

    def exactly(self, size: int) -> bytes:
        """Return this many bytes. Raises BadFile if the archive ends before."""
        content = self.read(size)
        if len(content) < size:
            raise self._members.damaged("it ends too early")
        return content

    def block(self) -> bytes:
        """Return the next header block."""
        return self.exactly(BLOCK_BYTES)

    def content(self, size: int) -> bytes:
        """Return the content of a member, and skip what fills its last block."""
        content = self.exactly(size)
        self.exactly(-size % BLOCK_BYTES)
        return content

    def skip(self, size: int) -> None:
        """Skip the content of a member."""
        size += -size % BLOCK_BYTES
        while size:
            size -= len(self.exactly(min(size, 65_536)))


def _header(block: bytes, members: Members) -> _Header:
    """Return what a header block says. Raises BadFile if it is none."""
    name = _text(block[:100])
    size, mode = _number(block[124:136]), _number(block[100:108])
    if _number(block[148:156]) != _checksum(block):
        raise members.damaged("the checksum of a header is wrong, or something follows its end")
    magic = block[257:263]
    if magic not in (_POSIX, _GNU, bytes(6)):
        raise members.damaged("it has a header of another format", _decoded(name))
    if magic == _POSIX:
        if prefix := _text(block[345:500]):
            name = prefix + b"/" + name
    elif block[156:157] != _SPARSE and block[345:500].strip(b"\0"):
        # GNU tar writes two times there in incremental backups; some programs take them for a folder.
        raise members.refused(
            _decoded(name),
            "has a prefix to its name, which its format doesn't have",
            "make the archive again, with tar without the option --incremental",
        )
    if size is None or mode is None:
        raise members.damaged("its size or its permissions are no numbers", _decoded(name))
    return _Header(name, mode, size, block[156:157])


def _extend(extended: _Extended, header: _Header, stream: _Stream, members: Members) -> None:
    """Read an extended header."""
    if header.size > _MAX_EXTENDED_BYTES:
        raise members.damaged(f"an extended header has {header.size:,} bytes", _decoded(header.name))
    content = stream.exactly(header.size)
    if stream.exactly(-header.size % BLOCK_BYTES).strip(b"\0"):
        raise members.damaged("something follows an extended header", _decoded(header.name))
    if header.type == _LONG_LINK:
        extended.has_link = True
    elif header.type == _LONG_NAME:
        if extended.long_name is not None:
            raise members.damaged("a member has two names", _decoded(_text(content)))
        extended.long_name = _text(content)
    elif header.type == _PAX_OF_ALL:
        for key in _pax(content, members):
            if key not in _KEYS_OF_ALL:
                raise members.damaged(f"a header for all members sets {_decoded(key)[:120]!r}")
    else:
        if extended.has_pax:
            raise members.damaged("a member has two extended headers", _decoded(header.name))
        records = _pax(content, members)
        extended.has_pax = True
        extended.path = records.get(b"path")
        extended.is_sparse = any(key.startswith(b"GNU.sparse.") for key in records)
        if (size := records.get(b"size")) is not None:
            if not size.isdigit() or len(size) > 20:
                raise members.damaged("a size is no number", _decoded(header.name))
            extended.size = int(size)


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


def _member(header: _Header, extended: _Extended, stream: _Stream, members: Members) -> None:
    """Check a member, and read it if it is a file."""
    if extended.path is not None and extended.long_name not in (None, extended.path):
        raise members.damaged("a member has two names", _decoded(extended.path))
    given = extended.long_name if extended.path is None else extended.path
    if given == b"":
        raise members.damaged("an extended header gives it an empty name", _decoded(header.name))
    raw = header.name if given is None else given
    name = _decoded(raw)
    size = header.size if extended.size is None else extended.size
    kind = _KINDS.get(header.type, Kind.OTHER)
    if header.type == _SPARSE or extended.is_sparse:  # even if it is left out: it may have another name
        raise members.refused(
            name, f"is {Kind.SPARSE}", "make the archive again without tar's option --sparse"
        )
    if name.endswith("/"):
        if header.type == b"\0":  # how tar marked folders before POSIX
            kind = Kind.FOLDER
        elif kind is Kind.FILE:
            raise members.two_kinds(name)
    if len(raw) > MAX_PATH_BYTES:
        raise members.refused(name, "has too long a name", "rename the file")
    path = members.take(name, kind, header.mode)
    if kind is not Kind.FILE and size:
        raise members.damaged(f"it is {kind}, and has content", name)
    if path is None:
        stream.skip(size)
        return
    members.expect(name, size)
    members.add(path, stream.content(size), header.mode)


def _checksum(block: bytes) -> int:
    """Return the sum of a header's bytes, those of the checksum itself counted as spaces."""
    return sum(block) - sum(block[148:156]) + 8 * ord(" ")


def _number(field: bytes) -> int | None:
    """Return the number in a field: octal digits, or in GNU tar a large one in base 256. None if it is none."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.partition(b"\0")[0].strip(b" ")
    if not digits:
        return 0
    return int(digits, 8) if not digits.strip(b"01234567") else None


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]


def _decoded(name: bytes) -> str:
    """Return a name as text; bytes that aren't UTF-8 become characters that no name may have."""
    return name.decode("utf-8", "surrogateescape")

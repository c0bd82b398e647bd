"""Reads zip archives.

A zip archive says everything twice: in front of each member, and in the list of all members at its end. Readers differ
in which they believe, and in what they do with bytes that belong to neither. Here both must agree, and the members
must fill the archive from its first byte to that list, without gaps and overlaps. So all readers see the same files,
and no part of the archive is unpacked twice. `zipfile` allows all of that, as it reads as much as it can.

Sources: PKWARE, APPNOTE.TXT 6.3.10, sections 4.3 to 4.6; Fifield, "A better zip bomb" (WOOT 2019), for overlaps.
"""

import stat
import struct
import zlib
from dataclasses import dataclass
from typing import IO

from arena.submissions.archives.members import MAX_MEMBERS, Kind, Members

MEMBER = b"PK\x03\x04"
END = b"PK\x05\x06"

_LISTED = b"PK\x01\x02"
_DESCRIPTOR = b"PK\x07\x08"
_END_OF_LARGE = b"PK\x06\x07"
_END_FIELDS = struct.Struct("<4s4H2LH")
_LISTED_FIELDS = struct.Struct("<4s6H3L5H2L")
_MEMBER_FIELDS = struct.Struct("<4s5H3L2H")
_MAX_LIST_BYTES = 8_388_608
_MAX_COMMENT_BYTES = 65_535
_PIECE_BYTES = 65_536
_IN_16_BITS, _IN_32_BITS = 0xFFFF, 0xFFFFFFFF

_ENCRYPTED = 1 | 1 << 6 | 1 << 13
_SIZES_FOLLOW = 1 << 3
_PATCH = 1 << 5
_STORED, _DEFLATED = 0, 8
_METHODS = {9: "Deflate64", 12: "bzip2", 14: "LZMA", 93: "zstd", 95: "xz", 98: "PPMd", 99: "AES"}
_MS_DOS_FOLDER = 0x10
_UNICODE_PATH, _LARGE = 0x7075, 0x0001

_KINDS = {
    0: Kind.FILE,
    stat.S_IFREG: Kind.FILE,
    stat.S_IFDIR: Kind.FOLDER,
    stat.S_IFLNK: Kind.LINK,
    stat.S_IFCHR: Kind.DEVICE,
    stat.S_IFBLK: Kind.DEVICE,
    stat.S_IFIFO: Kind.PIPE,
}


@dataclass(slots=True)
class _Listed:
    """A member as the list at the end has it."""

    raw_name: bytes
    flags: int
    method: int
    crc: int
    packed_bytes: int
    size: int
    attributes: int
    offset: int

    @property
    def name(self) -> str:
        """The name as text; bytes that aren't UTF-8 become characters that no name may have."""
        return self.raw_name.decode("utf-8", "surrogateescape")

    @property
    def mode(self) -> int:
        """File type and permissions as in Unix; 0 if the archive doesn't have them."""
        return self.attributes >> 16

    @property
    def kind(self) -> Kind:
        kind = _KINDS.get(stat.S_IFMT(self.mode), Kind.OTHER)
        return Kind.FOLDER if kind is Kind.FILE and self.name.endswith("/") else kind


def read_zip(file: IO[bytes], size: int, members: Members) -> None:
    """Add the files of a zip archive of this size to `members`. Raises BadFile."""
    list_at, listed = _list(file, size, members)
    listed.sort(key=lambda one: one.offset)
    wanted: list[tuple[_Listed, str, int]] = []
    at = 0
    for number, one in enumerate(listed):
        if one.offset != at:
            wrong = (
                "overlaps another one" if one.offset < at else "comes after bytes that belong to no member"
            )
            raise members.damaged(f"this member {wrong}", one.name)
        until = listed[number + 1].offset if number + 1 < len(listed) else list_at
        content_at = _checked(file, one, until, members)
        path = members.take(one.name, one.kind, one.mode)
        is_folder = one.kind is Kind.FOLDER or bool(one.attributes & _MS_DOS_FOLDER)
        if is_folder and (one.size or not one.name.endswith("/")):
            raise members.two_kinds(one.name)
        if path is not None:
            members.expect(one.name, one.size)
            wanted.append((one, path, content_at))
        at = until
    if at != list_at:
        raise members.damaged("it has bytes that belong to no member")
    for one, path, content_at in wanted:  # after all the others have been checked
        members.add(path, _content(file, one, content_at, members), one.mode)


def _list(file: IO[bytes], size: int, members: Members) -> tuple[int, list[_Listed]]:
    """Return where the list of all members begins, and the list."""
    end_at, (_, disk, list_disk, here, count, list_bytes, list_at, _) = _end(file, size, members)
    if _IN_16_BITS in (here, count) or _IN_32_BITS in (list_bytes, list_at):
        raise members.damaged("it has the format of archives above 4 GiB (zip64)")
    if disk or list_disk or here != count:
        raise members.damaged("it is one part of several")
    if count > MAX_MEMBERS or list_bytes > _MAX_LIST_BYTES:
        raise members.too_many()
    if list_at + list_bytes != end_at:
        raise members.damaged(
            "its list of members isn't where it says, or something is in front of the archive"
        )
    file.seek(list_at)
    content = file.read(list_bytes)
    if len(content) != list_bytes:
        raise members.damaged("it ends too early")
    listed, at = [], 0
    for _ in range(count):
        members.count()
        one, at = _one_listed(content, at, members)
        listed.append(one)
    if at != len(content):
        raise members.damaged("its list of members is longer than it says")
    return list_at, listed


def _end(file: IO[bytes], size: int, members: Members) -> tuple[int, tuple[int, ...]]:
    """Return the place and the fields of the record at the end of an archive."""
    file.seek(max(0, size - _END_FIELDS.size - _MAX_COMMENT_BYTES - len(_END_OF_LARGE) - 16))
    tail = file.read(size - file.tell())
    at = tail.rfind(END)
    if at < 0 or len(tail) - at < _END_FIELDS.size:
        raise members.damaged("it ends too early, or something follows its end")
    fields = _END_FIELDS.unpack_from(tail, at)
    if at + _END_FIELDS.size + fields[-1] != len(tail):
        raise members.damaged("its end isn't where it says, or something follows it")
    if tail[max(0, at - 20) : at].startswith(_END_OF_LARGE):
        raise members.damaged("it has the format of archives above 4 GiB (zip64)")
    return size - len(tail) + at, fields


def _one_listed(content: bytes, at: int, members: Members) -> tuple[_Listed, int]:
    """Return the member that is listed at a place, and the place of the next."""
    if len(content) - at < _LISTED_FIELDS.size or not content.startswith(_LISTED, at):
        raise members.damaged("its list of members can't be read")
    fields = _LISTED_FIELDS.unpack_from(content, at)
    _, _, _, flags, method, _, _, crc, packed, size, *lengths, disk, _, attributes, offset = fields
    at += _LISTED_FIELDS.size
    end = at + sum(lengths)
    if end > len(content):
        raise members.damaged("its list of members can't be read")
    raw_name = content[at : at + lengths[0]]
    one = _Listed(raw_name, flags, method, crc, packed, size, attributes, offset)
    if disk:
        raise members.damaged("it is one part of several")
    if _IN_32_BITS in (packed, size, offset):
        raise members.damaged("it has the format of files above 4 GiB (zip64)", one.name)
    _extra_fields(content[at + lengths[0] : at + lengths[0] + lengths[1]], one, members)
    return one, end


def _checked(file: IO[bytes], one: _Listed, until: int, members: Members) -> int:
    """Check what is in front of a member and behind it, up to the next; return where its content begins."""
    if one.flags & _ENCRYPTED:
        raise members.refused(one.name, "is encrypted", "make the archive again without a password")
    if one.method not in (_STORED, _DEFLATED) or one.flags & _PATCH:
        method = _METHODS.get(one.method, f"method {one.method}")
        raise members.refused(
            one.name,
            f"is compressed by {method}",
            "make the archive again with Deflate, the usual method of zip",
        )
    file.seek(one.offset)
    start = file.read(_MEMBER_FIELDS.size)
    if len(start) < _MEMBER_FIELDS.size or not start.startswith(MEMBER):
        raise members.damaged("there is no member where its list has one", one.name)
    _, _, flags, method, _, _, crc, packed, size, name_bytes, extra_bytes = _MEMBER_FIELDS.unpack(start)
    raw_name, extra = file.read(name_bytes), file.read(extra_bytes)
    if raw_name != one.raw_name:
        raise members.damaged(
            f"its list of members calls it {one.name[:120]!r}", raw_name.decode("utf-8", "surrogateescape")
        )
    extra_fields = _extra_fields(extra, one, members)
    if flags != one.flags or method != one.method:
        raise members.damaged("its list of members says something else about it", one.name)
    given = (crc, *_sizes(packed, size, extra_fields))
    wanted = (one.crc, one.packed_bytes, one.size)
    if given != wanted and not (flags & _SIZES_FOLLOW and not any(given)):
        raise members.damaged("its list of members says something else about its size or checksum", one.name)
    content_at: int = one.offset + _MEMBER_FIELDS.size + name_bytes + extra_bytes
    rest = until - content_at - one.packed_bytes
    if rest < 0:
        raise members.damaged("this member overlaps another one", one.name)
    if flags & _SIZES_FOLLOW:
        file.seek(content_at + one.packed_bytes)
        _check_descriptor(file.read(min(rest, 25)), one, members)
    elif rest:
        raise members.damaged("bytes that belong to no member follow this one", one.name)
    return content_at


def _check_descriptor(content: bytes, one: _Listed, members: Members) -> None:
    """Check the sizes behind a member, with or without a signature, in 32 or 64 bits."""
    fields = content.removeprefix(_DESCRIPTOR) if len(content) in (16, 24) else content
    form = {12: "<3L", 20: "<LQQ"}.get(len(fields))
    if form is None or struct.unpack(form, fields) != (one.crc, one.packed_bytes, one.size):
        raise members.damaged("the sizes behind it are wrong", one.name)


def _sizes(packed: int, size: int, extra_fields: dict[int, bytes]) -> tuple[int, int]:
    """Return the sizes in front of a member, which may be in 64 bits even if they are small."""
    if packed == size == _IN_32_BITS:
        large = extra_fields.get(_LARGE, b"")
        if len(large) >= 16:
            size, packed = struct.unpack_from("<QQ", large)
    return packed, size


def _extra_fields(extra: bytes, one: _Listed, members: Members) -> dict[int, bytes]:
    """Return the extra fields of a member by their ids; zeros may fill up the last bytes.

    Raises BadFile if an id is there twice, if the last field is cut off, or if the field for names in Unicode has
    another name.
    """
    fields: dict[int, bytes] = {}
    at, end = 0, len(extra.rstrip(b"\0"))
    while at < end:
        if len(extra) - at < 4:
            raise members.damaged("an extra field runs past its end", one.name)
        number, length = struct.unpack_from("<HH", extra, at)
        at += 4
        if at + length > len(extra):
            raise members.damaged("an extra field runs past its end", one.name)
        if number in fields:
            raise members.damaged(f"it has two extra fields 0x{number:04x}", one.name)
        fields[number] = extra[at : at + length]
        at += length
    other = fields.get(_UNICODE_PATH)
    if other is not None and other[5:] != one.raw_name:
        raise members.damaged(f"it has a second name, {other[5:125].decode(errors='replace')!r}", one.name)
    return fields


def _content(file: IO[bytes], one: _Listed, at: int, members: Members) -> bytes:
    """Return the content of a member. Raises BadFile unless its size and checksum are right."""
    file.seek(at)
    if one.method == _STORED:
        if one.packed_bytes != one.size:
            raise members.damaged("its size is wrong", one.name)
        content = file.read(one.size)
    else:
        content = _inflated(file, one, members)
    if len(content) != one.size or zlib.crc32(content) != one.crc:
        raise members.damaged("its content has not the size and checksum that it should have", one.name)
    return content


def _inflated(file: IO[bytes], one: _Listed, members: Members) -> bytes:
    """Return the content of a deflated member, up to one byte more than it should have."""
    decoder = zlib.decompressobj(-zlib.MAX_WBITS)
    found: list[bytes] = []
    left, room = one.packed_bytes, one.size + 1
    try:
        while left and room and not decoder.eof:
            data = file.read(min(left, _PIECE_BYTES))
            if not data:
                break
            left -= len(data)
            while data and room:
                piece = decoder.decompress(data, room)
                found.append(piece)
                room -= len(piece)
                data = decoder.unconsumed_tail
    except zlib.error as error:
        raise members.damaged(f"its content can't be unpacked: {error}", one.name) from None
    if not decoder.eof or decoder.unused_data or left:
        raise members.damaged("its content has not the size that it should have", one.name)
    return b"".join(found)

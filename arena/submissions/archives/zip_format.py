"""Reads and writes zip archives.

A zip archive says everything twice: in front of each member, and in the list of all members at its end, which is what
`zipfile` reads. Both must agree here, and the members must fill the archive from its first byte to that list, without
gaps and overlaps, so that no part of it is unpacked twice and nothing is hidden in it.

Sources: PKWARE, APPNOTE.TXT 6.3.10, sections 4.3 to 4.6; Fifield, "A better zip bomb" (WOOT 2019), for overlaps.
"""

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable
from typing import IO

from arena.submissions.archives.members import MAX_MEMBERS, Kind, Members
from arena.submissions.folder import File

MEMBER = b"PK\x03\x04"
END = b"PK\x05\x06"

_LISTED = b"PK\x01\x02"
_DESCRIPTOR = b"PK\x07\x08"
_END_OF_LARGE = b"PK\x06\x07"
_END_OF_LARGE_BYTES = 20
_END_FIELDS = struct.Struct("<4s4H2LH")
_MEMBER_FIELDS = struct.Struct("<4s5H3L2H")
_MAX_LIST_BYTES = 4_194_304
_MAX_COMMENT_BYTES = 65_535
_PIECE_BYTES = 65_536
_IN_32_BITS = 0xFFFFFFFF

_ENCRYPTED = 1 | 1 << 6 | 1 << 13
_SIZES_FOLLOW = 1 << 3
_PATCH = 1 << 5
_METHODS = {9: "Deflate64", 12: "bzip2", 14: "LZMA", 93: "zstd", 95: "xz", 98: "PPMd", 99: "AES"}
_MS_DOS_FOLDER = 0x10
_UNICODE_PATH, _LARGE = 0x7075, 0x0001

_DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest that the format has."""
_UNIX = 3
_READ = 0o100644
_EXECUTE = 0o100755

_KINDS = {
    0: Kind.FILE,
    stat.S_IFREG: Kind.FILE,
    stat.S_IFDIR: Kind.FOLDER,
    stat.S_IFLNK: Kind.LINK,
    stat.S_IFCHR: Kind.DEVICE,
    stat.S_IFBLK: Kind.DEVICE,
    stat.S_IFIFO: Kind.PIPE,
}


def zip_of(files: Iterable[File], top: str) -> bytes:
    """Return files as a zip archive with the single top folder `top`; see `write_zip`."""
    into = io.BytesIO()
    write_zip(files, top, into)
    return into.getvalue()


def write_zip(files: Iterable[File], top: str, into: IO[bytes]) -> None:
    """Write files as a zip archive with the single top folder `top`.

    The bytes depend on nothing but the files and `top`: members are in the order of their paths, without times, and
    not compressed, because compressors differ from machine to machine.
    """
    with zipfile.ZipFile(into, "w", zipfile.ZIP_STORED) as archive:
        for file in sorted(files, key=lambda file: file.path):
            info = zipfile.ZipInfo(f"{top}/{file.path}", _DATE)
            info.create_system = _UNIX
            info.external_attr = (_EXECUTE if file.executable else _READ) << 16
            archive.writestr(info, file.content)


def read_zip(file: IO[bytes], size: int, members: Members) -> None:
    """Add the files of a zip archive of this size to `members`. Raises BadFile."""
    list_at, count = _list(file, size, members)
    try:
        listed = zipfile.ZipFile(file, metadata_encoding="utf-8").infolist()
    except UnicodeDecodeError:
        raise members.damaged("a name in its list of members is not in UTF-8") from None
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise members.damaged(f"its list of members can't be read: {error}") from None
    if len(listed) != count:
        raise members.damaged(f"its list has {len(listed):,} members instead of {count:,}")
    wanted: list[tuple[zipfile.ZipInfo, str, int]] = []
    listed.sort(key=lambda one: one.header_offset)
    starts = [*(one.header_offset for one in listed), list_at]
    if starts[0]:
        raise members.damaged("it begins with bytes that belong to no member")
    for one, until in zip(listed, starts[1:], strict=True):
        members.count()
        name, mode, is_folder = one.orig_filename, one.external_attr >> 16, one.orig_filename.endswith("/")
        content_at = _checked(file, one, until, members)
        kind = _KINDS.get(stat.S_IFMT(mode), Kind.OTHER)
        kind = Kind.FOLDER if kind is Kind.FILE and is_folder else kind
        path = members.take(name, kind, mode)
        if (kind is Kind.FOLDER or one.external_attr & _MS_DOS_FOLDER) and (one.file_size or not is_folder):
            raise members.two_kinds(name)
        if path is not None:
            members.expect(name, one.file_size)
            wanted.append((one, path, content_at))
    for one, path, content_at in wanted:  # after all the others have been checked
        members.add(path, _content(file, one, content_at, members), one.external_attr >> 16)


def _list(file: IO[bytes], size: int, members: Members) -> tuple[int, int]:
    """Return where the list of all members begins, and their number, within limits: `zipfile` has none."""
    file.seek(max(0, size - _END_FIELDS.size - _MAX_COMMENT_BYTES - _END_OF_LARGE_BYTES))
    tail = file.read()
    at = tail.rfind(END)
    if at < 0 or len(tail) - at < _END_FIELDS.size:
        raise members.damaged("it ends too early, or something follows its end")
    *_, count, list_bytes, list_at, comment_bytes = _END_FIELDS.unpack_from(tail, at)
    if at + _END_FIELDS.size + comment_bytes != len(tail):
        raise members.damaged("its end isn't where it says, or something follows it")
    if tail[max(0, at - _END_OF_LARGE_BYTES) : at].startswith(_END_OF_LARGE) or list_at == _IN_32_BITS:
        raise members.damaged("it has the format of archives above 4 GiB (zip64)")
    if list_at + list_bytes != size - len(tail) + at:
        raise members.damaged(
            "its list of members isn't where it says, or something is in front of the archive"
        )
    file.seek(list_at)
    if list_bytes > _MAX_LIST_BYTES or file.read(list_bytes).count(_LISTED) > MAX_MEMBERS:
        raise members.too_large(f"{MAX_MEMBERS:,} members")
    return list_at, count


def _checked(file: IO[bytes], one: zipfile.ZipInfo, until: int, members: Members) -> int:
    """Check what is in front of a member and behind it, up to the next; return where its content begins."""
    name = one.orig_filename
    if one.flag_bits & _ENCRYPTED:
        raise members.refused(name, "is encrypted", "make the archive again without a password")
    if one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or one.flag_bits & _PATCH:
        method = _METHODS.get(one.compress_type, f"method {one.compress_type}")
        hint = "make the archive again with Deflate, the usual method of zip"
        raise members.refused(name, f"is compressed by {method}", hint)
    file.seek(one.header_offset)
    start = file.read(_MEMBER_FIELDS.size)
    if len(start) < _MEMBER_FIELDS.size or not start.startswith(MEMBER):
        raise members.damaged("there is no member where its list has one", name)
    _, _, flags, method, _, _, crc, packed, size, name_bytes, extra_bytes = _MEMBER_FIELDS.unpack(start)
    front_name = file.read(name_bytes).decode("utf-8", "surrogateescape")
    if front_name != name:
        raise members.damaged(f"its list of members calls it {name[:120]!r}", front_name)
    _extra_fields(one.extra, name, members)
    large = _extra_fields(file.read(extra_bytes), name, members).get(_LARGE, b"")
    if packed == size == _IN_32_BITS and len(large) >= 16:  # which may be small even so
        size, packed = struct.unpack_from("<QQ", large)
    listed = one.CRC, one.compress_size, one.file_size
    follow = flags & _SIZES_FOLLOW
    if (flags, method) != (one.flag_bits, one.compress_type) or max(listed) >= _IN_32_BITS:
        raise members.damaged("its list of members says something else about it", name)
    if (crc, packed, size) != listed and not (follow and not (crc or packed or size)):
        raise members.damaged("its list of members says something else about its size or checksum", name)
    content_at: int = one.header_offset + len(start) + name_bytes + extra_bytes
    file.seek(content_at + one.compress_size)
    behind = until - file.tell()
    if behind < 0:
        raise members.damaged("this member overlaps another one", name)
    forms = [struct.pack("<3L", *listed), struct.pack("<LQQ", *listed)] if follow else [b""]
    if file.read(min(behind, 25)).removeprefix(_DESCRIPTOR if behind in (16, 24) else b"") not in forms:
        wrong = (
            "the sizes behind it are wrong" if follow else "bytes that belong to no member follow this one"
        )
        raise members.damaged(wrong, name)
    return content_at


def _extra_fields(extra: bytes, name: str, members: Members) -> dict[int, bytes]:
    """Return the extra fields of a member by their ids; zeros may fill up the last bytes.

    Raises BadFile if an id is there twice, if the last field is cut off, or if the field for names in Unicode has
    another name.
    """
    fields: dict[int, bytes] = {}
    at, end = 0, len(extra.rstrip(b"\0"))
    while at < end:
        number, length = struct.unpack_from("<HH", extra.ljust(at + 4, b"\xff"), at)
        at += 4 + length
        if at > len(extra):
            raise members.damaged("an extra field runs past its end", name)
        if number in fields:
            raise members.damaged(f"it has two extra fields 0x{number:04x}", name)
        fields[number] = extra[at - length : at]
    other = fields.get(_UNICODE_PATH)
    if other is not None and other[5:] != name.encode("utf-8", "surrogateescape"):
        raise members.damaged(f"it has a second name, {other[5:125].decode(errors='replace')!r}", name)
    return fields


def _content(file: IO[bytes], one: zipfile.ZipInfo, at: int, members: Members) -> bytes:
    """Return the content of a member. Raises BadFile unless its size and checksum are right.

    `zipfile` would unpack a gigabyte at once, cut it at the size that is listed, and ignore what follows it.
    """
    file.seek(at)
    content, left = bytearray(), one.compress_size
    decoder = None if one.compress_type == zipfile.ZIP_STORED else zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        while len(content) <= one.file_size and not (decoder and decoder.eof):
            data = file.read(min(left, _PIECE_BYTES))
            if not data:
                break
            left -= len(data)
            content += decoder.decompress(data, one.file_size + 1 - len(content)) if decoder else data
    except zlib.error as error:
        raise members.damaged(f"its content can't be unpacked: {error}", one.orig_filename) from None
    is_whole = not left and (decoder is None or (decoder.eof and not decoder.unused_data))
    if not is_whole or len(content) != one.file_size or zlib.crc32(content) != one.CRC:
        raise members.damaged(
            "its content has not the size and checksum that it should have", one.orig_filename
        )
    return bytes(content)

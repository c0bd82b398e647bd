"""Bots to submit: folders with builds, archives of every kind, and taking them in."""

import io
import struct
import tarfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.sandbox.bot_program import Bounds
from arena.sandbox.confinement import UNCONFINED, Confinement, choose
from arena.submissions.build import Builder
from arena.submissions.entering import Candidate, enter_submission, look_at, submission_of
from arena.submissions.folder import keep
from arena.submissions.kept_version_files import versions_folder
from arena.submissions.launch_spec import runtimes_beside
from arena.submissions.read_source import Intake, read_source
from results.records import VersionRecord
from results.store import Store

MANIFEST = b'name = "mine"\nauthor = "me"\ncommand = ["python3", "bot.py"]\ngames = ["bread-basket"]\n'


@dataclass
class Zipped:
    """A member of a zip archive. What is None follows from the rest; what is given may be a lie."""

    name: str | bytes
    content: bytes = b""
    method: int = 8
    mode: int = 0o100644
    flags: int = 0
    attributes: int | None = None
    packed: bytes | None = None
    crc: int | None = None
    size: int | None = None
    front_name: str | bytes | None = None
    front_crc: int | None = None
    front_size: int | None = None
    front_flags: int | None = None
    extra: bytes = b""
    front_extra: bytes = b""
    behind: bytes = b""
    at: int | None = None
    """Where the list says that it begins."""


def zipped(
    *members: Zipped,
    in_front: bytes = b"",
    before_list: bytes = b"",
    behind: bytes = b"",
    comment: bytes = b"",
    count: int | None = None,
    list_at: int | None = None,
    before_end: bytes = b"",
) -> bytes:
    """Return a zip archive of these members."""
    body, listed = bytearray(in_front), bytearray()
    for one in members:
        name, front_name = _bytes(one.name), _bytes(one.name if one.front_name is None else one.front_name)
        packed = one.packed if one.packed is not None else _packed(one.content, one.method)
        crc = zlib.crc32(one.content) if one.crc is None else one.crc
        size = len(one.content) if one.size is None else one.size
        front_flags = one.flags if one.front_flags is None else one.front_flags
        front_crc = crc if one.front_crc is None else one.front_crc
        front_size = size if one.front_size is None else one.front_size
        front_packed = 0 if front_flags & 8 and one.front_size == 0 else len(packed)
        attributes = one.mode << 16 if one.attributes is None else one.attributes
        at = len(body) if one.at is None else one.at
        front = front_crc, front_packed, front_size, len(front_name), len(one.front_extra)
        body += struct.pack("<4s5H3L2H", b"PK\x03\x04", 20, front_flags, one.method, 0, 33, *front)
        body += front_name + one.front_extra + packed + one.behind
        listed += struct.pack(
            "<4s6H3L5H2L", b"PK\x01\x02", 0x0314, 20, one.flags, one.method, 0, 33, crc, len(packed), size, len(name),
            len(one.extra), 0, 0, 0, attributes, at,
        )  # fmt: skip
        listed += name + one.extra
    body += before_list
    number = len(members) if count is None else count
    end = struct.pack(
        "<4s4H2LH", b"PK\x05\x06", 0, 0, number, number, len(listed), len(body) if list_at is None else list_at,
        len(comment),
    )  # fmt: skip
    return bytes(body + listed + before_end + end + comment + behind)


def _bytes(name: str | bytes) -> bytes:
    return name.encode() if isinstance(name, str) else name


def _packed(content: bytes, method: int) -> bytes:
    if method != 8:
        return content
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


BOT_TOML = Zipped("bot.toml", MANIFEST)
"""What makes an archive one of a bot."""


def tarred(*members: tuple[tarfile.TarInfo, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    """Return a tar archive of these members."""
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w", format=form) as tar:
        for info, content in members:
            tar.addfile(info, io.BytesIO(content))
    return into.getvalue()


def info(
    name: str, content: bytes = b"", kind: bytes = tarfile.REGTYPE, mode: int = 0o644
) -> tuple[tarfile.TarInfo, bytes]:
    """Return a member for `tarred`."""
    found = tarfile.TarInfo(name)
    found.type, found.mode, found.size = kind, mode, len(content)
    return found, content


TAR_BOT_TOML = info("bot.toml", MANIFEST)


def header(name: bytes, kind: bytes, content: bytes = b"", *, size: int | None = None) -> bytes:
    """Return a raw tar header with its content, such as an extended header."""
    number = len(content) if size is None else size
    block = bytearray(512)
    block[: len(name)] = name
    block[100:108], block[108:116], block[116:124] = b"0000644\0", b"0000000\0", b"0000000\0"
    block[124:136], block[136:148] = b"%011o\0" % number, b"00000000000\0"
    block[148:156], block[156:157], block[257:265] = b" " * 8, kind, b"ustar\x0000"
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block) + content + bytes(-len(content) % 512)


def pax(*records: tuple[str, str]) -> bytes:
    """Return the content of a pax header."""
    found = b""
    for key, value in records:
        rest = f" {key}={value}\n".encode()
        length = len(rest)
        while len(str(length)) + len(rest) != length:
            length = len(str(length)) + len(rest)
        found += str(length).encode() + rest
    return found


def archive(folder: Path, content: bytes, name: str = "bot.zip") -> Path:
    """Write an archive and return its path."""
    path = folder / name
    path.write_bytes(content)
    return path


def tree(folder: Path, files: Iterable[tuple[str, bytes, int]]) -> Path:
    """Write files (path, content, mode) below a new folder and return it."""
    for path, content, mode in files:
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        place.chmod(mode)
    return folder


CONTENT = b"print('hello')\n"
PY = Zipped("bot.py", CONTENT)
FOLLOWS = {"flags": 8, "front_crc": 0, "front_size": 0}


def with_one(*members: Zipped, **how: object) -> bytes:
    return zipped(BOT_TOML, *members, **how)  # type: ignore[arg-type]


def descriptor(content: bytes, packed: int) -> bytes:
    return struct.pack("<4s3L", b"PK\x07\x08", zlib.crc32(content), packed, len(content))


def tar_with(*raw: bytes) -> bytes:
    """Return a tar archive with these raw blocks after the bot.toml, and two blocks of zeros."""
    return header(b"bot.toml", b"0", MANIFEST) + b"".join(raw) + bytes(1024)


def unicode_path(name: bytes) -> bytes:
    """Return the extra field of a zip archive for a name in Unicode."""
    return struct.pack("<HHBL", 0x7075, 5 + len(name), 1, zlib.crc32(name)) + name


TIMES = b"14536075452\0" * 2
"""Two times as GNU tar writes them in incremental backups, where POSIX has the prefix of a name."""


def prefixed(magic: bytes, prefix: bytes, kind: bytes = b"0") -> bytes:
    """Return a raw tar header of bot.py with these bytes where POSIX has the prefix of a name."""
    block = bytearray(header(b"bot.py", kind))
    block[257:265], block[345 : 345 + len(prefix)] = magic, prefix
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def behind(extended: bytes, more: bytes) -> bytes:
    """Return an extended header with more where zeros should fill up its content's last block."""
    return (extended.rstrip(b"\0") + more).ljust(len(extended), b"\0")


BUILT_TOML = """\
name = "{name}"
author = "me"
command = ["sh", "bot.sh"]
build = ["sh", "build.sh"]
games = ["bread-basket"]
"""


def folder_of(place: Path, build: str, name: str = "mine") -> Path:
    """Make a bot's folder whose build runs these lines of shell."""
    place.mkdir(parents=True)
    (place / "bot.toml").write_text(BUILT_TOML.format(name=name))
    (place / "build.sh").write_text(build)
    (place / "bot.txt").write_text("echo hello\n")
    return place


def confined() -> Confinement:
    """Return the strongest confinement of this machine."""
    return choose("auto", Bounds())[0]


def built(folder: Path, files: Path, confinement: Confinement = UNCONFINED) -> Intake:
    """Return a folder as built, for a store whose files are in `files`."""
    return Builder(files, lambda: confinement).built(read_source(folder))


def take_in(folder: Path, store: Store) -> Candidate:
    """Read a bot's folder and keep its files next to the store."""
    candidate = look_at(folder, store, runtimes_beside(store.path))
    keep(candidate.intake.files, candidate.folder)
    return candidate


def enter_checked(
    store: Store, candidate: Candidate, report: dict[str, dict[str, Any]], *, deterministic: bool = True
) -> VersionRecord:
    """Enter a bot as a version that passed its check with this report."""
    submission = submission_of(candidate, versions_folder(store), report, deterministic=deterministic)
    return enter_submission(store, submission)[0]

"""Archives that are refused: the message names the archive and the member, and nothing is left behind."""

import gzip
import lzma
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.core.errors import BadFile
from arena.submissions.archives.members import MAX_MEMBERS
from arena.submissions.folder import DEFAULT_LIMITS, MAX_DEPTH
from arena.submissions.read_source import read_source
from tests.support.submissions import (
    BOT_TOML,
    CONTENT,
    FOLLOWS,
    MANIFEST,
    PY,
    TAR_BOT_TOML,
    TIMES,
    Zipped,
    archive,
    behind,
    descriptor,
    header,
    info,
    pax,
    prefixed,
    tar_with,
    tarred,
    unicode_path,
    with_one,
    zipped,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Content = bytes | Callable[[], bytes]
"""An archive, or what makes one that takes long to make."""

ZIPS: dict[str, tuple[Content, str]] = {
    "..": (with_one(Zipped("../evil.py")), "'../evil.py' leads out of the archive"),
    ".. inside": (with_one(Zipped("lib/../../evil.py")), "leads out of the archive"),
    "absolute": (with_one(Zipped("/etc/passwd")), "'/etc/passwd' has an absolute path"),
    "drive": (with_one(Zipped("C:/evil.py")), "'C:/evil.py' begins with a drive letter"),
    "backslash": (with_one(Zipped("lib\\evil.py")), "has a backslash in its name"),
    "control": (with_one(Zipped("a\x1b[31m.py")), r"'a\x1b[31m.py' has a name with control characters"),
    "line feed": (with_one(Zipped("a\nb.py")), "control characters"),
    "NUL": (with_one(Zipped("bot.py\0.txt")), "control characters"),
    "right to left": (with_one(Zipped("a\u202eyp.b")), "control characters"),
    "not UTF-8": (with_one(Zipped(b"caf\xe9.py")), "not in UTF-8"),
    "no name": (with_one(Zipped("")), "'' has"),
    "empty part": (with_one(Zipped("lib//bot.py")), "'lib//bot.py' has an empty part"),
    "dot": (with_one(Zipped("lib/./bot.py")), "an empty part or `.`"),
    "long name": (with_one(Zipped("x" * 256)), "has too long a name: the limits are 255 bytes"),
    "long path": (with_one(Zipped("/".join(["x" * 250] * 17))), "has too long a name"),
    "deep": (with_one(Zipped("d/" * (MAX_DEPTH + 1) + "f")), "is too deep: the limit is 16 nested folders"),
    "link": (with_one(Zipped("a", b"/etc/passwd", mode=0o120777)), "'a' is a symbolic link"),
    "device": (with_one(Zipped("a", mode=0o020666)), "'a' is a device"),
    "disk": (with_one(Zipped("a", mode=0o060666)), "'a' is a device"),
    "pipe": (with_one(Zipped("a", mode=0o010666)), "'a' is a named pipe"),
    "socket": (with_one(Zipped("a", mode=0o140666)), "'a' is not a regular file"),
    "set-user-ID": (with_one(Zipped("a", mode=0o104755)), "'a' has the set-user-ID or set-group-ID bit"),
    "twice": (with_one(PY, PY), "'bot.py' is in it twice"),
    "case": (with_one(Zipped("Lib/a"), Zipped("lib/b")), "'lib' and 'Lib' are the same name on some systems"),
    "Unicode": (with_one(Zipped("é"), Zipped("e\u0301")), "are the same name on some systems"),
    "sharp s": (with_one(Zipped("straße"), Zipped("STRASSE")), "are the same name on some systems"),
    "file and folder": (with_one(Zipped("a"), Zipped("a/b")), "'a' is both a file and a folder"),
    "folder and file": (with_one(Zipped("a/b"), Zipped("a")), "'a' is both a file and a folder"),
    "folder with content": (with_one(Zipped("a/", b"x")), "'a/' is both a file and a folder"),
    "folder by MS-DOS": (with_one(Zipped("a", attributes=0x10)), "'a' is both a file and a folder"),
    "encrypted": (with_one(Zipped("a", b"x", flags=1)), "'a' is encrypted"),
    "bzip2": (with_one(Zipped("a", b"x", method=12)), "'a' is compressed by bzip2"),
    "AES": (with_one(Zipped("a", b"x", method=99)), "'a' is compressed by AES"),
    "unknown method": (with_one(Zipped("a", b"x", method=77)), "'a' is compressed by method 77"),
    "other name in front": (with_one(Zipped("a.py", front_name="b.py")), "'b.py': its list of members calls it 'a.py'"),
    "other name in Unicode": (
        with_one(Zipped("a.py", extra=unicode_path(b"evil"))),
        "it has a second name, 'evil'",
    ),
    "second name after the first": (
        with_one(Zipped("a.py", extra=unicode_path(b"a.py") + unicode_path(b"evil"))),
        "'a.py': it has two extra fields 0x7075",
    ),
    "second name in front": (
        with_one(Zipped("a.py", front_extra=unicode_path(b"a.py") + unicode_path(b"evil"))),
        "'a.py': it has two extra fields 0x7075",
    ),
    "extra field cut off": (
        with_one(Zipped("a.py", extra=unicode_path(b"a.py")[:-1])), "can't be read: Corrupt extra field"
    ),
    "extra field cut off in front": (
        with_one(Zipped("a.py", front_extra=b"UT\x05\0")), "'a.py': an extra field runs past its end"
    ),
    "extra field without a length": (
        with_one(Zipped("a.py", extra=b"UT\0")), "'a.py': an extra field runs past its end"
    ),
    "other flags in front": (with_one(Zipped("a", front_flags=1 << 11)), "says something else about it"),
    "other size in front": (with_one(Zipped("a", b"xy", front_size=1)), "something else about its size"),
    "other checksum in front": (with_one(Zipped("a", b"xy", front_crc=1)), "something else about its size"),
    "wrong checksum": (with_one(Zipped("a", b"xy", crc=1)), "'a': its content has not the size and checksum"),
    "wrong size": (with_one(Zipped("a", b"xy", size=3)), "'a': its content has not the size"),
    "unpacks to more": (with_one(Zipped("a", b"x" * 5000, size=3)), "'a': its content has not the size"),
    "wrong stored size": (with_one(Zipped("a", b"xy", method=0, size=3)), "'a': its content has not the size"),
    "no deflate": (with_one(Zipped("a", b"xy", packed=b"\xff" * 9)), "'a': its content can't be unpacked"),
    "more after deflate": (
        with_one(Zipped("a", b"", packed=b"\x03\x00rest")),
        "'a': its content has not the size",
    ),
    "wrong descriptor": (
        with_one(Zipped("a", b"x" * 50, behind=descriptor(b"y", 5), **FOLLOWS)),  # type: ignore[arg-type]
        "'a': the sizes behind it are wrong",
    ),
    "no descriptor": (with_one(Zipped("a", b"x", **FOLLOWS)), "the sizes behind it are wrong"),  # type: ignore[arg-type]
    "overlap": (with_one(PY, Zipped("again.py", CONTENT, at=0)), "overlaps another one"),
    "overlap inside": (
        zipped(BOT_TOML, Zipped("a", b"", packed=b"x" * 60, method=0, size=60), Zipped("b", at=150)),
        "damaged",
    ),
    "something in front": (with_one(PY, in_front=b"#!/bin/sh\n"), "not an archive"),
    "gap": (with_one(Zipped("a", b"x", behind=b"hidden")), "'a': bytes that belong to no member"),
    "gap before the list": (with_one(PY, before_list=b"hidden"), "belong to no member"),
    "something behind": (with_one(PY, behind=b"x"), "its end isn't where it says"),
    "two archives": (with_one(PY) + with_one(Zipped("evil.py")), "isn't where it says"),
    "another list": (with_one(PY, before_end=with_one(PY)[-150:]), "isn't where it says"),
    "fewer than listed": (with_one(PY, count=1), "its list has 2 members instead of 1"),
    "more than listed": (with_one(PY, count=3), "its list has 2 members instead of 3"),
    "zip64": (with_one(PY, list_at=0xFFFFFFFF), "zip64"),
    "truncated": (with_one(PY)[:-30], "ends too early"),
    "truncated by a byte": (with_one(PY)[:-1], "ends too early"),
    "no files": (zipped(), "is empty"),
    "only folders": (zipped(Zipped("mine/", mode=0o040755)), "is empty"),
    "no bot.toml": (zipped(PY), "has no bot.toml"),
    "bot.toml too deep": (zipped(Zipped("a/b/bot.toml", MANIFEST)), "at its top, but 'a/b/bot.toml'"),
    "two bots": (zipped(Zipped("a/bot.toml"), Zipped("b/bot.toml")), "has no bot.toml at its top"),
    "too many members": (
        lambda: zipped(*[Zipped(f".git/{n}") for n in range(MAX_MEMBERS + 1)]), "more than 10,000 members"
    ),
    "too many files": (with_one(*[Zipped(str(n)) for n in range(DEFAULT_LIMITS.files)]), "more than 1,000 files"),
    "too many folders": (with_one(*[Zipped(f"{n}/") for n in range(1_002)]), "more than 1,000 folders"),
    "ratio": (with_one(Zipped("zeros", bytes(8_000_000))), "unpacks to more than 250 times its size"),
    "a lie about its size": (with_one(Zipped("a", b"x", size=33_554_432)), "more than 32 MiB in files, 'a' included"),
}  # fmt: skip
LINKS = (
    (b"2", "a symbolic link"),
    (b"1", "a hard link"),
    (b"3", "a device"),
    (b"4", "a device"),
    (b"6", "a named pipe"),
)
TARS: dict[str, tuple[Content, str]] = {
    **{
        f"kind {kind.decode()}": (tar_with(header(b"a", kind)), f"'a' is {words}") for kind, words in LINKS
    },
    "sparse, GNU": (tar_with(header(b"a", b"S")), "'a' is a sparse file"),
    "sparse, pax": (
        tar_with(header(b"x", b"x", pax(("GNU.sparse.major", "1"))), header(b"a", b"0")),
        "'a' is a sparse file",
    ),
    "sparse, left out": (
        tar_with(header(b"x", b"x", pax(("GNU.sparse.name", "evil.py"))), header(b".git/a", b"0")),
        "'.git/a' is a sparse file",
    ),
    "sparse, GNU, left out": (tar_with(header(b".git/a", b"S")), "'.git/a' is a sparse file"),
    "sparse, GNU, with a map": (tar_with(prefixed(b"ustar  \0", bytes(41) + b"0", b"S")), "'bot.py' is a sparse file"),
    "more behind a pax header": (
        tar_with(behind(header(b"", b"x", pax(("path", "b"))), pax(("path", "c"))), header(b"a", b"0")),
        "something follows an extended header",
    ),
    "more behind a GNU name": (
        tar_with(behind(header(b"", b"L", b"b"), b".evil\0"), header(b"a", b"0")),
        "something follows an extended header",
    ),
    "another volume": (tar_with(header(b"a", b"M")), "'a' is not a regular file"),
    "..": (tar_with(header(b"../a", b"0")), "leads out of the archive"),
    ".. by pax": (tar_with(header(b"x", b"x", pax(("path", "../a"))), header(b"a", b"0")), "leads out of the archive"),
    ".. by GNU": (tar_with(header(b"././@LongLink", b"L", b"../a\0"), header(b"a", b"0")), "leads out of the archive"),
    "absolute": (tar_with(header(b"/a", b"0")), "has an absolute path"),
    "twice": (tar_with(header(b"a", b"0"), header(b"./a", b"0")), "'./a' is in it twice"),
    "file and folder": (tar_with(header(b"a/", b"0")), "'a/' is both a file and a folder"),
    "folder with content": (tar_with(header(b"a/", b"5", b"x")), "it is a folder, and has content"),
    "link with content": (tar_with(header(b".venv/a", b"2", b"x")), "it is a symbolic link, and has content"),
    "not UTF-8": (tar_with(header(b"caf\xe9", b"0")), "not in UTF-8"),
    "set-user-ID": (tarred(TAR_BOT_TOML, info("a", mode=0o4755)), "'a' has the set-user-ID"),
    "two names": (
        tar_with(header(b"", b"L", b"b\0"), header(b"", b"x", pax(("path", "c"))), header(b"a", b"0")),
        "a member has two names",
    ),
    "two pax headers": (
        tar_with(header(b"", b"x", pax(("path", "b"))), header(b"", b"x", pax(("path", "c"))), header(b"a", b"0")),
        "a member has two extended headers",
    ),
    **{
        f"{key} for all": (tar_with(header(b"", b"g", pax((key, "1"))), header(b"a", b"0")), f"sets {key!r}")
        for key in ("path", "size", "linkpath", "hdrcharset", "GNU.sparse.name", "GNU.sparse.major", "odd\nkey")
    },
    **{
        f"prefix, {how}": (tar_with(prefixed(magic, docs)), "'bot.py' has a prefix to its name")
        for how, magic, docs in (
            ("V7", bytes(8), b"docs"),
            ("V7, times", bytes(8), TIMES),
            ("GNU", b"ustar  \0", b"docs"),
            ("GNU, behind times", b"ustar  \0", TIMES + b"docs"),
            ("GNU, times", b"ustar  \0", TIMES),
            ("GNU, one time", b"ustar  \0", bytes(12) + TIMES[:12]),
            ("GNU, a path as times", b"ustar  \0", b"0715173170/".ljust(24, b"0")),
        )
    },
    "empty name by pax": (
        tar_with(header(b"", b"x", pax(("path", ""))), header(b"a", b"0")),
        "'a': an extended header gives it an empty name",
    ),
    "empty name by GNU": (
        tar_with(header(b"", b"L", b"\0"), header(b"a", b"0")), "'a': an extended header gives it an empty name"
    ),
    "empty name by both": (
        tar_with(header(b"", b"L", b"\0"), header(b"", b"x", pax(("path", ""))), header(b"a", b"0")), "an empty name"
    ),
    "pax can't be read": (tar_with(header(b"", b"x", b"99 path=a\n"), header(b"a", b"0")), "can't be read"),
    "pax with a size": (
        tar_with(header(b"", b"x", pax(("size", "-1"))), header(b"a", b"0")), "a size is no number"
    ),
    "a large extended header": (tar_with(header(b"", b"x", b"x" * 70_000)), "an extended header has 70,000 bytes"),
    "headers without a member": (tar_with(header(b"", b"x", pax(("path", "b")))), "within the headers of a member"),
    "too many headers": (tar_with(header(b"", b"g", b"") * (MAX_MEMBERS + 1)), "more than 10,000 members"),
    "too large": (tar_with(header(b"a", b"0", size=40_000_000)), "more than 32 MiB in files, 'a' included"),
    "wrong checksum": (tar_with(header(b"a", b"0").replace(b"a", b"b", 1)), "a header is wrong (bad checksum)"),
    "truncated content": (tar_with(header(b"a", b"0", b"x" * 9000))[:-4000], "it ends too early"),
    "no end": (tar_with()[:-1024], "it ends too early"),
    "something behind": (tar_with() + header(b"a", b"0"), "something follows its end"),
    "a zip behind": (tar_with() + with_one(PY), "something follows its end"),
    "empty": (bytes(10_240), "empty"),
}  # fmt: skip
OTHERS: dict[str, tuple[Content, str]] = {
    "gzip, truncated": (gzip.compress(tar_with())[:-10], "it ends too early"),
    "gzip, wrong checksum": (gzip.compress(tar_with())[:-8] + bytes(8), "incorrect data check"),
    "gzip, something behind": (gzip.compress(tar_with()) + b"rest", "what follows the end"),
    "gzip of no tar": (gzip.compress(b"hello" * 200), "there is no tar archive in it"),
    "gzip of little": (gzip.compress(b"hello"), "it ends too early"),
    "gzip of a zip": (gzip.compress(with_one(PY) + bytes(512)), "there is no tar archive in it"),
    "gzip of gzip": (gzip.compress(gzip.compress(os.urandom(2000))), "there is no tar archive in it"),
    "xz, truncated": (lzma.compress(tar_with())[:-10], "it ends too early"),
    "xz, damaged": (lzma.compress(tar_with())[:60] + b"x" * 60, "is damaged"),
    "xz that needs memory": (
        lambda: lzma.compress(tar_with(), filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 300_000_000, "preset": 0}]),
        "Memory usage limit",
    ),
    "zstd, truncated": (zstd.compress(tar_with())[:-10], "it ends too early"),
    "zstd, damaged": (zstd.compress(tar_with())[:20] + b"x" * 60, "is damaged"),
    "many in a row": (gzip.compress(b"") * 1_500, "more than 1,000 compressed files in a row"),
    "too much before compression": (
        lambda: gzip.compress(
            header(b"__pycache__/a", b"0", size=80_000_000) + os.urandom(700_000) + bytes(70_000_000), 1
        ),
        "more than 64 MiB before compression",
    ),
    "7-Zip": (b"7z\xbc\xaf\x27\x1c rest", "is a 7-Zip archive, which Arena does not read"),
    "bzip2": (b"BZh91AY&SY", "is a bzip2 archive, which Arena does not read"),
    "nothing": (b"", "is empty"),
    "text": (b"hello", "is not an archive"),
}  # fmt: skip


@pytest.mark.parametrize(
    "case", [*ZIPS, *(f"tar: {name}" for name in TARS), *(f"other: {name}" for name in OTHERS)]
)
def test_what_is_refused_is_named(tmp_path: Path, case: str) -> None:
    format_, _, name = case.rpartition(": ")
    content, words = (TARS if format_ == "tar" else OTHERS if format_ == "other" else ZIPS)[name]
    path = archive(tmp_path, content() if callable(content) else content, "bot.zip")
    with pytest.raises(BadFile) as caught:
        read_source(path)
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert caught.value.hint
    assert str(caught.value).isprintable()
    assert list(tmp_path.iterdir()) == [path]

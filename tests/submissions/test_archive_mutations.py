"""Whatever an archive contains, reading it returns files or says what is wrong, quickly and in little memory."""

import gzip
import io
import lzma
import random
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.core.errors import BadFile
from arena.submissions.archives import read_archive
from arena.submissions.folder import DEFAULT_LIMITS
from tests.support.submissions import BOT_TOML, MANIFEST, Zipped, header, pax, zipped

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FILES = {
    "bot.toml": MANIFEST,
    "bot.py": b"print('hello')\n" * 20,
    "lib/data": bytes(range(256)),
    "lib/näh": b"",
}


def _zip() -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in FILES.items():
            file.writestr(name, content)
    return into.getvalue()


def _tar(form: int) -> bytes:
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w", format=form) as file:
        for name, content in {**FILES, "lib/" + "long" * 40: b"x"}.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    return into.getvalue()


PLAIN = {"zip": _zip(), "pax": _tar(tarfile.PAX_FORMAT), "gnu": _tar(tarfile.GNU_FORMAT)}
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "as it is": bytes,
    "gzip": lambda content: gzip.compress(content, mtime=0),
    "xz": lzma.compress,
    "zstd": lambda content: bytes(zstd.compress(content)),
}


def mutated(content: bytes, seed: int, changes: int) -> bytes:
    """Return bytes with some changed, removed, doubled or put elsewhere."""
    chance, found = random.Random(seed), bytearray(content)
    for _ in range(changes):
        at = chance.randrange(len(found) + 1)
        length = chance.choice((1, 1, 2, 4, 8, 30, 512))
        match chance.randrange(6):
            case 0:
                found[at : at + length] = chance.randbytes(length)
            case 1:
                del found[at : at + length]
            case 2:
                found[at:at] = found[at : at + length]
            case 3:
                other = chance.randrange(len(found) + 1)
                found[at : at + length] = found[other : other + length]
            case 4:
                found[at : at + length] = chance.choice((b"\0", b"\xff", b"7", b"/")) * length
            case _:
                del found[at + 512 :]
        if not found:
            break
    return bytes(found)


def check(path: Path) -> None:
    """Read an archive; it is files within limits, or a BadFile with the name of the archive."""
    refused = None
    try:
        files = read_archive(path).files
    except BadFile as error:
        refused, files = error, []
    if refused is not None:
        assert str(refused).startswith(str(path))
        assert str(refused).isprintable()
        assert refused.hint
    assert sum(len(file.content) for file in files) <= DEFAULT_LIMITS.bytes
    for file in files:
        assert not {"", ".", ".."} & set(file.path.split("/"))
        assert file.path.isprintable()
        assert "\\" not in file.path


def _mutate(folder: Path, kind: str, packed: str, seed: int, changes: int, inside: bool) -> None:
    plain = PLAIN[kind]
    content = PACKED[packed](mutated(plain, seed, changes) if inside else plain)
    path = folder / "bot.zip"
    path.write_bytes(content if inside else mutated(content, seed, changes))
    check(path)


MUTATIONS: dict[str, Any] = {
    "kind": st.sampled_from(sorted(PLAIN)),
    "packed": st.sampled_from(sorted(PACKED)),
    "seed": st.integers(0, 2**32),
    "changes": st.integers(1, 6),
    "inside": st.booleans(),
}
SHARED = [HealthCheck.function_scoped_fixture]


@settings(max_examples=60, deadline=None, suppress_health_check=SHARED)
@given(**MUTATIONS)
def test_a_mutated_archive_is_files_or_a_message(tmp_path: Path, **how: Any) -> None:
    _mutate(tmp_path, **how)


@pytest.mark.slow
@settings(max_examples=2_000, deadline=None, suppress_health_check=SHARED)
@given(**MUTATIONS)
def test_many_mutated_archives_are_files_or_a_message(tmp_path: Path, **how: Any) -> None:
    _mutate(tmp_path, **how)


MEMBERS = st.builds(
    Zipped,
    name=st.one_of(
        st.text(max_size=20), st.sampled_from(["a", "A", "a/", "a/b", "../a", "/a", "é", "e\u0301"])
    ),
    content=st.binary(max_size=50),
    method=st.sampled_from([0, 8, 8, 8, 12]),
    attributes=st.one_of(st.just(0o100644 << 16), st.integers(0, 2**32 - 1)),
    flags=st.sampled_from([0, 0, 0, 1, 8, 1 << 11]),
    extra=st.binary(max_size=12),
    behind=st.binary(max_size=26),
    at=st.one_of(st.none(), st.integers(0, 400)),
)


@pytest.mark.slow
@settings(max_examples=2_000, deadline=None, suppress_health_check=SHARED)
@given(members=st.lists(MEMBERS, max_size=5))
def test_odd_zip_archives_are_files_or_a_message(tmp_path: Path, members: list[Zipped]) -> None:
    path = tmp_path / "bot.zip"
    path.write_bytes(zipped(BOT_TOML, *(one for one in members if len(str(one.name)) < 99)))
    check(path)


HEADERS = st.builds(
    header,
    st.binary(max_size=100),
    st.sampled_from([bytes([kind]) for kind in b"0123456789LKxgSVMND\0"]),
    st.one_of(
        st.binary(max_size=600),
        st.builds(pax, st.tuples(st.sampled_from(["path", "size", "GNU.sparse.name"]), st.text(max_size=20))),
    ),
    size=st.one_of(st.none(), st.integers(0, 2**33 - 1)),
)


@pytest.mark.slow
@settings(max_examples=2_000, deadline=None, suppress_health_check=SHARED)
@given(headers=st.lists(HEADERS, max_size=5))
def test_odd_tar_archives_are_files_or_a_message(tmp_path: Path, headers: list[bytes]) -> None:
    path = tmp_path / "bot.tar"
    path.write_bytes(header(b"bot.toml", b"0", MANIFEST) + b"".join(headers) + bytes(1024))
    check(path)


MEBIBYTE = bytes(1_048_576)
SIZE = 8_589_934_591 // len(MEBIBYTE) * len(MEBIBYTE)
"""The largest size in octal digits, 8 GiB."""
READ = """
import re, sys
from pathlib import Path
from arena.submissions.read_source import read_source
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
before = peak()
try:
    read_source(Path(sys.argv[1]))
except Exception as error:
    print(peak() - before, type(error).__name__, error)
else:
    print(peak() - before, "read")
"""


def _bomb(path: Path, packer: Any, member: bytes, mebibytes: int) -> None:
    with path.open("wb") as file:
        head = header(b"bot.toml", b"0", MANIFEST) + header(member, b"0", size=mebibytes * len(MEBIBYTE))
        file.write(packer.compress(head))
        for _ in range(mebibytes):
            file.write(packer.compress(MEBIBYTE))
        file.write(packer.compress(bytes(1024)) + packer.flush())


PACKERS: dict[str, tuple[Callable[[], Any], int]] = {
    "gzip": (lambda: zlib.compressobj(1, zlib.DEFLATED, 31), SIZE // len(MEBIBYTE)),
    "xz": (lambda: lzma.LZMACompressor(preset=0), 1_024),
    "zstd": (lambda: zstd.ZstdCompressor(level=1), SIZE // len(MEBIBYTE)),
}


def _read_apart(path: Path) -> tuple[float, str]:
    """Read an archive in a process of its own; return how much its peak memory grew, in MiB, and what was said."""
    done = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True, check=True)
    grown, _, said = done.stdout.partition(" ")
    return int(grown) / 1024, said


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("member", [b"zeros", b".git/zeros"])
def test_bombs_of_gigabytes_take_little_memory(tmp_path: Path, packer: str, member: bytes) -> None:
    make, mebibytes = PACKERS[packer]
    _bomb(tmp_path / "bomb", make(), member, mebibytes)
    grown, said = _read_apart(tmp_path / "bomb")
    assert said.startswith("BadFile")
    assert grown < 100


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_zip_bombs_take_little_memory(tmp_path: Path) -> None:
    content = bytes(10_485_760)
    one = Zipped("x", content)
    packed = zipped(one)[30 + 1 : -22 - 46 - 1]
    for size in (100, len(content)):  # what the archive says of them
        bombs = [
            Zipped(str(n), packed=packed, crc=zlib.crc32(content), size=size, front_size=size)
            for n in range(999)
        ]
        (tmp_path / "bomb").write_bytes(zipped(BOT_TOML, *bombs))
        grown, said = _read_apart(tmp_path / "bomb")
        assert said.startswith("BadFile")
        assert grown < 20

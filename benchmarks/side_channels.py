"""Measures, in bits, the side channels that remain between two sandboxes, each on its own.

A writer in one sandbox tries to send random bits, and a reader in another one guesses them. The result is their mutual
information, treating each guess as a binary symmetric channel with the observed error rate. `alive`: both run at the
same time, like bots of different matches. `dead`: the reader starts when the writer has ended, like bots in two games
of one match.

    python benchmarks/side_channels.py [trials]
"""

import json
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.sandbox.bot_program import Program
from arena.sandbox.bubblewrap import Tools
from arena.sandbox.probe import probe, running_inside
from arena.sandbox.shared_folder_overlays import Overlays

PROGRAM = """
import contextlib, ctypes, json, mmap, os, sys, time

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
kept = []

def files(count):
    found = []
    for where, _, names in os.walk("/usr/share"):
        for name in sorted(names):
            path = os.path.join(where, name)
            with contextlib.suppress(OSError):
                if not os.path.islink(path) and os.stat(path).st_size > 40_000:
                    found.append(path)
        if len(found) >= count:
            return found[:count]
    return found

def mapped(number):
    descriptor = os.open(sys.executable if number is None else "/usr/bin/perl", os.O_RDONLY)
    place = libc.mmap(None, ctypes.c_size_t(1 << 20), 1, 1, descriptor, ctypes.c_long(0))
    kept.append(place)
    return place

def write_cache(bits):
    for path, bit in zip(files(len(bits)), bits):
        if bit:
            with open(path, "rb", buffering=0) as file:
                file.read(1)

def read_cache(count):
    times = []
    for path in files(count):
        descriptor = os.open(path, os.O_RDONLY)
        begun = time.perf_counter_ns()
        os.pread(descriptor, 1, 0)
        times.append(time.perf_counter_ns() - begun)
    return [int(taken < 20_000) for taken in times]

def write_maps(bits):
    place = mapped(0)
    for number, bit in enumerate(bits):
        if bit:
            ctypes.string_at(place + 65_536 * number, 1)

def read_maps(count):
    place = mapped(0)
    found = []
    with open("/proc/self/pagemap", "rb", buffering=0) as pagemap:
        for number in range(count):
            here = place + 65_536 * number
            ctypes.string_at(here, 1)
            pagemap.seek(here // mmap.PAGESIZE * 8)
            found.append(int(not int.from_bytes(pagemap.read(8), "little") >> 56 & 1))
    return found

STEP = 1 << 15

def inode():
    reading, writing = os.pipe()
    number = os.fstat(reading).st_ino
    os.close(reading)
    os.close(writing)
    return number

def write_inodes(bits):
    wanted = sum(bit << place for place, bit in enumerate(bits)) * STEP + STEP // 2
    while (wanted - inode()) % (STEP << len(bits)) > STEP // 4:
        pass

def read_inodes(count):
    value = inode() // STEP
    return [value >> place & 1 for place in range(count)]

def write_pipes(bits):
    if bits[0]:
        pids = []
        for _ in range(40):
            if os.fork() == 0:
                for _ in range(110):
                    with contextlib.suppress(OSError):
                        kept.append(os.pipe())
                os.close(1)
                time.sleep(60)
                os._exit(0)
        time.sleep(0.5)

def read_pipes(count):
    import fcntl
    return [int(fcntl.fcntl(os.pipe()[0], 1032) < 65_536)] * count

def threads():
    told = ctypes.create_string_buffer(128)
    libc.sysinfo(told)
    return int.from_bytes(told.raw[80:82], "little")

def write_threads(bits):
    if bits[0]:
        for _ in range(50):
            if os.fork() == 0:
                os.close(1)
                time.sleep(60)
                os._exit(0)

def read_threads(count):
    before = int(sys.stdin.readline())
    return [int(threads() - before > 25)] * count

way, what, arguments = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
if what == "before":
    print(threads(), flush=True)
else:
    result = globals()[f"{what}_{way}"](arguments)
    print(json.dumps(result), flush=True)
    sys.stdin.read()
"""

WAYS = {
    "cache": ("a file in /usr is in the page cache, seen from the time to read it", "dead", 16),
    "inodes": ("the machine's counter of inodes, seen from the inode of a pipe", "dead", 4),
    "maps": ("another process maps a page of a shared file, seen in /proc/self/pagemap", "alive", 16),
    "pipes": ("the bots of an ordinary user share a limit on pipes", "alive", 1),
    "threads": ("the machine's number of threads, seen from sysinfo", "alive", 1),
}


TOKEN = "benchmark"  # noqa: S105 - a mark, not a secret


class Pair:
    """Two sandboxes, one after the other or at the same time."""

    def __init__(self, tools: Tools, place: Path, overlays: Overlays) -> None:
        self.tools, self.place, self.overlays = tools, place, overlays

    @contextmanager
    def start(self, slot: int, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
        """Run the program in the sandbox of a slot."""
        staged = self.place / str(slot)
        staged.mkdir(exist_ok=True)
        (staged / "bot.py").write_text(PROGRAM)
        program = Program(staged, ("python3", "bot.py", *arguments))
        with running_inside(
            self.tools,
            program,
            slot,
            TOKEN,
            overlays=self.overlays,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as (process, _):
            yield process

    def trial(self, way: str, life: str, bits: list[int]) -> tuple[list[int], float]:
        """Return what a reader makes of the bits that a writer sends, and the seconds that writing took."""
        if way == "threads":
            with self.start(2, way, "before", "0") as counting:
                before = line(counting)
        begun = time.perf_counter()
        with self.start(0, way, "write", json.dumps(bits)) as writer:
            line(writer)
            taken = time.perf_counter() - begun
            if life == "alive":
                with self.start(1, way, "read", str(len(bits))) as reader:
                    if way == "threads":
                        tell(reader, before)
                    return json.loads(line(reader)), taken
        with self.start(1, way, "read", str(len(bits))) as reader:
            return json.loads(line(reader)), taken


def line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def tell(process: "subprocess.Popen[str]", text: str) -> None:
    assert process.stdin is not None
    process.stdin.write(text)
    process.stdin.flush()


def forget(place: Path) -> None:
    """Remove the files from the page cache, which no bot can do."""
    for where, _, names in os.walk(place):
        for name in names:
            path = Path(where) / name
            if path.is_file() and not path.is_symlink():
                with path.open("rb") as file:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def information(errors: float) -> float:
    """Return the information per guess in bits, at an error rate (Shannon's binary symmetric channel)."""
    if errors in (0, 1):
        return 1.0
    return 1 + errors * math.log2(errors) + (1 - errors) * math.log2(1 - errors)


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    tools = probe().tools
    if tools is None:
        sys.exit("there is no sandbox on this machine")
    assert tools.overlays is not None
    chance = random.Random(1)
    with TemporaryDirectory() as folder, Overlays(tools.overlays, Path(folder) / "overlays") as overlays:
        Path(folder).chmod(0o755)
        pair = Pair(tools, Path(folder), overlays)
        for way, (title, life, count) in WAYS.items():
            wrong = told = 0
            seconds = 0.0
            for _ in range(trials):
                if way == "cache":
                    forget(Path("/usr/share"))
                bits = [chance.getrandbits(1) for _ in range(count)]
                guesses, taken = pair.trial(way, life, bits)
                wrong += sum(bit != guess for bit, guess in zip(bits, guesses, strict=True))
                told += count
                seconds += taken
            worth = information(wrong / told) * count
            print(
                f"{life:5}  {title}: {worth:.2f} of {count} bits per trial ({wrong / told:.0%} wrong), "
                f"{seconds / trials:.2f} s to send them"
            )


if __name__ == "__main__":
    main()

"""No bot can tell another anything: every way that we know of is tried between two sandboxes."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.sandbox.bot_program import Bounds
from tests.support.bots import messages
from tests.support.sandbox import (
    PYTHON,
    SLOT,
    Sandbox,
    needs_bwrap,
    needs_ordinary_user,
    needs_root,
    open_folder,
    overlaid,
    sandbox,
)
from tests.support.waiting import eventually

pytestmark = pytest.mark.xdist_group("messages")  # the last test changes what the others look at
ALL = (*messages.MEANS, *messages.PREPARED)
SOURCE = Path(messages.__file__).read_text()


@pytest.fixture(
    params=[
        pytest.param("ordinary user", marks=[needs_bwrap, needs_ordinary_user]),
        pytest.param("root", marks=[needs_bwrap, needs_root, pytest.mark.slow]),
    ]
)
def inside(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Have a sandbox with overlays whose bot is the program that writes and reads messages."""
    with open_folder() as place, overlaid(sandbox(place, request.param)) as inside:
        for one in (inside, other(inside)):
            one.staged.mkdir(parents=True, exist_ok=True)
            (one.staged / "bot.py").write_text(SOURCE)
        yield inside


def other(inside: Sandbox) -> Sandbox:
    """Return the sandbox for another copy of the bot, as every process has one of its own."""
    return replace(inside, place=inside.place / "other")


Told = dict[str, object]


def line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    told = process.stdout.readline()
    assert told, process.communicate()[1]
    return told


def go(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def carried(inside: Sandbox, bit: int, *, lives: bool, slots: tuple[int, int]) -> tuple[list[str], Told]:
    """Return what a writer of one bit in every way could do, and what a reader in another sandbox then finds.

    `lives` says whether the writer is still there, and the reader already, when the other acts.
    """
    writing = (PYTHON, "bot.py", "write", json.dumps(dict.fromkeys(ALL, bit)))
    reading = (PYTHON, "bot.py", "read")
    with ExitStack() as living:
        if lives:
            reader, _ = living.enter_context(other(inside).start_command(reading, slot=slots[1]))
            assert line(reader) == "ready\n"
        with inside.start_command(writing, slot=slots[0]) as (writer, _):
            done = json.loads(line(writer))
            if lives:
                go(reader)
                return done, json.loads(line(reader))
        reader, _ = living.enter_context(other(inside).start_command(reading, slot=slots[1]))
        assert line(reader) == "ready\n"
        go(reader)
        return done, json.loads(line(reader))


@pytest.mark.parametrize(
    ("lives", "slots"),
    [
        pytest.param(True, (SLOT, SLOT + 1), id="alive"),
        pytest.param(False, (SLOT, SLOT), id="dead", marks=pytest.mark.slow),
        pytest.param(False, (SLOT, SLOT + 1), id="dead, in another slot", marks=pytest.mark.slow),
    ],
)
def test_nothing_is_carried_from_one_sandbox_to_another(
    inside: Sandbox, lives: bool, slots: tuple[int, int]
) -> None:
    found = differing(inside, lives=lives, slots=slots)
    for _ in range(SESSIONS_TRIES - 1):
        if found.keys() != {"sessions"}:
            break
        found = differing(inside, lives=lives, slots=slots)
    assert not found


SESSIONS_TRIES = 4
"""Sessions are counted for the whole machine, so that number also rises by what else runs there, but seldom this often.

A writer that could raise it would raise it every time.
"""


def differing(inside: Sandbox, *, lives: bool, slots: tuple[int, int]) -> dict[str, list[object]]:
    """Return the ways by which a reader finds something else after a 1 than after a 0, with both."""
    found = [carried(inside, bit, lives=lives, slots=slots)[1] for bit in (0, 1)]
    return {
        name: [told[name] for told in found]
        for name in ALL
        if len({json.dumps(told[name]) for told in found}) > 1
    }


def test_devices_are_there_and_locks_in_its_scratch_work(inside: Sandbox) -> None:
    """As programs need them: or else the tests above would hold for a sandbox that is of no use."""
    told = inside.run(USES)
    assert json.loads(told) == {"null": "", "zero": "0000", "random": 4, "sqlite": [[1]], "refused": True}


USES = """
import fcntl, json, os, sqlite3
told = {}
with open("/dev/null", "r+b", buffering=0) as null:
    null.write(b"gone")
    told["null"] = null.read().decode()
with open("/dev/zero", "rb") as zero:
    told["zero"] = zero.read(2).hex()
with open("/dev/urandom", "rb") as random:
    told["random"] = len(random.read(4))
first, second = sqlite3.connect("/tmp/a.db", timeout=0), sqlite3.connect("/tmp/a.db", timeout=0)
first.executescript("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)")
first.execute("BEGIN EXCLUSIVE")
try:
    second.execute("BEGIN IMMEDIATE")
except sqlite3.OperationalError:
    told["refused"] = True
first.commit()
told["sqlite"] = second.execute("SELECT x FROM t").fetchall()
print(json.dumps(told))
"""


def test_the_scratch_bounds_the_number_of_files(inside: Sandbox) -> None:
    source = """
import os
for folder in ("/tmp", "/dev/shm"):
    made = 0
    try:
        while made < 1000:
            os.close(os.open(f"{folder}/{made}", os.O_CREAT))
            made += 1
    except OSError as error:
        print(made, error.errno)
"""
    told = inside.run(source, bounds=Bounds(scratch_files=100))
    assert told.split("\n") == ["99 28", "99 28"]


def test_no_memory_is_held_that_nobody_sees(inside: Sandbox) -> None:
    """Shared pages that no process has mapped count for none, as long as somebody may map them again."""
    source = """
import mmap
for make in (lambda: mmap.mmap(-1, 4096), lambda: mmap.mmap(open("/dev/zero", "r+b").fileno(), 4096)):
    try:
        make()
        print("made")
    except OSError as error:
        print("refused")
mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
"""
    assert inside.run(source).split() == ["refused", "refused"]


def test_what_a_dead_bot_left_is_given_back(inside: Sandbox) -> None:
    assert inside.overlays is not None
    holder = inside.overlays.pid
    inside.run("open('/tmp/left', 'w').write('x')")
    inside.overlays.end_scratch(SLOT)
    assert eventually(lambda: "size=16384k" not in Path(f"/proc/{holder}/mountinfo").read_text())


@pytest.mark.slow
def test_without_overlays_nothing_is_carried_by_locks_either(inside: Sandbox) -> None:
    bare = replace(inside, overlays=None)
    found = [carried(bare, bit, lives=True, slots=(SLOT, SLOT + 1))[1] for bit in (0, 1)]
    assert found[0] == found[1]


@pytest.mark.slow
def test_without_a_sandbox_most_is_carried(tmp_path: Path) -> None:
    """The ways do work: or else the tests above would prove nothing."""
    program = tmp_path / "bot.py"
    program.write_text(SOURCE)
    found = []
    for bit in (0, 1, 0):  # the last one leaves nothing behind
        with (
            subprocess.Popen(
                (sys.executable, str(program), "read"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            ) as reader,
            subprocess.Popen(
                (sys.executable, str(program), "write", json.dumps(dict.fromkeys(ALL, bit))),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            ) as writer,
        ):
            assert line(reader) == "ready\n"
            line(writer)
            go(reader)
            found.append(json.loads(line(reader)))
            writer.communicate("")
            reader.communicate("")
        for path in Path("/tmp").glob("arena-file-*"):  # noqa: S108 - where the bot has left them
            path.unlink()
    working = {name for name in ALL if found[0][name] != found[1][name]}
    assert len(working) > len(ALL) // 2, sorted(set(ALL) - working)

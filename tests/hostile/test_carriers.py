"""A bot tries everything to know in one rotation what it knew in another; a real league says what came over."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.bots import messages
from tests.support.leagues import arena, simple, write_bot
from tests.support.sandbox import needs_bwrap

pytestmark = pytest.mark.xdist_group("messages")
CARRIER = '''
import contextlib, hashlib, json, os, signal, sys
sys.argv[1:] = ["-"]
import messages
signal.signal(signal.SIGIO, signal.SIG_IGN)  # sent when somebody wants what is leased

def send(**message):
    print(json.dumps(message), flush=True)

def short(value):
    """Return the same for the same value, short enough for a log."""
    text = json.dumps(value)
    return value if len(text) < 100 else hashlib.sha256(text.encode()).hexdigest()

def told():
    return {name: short(messages.attempt(read)) for name, (_, read) in messages.MEANS.items()}

def linger():
    """Have a process hold everything as long as it can, whatever this one is told."""
    if os.fork() == 0:
        os.setsid()
        for number in range(1, 65):
            with contextlib.suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_IGN)
        while True:
            signal.pause()

seen, written = None, False
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        send(type="hello", protocol=1)
    elif message["type"] == "start":
        seen = told()
        written = False
        print("SEEN " + json.dumps(seen), file=sys.stderr, flush=True)
        send(type="ready")
    elif message["type"] == "ask":
        if not written:
            written = True
            # The start player's first view is of the same deal in both rotations.
            bit = hashlib.sha256(json.dumps(message["view"], sort_keys=True).encode()).digest()[0] & 1
            for write, _ in messages.MEANS.values():
                with contextlib.suppress(OSError, ValueError, OverflowError):
                    write(bit)
            print(f"WROTE {bit}", file=sys.stderr, flush=True)
            linger()
        send(type="move", id=message["id"], move=(message.get("legal") or [message["example"]])[0])
'''
LEFT = (Path("/dev/shm/arena-message"), Path("/tmp/arena-message"))  # noqa: S108 - where its bots write to
FILE = """
name = "carriers"
game = "bread-basket"
seats = 2
options = {{ hands = 1 }}
sandbox = "{sandbox}"
workers = {workers}
deals = "{deals}"
[clock]
startup_ms = 60000
ready_ms = 60000
move_ms = 60000
[schedule]
kind = "round-robin"
rounds = {rounds}
[[bots]]
path = "carrier"
[[bots]]
path = "other"
"""
FRIEND = '[[bots]]\npath = "friend"\n'


def play(
    folder: Path, *, rounds: int, workers: int, sandbox: str = "require", friends: bool = False
) -> tuple[list[dict[str, object]], list[int]]:
    """Return what the carrier found before each of its games, and the bits that it wrote in them.

    `friends`: another author has the same bot, and all tables of a round share a deal.
    """
    for name in ("carrier", *(["friend"] * friends)):
        carrier = write_bot(folder, name, CARRIER, author=name)
        with (carrier / "bot.toml").open("a") as manifest:
            # Or else it would find in a game what it left itself in another match.
            manifest.write("reuse = false\n")
        (carrier / "messages.py").write_text(Path(messages.__file__).read_text())
    write_bot(folder, "other", simple(0))
    deals = "common" if friends else "own"
    file = FILE.format(rounds=rounds, workers=workers, sandbox=sandbox, deals=deals)
    (folder / "league.toml").write_text(file + FRIEND * friends)
    arena("league", "create", "league.toml", cwd=folder)
    arena("run", "carriers", cwd=folder)
    faults = arena("faults", "--log", "--format", "json", cwd=folder).stdout
    assert json.loads(faults) == [], faults
    with closing(sqlite3.connect(folder / "arena.sqlite")) as connection:
        logs = [bytes(row[0]).decode() for row in connection.execute("SELECT head FROM log")]
    found = [json.loads(line) for log in logs for line in re.findall(r"^SEEN (.*)$", log, re.MULTILINE)]
    written = [int(bit) for log in logs for bit in re.findall(r"^WROTE (\d)$", log, re.MULTILINE)]
    return found, written


SESSIONS_RISE = 1.25
"""By how much a game in which a 1 is written would raise what is read of `sessions`, if it could."""


def differing(found: list[dict[str, object]]) -> set[str]:
    """Return the ways by which not the same was found before every game."""
    return {name for name in messages.MEANS if len({json.dumps(one[name]) for one in found}) > 1}


def brought_over(found: list[dict[str, object]], written: list[int]) -> set[str]:
    """Return the ways by which something may have come over.

    Sessions are counted for the whole machine, so that number also rises by what else runs there.
    """
    sessions = [number for one in found if isinstance(number := one["sessions"], int)]
    risen = max(sessions, default=0) - min(sessions, default=0)
    by_others = {"sessions"} if risen < SESSIONS_RISE * sum(written) / 2 else set()
    return differing(found) - by_others


@needs_bwrap
@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.gate)])
def test_no_bit_of_a_deal_comes_into_another_game(tmp_path: Path, workers: int) -> None:
    found, written = play(tmp_path, rounds=6, workers=workers)
    assert len(found) == len(written) == 12
    assert set(written) == {0, 1}, "some deals say 0 and some 1"
    assert not brought_over(found, written)


@needs_bwrap
@pytest.mark.gate
@pytest.mark.slow
def test_no_bit_of_a_deal_comes_to_another_table_of_two_friends(tmp_path: Path) -> None:
    found, written = play(tmp_path, rounds=4, workers=2, friends=True)
    assert len(found) == len(written) == 4 * 2 * (2 + 2)
    assert set(written) == {0, 1}
    assert not brought_over(found, written)


@pytest.mark.slow
def test_without_a_sandbox_much_comes_over(tmp_path: Path) -> None:
    try:
        found, _ = play(tmp_path, rounds=2, workers=1, sandbox="off")
    finally:
        for left in LEFT:
            left.unlink(missing_ok=True)
    assert len(differing(found)) > 5

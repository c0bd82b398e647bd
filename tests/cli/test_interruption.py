"""Ctrl-C at any moment: one sentence with the command that goes on, exit code 4, nothing half-written.

A command that ended at once says `interrupted`; one that finished the games in play first says `stopped`.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.support.leagues import (
    ARENA,
    arena_here,
    assert_nobody_left,
    play_here,
    simple,
    write_bot,
    write_league,
)
from tests.support.waiting import eventually

DONE = (0, 3)
"""Exit codes of commands that were done before they could be interrupted."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with three bots, a league that was played, and the file of another."""
    folder = tmp_path_factory.mktemp("prepared")
    arena_here("league", "create", write_league(folder, rounds=2, bots=4, seats=2), cwd=folder)
    assert play_here(folder)
    (folder / "next.toml").write_text((folder / "league.toml").read_text().replace('"test"', '"next"'))
    assert arena_here("league", "create", "next.toml", cwd=folder).returncode == 0
    for number in range(3):
        write_bot(folder, f"slow{number}", simple(number, pause_ms=2), mark=str(folder))
    return folder


def started(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    """Start a command that puts its temporary files below the folder; return once it listens to signals."""
    (folder / "tmp").mkdir(exist_ok=True)
    process = subprocess.Popen(
        [*ARENA, *arguments],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "tmp"), "COLUMNS": "500"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert eventually(lambda: listens(process.pid) or process.poll() is not None)
    return process


def listens(pid: int) -> bool:
    """Return whether a process has a handler for SIGTERM, which Python by itself has not."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def assert_told(process: "subprocess.Popen[str]", folder: Path, *arguments: str) -> bool:
    """Wait for a command's end; return whether it was interrupted, having said so as it should."""
    out, told = process.communicate(timeout=120)
    assert "Traceback" not in told + out, told
    assert "Error" not in told, told
    if process.returncode in DONE:
        return False
    assert process.returncode == 4, (process.returncode, told)
    said = [line for line in told.splitlines() if line.startswith(("interrupted; ", "stopped; "))]
    assert len(said) == 1, told
    assert said[0] == told.splitlines()[-1]
    goes_on = arguments[0] in ("run", "compare")
    how = "continue" if goes_on else "run it again"
    assert f"{how} with: arena {arguments[0]}" in said[0]
    assert_nothing_left(folder)
    return True


def assert_nothing_left(folder: Path) -> None:
    assert eventually(lambda: not list((folder / "tmp").iterdir())), list((folder / "tmp").rglob("*"))
    assert not list(folder.rglob("*.part"))
    assert not list(folder.rglob("versions/.*"))
    assert_nobody_left(str(folder))


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, *(pytest.param(one, marks=pytest.mark.slow) for one in (signal.SIGTERM, signal.SIGHUP))],
)
def test_while_the_program_is_loaded(prepared: Path, number: signal.Signals) -> None:
    for _ in range(5):  # on a busy machine it may be done before the signal is sent
        process = started(prepared, "rankings", "test", "--fit")
        process.send_signal(number)
        if assert_told(process, prepared, "rankings", "test"):
            break
    else:
        pytest.fail("it was always done already")


@pytest.mark.slow
def test_while_a_match_is_played(prepared: Path) -> None:
    process = started(prepared, "match", "./slow0", "./slow1", "--game", "bread-basket")
    assert eventually(lambda: playing(process.pid))
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    assert assert_told(process, prepared, "match", "./slow0")


@pytest.mark.slow
def test_an_impatient_person_gets_the_same(prepared: Path) -> None:
    process = started(prepared, "submit", "./slow2")
    assert eventually(lambda: playing(process.pid))
    for _ in range(3):
        os.killpg(process.pid, signal.SIGINT)
    assert assert_told(process, prepared, "submit", "./slow2")
    assert "slow2" not in arena_here("bots", cwd=prepared).stdout


def playing(pid: int) -> bool:
    """Return whether a worker of this process runs bots."""
    children = psutil.Process(pid).children(recursive=True)
    return sum("bot.py" in " ".join(cmdline(child)) for child in children) > 0


def cmdline(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@pytest.mark.slow
def test_what_was_to_be_ignored_is_ignored(prepared: Path) -> None:
    process = subprocess.Popen(
        ["nohup", *ARENA, "rankings", "test"],
        cwd=prepared,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert eventually(lambda: listens(process.pid) or process.poll() is not None)
    process.send_signal(signal.SIGHUP)
    out, told = process.communicate(timeout=60)
    assert process.returncode == 0, told
    assert "pick0" in out


COMMANDS: dict[str, tuple[int, tuple[str, ...]]] = {
    "create": (5, ("league", "create", "third.toml")),
    "submit": (5, ("submit", "./slow2")),
    "match": (5, ("match", "./slow0", "./slow1", "--game", "bread-basket")),
    "run": (8, ("run", "next")),
    "fit": (4, ("rankings", "test", "--fit")),
    "verify": (4, ("db", "verify")),
    "backup": (3, ("db", "backup", "copy.sqlite")),
    "replay": (3, ("replay", "show", "test/0.0")),
    "compare": (4, ("compare", "./slow0", "./slow1", "--game", "bread-basket", "--budget", "400")),
    "prices": (6, ("why", "test/0.0", "--analyse", "--jobs", "2")),
    "history": (2, ("history", "test")),
    "doctor": (2, ("doctor",)),
}
"""How many moments of a command, and its arguments."""


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("number", "name"),
    [*((signal.SIGINT, name) for name in COMMANDS), (signal.SIGTERM, "run"), (signal.SIGHUP, "match")],
)
def test_at_many_moments(prepared: Path, tmp_path: Path, name: str, number: signal.Signals) -> None:
    moments, arguments = COMMANDS[name]
    interrupted = 0
    lasts_s = None
    for moment in range(-1, moments):
        folder = tmp_path / str(moment)
        shutil.copytree(prepared, folder)
        (folder / "third.toml").write_text((folder / "league.toml").read_text().replace('"test"', '"third"'))
        process = started(folder, *arguments)
        if lasts_s is None:  # how long it takes undisturbed
            began_s = time.monotonic()
            process.communicate(timeout=300)
            lasts_s = time.monotonic() - began_s
            continue
        time.sleep(lasts_s * (moment + 0.3) / moments)
        if process.poll() is None:
            os.killpg(process.pid, number)
        interrupted += assert_told(process, folder, *arguments)
        assert arena_here("db", "verify", cwd=folder).returncode == 0
        if name in ("create", "submit", "backup") and process.returncode == 4:
            again = arena_here(*arguments, cwd=folder)
            there = "exists" in again.stderr or "there is a league" in again.stderr
            assert again.returncode == 0 or there, again.stderr
        shutil.rmtree(folder)
    assert interrupted > 0


WRITES_TO_A_CLOSED_TERMINAL = """
import signal
signal.signal(signal.SIGHUP, signal.SIG_IGN)
from arena.cli.terminal.consoles import error_console
from arena.cli.terminal.messages import say
say("open")
input()
say("closed")
error_console().print("closed")
print("went on")
"""


IGNORED = """
import os, signal, time
from arena.cli.terminal.interruption import Interrupted, listen

class Dropped:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass

listen()
try:
    Dropped()
    time.sleep(20)
except Interrupted:
    print("interrupted")
"""


BUSY = """
import threading, time
def start(thread, real=threading.Thread.start):
    real(thread)
    time.sleep(0.1)
threading.Thread.start = start
"""
"""What has the signal come again before the hook is left."""


@pytest.mark.parametrize("before", ["", BUSY], ids=["idle", "busy"])
def test_a_signal_where_exceptions_are_ignored_comes_again_without_a_traceback(before: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", before + IGNORED], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("interrupted\n", "", 0)


REMOVES = """
import os, shutil, signal, tempfile, time
from arena.cli.terminal.interruption import Interrupted, begin, listen

def remove(path, real=shutil.rmtree, **options):
    os.kill(os.getpid(), signal.SIGINT)
    real(path, **options)

shutil.rmtree = remove
listen()
begin()
try:
    with tempfile.TemporaryDirectory() as folder:
        pass
    time.sleep(20)
except Interrupted:
    print("interrupted", os.path.exists(folder))
"""


def test_a_signal_while_a_temporary_folder_is_removed_leaves_nothing_behind() -> None:
    done = subprocess.run(
        [sys.executable, "-c", REMOVES], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("interrupted False\n", "", 0)


def test_a_closed_terminal_is_no_error_to_whoever_writes_to_it(tmp_path: Path) -> None:
    keyboard, terminal = os.openpty()
    process = subprocess.Popen(
        [*ARENA[:1], "-c", WRITES_TO_A_CLOSED_TERMINAL],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
    )
    os.close(terminal)
    assert b"open" in os.read(keyboard, 100)
    os.close(keyboard)
    out, _ = process.communicate("now\n", timeout=60)
    assert (process.returncode, out) == (0, "went on\n")

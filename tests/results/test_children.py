"""Child processes of Arena: what they are sent arrives whole, they end with their parent, and none is left behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from results.base.children import (
    MOST_LOG_BYTES,
    Child,
    Pauses,
    Pipe,
    Unreadable,
    kill,
    last_words,
    run,
    start,
    start_logged,
)
from tests.support.waiting import eventually

DOUBLES = """
from results.base.children import to_parent
parent = to_parent(int)
print("printed by mistake")
while (number := parent.receive()) is not None:
    parent.send(2 * number)
"""
STARTS_A_PROCESS = """
import os, signal
from multiprocessing import resource_tracker
from results.base.children import uninterrupted_start
try:
    with uninterrupted_start(resource_tracker, {signal.SIGINT}):
        resource_tracker.ensure_running()  # as the start of a process does
        os.kill(os.getpid(), signal.SIGINT)
        print("started")
except KeyboardInterrupt:
    print("interrupted")
"""
STARTS_ANOTHER = f"""
import sys, time
from results.base.children import Child
child = Child([sys.executable, "-c", {DOUBLES!r}], int)
print(child.process.pid, flush=True)
time.sleep(60)
"""


@pytest.fixture
def ends() -> Iterator[tuple[Pipe[int], int]]:
    """Yield a pipe with messages of at most 1,000 bytes, and the end that is written to."""
    reading, writing = os.pipe()
    pipe: Pipe[int] = Pipe(reading, -1, int, 1_000)
    yield pipe, writing
    pipe.close_reading()


def has_ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_parent_and_child_send_each_other_messages_until_the_pipe_ends(tmp_path: Path) -> None:
    with (tmp_path / "words").open("wb") as words:
        child: Child[int] = Child([sys.executable, "-c", DOUBLES], int, stderr=words)
    with child:
        assert child.send(1, 10**6)
        assert (child.receive(), child.receive()) == (2, 2 * 10**6)
        child.close()
        assert child.receive() is None
        assert child.process.wait() == 0
        assert not child.send(1), "nobody reads any more"
    assert last_words(tmp_path / "words", 100) == "printed by mistake"


def test_a_child_ends_with_a_parent_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", STARTS_ANOTHER], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert not has_ended(pid)
        parent.kill()
    assert eventually(lambda: has_ended(pid))


def test_a_message_is_waited_for_and_comes_in_parts(ends: tuple[Pipe[int], int]) -> None:
    pipe, writing = ends
    with pytest.raises(TimeoutError):
        pipe.receive(0)
    os.write(writing, b"1")
    with pytest.raises(TimeoutError):
        pipe.receive(0)
    os.write(writing, b"2\n3\n4")
    assert (pipe.receive(0), pipe.receive(0)) == (12, 3)
    os.close(writing)
    assert pipe.receive() is None, "a message that isn't whole is none"


@pytest.mark.parametrize("sent", [b"x\n", b'"1"\n', b"\n", b"1" * 1_001])
def test_what_is_no_message_or_a_long_one_is_refused(ends: tuple[Pipe[int], int], sent: bytes) -> None:
    pipe, writing = ends
    os.write(writing, sent)
    with pytest.raises(Unreadable):
        pipe.receive()
    os.close(writing)


def test_a_command_that_takes_too_long_is_killed_with_its_group(tmp_path: Path) -> None:
    process = start(
        ("sh", "-c", f"sleep 60 & echo $! > {tmp_path}/part; mv {tmp_path}/part {tmp_path}/pid; wait")
    )
    assert eventually((tmp_path / "pid").exists)
    assert kill(process) == -signal.SIGKILL
    assert eventually(lambda: has_ended(int((tmp_path / "pid").read_text())))
    with pytest.raises(TimeoutError):
        run(("sleep", "60"), 0.01)
    done = run(("sh", "-c", "echo out; echo said >&2; exit 3"), 60)
    assert (done.returncode, done.stdout, done.stderr) == (3, b"out\n", b"said\n")


def test_a_log_is_put_aside_once_it_is_large_and_links_are_not_followed(tmp_path: Path) -> None:
    log = tmp_path / "store.files" / "a.log"
    for word in ("first", "second"):
        assert start_logged(("echo", word), log).wait() == 0
    assert (last_words(log, 100), last_words(log, 4)) == ("first\nsecond", "ond")
    assert log.stat().st_mode & 0o777 == 0o600
    with log.open("ab") as file:
        file.truncate(MOST_LOG_BYTES + 1)
    start_logged(("echo", "third"), log).wait()
    assert last_words(log, 100) == "third"
    assert log.with_name("a.log.1").stat().st_size > MOST_LOG_BYTES
    log.unlink()
    log.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic links"):
        start_logged(("echo",), log)
    assert last_words(log, 100) == ""


def test_pauses_double_and_begin_again_after_something_sound() -> None:
    pauses = Pauses(1.0, 5.0)
    assert [pauses.next_s() for _ in range(5)] == [1.0, 2.0, 4.0, 5.0, 5.0]
    pauses.reset()
    assert pauses.next_s() == 1.0
    sound = Pauses(1.0, 5.0, sound_s=1e-9)
    sound.begin()
    assert [sound.next_s() for _ in range(2)] == [1.0, 1.0]


def test_a_child_that_ignores_the_end_of_its_pipe_is_killed() -> None:
    child: Child[int] = Child(("sh", "-c", "trap '' TERM; sleep 60"), int)
    with child:
        assert child.end(0.05) == -signal.SIGKILL


def test_a_process_that_starts_is_not_cut_off_half_started() -> None:
    """Starting the tracker of shared memory, which this process doesn't have yet, lets some signals through again."""
    told = subprocess.run(
        [sys.executable, "-c", STARTS_A_PROCESS], capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["started", "interrupted"]

"""What outlives the process that was to end is found and killed, and nobody else."""

import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from arena.sandbox.bot_program import TOKEN_VARIABLE
from arena.sandbox.survivors import find_marked, kill_group, kill_marked
from tests.support.sandbox import DAEMON, marked, needs_root
from tests.support.tables import new_token
from tests.support.waiting import eventually

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
PTRACE_SEIZE, WALL = 0x4206, 0x40000000
ROOT = Path(__file__).parents[2]


def test_the_marked_are_found_and_killed_wherever_they_have_gone() -> None:
    token = new_token()
    child, daemon = marked(f"{token}/1"), marked(f"{token}/2", DAEMON)
    daemon.wait()
    assert eventually(lambda: len(find_marked(token)) == 2)
    assert child.pid in find_marked(token)
    assert kill_marked(token) == 2
    assert find_marked(token) == []
    assert child.wait() in (-signal.SIGKILL, 0), "killed; perhaps reaped in passing"


HOPPER = """
import os
while True:
    if os.fork():
        os._exit(0)
"""


@pytest.mark.slow
def test_a_process_that_starts_another_and_ends_over_and_over_is_caught() -> None:
    token = new_token()
    marked(f"{token}/1", HOPPER).wait()
    try:
        kill_marked(token, deadline_s=60)
        assert find_marked(token) == []
        assert kill_marked(token) == 0
    finally:
        kill_marked(token, deadline_s=60)


@needs_root
def test_a_sandbox_that_is_just_ending_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process 1 bears no token any more, and its other processes may have shed theirs."""
    sandbox = subprocess.Popen(
        ["unshare", "--pid", "--fork", "--kill-child", "sh", "-c", "sleep 600 & wait"], env={"PATH": PATH}
    )
    try:
        assert eventually(lambda: len(psutil.Process(sandbox.pid).children(recursive=True)) == 2)
        first, other = (one.pid for one in psutil.Process(sandbox.pid).children(recursive=True))
        assert (
            ctypes.CDLL(None).ptrace(PTRACE_SEIZE, other, 0, 0) == 0
        )  # so that it is not gone before we say so
        os.kill(first, signal.SIGKILL)
        assert eventually(lambda: psutil.Process(other).status() == psutil.STATUS_ZOMBIE)
        assert psutil.Process(first).status() != psutil.STATUS_ZOMBIE
        released: list[int] = []

        def release(_seconds: float) -> None:
            if not released:
                released.append(os.waitpid(other, WALL)[0])

        monkeypatch.setattr("arena.sandbox.survivors.time.sleep", release)
        assert kill_marked(new_token()) == 0
        assert released == [other]
        assert not psutil.pid_exists(first) or psutil.Process(first).status() == psutil.STATUS_ZOMBIE
    finally:
        sandbox.kill()
        sandbox.wait()


def test_other_tokens_are_left_alone() -> None:
    token = new_token()
    one, other = marked(f"{token}/1/5"), marked(f"{token}/10")
    try:
        assert eventually(lambda: len(find_marked(token)) == 2)
        assert kill_marked(f"{token}/1/") == 1
        assert find_marked(token) == [other.pid]
    finally:
        for child in (one, other):
            child.kill()
            child.wait()


@pytest.mark.slow
def test_a_token_in_the_arguments_or_in_another_variable_is_no_mark() -> None:
    token = new_token()
    child = subprocess.Popen(
        [sys.executable, "-S", "-c", "import time; time.sleep(600)", f"{TOKEN_VARIABLE}={token}"],
        env={"OTHER": f"{TOKEN_VARIABLE}={token}", f"X{TOKEN_VARIABLE}": token},
    )
    try:
        assert eventually(lambda: f"{TOKEN_VARIABLE}={token}" in psutil.Process(child.pid).cmdline())
        assert find_marked(token) == []
        assert kill_marked(token) == 0
    finally:
        child.kill()
        child.wait()


def test_a_group_that_is_gone_is_no_error() -> None:
    child = subprocess.Popen(["true"], start_new_session=True)
    child.wait()
    kill_group(child.pid)


OWNER = """
import os, subprocess, sys, time
from arena.sandbox.survivors import become_subreaper, kill_orphans
assert become_subreaper()
keep = subprocess.Popen(["sleep", "600"], start_new_session=True)
bot = subprocess.Popen([sys.executable, "-S", "-c", DAEMONS], start_new_session=True, env={})
bot.wait()
daemons = {int(pid) for task in os.listdir("/proc/self/task")
           for pid in open(f"/proc/self/task/{task}/children").read().split()} - {keep.pid}
killed = kill_orphans({keep.pid})
left = [pid for pid in daemons if os.path.exists(f"/proc/{pid}")]
print(len(daemons) > 0, killed >= len(daemons), left, keep.poll(), kill_orphans({keep.pid}))
keep.kill()
"""
DAEMONS = """
import os, time
for _ in range(3):
    if not os.fork():
        os.setsid()
        if not os.fork():
            os.fork()
        time.sleep(600)
time.sleep(0.2)
"""


def test_a_subreaper_ends_orphans_of_any_session_without_a_mark() -> None:
    told = subprocess.run(
        [sys.executable, "-c", f"DAEMONS = {DAEMONS!r}\n{OWNER}"],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert told.stdout.split("\n")[0] == "True True [] None 0"


PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", CHILD.format(parent=PID)], stdout=subprocess.PIPE)
print(child.pid, child.stdout.readline().decode(), flush=True)
time.sleep(600)
"""
CHILD = """
import time
from arena.sandbox.survivors import die_with_parent
die_with_parent({parent})
print("alive", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("parent", ["__import__('os').getpid()", "1"])
def test_a_child_dies_with_its_parent(parent: str) -> None:
    source = f"CHILD = {CHILD!r}\n" + PARENT.replace("PID", parent)
    process = subprocess.Popen([sys.executable, "-c", source], cwd=ROOT, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        pid, *alive = process.stdout.readline().split()
        assert alive == ([b"alive"] if parent != "1" else []), "a parent that is another is gone already"
        process.kill()
        process.wait()
        assert eventually(lambda: not psutil.pid_exists(int(pid)) or is_zombie(int(pid)))
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def is_zombie(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_this_process_is_marked_by_nothing() -> None:
    assert TOKEN_VARIABLE not in os.environ

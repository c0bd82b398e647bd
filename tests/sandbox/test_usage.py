"""What a bot uses is found although searches for its processes are left out while it stays alone."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest.mock import Mock, patch

import pytest

from arena.sandbox.usage import LOOK_NS, Ran, Usage
from tests.support.waiting import eventually

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads Linux's /proc")
OBEYS = """
import os, signal, sys, threading, time

def spin(cpu_s):
    until = time.process_time() + cpu_s
    while time.process_time() < until:
        pass

for order in sys.stdin:
    exec(order)
    print("done", flush=True)
"""
DESCENDANTS = {
    "a child": "if not os.fork(): spin(20)",
    "a child of a thread": "t = threading.Thread(target=lambda: os.fork() or spin(20)); t.start(); t.join()",
    "a child in a group of its own": "if not os.fork(): os.setsid(); spin(20)",
    "a child of a child": "if not os.fork(): os.fork(); spin(20)",
}


class Obedient:
    """A process that does what it is told, and how it is measured."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.usage = Usage(process.pid)
        self._now_ns = 10**12
        self.look()

    def look(self) -> int:
        """Look as if some time had passed; return how many searches that took."""
        self._now_ns += LOOK_NS
        with patch.object(Usage, "members", autospec=True, side_effect=Usage.members) as members:
            self.usage.look(self._now_ns)
        return members.call_count

    def do(self, order: str) -> None:
        """Let it do something, and wait until it has."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(order + "\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n"


@pytest.fixture
def obedient() -> Iterator[Obedient]:
    with running() as one:
        yield one


@contextmanager
def running() -> Iterator[Obedient]:
    command = (sys.executable, "-S", "-u", "-c", OBEYS)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        one = Obedient(process)
        try:
            yield one
        finally:
            one.usage.close()
            for pid in one.usage.members():
                subprocess.run(("kill", "-KILL", str(pid)), check=False)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def test_while_a_process_stays_alone_nothing_is_searched(obedient: Obedient) -> None:
    assert [obedient.look() for _ in range(3)] == [0, 0, 0]
    obedient.do("spin(0.01)")
    assert obedient.look() == 0
    assert obedient.usage.is_alone


@pytest.mark.parametrize("which", DESCENDANTS)
def test_who_starts_others_is_seen_at_the_next_look(which: str, obedient: Obedient) -> None:
    obedient.do(DESCENDANTS[which])
    assert obedient.look() == 1
    assert not obedient.usage.is_alone
    assert obedient.look() == 1


def test_what_a_child_used_that_is_gone_is_seen_at_the_next_look(obedient: Obedient) -> None:
    obedient.do("os.fork() or (spin(0.1), os._exit(0)); os.wait()")
    assert obedient.look() == 1
    assert obedient.usage.others_cpu_ns >= 80_000_000


def test_processes_with_threads_are_always_searched(obedient: Obedient) -> None:
    obedient.do("threading.Thread(target=time.sleep, args=(600,), daemon=True).start()")
    assert [obedient.look() for _ in range(2)] == [1, 1]
    assert obedient.usage.is_alone


SLEEPS = "time.sleep(600)"
IN_A_THREAD = f"threading.Thread(target=lambda: {SLEEPS}, daemon=True).start()"


@pytest.mark.parametrize(
    ("order", "threads"),
    [
        ("pass", 1),
        (IN_A_THREAD, 2),
        (f"os.fork() or {SLEEPS}", 2),
        (f"os.fork() or ({IN_A_THREAD}, {SLEEPS})", 3),
    ],
)
def test_threads_of_all_processes_are_known(order: str, threads: int, obedient: Obedient) -> None:
    obedient.do(order)
    assert eventually(lambda: len(threads_of(obedient)) == threads)
    obedient.look()
    found = obedient.usage.threads(0)
    assert found.keys() == threads_of(obedient)
    assert found[obedient.usage.members()[0]].cpu_ns > 0


def test_the_processes_of_a_group_count_as_one_thread(obedient: Obedient) -> None:
    group = Mock(waited_ns=Mock(return_value=5), cpu_ns=Mock(return_value=0))
    usage = Usage(obedient.usage.members()[0], None, group)
    assert usage.threads(3) == {0: Ran(3, 5)}
    group.waited_ns.return_value = None  # the kernel doesn't count it
    assert usage.threads(3).keys() == threads_of(obedient)
    usage.close()


def threads_of(obedient: Obedient) -> set[int]:
    """Return the threads of its processes."""
    return {
        int(task.name) for pid in obedient.usage.members() for task in Path(f"/proc/{pid}/task").iterdir()
    }


def test_a_process_that_is_gone_is_no_error(obedient: Obedient) -> None:
    obedient.do("spin(0.01)")
    used_ns = obedient.usage.first_cpu_ns()
    obedient._process.kill()
    obedient._process.wait()
    assert obedient.look() == 1
    assert obedient.usage.first_cpu_ns() == used_ns

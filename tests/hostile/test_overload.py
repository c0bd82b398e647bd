"""Late answers on a core with many competitors: excused for a bot that had no core, whatever thread or process of it
wanted one, not for one that slept.

All run on one core. The competitors are this test's; what a bot has started itself is no excuse for it.
"""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from arena.players.base import Fault, Reply
from arena.players.pool import BotPool
from arena.sandbox.usage import TICK_NS
from protocol.messages import DEFAULT_LIMITS, Ask, Start, Time
from protocol.verdicts import Verdict
from results.base.clock import NS_PER_MS
from tests.support.bots.programs import python_bot
from tests.support.sandbox import CONFINED, PROCESS, columns, confinement_of, open_folder
from tests.support.tables import PATIENT, new_token

COMPETITORS = 8
LIMIT_MS = 150
TICKS_MS = 30
WORK = """
import threading

def work(cpu_s=0.2):
    until = time.thread_time() + cpu_s
    while time.thread_time() < until:
        pass

def in_a_child(job):
    child = os.fork()
    if not child:
        job()
        os._exit(0)
    os.waitpid(child, 0)

def in_a_thread(job):
    thread = threading.Thread(target=job)
    thread.start()
    thread.join()
"""
"""What bots do that need a fifth of a second of a core for an answer, in one thread at a time."""
NEEDS_CPU = {
    "its first thread": "work()",
    "a second thread": "in_a_thread(work)",
    "a child": "in_a_child(work)",
    "a thread of a child of a child": "in_a_child(lambda: in_a_child(lambda: in_a_thread(work)))",
    "a child that does half, and a thread": "in_a_child(lambda: work(0.1)); in_a_thread(lambda: work(0.1))",
}
SLEEPS = "def ask(message): time.sleep(600)"
OWN_CHILDREN = """
waits, wakes = os.pipe()
for _ in range(40):
    if not os.fork():
        os.read(waits, 1)
        while True:
            pass

def ask(message):
    os.write(wakes, bytes(40))
    while True:
        pass
"""
OWN_THREADS = """
import hashlib, threading

def work():
    begin.wait()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**30)  # without Python's lock

begin = threading.Event()
for _ in range(40):
    threading.Thread(target=work, daemon=True).start()

def ask(message):
    begin.set()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**30)
"""
"""So many that it is they who have the core, even where others are at work on this machine."""
OWN_BURST = OWN_THREADS.replace("2**30", "1000").replace("begin.set()", "begin.set()\n    time.sleep(600)")
"""All wait for each other for a moment; then the bot sleeps."""


@pytest.fixture
def one_core() -> Iterator[int]:
    """Have this process, and all that it starts, on one core."""
    allowed = os.sched_getaffinity(0)
    core = min(allowed)
    os.sched_setaffinity(0, {core})
    yield core
    os.sched_setaffinity(0, allowed)


@contextmanager
def competitors(count: int) -> Iterator[None]:
    """Have so many processes that want the core all the time."""
    with ExitStack() as stack:
        for _ in range(count):
            process = subprocess.Popen(
                ["sh", "-c", "echo; while :; do :; done"],
                stdout=subprocess.PIPE,
                start_new_session=True,  # the kernel may share out cores by session: autogroups
            )
            stack.callback(process.communicate)
            stack.callback(process.kill)
            assert process.stdout is not None
            process.stdout.readline()
        yield


def asked(body: str, column: str, *, competing: int, limit_ms: int = LIMIT_MS) -> tuple[Reply | Fault, int]:
    """Return what comes of one decision of a bot whose core is wanted by so many others, and what others had of it.

    The latter is in milliseconds, idle time counted by ticks.
    """
    with (
        open_folder() as place,
        BotPool(
            {0: python_bot(place / "bot", body)},
            place / "place",
            new_token(),
            confinement=confinement_of(column),
        ) as pool,
    ):
        player = pool.take(0, ("league", 0), 0)
        begun = player.start(Start("bids", "plain", {}, 0, 2, 0, PATIENT, DEFAULT_LIMITS, {}), 30_000)
        assert begun is None
        with competitors(competing):
            message = Ask(player.next_id(), "bid", {}, [], Time(limit_ms, 0), legal=[1])
            begun_ms = busy_ms()
            answer = player.ask(message, limit_ms * NS_PER_MS)
            assert player.process is not None
            taken_ms = busy_ms() - begun_ms - player.process.monitor.turn_cpu_ns() // NS_PER_MS
        player.stop()
        pool.give_back(0, player, 0)
    return answer, taken_ms


def busy_ms() -> int:
    """Return a clock of this core that stands still while nobody uses it."""
    (core,) = os.sched_getaffinity(0)
    lines = Path("/proc/stat").read_text().splitlines()
    fields = next(line.split()[1:] for line in lines if line.startswith(f"cpu{core} "))
    idle_ns = sum(map(int, fields[3:5])) * TICK_NS
    return (time.monotonic_ns() - idle_ns) // NS_PER_MS


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize("column", columns(PROCESS, CONFINED, slow=(PROCESS,)))
@pytest.mark.parametrize(
    "how",
    [pytest.param(how, marks=pytest.mark.slow if number else ()) for number, how in enumerate(NEEDS_CPU)],
)
def test_a_bot_that_had_no_core_is_excused(how: str, column: str) -> None:
    body = f"{WORK}\ndef ask(message):\n    {NEEDS_CPU[how]}\n    move(message)"
    limit_ms = LIMIT_MS if how == "its first thread" else 2 * LIMIT_MS  # more than a few looks
    answer, _ = asked(body, column, competing=COMPETITORS, limit_ms=limit_ms)
    assert answer.excuse.startswith("overload: "), answer
    assert answer.excuse.endswith("ms of them ready to run without a core")


@pytest.mark.slow
@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize("column", columns(PROCESS, CONFINED, slow=(PROCESS,)))
@pytest.mark.parametrize(
    ("body", "competing"),
    [
        pytest.param(SLEEPS, COMPETITORS, id="sleeps"),
        pytest.param(OWN_CHILDREN, 0, id="its own processes", marks=pytest.mark.slow),
        pytest.param(OWN_THREADS, 0, id="its own threads", marks=pytest.mark.slow),
        pytest.param(OWN_BURST, 0, id="its own threads, for a moment", marks=pytest.mark.slow),
    ],
)
def test_one_that_did_not_want_it_or_took_it_from_itself_pays(body: str, competing: int, column: str) -> None:
    answer, taken_ms = asked(body, column, competing=competing)
    assert isinstance(answer, Fault)
    assert answer.verdict == Verdict.TIMEOUT
    if answer.excuse:  # the core is also that of whatever else runs on this machine
        assert body != SLEEPS
        waited_ms = int(answer.excuse.split(" ms of them")[0].rpartition(" ")[2])
        assert waited_ms <= taken_ms + TICKS_MS, answer

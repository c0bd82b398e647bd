"""Late answers on a core with many competitors: excused for a bot that had no core, not for one that slept.

All run on one core. The competitors are this test's; what a bot has started itself is no excuse for it.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from arena.players.base import Fault, Reply
from arena.players.pool import BotPool
from protocol.limits import DEFAULT_LIMITS
from protocol.messages import Ask, Start, Time
from protocol.verdicts import Verdict
from tests.players.bench import new_token
from tests.players.columns import CONFINED, PROCESS, columns, confinement_of
from tests.players.zoo import python_bot
from tests.referee.tables import PATIENT
from tests.sandbox.inside import open_folder

COMPETITORS = 8
LIMIT_MS = 150
TRIES = 5
NEEDS_CPU = """
def ask(message):
    until = time.process_time() + 0.1
    while time.process_time() < until:
        pass
    move(message)
"""
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
            )
            stack.callback(process.communicate)
            stack.callback(process.kill)
            assert process.stdout is not None
            process.stdout.readline()
        yield


def asked(body: str, column: str, *, competing: int) -> Reply | Fault:
    """Return what comes of one decision of a bot whose core is wanted by so many others."""
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
            message = Ask(player.next_id(), "bid", {}, [], Time(LIMIT_MS, 0), legal=[1])
            answer = player.ask(message, LIMIT_MS * 1_000_000)
        player.stop()
        pool.give_back(0, player, 0)
    return answer


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize("column", columns(PROCESS, CONFINED, slow=(PROCESS,)))
def test_a_bot_that_had_no_core_is_excused(column: str) -> None:
    answer = asked(NEEDS_CPU, column, competing=COMPETITORS)
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
    ],
)
def test_one_that_did_not_want_it_or_took_it_from_itself_pays(body: str, competing: int, column: str) -> None:
    # The core is also that of whatever else runs on this machine: where that took half of it meanwhile, it is to blame.
    for _ in range(TRIES):
        answer = asked(body, column, competing=competing)
        assert isinstance(answer, Fault)
        assert answer.verdict == Verdict.TIMEOUT
        if not answer.excuse:
            return
    pytest.fail(f"excused {TRIES} times: {answer}")

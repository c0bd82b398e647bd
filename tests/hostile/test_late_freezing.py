"""Thieves of time against late freezing: bots that answer at once, and think while they are trusted to stand still.

Whatever they do, they use little more out of turn than docs/security.md says, and lose the trust of running at all.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from arena import registry
from arena.players.bot import BotPlayer
from arena.players.pool import BotPool, PoolLimits
from arena.players.process import BotProcess
from arena.referee.referee import Referee
from results.records import GameRecord
from tests.hostile.table import GOOD, HOSTILE
from tests.support.bots.programs import python_bot
from tests.support.sandbox import CONFINED, confinement_of, needs_bwrap, open_folder
from tests.support.tables import PATIENT, new_token, play, ticket

pytestmark = needs_bwrap

BOUND_MS = 18
"""What a thief may use out of turn in one game: 10 ms, 2 ms of children, and 6 ms that pass before anybody looks."""
SLACK_MS = 7
"""For a busy machine, on which the one who looks doesn't run when it should."""
CAUGHT_MS = 4
"""The same for a thief that is frozen after each answer: what it runs before the freezing takes hold."""
COUNT_SLACK_MS = 4
"""By how much Arena's count may fall short of the kernel's: one interval between two searches for processes."""

SPIN = """
import threading

def spin(cpu_s, clock=time.process_time):
    until = clock() + cpu_s
    while clock() < until:
        pass
"""
THIEVES = {
    "in long slices": SPIN + "def ask(message):\n    move(message)\n    spin(0.02)",
    "in slices below the suspicion": SPIN + "def ask(message):\n    move(message)\n    spin(0.0007)",
    "in slivers": SPIN + "def ask(message):\n    move(message)\n    spin(0.0002)",
    "until the next message": """
import select

def ask(message):
    move(message)
    while not select.select([0], [], [], 0)[0]:
        pass
""",
    "in a thread": SPIN
    + """
threading.Thread(target=lambda: spin(600, time.thread_time), daemon=True).start()
""",
    "in a thread that rests": SPIN
    + """
def work():
    while True:
        spin(0.0003, time.thread_time)
        time.sleep(0.0003)

threading.Thread(target=work, daemon=True).start()
""",
    "in a child": SPIN
    + """
if not os.fork():
    spin(600)
""",
    "in a child of its third turn": SPIN
    + """
def ask(message):
    if message["id"] == 3 and not os.fork():
        spin(600)
        os._exit(0)
    move(message)
""",
    "in short children": SPIN
    + """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)

def ask(message):
    move(message)
    if not os.fork():
        spin(0.0004)
        os._exit(0)
""",
    "in a child from between its turns": SPIN
    + """
def ask(message):
    move(message)
    if message["id"] == 3 and not os.fork():
        spin(600)
        os._exit(0)
""",
    "in an orphan from between its turns": SPIN
    + """
def ask(message):
    move(message)
    if message["id"] == 3 and not os.fork():
        os.setsid()
        if not os.fork():
            spin(600)
        os._exit(0)
""",
    "in a thread after each answer": SPIN
    + """
def ask(message):
    move(message)
    threading.Thread(target=lambda: spin(0.0008, time.thread_time)).start()
""",
    "in a thread that wakes after an answer": SPIN
    + """
answered = threading.Event()

def work():
    while True:
        answered.wait()
        answered.clear()
        spin(0.02, time.thread_time)

threading.Thread(target=work, daemon=True).start()

def ask(message):
    move(message)
    if message["id"] % 7 == 0:
        answered.set()
""",
    "in a short child now and then": SPIN
    + """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)

def ask(message):
    move(message)
    if message["id"] % 9 == 0 and not os.fork():
        spin(0.0003)
        os._exit(0)
""",
    "in waited children": SPIN
    + """
def ask(message):
    move(message)
    child = os.fork()
    if not child:
        spin(0.0004)
        os._exit(0)
    os.waitpid(child, 0)
""",
    "until the suspicion lapses": SPIN
    + """
import select
asks = 0

def ask(message):
    global asks
    move(message)
    asks += 1
    while (asks < 30 or asks > 150) and not select.select([0], [], [], 0)[0]:
        pass
""",
    "after honest games": SPIN
    + """
games = 0

def start(message):
    global games
    games += 1
    send(type="ready")

def ask(message):
    move(message)
    if games > 2:
        spin(0.0009)
""",
    "while others get ready": SPIN + "def start(message):\n    send(type='ready')\n    spin(0.5)",
    "between games": SPIN + "def end(message):\n    spin(0.5)",
}
VICTIMS = {
    "quick": SPIN + "def ask(message):\n    spin(0.0005)\n    move(message)",
    "slow": SPIN + "def ask(message):\n    spin(0.0035)\n    move(message)",
}
"""Opponents that think for so long that others gain by it, and not so long that those are frozen each time."""
QUICK = ("in slices below the suspicion",)


@dataclass
class Theft:
    """What one bot did in one game."""

    record: GameRecord
    stolen_ms: float
    """CPU time of all its processes from its first ask to the end of the game, outside its asks, by the kernel."""
    counted_ms: float
    """The same by Arena's count."""
    is_trusted: bool
    """Whether it may run after an answer that comes at once."""


class Kernel:
    """What the kernel has counted for the group of each bot in its asks, and since the first of them."""

    def __init__(self) -> None:
        self._since_ns: dict[BotProcess, int] = {}
        self._own_ns: dict[BotProcess, int] = {}

    def ask(self, player: BotPlayer, *given: Any) -> Any:
        """Do what `BotPlayer.ask` does."""
        process = player.process
        assert process is not None
        before_ns = _cpu_ns(process)
        answer = _ASK(player, *given)
        self._since_ns.setdefault(process, before_ns)
        self._own_ns[process] = self._own_ns.get(process, 0) + _cpu_ns(process) - before_ns
        return answer

    def stolen_ms(self, process: BotProcess) -> float:
        """Return what a bot has used outside its asks."""
        return (_cpu_ns(process) - self._since_ns[process] - self._own_ns[process]) / 1e6


_ASK = BotPlayer.ask


def _cpu_ns(process: BotProcess) -> int:
    assert process._group is not None
    return process._group.cpu_ns()


@pytest.fixture(autouse=True)
def _can_freeze() -> None:
    if confinement_of(CONFINED).delegation is None:
        pytest.skip("bots can't be frozen here: there is no control group")


@pytest.fixture(autouse=True)
def _on_one_core() -> Iterator[None]:
    """Bots run on their worker's core, as in a league; there, none of them runs while the kernel's count is read."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    yield
    os.sched_setaffinity(0, cores)


def thefts(place: Path, bodies: dict[int, str], games: int) -> list[dict[int, Theft]]:
    """Play games of entries 0 and 1; return what each of them stole, by game."""
    bots = {entry: python_bot(place / f"bot-{entry}", body) for entry, body in bodies.items()}
    rules, found = registry.game("bread-basket"), []
    confinement = confinement_of(CONFINED)
    with BotPool(
        bots, place / "place", new_token(), PoolLimits(startup_ms=30_000), confinement, freezes_late=True
    ) as pool:
        for number in range(games):
            given = ticket(rules, len(bots), match_no=number, options={"hands": 4})
            players = [pool.take(entry, (given.league, number), entry) for entry in bots]
            kernel = Kernel()
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(BotPlayer, "ask", lambda *given: kernel.ask(*given))  # noqa: B023
                record = play(rules, players, Referee(PATIENT), given)
            table = {}
            for seat, player in enumerate(players):
                process = player.process
                assert process is not None, record.seats[seat]
                monitor, usage = process.monitor, process.monitor._usage
                assert usage is not None
                table[seat] = Theft(
                    record,
                    kernel.stolen_ms(process),
                    monitor._outside_ns / 1e6,
                    monitor._is_trusted and usage.is_alone,
                )
            found.append(table)
            for seat, player in enumerate(players):
                pool.give_back(seat, player, seat)
            pool.end_dismissed()
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "victim"),
    [
        pytest.param(
            how,
            victim,
            marks=() if how in QUICK and victim == "quick" else pytest.mark.slow,
            id=f"{how}-{victim}",
        )
        for how in THIEVES
        for victim in VICTIMS
    ],
)
def test_a_thief_gains_little(how: str, victim: str) -> None:
    with open_folder() as place:
        found = thefts(place, {HOSTILE: THIEVES[how], GOOD: VICTIMS[victim]}, games=4)
    was_trusted = True
    for one in found:
        theft = one[HOSTILE]
        assert [seat.verdict for seat in theft.record.seats] == [None, None]
        assert theft.stolen_ms < (BOUND_MS + SLACK_MS if was_trusted else CAUGHT_MS)
        assert theft.stolen_ms - theft.counted_ms < COUNT_SLACK_MS, "Arena counts what the kernel counts"
        was_trusted = theft.is_trusted
    if how.startswith(("in a child", "in an orphan")):
        assert not was_trusted, "whoever has children is frozen after every answer"


@pytest.mark.slow
def test_thieves_who_take_turns_gain_no_more_each() -> None:
    body = THIEVES["in slices below the suspicion"]
    with open_folder() as place:
        found = thefts(place, {HOSTILE: body, GOOD: body}, games=3)
    for one in found:
        for theft in one.values():
            assert [seat.verdict for seat in theft.record.seats] == [None, None]
            assert theft.stolen_ms < BOUND_MS + SLACK_MS

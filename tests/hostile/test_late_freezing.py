"""Thieves of time against late freezing: bots that answer at once, and think while they are trusted to stand still.

Whatever they do, they use little more out of turn than docs/security.md says, and lose the trust of running at all.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest

from arena import registry
from arena.players.pool import BotPool, PoolLimits
from arena.players.process import BotProcess
from arena.referee.referee import Referee
from results.records import GameRecord
from tests.hostile.table import GOOD, HOSTILE
from tests.players.bench import new_token
from tests.players.columns import CONFINED, confinement_of
from tests.players.zoo import python_bot
from tests.referee.tables import PATIENT, play, ticket
from tests.sandbox.inside import needs_bwrap, open_folder

pytestmark = needs_bwrap

BOUND_MS = 16
"""What a thief may use out of turn in one game: 10 ms, and 6 ms that have passed before anybody looks."""
SLACK_MS = 13
"""For a busy machine, on which the one who looks doesn't run when it should."""

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
    "while others get ready": SPIN + "def start(message):\n    send(type='ready')\n    spin(0.5)",
    "between games": SPIN + "def end(message):\n    spin(0.5)",
}
VICTIM = SPIN + "def ask(message):\n    spin(0.0005)\n    move(message)"
"""Thinks for so long that others gain by it, and not so long that they are frozen each time."""
QUICK = ("in slices below the suspicion",)


@dataclass
class Theft:
    """What one bot did in one game."""

    record: GameRecord
    stolen_ms: float
    """CPU time of all its processes from its first ask to the end of the game, outside its own answers.

    What children use while their parent answers can't be told from the rest. With them it is what Arena counted.
    """
    is_trusted: bool
    """Whether it may run after an answer that comes at once."""


@pytest.fixture(autouse=True)
def _can_freeze() -> None:
    if confinement_of(CONFINED).delegation is None:
        pytest.skip("bots can't be frozen here: there is no control group")


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
            before: dict[int, int] = {}

            def cpu_ns(process: BotProcess | None) -> int:
                assert process is not None
                assert process._group is not None
                return process._group.cpu_ns()

            def asking(seat: int, *_: int) -> None:
                before.setdefault(seat, cpu_ns(players[seat].process))  # noqa: B023 - called in this pass

            record = play(rules, players, Referee(PATIENT, asking=asking), given)
            table = {}
            for seat, player in enumerate(players):
                assert player.process is not None, record.seats[seat]
                used_ns = cpu_ns(player.process) - before[seat] - record.seats[seat].cpu_ns
                watch, usage = player.process.watch, player.process.watch._usage
                assert usage is not None
                if "fork" in bodies[seat]:
                    used_ns = watch._outside_ns
                table[seat] = Theft(record, used_ns / 1e6, watch._is_trusted and usage.is_alone)
            found.append(table)
            for seat, player in enumerate(players):
                pool.give_back(seat, player, seat)
            pool.end_dismissed()
    return found


@pytest.mark.parametrize(
    "how", [pytest.param(how, marks=() if how in QUICK else pytest.mark.slow) for how in THIEVES]
)
def test_a_thief_gains_little(how: str) -> None:
    with open_folder() as place:
        found = thefts(place, {HOSTILE: THIEVES[how], GOOD: VICTIM}, games=4)
    for one in found:
        assert [seat.verdict for seat in one[HOSTILE].record.seats] == [None, None]
        assert one[HOSTILE].stolen_ms < BOUND_MS + SLACK_MS
    if how.startswith("in a child"):
        assert not found[-1][HOSTILE].is_trusted, "whoever has children is frozen after every answer"


@pytest.mark.slow
def test_thieves_who_take_turns_gain_no_more_each() -> None:
    body = THIEVES["in slices below the suspicion"]
    with open_folder() as place:
        found = thefts(place, {HOSTILE: body, GOOD: body}, games=3)
    for one in found:
        for theft in one.values():
            assert [seat.verdict for seat in theft.record.seats] == [None, None]
            assert theft.stolen_ms < BOUND_MS + SLACK_MS

"""Level `full`: what the kernel bounds for the whole bot, in real groups with controllers.

It needs a control group of version 2 with controllers for memory and processes: root makes one, an ordinary user
starts the tests by `systemd-run --user --scope -p Delegate=yes`.
"""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.league.running.local_games import PreparedGames
from arena.league.running.work_units import Excused, Failure
from arena.players.base import Reply
from arena.players.pool import PoolLimits
from arena.referee.transcript import Entrant
from arena.sandbox.bot_program import MIB, Bounds, Program
from arena.sandbox.cgroups import OWN_GROUP, PREFIX, Delegation, hand_on
from arena.sandbox.confinement import UNCONFINED, Confinement, choose
from arena.sandbox.probe import probe
from arena.sandbox.start import start
from protocol.messages import Ask, Clock
from protocol.verdicts import Verdict
from results.base.isolation_levels import Level
from results.records import GameRecord
from tests.players.whole import whole_delegation
from tests.support.bots.programs import python_bot
from tests.support.matches import RULES, tickets
from tests.support.sandbox import PATIENCE_S, PYTHON, SLOT, TOKEN, needs_bwrap, open_folder
from tests.support.tables import Recorder, bench, first_move, reply
from tests.support.waiting import eventually

ROOT = Path(__file__).parents[2]
GUILTY = 2
VERY_PATIENT = Clock(ready_ms=120_000, move_ms=120_000, bank_ms=0, margin_ms=20)
NARROW = Bounds(memory_bytes=64 * MIB)

HOARDS = """
def hoard(mib):
    block = bytearray(mib << 20)
    block[::4096] = b"x" * (mib << 8)
    return block

def fork_hoarders(count, mib):
    children = []
    for _ in range(count):
        child = os.fork()
        if not child:
            hoard(mib)
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
"""
ALONE = HOARDS + "def ask(message):\n    hoard(200)\n    move(message)\n"
EIGHT_CHILDREN = HOARDS + "def ask(message):\n    fork_hoarders(8, 75)\n    move(message)\n"
GETTING_READY = HOARDS + "def start(message):\n    hoard(200)\n    send(type='ready')\n"
BEFORE_HELLO = HOARDS + "def hello(message):\n    hoard(200)\n    send(type='hello', protocol=1)\n"
FULL_PIPES = """
def fill():
    held = []
    for _ in range(120):
        held.append(os.pipe())
        os.set_blocking(held[-1][1], False)
        try:
            while True:
                os.write(held[-1][1], bytes(4096))
        except BlockingIOError:
            pass
    return held

def ask(message):
    children = []
    for _ in range(8):
        child = os.fork()
        if not child:
            held = fill()
            time.sleep(600)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    move(message)
"""


Full = Callable[[Bounds], Confinement]


@pytest.fixture(scope="module")
def delegation() -> Iterator[Delegation]:
    with whole_delegation() as found:
        yield found


@pytest.fixture(scope="module")
def confinement(delegation: Delegation) -> Confinement:
    """Level `full`."""
    found, report = choose("require", Bounds())
    assert found.level is Level.FULL, report.lines()
    assert report.missing == ()
    assert found.delegation == delegation
    return found


@pytest.fixture
def full(confinement: Confinement) -> Iterator[Full]:
    """Have level `full` with any bounds; afterwards no group of a bot may be left."""
    yield lambda bounds: replace(confinement, bounds=bounds)
    assert not groups(confinement)


@pytest.fixture(autouse=True)
def _slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charge nobody with what a virtual machine counts as CPU time: where it hears of no steal time, its host's too."""
    monkeypatch.setattr("arena.players.usage_monitor.PONDERING_LEAST_NS", 60_000_000_000)


@pytest.fixture
def unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have nobody sample memory while a bot is waited for."""
    monkeypatch.setattr("arena.players.exchange.LOOK_MS", 600_000.0)


def groups(confinement: Confinement) -> list[Path]:
    assert confinement.delegation is not None
    return sorted(confinement.delegation.folder.glob(f"{PREFIX}*"))


def result_of(place: Path, body: str, confinement: Confinement) -> GameRecord | Excused | Failure:
    """Play a game of three real bots of which one does what `body` says."""
    bots = {entry: python_bot(place / f"bot-{entry}", body if entry == GUILTY else "") for entry in range(4)}
    names = {entry: Entrant(f"bot-{entry}", f"{entry:064x}") for entry in bots}
    limits = PoolLimits(startup_ms=120_000)
    work = PreparedGames(RULES, bots, names, clock=VERY_PATIENT, pool=limits, confinement=confinement)
    playing = work.open("w0", f"test-full-{os.getpid()}", own_process=False)
    try:
        return playing.play(next(ticket for ticket in tickets(1) if GUILTY in ticket.entries))
    finally:
        playing.close()


def faults(game: object) -> dict[int, str]:
    """Return the verdicts and details of a game, by entry."""
    assert isinstance(game, GameRecord), game
    return {seat.entry_no: f"{seat.verdict}: {seat.detail}" for seat in game.seats if seat.verdict}


@pytest.mark.slow
@needs_bwrap
@pytest.mark.usefixtures("confinement")
def test_the_probe_finds_it_again_in_this_process_and_in_its_children() -> None:
    """They are in a group within the delegated one now."""
    code = "from arena.sandbox.probe import probe; print(probe().level.word)"
    child = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (probe().level, child.stdout) == (Level.FULL, "full\n")


@pytest.mark.slow
@needs_bwrap
@pytest.mark.usefixtures("unseen")
@pytest.mark.parametrize(
    ("body", "limit_mib", "moment"),
    [
        (ALONE, 64, "in ask 1"),
        (EIGHT_CHILDREN, 256, "in ask 1"),
        (GETTING_READY, 64, "before it answered `start`"),
        (BEFORE_HELLO, 64, "before it answered `hello`"),
        (FULL_PIPES, 32, "in ask 1"),
    ],
    ids=["alone", "eight children", "getting ready", "before hello", "full pipes"],
)
def test_more_memory_than_the_limit_ends_the_whole_bot_at_once(
    body: str, limit_mib: int, moment: str, full: Full
) -> None:
    """Nobody samples, and the hoarders hold what they have for a moment only. The others of its game are not hurt."""
    with open_folder() as place:
        game = result_of(place, body, full(Bounds(memory_bytes=limit_mib * MIB)))
    expected = f"memory: {limit_mib} MiB limit, {limit_mib} MiB held when the kernel ended it {moment}"
    assert faults(game) == {GUILTY: expected}


@pytest.mark.slow
@needs_bwrap
@pytest.mark.usefixtures("unseen")
def test_what_is_within_the_limit_is_nobodys_fault(full: Full) -> None:
    within = HOARDS + "def ask(message):\n    fork_hoarders(1, 30)\n    move(message)\n"
    with open_folder() as place:
        assert faults(result_of(place, within, full(NARROW))) == {}


def verdicts_beside(
    place: Path, bot: Program, confinement: Confinement, see: Callable[[], None]
) -> list[str]:
    """Play a game of the bot and a player; `see` is called when only that one has a turn. Return the verdicts."""

    def answer(ask: Ask, _: int) -> Reply:
        if ask.kind == "say":  # the bot has bid, and the player won
            see()
            return reply(first_move(ask))
        assert isinstance(ask.legal, list)
        return reply(ask.legal[-1])

    with bench(place / "place", bot, PoolLimits(startup_ms=120_000), confinement) as table:
        game = table.game([Recorder(answer)], VERY_PATIENT)
        return [seat.verdict or "" for seat in game.seats]


@pytest.mark.slow
@needs_bwrap
@pytest.mark.usefixtures("unseen")
def test_no_swap_is_used(full: Full) -> None:
    if len(Path("/proc/swaps").read_text().splitlines()) < 2:
        pytest.skip("this machine has no swap")
    seen = []
    confinement = full(NARROW)

    def see() -> None:
        (group,) = groups(confinement)
        with contextlib.suppress(OSError):  # it need not have all of it in its place
            (group / "memory.reclaim").write_text("40M")
        seen.append([(group / f"memory.swap.{figure}").read_text() for figure in ("max", "current")])

    with open_folder() as place:
        bot = python_bot(place / "bot", HOARDS + "held = hoard(40)\n")
        assert verdicts_beside(place, bot, confinement, see) == ["", ""]
        assert seen
        assert all(figures == ["0\n", "0\n"] for figures in seen)
        found = faults(result_of(place / "game", ALONE, confinement))
    assert found.keys() == {GUILTY}
    assert found[GUILTY].startswith("memory: 64 MiB limit, 64 MiB held when the kernel")


FORKS = """
def ask(message):
    born = 0
    try:
        while born < 1000:
            if not os.fork():
                time.sleep(600)
                os._exit(0)
            born += 1
    except OSError as error:
        log(f"{born} born: {error.errno};")
    move(message)
"""


@pytest.mark.slow
@needs_bwrap
@pytest.mark.parametrize("how", ["confined", "without a sandbox"])
def test_a_fork_bomb_stops_at_the_limit(how: str, full: Full) -> None:
    """Without a sandbox there is no other bound; in one the account's counts the same processes and may come first."""
    confinement = full(Bounds(processes=20))
    if how != "confined":
        confinement = replace(UNCONFINED, delegation=confinement.delegation, bounds=confinement.bounds)
    found = []

    def see() -> None:
        (group,) = groups(confinement)
        refused = int((group / "pids.events").read_text().removeprefix("max "))
        found.append(((group / "pids.max").read_text(), (group / "pids.current").read_text(), refused > 0))

    with open_folder() as place:
        bot = python_bot(place / "bot", FORKS)
        assert verdicts_beside(place, bot, confinement, see) == ["", ""]
    assert found
    assert {(most, current) for most, current, _ in found} == {("20\n", "20\n")}
    if how != "confined":
        assert all(is_refused for _, _, is_refused in found)


COUNTS = """
import os, sys
def count(what):
    held = []
    if what == "files":
        for number in range(4000):
            os.close(os.open(f"/tmp/{number}", os.O_CREAT | os.O_WRONLY))
    else:
        for _ in range(120):
            held.append(os.pipe())
            os.write(held[-1][1], bytes(4096))
    return held

print("ready", flush=True)
for line in sys.stdin:
    if line.strip() in ("files", "pipes"):
        held = count(line.strip())
        print("made", flush=True)
"""


@pytest.mark.slow
@needs_bwrap
@pytest.mark.parametrize(("what", "least_bytes"), [("files", 2_000_000), ("pipes", 500_000)])
def test_what_the_kernel_holds_for_a_bot_is_its_memory(what: str, least_bytes: int, full: Full) -> None:
    """Empty files and pipes are in no process's memory."""
    confinement = full(Bounds())
    with open_folder() as place:
        (place / "bot").mkdir()
        (place / "bot" / "bot.py").write_text(COUNTS)
        program = Program(place / "bot", (PYTHON, "bot.py"))
        started = start(
            confinement, program, place / "bot", place / "scratch", slot=SLOT, token=TOKEN, engine=None
        )
        assert started.group is not None
        assert started.status is not None
        try:
            with open(started.stdout, "rb", closefd=False) as output:
                assert output.readline() == b"ready\n"
                before = started.group.memory_bytes()
                os.write(started.stdin, f"{what}\n".encode())
                assert output.readline() == b"made\n"
                assert started.group.memory_bytes() - before > least_bytes
        finally:
            started.popen.kill()
            started.popen.wait()
            assert started.status.wait_ended(PATIENCE_S)
            started.status.close()
            assert started.group.remove()
            for descriptor in (started.stdin, started.stdout, started.stderr):
                os.close(descriptor)


SPINS = """
import threading

def spin():
    while True:
        pass

for _ in range(2):
    threading.Thread(target=spin, daemon=True).start()
if not os.fork():
    spin()
"""


@pytest.mark.slow
@needs_bwrap
def test_a_bot_stands_still_while_it_is_not_its_turn(full: Full) -> None:
    used = []
    confinement = full(Bounds())

    def see() -> None:
        (group,) = groups(confinement)
        assert eventually(lambda: "frozen 1" in (group / "cgroup.events").read_text())
        before = (group / "cpu.stat").read_text().split()[1]
        time.sleep(0.2)
        used.append(int((group / "cpu.stat").read_text().split()[1]) - int(before))

    with open_folder() as place:
        bot = python_bot(place / "bot", SPINS)
        assert verdicts_beside(place, bot, confinement, see) == ["", ""]
    assert used
    assert set(used) == {0}


GROWS_SLOWLY = """
def ask(message):
    held = []
    for _ in range(150):
        time.sleep(0.02)
        held.append(b"x" * 1_000_000)
    move(message)
"""


@pytest.fixture
def crowded(full: Full) -> Iterator[Confinement]:
    """Have a group around those of the bots, and around nobody else, that is out of memory before any of them."""
    confinement = full(Bounds(memory_bytes=256 * MIB))
    whole = confinement.delegation
    assert whole is not None
    around = Delegation(whole.folder / f"crowded-{os.getpid()}", whole.controllers)
    around.folder.mkdir()
    try:
        hand_on(around)
        (around.folder / "memory.max").write_text(str(96 * MIB))
        (around.folder / "memory.swap.max").write_text("0")
        inside = replace(confinement, delegation=around)
        yield inside
        assert not groups(inside)
    finally:
        (around.folder / OWN_GROUP).rmdir()
        around.folder.rmdir()


@pytest.mark.slow
@needs_bwrap
@pytest.mark.usefixtures("unseen")
def test_want_of_memory_around_a_bot_is_told_from_its_own_limit(crowded: Confinement) -> None:
    with open_folder() as place:
        around = result_of(place / "around", GROWS_SLOWLY, crowded)
        narrower = replace(crowded, bounds=Bounds(memory_bytes=48 * MIB))
        own = result_of(place / "own", GROWS_SLOWLY, narrower)
    assert isinstance(around, Excused), around
    assert (around.record.verdict, around.record.entry_no) == (Verdict.OVERLOAD, GUILTY)
    assert "the machine was out of memory, and the bot within its limit" in around.record.detail
    assert faults(around.game) == {GUILTY: "crash: was ended by SIGKILL during its turn"}
    assert faults(own) == {GUILTY: "memory: 48 MiB limit, 48 MiB held when the kernel ended it in ask 1"}

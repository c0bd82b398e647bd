"""Bots that were ended by SIGKILL: whoever did it, only the kernel's word excuses them."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from arena.core.ticket import Ticket
from arena.league.running.local_games import GamePlaying, PreparedGames
from arena.league.running.machine_faults import OverloadRetries
from arena.league.running.work_units import Excused, Failure
from arena.players import process
from arena.players.base import Fault, Reply
from arena.players.pool import BotPool, PoolLimits
from arena.players.process import BotProcess, EndedFromOutside, MemoryKiller
from arena.referee.transcript import Entrant
from protocol.messages import DEFAULT_LIMITS, Ask, Start, Time
from protocol.verdicts import Reason, Verdict
from results.records import GameRecord
from tests.support.bots.programs import python_bot
from tests.support.ledgers import new_league, new_store, plan, played
from tests.support.matches import RULES, tickets
from tests.support.sandbox import (
    CONFINED,
    ORDINARY_USER,
    PROCESS,
    columns,
    confinement_of,
    in_column,
    open_folder,
)
from tests.support.tables import PATIENT, new_token
from tests.support.waiting import eventually

GUILTY = 2
KILLS_ITSELF = """
def ask(message):
    os.kill(os.getpid(), signal.SIGKILL)
"""
IS_KILLED_BY_ITS_CHILD = """
def ask(message):
    parent = os.getpid()
    if not os.fork():
        os.kill(parent, signal.SIGKILL)
        os._exit(0)
    time.sleep(600)
"""
KILLS_ALL = """
def ask(message):
    try:
        os.kill(-1, signal.SIGKILL)
        os.kill(1, signal.SIGKILL)
    finally:
        os.kill(os.getpid(), signal.SIGKILL)
"""
SAYS_SO = """
def ask(message):
    os._exit(137)
"""
CRASHES = """
def ask(message):
    os._exit(3)
"""
BEFORE_HELLO = "os.kill(os.getpid(), signal.SIGKILL)"
GROWS_SLOWLY = """
def ask(message):
    log("asked")
    held = []
    for _ in range(150):
        time.sleep(0.02)
        held.append(b"x" * 1_000_000)
    time.sleep(600)
"""
WAITS = """
def ask(message):
    log("asked")
    time.sleep(600)
"""


class Kernel:
    """Stands for /proc/vmstat; the count rises when it is looked at for evidence."""

    def __init__(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.file = file
        self.count(7)
        self.killer = MemoryKiller(file, monotonic_s=lambda: 0.0)
        self.killer.recent_victims()
        monkeypatch.setattr(process, "OF_THIS_MACHINE", self.killer)

    def count(self, victims: int) -> None:
        self.file.write_text(f"nr_free_pages 1\noom_kill {victims}\nother 3\n")


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    return Kernel(tmp_path / "vmstat", monkeypatch)


def opened(place: Path, body: str, column: str) -> GamePlaying:
    """Open the work of a league in which one bot does what `body` says."""
    bots = {entry: python_bot(place / f"bot-{entry}", body if entry == GUILTY else "") for entry in range(4)}
    names = {entry: Entrant(f"bot-{entry}", f"{entry:064x}") for entry in bots}
    limits = PoolLimits(startup_ms=60_000)
    work = PreparedGames(RULES, bots, names, clock=PATIENT, pool=limits, confinement=confinement_of(column))
    return work.open("w0", f"test-killed-{os.getpid()}-{time.monotonic_ns()}", own_process=False)


def result_of(place: Path, body: str, column: str) -> GameRecord | Excused | Failure:
    playing = opened(place, body, column)
    try:
        return playing.play(ticket())
    finally:
        playing.close()


def ticket() -> Ticket:
    return next(ticket for ticket in tickets(1) if GUILTY in ticket.entries)


def guilty(game: object) -> str:
    """Return the verdict and detail of the one bot at fault."""
    assert isinstance(game, GameRecord), game
    (seat,) = (seat for seat in game.seats if seat.verdict)
    assert seat.entry_no == GUILTY
    return f"{seat.verdict}: {seat.detail}"


ENDS = {
    "itself": (KILLS_ITSELF, "crash: was ended by SIGKILL during its turn"),
    "its child": (IS_KILLED_BY_ITS_CHILD, "crash: was ended by SIGKILL during its turn"),
    "before hello": (BEFORE_HELLO, "startup: was ended by SIGKILL before it answered `hello`"),
}


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("ends", ENDS)
def test_who_kills_itself_is_charged(tmp_path: Path, ends: str) -> None:
    body, expected = ENDS[ends]
    assert guilty(result_of(tmp_path, body, PROCESS)) == expected


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("column", columns(CONFINED, ORDINARY_USER, slow=(ORDINARY_USER,)))
@pytest.mark.parametrize(
    "ends",
    [
        pytest.param((KILLS_ALL, ENDS["itself"][1]), id="all"),
        *(pytest.param(ends, id=name, marks=pytest.mark.slow) for name, ends in ENDS.items()),
        pytest.param((SAYS_SO, ENDS["itself"][1]), id="says so"),
    ],
)
def test_in_a_sandbox_too(column: str, ends: tuple[str, str]) -> None:
    body, expected = ends
    with open_folder() as place:
        if column == ORDINARY_USER:
            place.chmod(0o777)
        tickets(1)  # loads the games, while this process still may read them

        def find_charged() -> None:
            assert guilty(result_of(place, body, column)) == expected

        in_column(column, find_charged)


@pytest.mark.parametrize("column", columns(PROCESS, CONFINED))
@pytest.mark.parametrize("body", [KILLS_ITSELF, BEFORE_HELLO], ids=["in its turn", "before hello"])
def test_with_the_kernels_word_the_game_may_be_played_again(kernel: Kernel, body: str, column: str) -> None:
    kernel.count(9)
    with open_folder() as place:
        result = result_of(place, body, column)
    assert isinstance(result, Excused)
    assert (result.record.verdict, result.record.entry_no) == (Verdict.OVERLOAD, GUILTY)
    assert "the system's memory killer has ended 2 processes of this machine" in result.record.detail
    assert "SIGKILL" in guilty(result.game), "where there is no excuse left it is charged"


@pytest.mark.parametrize("column", columns(PROCESS, CONFINED))
def test_the_kernels_word_excuses_no_other_end(kernel: Kernel, column: str) -> None:
    kernel.count(9)
    with open_folder() as place:
        assert guilty(result_of(place, CRASHES, column)).startswith("crash: exited with code 3")


def test_an_earlier_victim_is_no_evidence(kernel: Kernel, tmp_path: Path) -> None:
    kernel.count(8)
    kernel.killer.victims()
    assert guilty(result_of(tmp_path, KILLS_ITSELF, PROCESS)).startswith("crash")


def test_a_kernel_that_does_not_count_excuses_nobody(kernel: Kernel, tmp_path: Path) -> None:
    kernel.file.unlink()
    assert guilty(result_of(tmp_path, KILLS_ITSELF, PROCESS)).startswith("crash")


def test_excuses_for_it_are_as_seldom_as_others(kernel: Kernel, tmp_path: Path) -> None:
    """A bot that kills itself in every game, while somebody sees to the kernel's count, gains one game of fifty."""
    store = new_store(tmp_path)
    league = new_league(store)
    matches = plan(store, league, *[(0, 1, GUILTY)] * 101)
    excuses = OverloadRetries(store, league.uuid)
    granted = 0
    kernel.count(9)
    (excused,) = [result_of(tmp_path / "bots", KILLS_ITSELF, PROCESS)]
    assert isinstance(excused, Excused)
    for match in matches[:100]:
        again = Excused(
            ticket=Ticket(league.uuid, match.match_no, 0, (0, 1, GUILTY), excused.ticket.ruleset, bytes(32)),
            game=excused.game,
            record=excused.record,
        )
        granted += excuses.grants(again)
        excuses.count(played(match))
    assert granted == 2


def ended_while_it_owes(
    place: Path, column: str, end: Callable[[BotProcess], None], body: str = WAITS
) -> Reply | Fault:
    """Return what comes of an ask during which somebody else ends the bot."""
    bot = python_bot(place / "bot", body)
    with BotPool({0: bot}, place / "place", new_token(), confinement=confinement_of(column)) as pool:
        player = pool.take(0, ("league", 0), 0)
        start = Start("bids", "plain", {}, 0, 2, 0, PATIENT, DEFAULT_LIMITS, {})
        assert player.start(start, 30_000) is None
        process = player.process
        assert process is not None

        def end_it() -> None:
            assert eventually(lambda: b"asked" in process.channel.log.head)
            end(process)

        ending = threading.Thread(target=end_it)
        ending.start()
        try:
            return player.ask(Ask(1, "any", {}, [], Time(30_000, 0), [1]), 60_000_000_000)
        finally:
            ending.join()
            player.stop()
            pool.give_back(0, player, 0)


def the_program(process: BotProcess) -> psutil.Process:
    """Return the bot's own process."""
    outer = psutil.Process(process.pid)
    return (outer.children(recursive=True) or [outer])[-1]


def kill_the_program(process: BotProcess) -> None:
    """Kill the bot's own process, as the system's memory killer does."""
    the_program(process).send_signal(signal.SIGKILL)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("column", columns(PROCESS, CONFINED))
def test_who_is_killed_from_outside_without_a_word_of_the_kernel_is_charged(column: str) -> None:
    """It can't be told from one that has done it itself."""
    with open_folder() as place:
        fault = ended_while_it_owes(place, column, kill_the_program)
    assert fault == Fault(Verdict.CRASH, "was ended by SIGKILL during its turn", Reason.KILLED)


@pytest.mark.parametrize("column", columns(PROCESS, CONFINED))
def test_the_memory_killers_victim_is_excused(kernel: Kernel, column: str) -> None:
    def kill_and_count(process: BotProcess) -> None:
        kernel.count(8)
        kill_the_program(process)

    with open_folder() as place:
        fault = ended_while_it_owes(place, column, kill_and_count)
    assert isinstance(fault, Fault)
    assert fault.verdict is Verdict.CRASH
    assert "the system's memory killer has ended 1 processes" in fault.excuse


@pytest.fixture
def narrow() -> Iterator[Path]:
    """Have a control group of version 1 that bounds memory and is not the arena's."""
    group = Path("/sys/fs/cgroup/memory") / f"arena-test-{os.getpid()}"
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text(str(24 * 1024 * 1024))
    except OSError as error:
        pytest.skip(f"no group that bounds memory can be made here: {error}")
    try:
        yield group
    finally:
        assert eventually(lambda: not (group / "cgroup.procs").read_text())
        group.rmdir()


@pytest.mark.slow
@pytest.mark.parametrize("column", columns(PROCESS, CONFINED, slow=(PROCESS,)))
def test_a_real_victim_of_the_memory_killer_is_excused(narrow: Path, column: str) -> None:
    """The bot keeps to its own limit; the group around it, which isn't the arena's, is out of memory."""

    def put_in(process: BotProcess) -> None:
        (narrow / "cgroup.procs").write_text(str(the_program(process).pid))

    with open_folder() as place:
        fault = ended_while_it_owes(place, column, put_in, GROWS_SLOWLY)
    assert isinstance(fault, Fault)
    assert (fault.verdict, fault.detail) == (Verdict.CRASH, "was ended by SIGKILL during its turn")
    assert "the system's memory killer has ended" in fault.excuse


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("column", columns(CONFINED))
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_sandbox_that_was_ended_around_the_bot_is_nobodys_fault(column: str, number: int) -> None:
    with open_folder() as place, pytest.raises(EndedFromOutside, match=signal.Signals(number).name):
        ended_while_it_owes(place, column, lambda process: os.kill(process.pid, number))


def test_such_a_game_is_a_fault_of_the_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(*_: object) -> None:
        raise EndedFromOutside("the sandbox was ended from outside, by SIGKILL")

    monkeypatch.setattr("arena.players.asking_for_moves.ask", ended)
    result = result_of(tmp_path, "", PROCESS)
    assert isinstance(result, Failure)
    assert result.record.verdict is Verdict.HOST
    assert "from outside, by SIGKILL" in result.record.detail

"""What bots do between their games: they stand still or pay for it, and the dismissed are dead before anybody plays."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from arena.players.pool import BotPool
from arena.players.process import BotProcess
from arena.sandbox.bot_program import Program
from protocol.verdicts import Verdict
from results.records import GameRecord
from tests.hostile.table import FRESH, GOOD, HOSTILE, Table, table
from tests.support.bots.programs import python_bot
from tests.support.sandbox import (
    CONFINED,
    ORDINARY_USER,
    PROCESS,
    WITHOUT_GROUP,
    columns,
    confinement_of,
    in_column,
    open_folder,
)

SPINS_AT_THE_END = """
import threading

def spin(cpu_s):
    until = time.thread_time() + cpu_s
    while time.thread_time() < until:
        pass

def end(message):
    threading.Thread(target=spin, args=(600,), daemon=True).start()
"""
TAKES_ITS_TIME = "def ask(message):\n    time.sleep(0.1)\n    move(message)"
DOES_NOT_QUIT = SPINS_AT_THE_END + "\ndef quit(message): spin(600)"
WORKED = r"\d+ ms limit of CPU time between its games, \d+ ms used"


def at_table(column: str, bots: dict[int, str], play: Callable[[Table], None], *, reuse: bool = True) -> None:
    """Have games played between bots of these bodies, by entry; `reuse` is the hostile one's."""

    def work() -> None:
        programs: dict[int, Program] = {
            entry: python_bot(place / str(entry), body, reuse=reuse or entry != HOSTILE)
            for entry, body in bots.items()
        }
        with table(place / "bots", programs, confinement_of(column)) as seats:
            play(seats)

    with open_folder() as place:
        if column == ORDINARY_USER:
            place.chmod(0o777)
        in_column(column, work)


def clean(record: GameRecord) -> bool:
    return [seat.verdict for seat in record.seats] == [None] * len(record.seats)


def idle_of(pool: BotPool, entry: int) -> BotProcess:
    """Return the only idle process of an entry."""
    (process,) = [process for number, process in pool._idle if number == entry]
    return process


def cpu_s(process: BotProcess) -> float:
    """Return the CPU time of all processes of a bot that are there."""
    assert process.monitor._usage is not None
    times = [psutil.Process(pid).cpu_times() for pid in process.monitor._usage.members()]
    return sum(one.user + one.system for one in times)


@pytest.mark.gate
@pytest.mark.slow
@pytest.mark.parametrize("column", columns(CONFINED))
def test_a_kept_process_stands_still_between_its_games(column: str) -> None:
    if confinement_of(column).delegation is None:
        pytest.skip("bots can't be frozen here: there is no control group")

    def play(seats: Table) -> None:
        assert clean(seats.game(HOSTILE, GOOD))
        seats.pool.end_dismissed()
        kept = idle_of(seats.pool, HOSTILE)
        before_s = cpu_s(kept)
        assert clean(seats.game(FRESH, GOOD))
        assert cpu_s(kept) - before_s < 0.02, "it has not even read that its game is over"
        assert clean(seats.game(HOSTILE, GOOD)), "what it does now is its own time"
        assert idle_of(seats.pool, HOSTILE) is kept

    at_table(column, {HOSTILE: SPINS_AT_THE_END, GOOD: "", FRESH: TAKES_ITS_TIME}, play)


@pytest.mark.slow
@pytest.mark.parametrize(
    "column", columns(PROCESS, WITHOUT_GROUP, ORDINARY_USER, slow=(WITHOUT_GROUP, ORDINARY_USER))
)
def test_one_that_works_between_its_games_is_killed_meanwhile_and_pays_in_its_next(column: str) -> None:
    def play(seats: Table) -> None:
        assert clean(seats.game(HOSTILE, GOOD))
        kept = idle_of(seats.pool, HOSTILE)
        assert clean(seats.game(FRESH, GOOD))
        assert kept not in [process for _, process in seats.pool._idle], "it was killed during the game"
        bad, good = seats.game(HOSTILE, GOOD).seats
        assert (bad.verdict, good.verdict) == (Verdict.PONDERING, None)
        assert bad.decisions == 0
        assert re.fullmatch(WORKED, bad.detail), bad.detail
        assert clean(seats.game(HOSTILE, GOOD)), "it has paid"
        assert clean(seats.game(FRESH, GOOD))

    at_table(column, {HOSTILE: SPINS_AT_THE_END, GOOD: "", FRESH: TAKES_ITS_TIME}, play)


@pytest.mark.slow
@pytest.mark.parametrize("column", columns(PROCESS, WITHOUT_GROUP, slow=(WITHOUT_GROUP,)))
@pytest.mark.parametrize("games", [1, 4])
def test_a_little_work_at_the_end_of_each_game_is_no_fault(column: str, games: int) -> None:
    little = "def end(message):\n    until = time.process_time() + 0.02\n    while time.process_time() < until: pass"

    def play(seats: Table) -> None:
        for _ in range(games):
            assert clean(seats.game(HOSTILE, GOOD))
            assert clean(seats.game(FRESH, GOOD))

    at_table(column, {HOSTILE: little, GOOD: "", FRESH: TAKES_ITS_TIME}, play)


@pytest.mark.parametrize(
    "column",
    columns(
        *(PROCESS, CONFINED, WITHOUT_GROUP, ORDINARY_USER), slow=(CONFINED, WITHOUT_GROUP, ORDINARY_USER)
    ),
)
def test_who_is_dismissed_is_dead_before_the_next_game_and_is_waited_for_once(column: str) -> None:
    def play(seats: Table) -> None:
        asked = []
        for _ in range(3):
            assert clean(seats.game(HOSTILE, GOOD))
            ((until_s, _, gone),) = seats.pool._leaving
            asked.append(until_s > 0)
            living = [psutil.Process(gone.pid), *psutil.Process(gone.pid).children(recursive=True)]
            seats.pool.end_dismissed()
            assert not [one for one in living if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
            assert clean(seats.game(FRESH, GOOD))
        assert asked == [True, False, False], "who does not end by itself is not asked again"
        assert seats.pool._stubborn == {HOSTILE}

    at_table(column, {HOSTILE: DOES_NOT_QUIT, GOOD: "", FRESH: ""}, play, reuse=False)


@pytest.mark.slow
def test_nobody_lives_beside_a_game_who_was_dismissed_even_where_nobody_settles(tmp_path: Path) -> None:
    beside: list[str] = []
    seen = tmp_path / "seen"
    seen.mkdir()
    lingers = """
def quit(message):
    while True:
        time.sleep(0.001)
"""
    looks = f"""
def start(message):
    alive = [name for name in os.listdir({str(seen)!r}) if os.path.exists("/proc/" + name)]
    log("alive " + " ".join(alive))
    send(type="ready")
"""
    tells = f"open(os.path.join({str(seen)!r}, str(os.getpid())), 'w').close()\n"
    programs = {
        HOSTILE: python_bot(tmp_path / "0", tells + lingers, reuse=False),
        GOOD: python_bot(tmp_path / "1", looks),
    }
    with table(tmp_path / "bots", programs, confinement_of(PROCESS)) as seats:
        for _ in range(3):
            record = seats.game(GOOD, HOSTILE)
            beside += [log.head.decode() for log in record.logs if log.seat == 0]
    assert beside == ["alive "] * 3
    assert len(os.listdir(seen)) == 3  # noqa: PTH208

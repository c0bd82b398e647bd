"""Bot processes over several games: kept, told apart, replaced, drained, ended."""

import json
import os
import select
import signal
import subprocess
from collections import Counter
from pathlib import Path
from threading import Event
from typing import Any

import psutil
import pytest
from msgspec import structs
from msgspec.structs import replace

from arena.players.bot import BotPlayer
from arena.players.pool import BotPool, HostRefusal, PoolLimits
from arena.players.process import BotProcess
from arena.sandbox.bot_program import Program
from arena.sandbox.folder_removal import remove_tree
from arena.sandbox.runtimes import Runtime, Runtimes
from arena.sandbox.survivors import find_marked
from protocol.messages import DEFAULT_LIMITS, Clock, Limits, Start
from protocol.verdicts import LineTooLong, Verdict
from results.records import GameRecord
from tests.support.bots.programs import READ_ON, WELL_BEHAVED, logging_bot, program, python_bot
from tests.support.sandbox import CONFINED, PROCESS, columns, confinement_of
from tests.support.tables import PATIENT, Recorder, bench, body_of, new_token, timing_of
from tests.support.waiting import eventually

NOTES_PID = "def ask(message): move(message, note=str(os.getpid()))"


def pid_of(record: GameRecord) -> int:
    """Return the process that played, from the notes of a bot that tells."""
    (pid,) = {move["note"] for move in body_of(record)["moves"] if "note" in move}
    return int(pid)


def log_of(record: GameRecord) -> bytes:
    """Return the log of seat 0."""
    return next((log.head + log.tail for log in record.logs if log.seat == 0), b"")


def lines_of(record: GameRecord) -> list[dict[str, Any]]:
    """Return what a bot was sent that logs its lines."""
    return [json.loads(line) for line in log_of(record).splitlines() if line.startswith(b"{")]


def test_a_process_plays_games_of_different_matches_and_never_two_of_one(tmp_path: Path) -> None:
    with bench(tmp_path / "place", python_bot(tmp_path / "bot", NOTES_PID)) as table:
        pids = [pid_of(table.game([Recorder()], match_no=match_no)) for match_no in (0, 1, 2, 0, 1, 3, 2)]
    assert len(set(pids[:3])) == 1, "three matches, one process"
    assert pids[3] != pids[0], "match 0 again: a fresh process"
    assert pids[4] == pids[3], "which has not played match 1 yet"
    assert pids[5] == pids[3]
    assert pids[6] == pids[3]
    matches = Counter(zip(pids, (0, 1, 2, 0, 1, 3, 2), strict=True))
    assert set(matches.values()) == {1}


@pytest.mark.parametrize("column", columns(PROCESS, CONFINED))
def test_only_folders_that_nobody_can_see_are_removed_while_others_play(
    column: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, removed = Event(), []

    def remove(folder: Path) -> None:
        if column == CONFINED:
            assert go_on.wait(60)
        removed.append(folder)
        remove_tree(folder)

    monkeypatch.setattr("arena.players.pool.remove_tree", remove)
    bot = python_bot(tmp_path / "bot", NOTES_PID)
    with bench(tmp_path / "place", bot, confinement=confinement_of(column)) as table:
        pids = {pid_of(table.game([Recorder()], match_no=0)) for _ in range(2)}
        assert column == CONFINED or len(pids) == 2, "the same match again: another process"
        assert len(removed) == (column == PROCESS), "before the second game, where the bot could look there"
        go_on.set()


def test_ids_go_on_over_the_games_of_a_process_and_begin_anew_in_the_next(tmp_path: Path) -> None:
    with bench(tmp_path / "place", logging_bot(tmp_path / "bot")) as table:
        games = [lines_of(table.game([Recorder()], match_no=number)) for number in (0, 1, 0)]
    ids = [[line["id"] for line in lines if line["type"] == "ask"] for lines in games]
    assert ids[0] == list(range(1, len(ids[0]) + 1))
    assert ids[1] == list(range(len(ids[0]) + 1, len(ids[0]) + len(ids[1]) + 1))
    assert ids[2][0] == 1
    assert [line["type"] for line in games[0][:2]] == ["hello", "start"]
    assert [line["type"] for line in games[1] if line["type"] in ("hello", "start")] == ["start"]


def test_a_bot_that_wants_it_gets_a_fresh_process_for_each_game(tmp_path: Path) -> None:
    with bench(tmp_path / "place", python_bot(tmp_path / "bot", NOTES_PID, reuse=False)) as table:
        pids = {pid_of(table.game([Recorder()])) for _ in range(3)}
    assert len(pids) == 3


def test_after_a_fault_the_next_game_has_a_fresh_process(tmp_path: Path) -> None:
    faulty = NOTES_PID + "\ndef start(message):\n    log(str(os.getpid()))\n    send(type='ready')"
    faulty += "\ndef first(message): return 0 if message['id'] == 3 else message.get('legal', [0])[0]"
    with bench(tmp_path / "place", python_bot(tmp_path / "bot", faulty)) as table:
        records = [table.game([Recorder(), Recorder()]) for _ in range(3)]
    assert [record.seats[0].verdict for record in records] == [Verdict.ILLEGAL] * 3
    assert len({log_of(record) for record in records}) == 3


@pytest.mark.parametrize(
    "at_the_end",
    [
        "os._exit(3)",
        "os.kill(os.getpid(), signal.SIGKILL)",
        "os.close(1)",
        "os.close(0)",
        pytest.param("os.close(0); time.sleep(600)", marks=pytest.mark.slow),
        pytest.param("time.sleep(600)", marks=pytest.mark.slow),  # waits for the clock
    ],
)
def test_a_kept_process_that_does_not_get_ready_is_replaced_without_a_verdict(
    at_the_end: str, tmp_path: Path
) -> None:
    clock = Clock(ready_ms=2_000, move_ms=30_000, bank_ms=0, margin_ms=20)
    done = tmp_path / "done"
    body = f"""
def end(message):
    log("last words")
    os.close(os.open({str(done)!r}, os.O_CREAT))
    {at_the_end}
"""
    with bench(tmp_path / "place", python_bot(tmp_path / "bot", NOTES_PID + body)) as table:
        first = table.game([Recorder()], clock)
        (process,) = [process for _, process in table.pool._idle]
        assert eventually(done.exists)
        if "close(0)" in at_the_end:  # before that the start would be read, and the fault be one of the game
            assert eventually(lambda: is_deaf(process))
        second = table.game([Recorder()], clock)
    assert [seat.verdict for record in (first, second) for seat in record.seats] == [None] * 4
    assert pid_of(first) != pid_of(second)
    assert b"last words" in log_of(first) + log_of(second), "the log goes on with that of the new process"


def test_a_kept_process_that_writes_on_is_kept_or_replaced_without_a_verdict(tmp_path: Path) -> None:
    body = "def end(message): raw(b'x' * 1_000_000 + b'\\n')"
    with bench(tmp_path / "place", python_bot(tmp_path / "bot", body)) as table:
        records = [table.game([Recorder()]) for _ in range(3)]
    assert [record.seats[0].verdict for record in records] == [None] * 3


def is_deaf(process: BotProcess) -> bool:
    """Return whether a process has closed its input."""
    poll = select.poll()
    poll.register(process.channel.stdin, 0)
    return bool(poll.poll(0))


def test_second_answers_are_dropped_and_counted(tmp_path: Path) -> None:
    twice = "def ask(message):\n    move(message)\n    move(message)"
    with bench(tmp_path / "place", python_bot(tmp_path / "bot", twice)) as table:
        records = [table.game([Recorder()]) for _ in range(2)]
    for record in records:
        assert record.seats[0].verdict is None
        stale = timing_of(record)["stale_replies"]
        assert 0 < stale[0] <= record.seats[0].decisions, "the last one may come too late to be seen"
        assert stale[1] == 0


def test_what_was_written_before_a_game_is_dropped(tmp_path: Path) -> None:
    said = tmp_path / "said"
    late = f"""
def end(message):
    raw(b'{{"type":"ready"}}\\n{{"type":"move","id":99,"move":1}}\\nhalf a li')
    os.close(os.open({str(said)!r}, os.O_CREAT))
"""
    with bench(tmp_path / "place", python_bot(tmp_path / "bot", late + NOTES_PID)) as table:
        first = table.game([Recorder()])
        assert eventually(said.exists)
        second = table.game([Recorder()])
    assert [record.seats[0].verdict for record in (first, second)] == [None, None]
    assert pid_of(first) == pid_of(second)


def test_a_flood_on_standard_error_is_drained_and_its_ends_kept(tmp_path: Path) -> None:
    flood = """
def ask(message):
    if message["id"] == 1:
        log("the beginning\\n" + "x" * 3_000_000 + "the end\\n")
    move(message)
"""
    with bench(tmp_path / "place", python_bot(tmp_path / "bot", flood)) as table:
        record = table.game([Recorder()])
    (log,) = record.logs
    assert record.seats[0].verdict is None
    assert log.head.startswith(b"the beginning\n")
    assert log.tail.endswith(b"the end\n")
    assert len(log.head) + len(log.tail) + log.dropped_bytes == 3_000_000 + 22
    assert len(log.head) + len(log.tail) == 65_536


def test_a_flood_on_standard_error_between_games_stops_nothing(tmp_path: Path) -> None:
    flood = "def end(message): log('y' * 1_000_000 + 'flooded')\n" + NOTES_PID
    with bench(tmp_path / "place", python_bot(tmp_path / "bot", flood)) as table:
        records = [table.game([Recorder()]) for _ in range(3)]
    assert len({pid_of(record) for record in records}) == 1
    logs = [log for record in records for log in record.logs]
    written = sum(len(log.head) + len(log.tail) + log.dropped_bytes for log in logs)
    assert written >= 2 * 1_000_007, "to begin the third game the bot had to be rid of two floods"


def test_a_closed_standard_error_is_no_fault(tmp_path: Path) -> None:
    with bench(tmp_path / "place", python_bot(tmp_path / "bot", "os.close(2)\n" + NOTES_PID)) as table:
        records = [table.game([Recorder()]) for _ in range(2)]
    assert len({pid_of(record) for record in records}) == 1
    assert [record.seats[0].verdict for record in records] == [None, None]


def test_carriage_returns_byte_order_marks_and_unknown_fields_are_let_pass(tmp_path: Path) -> None:
    odd = """
def ask(message):
    answer = {"mood": "good", "type": "move", "move": first(message), "id": message["id"]}
    raw(b"\\xef\\xbb\\xbf " + json.dumps(answer).encode() + b" \\r\\n")
"""
    with bench(tmp_path / "place", python_bot(tmp_path / "bot", odd)) as table:
        assert table.game([Recorder()]).seats[0].verdict is None


def test_an_answer_in_pieces_is_one_answer(tmp_path: Path) -> None:
    pieces = """
def ask(message):
    answer = json.dumps({"type": "move", "id": message["id"], "move": first(message)}) + "\\n"
    for letter in answer:
        raw(letter.encode())
"""
    with bench(tmp_path / "place", python_bot(tmp_path / "bot", pieces)) as table:
        assert table.game([Recorder()]).seats[0].verdict is None


def test_scratch_is_empty_at_each_game_whatever_the_bot_did_to_it(tmp_path: Path) -> None:
    messy = f"""
import shutil
scratch, done, games = os.environ["TMPDIR"], {str(tmp_path)!r}, 0

def start(message):
    log("found " + str(os.listdir(scratch)) + ";")
    send(type="ready")

def end(message):
    global games
    games += 1
    os.makedirs(scratch + "/a/b")
    open(scratch + "/remembered", "w").write("the deal")
    os.symlink("/", scratch + "/everything")
    if games == 2:
        shutil.rmtree(scratch)
    elif games == 3:
        shutil.rmtree(scratch)
        os.symlink(done, scratch)
    elif games == 4:
        os.chmod(scratch + "/a", 0)
        os.chmod(scratch, 0)
    open(done + "/" + str(games), "w").close()
"""
    found = b""
    with bench(tmp_path / "place", python_bot(tmp_path / "bot", messy + NOTES_PID)) as table:
        for number in range(1, 7):
            record = table.game([Recorder()])
            found += log_of(record)
            assert eventually((tmp_path / str(number)).exists)
    assert found == b"found [];" * 6
    assert (tmp_path / "1").exists(), "what links lead to is left alone"


def test_bots_that_ignore_quit_and_signals_are_killed(tmp_path: Path) -> None:
    stubborn = """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
def quit(message): time.sleep(600)
"""
    with bench(tmp_path / "place", python_bot(tmp_path / "bot", NOTES_PID + stubborn)) as table:
        pid = pid_of(table.game([Recorder()]))
        assert psutil.pid_exists(pid)
    assert not psutil.pid_exists(pid), "killed and reaped"


def test_a_bot_that_quits_in_order_is_let_quit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.players.pool.QUIT_GRACE_MS", 60_000)
    polite = f"def quit(message): open({str(tmp_path / 'farewell')!r}, 'w').write(json.dumps(message))"
    with bench(tmp_path / "place", python_bot(tmp_path / "bot", polite)) as table:
        table.game([Recorder()])
    assert json.loads((tmp_path / "farewell").read_text()) == {"type": "quit"}


def test_a_daemon_outside_its_session_does_not_outlive_the_pool(tmp_path: Path) -> None:
    daemon = """
def start(message):
    if not os.fork():
        os.setsid()
        if os.fork():
            os._exit(0)
        log("daemon")
        time.sleep(600)
    os.wait()
    send(type="ready")
"""
    with bench(tmp_path / "place", python_bot(tmp_path / "bot", daemon)) as table:
        assert table.game([Recorder()]).seats[0].verdict is None
        assert eventually(lambda: len(find_marked(table.token)) == 2)


def test_idle_processes_are_bounded_in_number(tmp_path: Path) -> None:
    bots = {number: python_bot(tmp_path / str(number)) for number in range(5)}
    with BotPool(bots, tmp_path / "place", new_token(), PoolLimits(kept=2)) as pool:
        pids = {}
        for number in bots:
            player = begun(pool, number, match_no=number)
            pids[number] = pid(player)
            pool.give_back(number, player, 0)
        again = {number: begun(pool, number, match_no=5, seat=number) for number in bots}
        kept = [number for number in bots if pid(again[number]) == pids[number]]
    assert kept == [3, 4], "the least recently used have gone"


def test_idle_processes_are_bounded_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.players.pool.MEMORY_CHECK_GAMES", 1)
    bots = {
        number: python_bot(tmp_path / str(number), "hoard = bytearray(os.urandom(1) * 60_000_000)")
        for number in (0, 1)
    }
    with BotPool(bots, tmp_path / "place", new_token(), PoolLimits(kept_bytes=100_000_000)) as pool:
        pids = []
        for number in (0, 1):
            player = begun(pool, number, match_no=number)
            pids.append(pid(player))
            pool.give_back(number, player, 0)
        assert pid(begun(pool, 1, match_no=2, seat=1)) == pids[1]
        assert pid(begun(pool, 0, match_no=2)) != pids[0]


def start_message() -> Start:
    return Start("bids", "plain", {}, 0, 2, 0, PATIENT, DEFAULT_LIMITS, {})


def begun(pool: BotPool, entry_no: int, match_no: int, seat: int = 0) -> BotPlayer:
    """Return a player that has begun a game, at a seat where nobody plays."""
    player = pool.take(entry_no, ("league", match_no), seat)
    fault = player.start(start_message(), 30_000)
    assert fault is None
    return player


def pid(player: BotPlayer) -> int:
    assert player.process is not None
    return player.process.pid


def test_a_machine_that_refuses_is_not_the_bots_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    with bench(tmp_path / "place", python_bot(tmp_path / "bot")) as table:
        before = len(list(Path("/proc/self/fd").iterdir()))
        monkeypatch.setattr("subprocess.Popen", refuse)
        with pytest.raises(HostRefusal, match="Resource temporarily unavailable"):
            table.game([Recorder()])
        assert len(list(Path("/proc/self/fd").iterdir())) == before
        assert {entry.name for entry in table.place.iterdir()} <= {"overlays"}


def test_a_message_too_long_for_a_line_is_not_the_bots_fault_and_leaves_nothing(tmp_path: Path) -> None:
    bots = {0: python_bot(tmp_path / "bot")}
    with BotPool(bots, tmp_path / "place", new_token()) as pool:
        player = begun(pool, 0, match_no=0)
        pool.give_back(0, player, 0)
        (place,) = (tmp_path / "place").iterdir()
        before = psutil.Process().num_fds()
        again = pool.take(0, ("league", 1), 0)
        with pytest.raises(LineTooLong):
            again.start(structs.replace(start_message(), limits=Limits(100, 16, 1_000, 0)), 30_000)
        again.stop()
        pool.give_back(0, again, 0)
        assert psutil.Process().num_fds() < before
        assert not place.exists()


def test_a_version_whose_files_are_gone_is_not_the_bots_fault(tmp_path: Path) -> None:
    with bench(tmp_path / "place", Program(tmp_path / "gone", ("python3", "bot.py"))) as table:
        with pytest.raises(HostRefusal, match="gone"):
            table.game([Recorder()])
        assert {entry.name for entry in table.place.iterdir()} <= {"overlays"}


def test_children_that_are_nobodys_bots_are_left_alone(tmp_path: Path) -> None:
    stranger = subprocess.Popen(["sleep", "600"])
    try:
        with bench(tmp_path / "place", python_bot(tmp_path / "bot", "def ask(message): sys.exit()")) as table:
            assert table.game([Recorder()]).seats[0].verdict is Verdict.CRASH
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_bot_that_thinks_ahead_sees_the_engine_and_nothing_else_of_the_arena(tmp_path: Path) -> None:
    thinker = """
import arena.games.bread_basket
from arena.core.chance import Stream
try:
    import arena.players
except ImportError:
    log("no players;")
def start(message):
    log(f"{arena.games.bread_basket.GAME.info.name} {Stream(bytes(32), 'a').randrange(1)};")
    send(type="ready")
"""
    files = {"bot.py": WELL_BEHAVED + thinker + READ_ON}
    bot = replace(program(tmp_path / "bot", files, ("python3", "-S", "bot.py")), engine=True)
    with bench(tmp_path / "place", bot) as table:
        record = table.game([Recorder()])
    assert record.seats[0].verdict is None
    assert log_of(record) == b"no players;bread-basket 0;"


@pytest.mark.parametrize("column", columns(PROCESS, CONFINED))
@pytest.mark.parametrize("name", ["no-such-program", "/usr/bin/no-such-program", "listed"])
def test_a_program_of_the_machine_that_is_gone_is_not_the_bots_fault(
    name: str, column: str, tmp_path: Path
) -> None:
    runtimes = Runtimes(listed=(Runtime("listed", tmp_path / "gone", (tmp_path / "gone",)),))
    confinement = replace(confinement_of(column), runtimes=runtimes)
    bots = {0: Program(tmp_path, (name,))}
    with BotPool(bots, tmp_path / "place", new_token(), confinement=confinement) as pool:
        player = pool.take(0, ("league", 0), 0)
        with pytest.raises(
            HostRefusal, match=r"could not start a bot: .*(not installed here|there is no|does not exist)"
        ):
            player.start(start_message(), 30_000)


@pytest.mark.parametrize("starts", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_starts_leave_no_descriptors_zombies_or_folders(starts: int, tmp_path: Path) -> None:
    bots = {
        0: Program(tmp_path, ("true",)),
        1: Program(tmp_path, ("./no-such-program",)),
        2: Program(tmp_path, ("sh", "-c", "sleep 600 & exec sleep 600")),
    }
    me = psutil.Process()
    with BotPool(bots, tmp_path / "place", new_token(), PoolLimits(startup_ms=1)) as pool:
        before = me.num_fds()
        for number in range(starts):
            player = pool.take(number % 3, ("league", number), 0)
            fault = player.start(start_message(), 30_000)
            assert fault is not None
            player.stop()
            pool.give_back(number % 3, player, 0)
        assert me.num_fds() == before
        assert [child for child in me.children() if child.status() == psutil.STATUS_ZOMBIE] == []
        assert list((tmp_path / "place").iterdir()) == []


def test_a_bot_that_was_killed_while_others_moved_is_a_crash(tmp_path: Path) -> None:
    with bench(tmp_path / "place", python_bot(tmp_path / "bot", NOTES_PID)) as table:
        victims: list[int] = []

        def kill_the_other(ask: Any, number: int) -> Any:
            if number == 1:
                (process,) = table.pool._playing.values()
                victims.append(process.pid)
                os.kill(process.pid, signal.SIGKILL)
                assert eventually(lambda: psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE)
            return Recorder()._by_number(ask, number)

        record = table.game([Recorder(kill_the_other)])
    assert victims
    assert record.seats[0].verdict == Verdict.CRASH
    assert record.seats[0].detail == "was ended by SIGKILL during its turn"

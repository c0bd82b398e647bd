"""The quick ways to ask bots and play on and the general ones give the same game, whatever the bots do."""

import json
import re
import time
import zlib
from pathlib import Path
from typing import Any

import pytest

from arena import registry
from arena.players import asking_for_moves
from arena.players.pool import BotPool, PoolLimits
from arena.players.process import BotProcess
from arena.referee.referee import Referee
from protocol.messages import Ask, Clock, Limits
from results.base.clock import NS_PER_MS, NS_PER_S
from results.records import GameRecord
from tests.support.bots.programs import python_bot
from tests.support.games import BIDS
from tests.support.tables import Bench, Recorder, bench, new_token, play, ticket

FOREVER_NS = 10**15 * NS_PER_MS
CLOCK = Clock(ready_ms=30_000, move_ms=2_000, bank_ms=0, margin_ms=100)
ANSWERS = """
def answer(number, message):
    return json.dumps({"type": "move", "id": number, "move": first(message)}).encode() + b"\\n"
"""
BOTS = {
    "answers at once": "",
    "thinks for a moment": "def ask(message):\n    time.sleep(0.005)\n    move(message)",
    "computes": "def ask(message):\n    sum(range(200_000))\n    move(message)",
    "writes to its log": """
def ask(message):
    log("thinking ")
    move(message)
    if message["id"] == 1:  # after its last move, nobody waits for what it writes
        log("done ")
""",
    "floods its log": "def ask(message):\n    log(300_000 * 'x')\n    move(message)",
    "never answers": "def ask(message):\n    move(message) if message['id'] < 3 else time.sleep(60)",
    "answers again between its turns": """
def ask(message):
    move(message)
    if message["id"] < 5:
        time.sleep(0.001)
        move(message)
""",
    "answers in two pieces": """
def ask(message):
    line = json.dumps({"type": "move", "id": message["id"], "move": first(message)}).encode() + b"\\n"
    raw(line[:9])
    time.sleep(0.003)
    raw(line[9:])
""",
    "answers twice": ANSWERS + "def ask(message):\n    raw(2 * answer(message['id'], message))",
    "answers the last ask again first": """
def ask(message):
    if message["id"] > 1:
        send(type="move", id=message["id"] - 1, move=first(message))
    move(message)
""",
    "writes a long note": "def ask(message):\n    move(message, note='x' * 10_000)",
    "answers in advance": ANSWERS
    + """
def ask(message):
    raw(answer(message["id"], message) + answer(message["id"] + 1, message))
""",
    "answers another ask": "def ask(message):\n    send(type='move', id=message['id'] + 7, move=first(message))",
    "makes an illegal move": "def ask(message):\n    send(type='move', id=message['id'], move='nonsense')",
    "writes no message": "def ask(message):\n    raw(b'nonsense\\n')",
    "writes another message": "def ask(message):\n    send(type='ready')",
    "writes a key twice": """
def ask(message):
    raw(b'{"type":"move","id":1,"id":%d,"move":0}\\n' % message["id"])
""",
    "writes nothing but a newline": "def ask(message):\n    raw(b'\\n')",
    "writes a long line": "def ask(message):\n    raw(b'x' * 70_000)\n    time.sleep(1)",
    "answers with a long line": "def ask(message):\n    raw(b' ' * 65_536)\n    move(message)\n    time.sleep(1)",
    "exits": "def ask(message):\n    sys.exit(3)",
    "closes its output": "def ask(message):\n    os.close(1)\n    time.sleep(1)",
    "closes its input before its answer": "def ask(message):\n    os.close(0)\n    move(message)\n    time.sleep(1)",
    "closes its log": "def ask(message):\n    os.close(2) if message['id'] == 1 else None\n    move(message)",
    "uses too much memory": "def ask(message):\n    global held\n    held = b'x' * 400_000_000\n    move(message)",
}


QUICK = (
    "answers at once",
    "answers in two pieces",
    "answers twice",
    "writes a key twice",
    "exits",
)
"""Those in the quick suite."""


def game(table: Bench) -> GameRecord:
    """Play a game in which one player at a time is asked."""
    rules = registry.game("bread-basket")
    given = ticket(rules, 2, match_no=table.games)
    table.games += 1
    player = table.pool.take(0, (given.league, given.match_no), 0)
    try:
        return play(rules, [player, Recorder()], Referee(CLOCK), given)
    finally:
        table.pool.give_back(0, player, 0)


def outcome(record: GameRecord) -> dict[str, Any]:
    """Return everything in the record of a game but times, and how many times there are."""
    timing = json.loads(zlib.decompress(record.timing))
    return {
        "fingerprint": record.fingerprint,
        "decisions": [row[:2] for row in timing.pop("decisions")],
        "timing": timing,
        "seats": [
            (
                seat.score,
                seat.rank,
                seat.verdict,
                re.sub(r"\d+ (ms|MiB sampled)", r"N \1", seat.detail),
                seat.decisions,
            )
            for seat in record.seats
        ],
        "logs": record.logs,
    }


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in BOTS]
)
def test_both_ways_give_the_same_game(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = []
    for way in ("quick", "general"):
        if way == "general":
            go_the_general_way(monkeypatch)
        with bench(tmp_path / "place", python_bot(tmp_path / "bot", BOTS[name])) as table:
            played.append([game(table) for _ in range(2)])
    quick, general = ([outcome(record) for record in records] for records in played)
    assert quick == general
    for record in played[0]:
        timing = json.loads(zlib.decompress(record.timing))
        times = [(wall_ns, cpu_ns) for _, seat, wall_ns, cpu_ns in timing["decisions"] if seat == 0]
        assert all(0 < wall_ns < record.wall_ns and cpu_ns >= 0 for wall_ns, cpu_ns in times)
        if name == "thinks for a moment":
            assert all(wall_ns >= 5_000_000 for wall_ns, _ in times)


def go_the_general_way(patch: pytest.MonkeyPatch) -> None:
    """Ask as if no bot could answer at once."""
    patch.setattr(asking_for_moves, "QUIET_NS", FOREVER_NS)


def test_an_answer_at_once_takes_the_quick_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_the_general_way(monkeypatch)
    with bench(tmp_path / "place", python_bot(tmp_path / "bot")) as table:
        record = game(table)
    assert record.seats[0].decisions > 0
    assert record.seats[0].verdict is None


def refuse_the_general_way(patch: pytest.MonkeyPatch) -> None:
    """Fail as soon as a bot isn't asked the quick way."""

    def general(*_: Any) -> None:
        pytest.fail("asked the general way")

    patch.setattr(asking_for_moves, "QUIET_MS", 10_000)
    patch.setattr(asking_for_moves.Question, "begin", general)
    patch.setattr(asking_for_moves.Question, "take_over", general)


@pytest.mark.parametrize("at", range(1, 7))
def test_a_standstill_of_this_process_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """The clock jumps by an hour at one of its looks during the second decision."""
    looks, lost_ns, quick = 0, 3_600 * NS_PER_S, asking_for_moves.ask

    def ask(process: BotProcess, message: Ask, limit_ns: int, limits: Limits) -> Any:
        nonlocal looks
        if message.id == 2:
            looks = 1
            process.channel.clock_ns = clock_ns
        return quick(process, message, limit_ns, limits)

    def clock_ns() -> int:
        nonlocal looks
        looks += 1
        return time.monotonic_ns() + (lost_ns if looks > at else 0)

    monkeypatch.setattr(asking_for_moves, "ask", ask)
    with bench(tmp_path / "place", python_bot(tmp_path / "bot")) as table:
        record = game(table)
    assert looks > at
    assert [seat.verdict for seat in record.seats] == [None, None]
    decisions = json.loads(zlib.decompress(record.timing))["decisions"]
    assert all(wall_ns < CLOCK.move_ms * NS_PER_MS for _, seat, wall_ns, _ in decisions if seat == 0)


ENTRIES = (0, 1, 1)
"""Who sits at the table: the bot of the test, and two processes of a good one."""


def games(folder: Path, body: str) -> list[GameRecord]:
    """Play two games in which all are asked at once, and then one of them alone."""
    programs = {0: python_bot(folder / "bot", body), 1: python_bot(folder / "good")}
    records = []
    with BotPool(programs, folder / "place", new_token(), PoolLimits(startup_ms=30_000)) as pool:
        for number in range(2):
            given = ticket(BIDS, len(ENTRIES), match_no=number)
            players = [pool.take(entry, (given.league, number), seat) for seat, entry in enumerate(ENTRIES)]
            records.append(play(BIDS, players, Referee(CLOCK), given))
            for seat, (entry, player) in enumerate(zip(ENTRIES, players, strict=True)):
                pool.give_back(entry, player, seat)
            pool.end_dismissed()
    return records


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == "writes to its log" else pytest.mark.slow) for name in BOTS],
)
def test_both_ways_to_ask_several_give_the_same_game(name: str, tmp_path: Path) -> None:
    quick = games(tmp_path / "quick", BOTS[name])
    with pytest.MonkeyPatch.context() as patch:
        go_the_general_way(patch)
        general = games(tmp_path / "general", BOTS[name])
    assert [outcome(record) for record in quick] == [outcome(record) for record in general]


def test_answers_at_once_take_the_quick_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_the_general_way(monkeypatch)
    assert all(seat.verdict is None for record in games(tmp_path, "") for seat in record.seats)

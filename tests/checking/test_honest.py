"""Bots that do nothing wrong pass every step, however slow they are."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from arena.checking.game_selection import Wanted
from arena.checking.harness import BOT, LEAST_ANSWERS, Deal, Opponents, Seatable, check_harness
from arena.core.ruleset import ruleset
from arena.core.ticket import Ticket
from arena.players.base import Fault
from arena.registry import game
from arena.sandbox.bot_program import Program
from arena.sandbox.confinement import UNCONFINED
from protocol.messages import Ask, Time
from tests.checking.mistakes import IN_NODE, IN_SHELL, NODE, PLAIN, PYTHON, TOML, checked
from tests.support.games import Bids
from tests.support.sandbox import CONFINED, columns, confinement_of

BOTS = Path("bots")
_ANSWER = '        answer = {"type": "move"'
ALARMED = """\
import os, signal
owed = []
def tell(*_):
    print(json.dumps(owed.pop()), flush=True)
signal.signal(signal.SIGALRM, tell)
"""
HONEST = {
    "slow starter": PLAIN.replace("import json, sys\n", "import json, sys, time\ntime.sleep(8)\n"),
    "busy starter": PLAIN.replace(
        "import json, sys\n", "import json, sys, time\nwhile time.process_time() < 3: pass\n"
    ),
    "thinks 900 ms": PLAIN.replace(_ANSWER, f"        __import__('time').sleep(0.9)\n{_ANSWER}"),
    "uses its bank": PLAIN.replace(
        _ANSWER, f"        __import__('time').sleep(4 if message['id'] == 3 else 0)\n{_ANSWER}"
    ),
    "threads": "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(4)\n"
    + PLAIN.replace(
        _ANSWER, f"        list(pool.map(lambda n: __import__('time').sleep(0.05), range(8)))\n{_ANSWER}"
    ),
    "answers from a thread": "import threading, time\n"
    + PLAIN.replace(
        "    print(json.dumps(answer), flush=True)\n",
        "    def tell(answer=answer):\n        time.sleep(0.7)\n        print(json.dumps(answer), flush=True)\n"
        "    threading.Thread(target=tell).start()\n",
    ),
    "answers from a child": "import os, time\n"
    + PLAIN.replace(
        "    print(json.dumps(answer), flush=True)\n",
        "    pid = os.fork()\n    if not pid:\n        time.sleep(0.7)\n        print(json.dumps(answer), flush=True)\n"
        "        os._exit(0)\n    os.waitpid(pid, 0)\n",
    ),
    "answers from a signal": ALARMED.replace("import os", "import json, os")
    + PLAIN.replace(
        "    print(json.dumps(answer), flush=True)\n",
        "    owed.append(answer)\n    signal.setitimer(signal.ITIMER_REAL, 0.8)\n",
    ),
    "writes a long log": PLAIN.replace(_ANSWER, f"        sys.stderr.write('thinking ' * 2000)\n{_ANSWER}"),
    "a new process for each game": PLAIN.replace(
        "    else:\n        continue\n",
        '    elif kind == "end":\n        break\n    else:\n        continue\n',
    ),
}
FEW = Wanted(game="bread-basket", options=("hands=1",), seats=2, games=1)


def _bot(folder: Path, source: str, more: str = "") -> Path:
    (folder / "bot.toml").write_text(TOML.format(command=PYTHON) + more)
    (folder / "bot.py").write_text(source)
    return folder


def test_an_honest_bot_passes_without_a_sandbox(tmp_path: Path) -> None:
    steps = checked(_bot(tmp_path, PLAIN), wanted=FEW)
    assert {step.name: step.state for step in steps if step.state != "ok"} == {"own folder": "untested"}
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert any("the same game gets the same moves" in step.text for step in steps)


@pytest.mark.slow
def test_a_bot_that_thinks_long_plays_in_each_setting_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.checking.bot_check.ENOUGH_GAME_S", 0)
    steps = checked(_bot(tmp_path, PLAIN), wanted=Wanted(game="bread-basket", options=("hands=1",)))
    (played,) = [step.text for step in steps if step.name == "bread-basket"]
    assert played.startswith(
        "5 games against random moves, tens+hands=1, tables of 2, 3, 4, 5 and 6; 3 more skipped"
    )


def test_opponents_give_up_once_a_bot_has_been_asked_several_times() -> None:
    rules = ruleset(game("bread-basket").info, None, {"hands": 1})
    ticket = Ticket("check", 0, 0, (0, 1), rules, bytes(32))
    ask = Ask(1, "play", {}, [], Time(1000, 1000), ["a", "b"])
    opponents = Opponents(most_s=0)
    answers = [opponents.at(ticket, 1).ask(ask, 0) for _ in range(LEAST_ANSWERS + 1)]
    assert [isinstance(answer, Fault) for answer in answers] == [False] * LEAST_ANSWERS + [True]


@pytest.mark.slow
@pytest.mark.parametrize("column", columns(CONFINED))
@pytest.mark.parametrize("name", HONEST)
def test_an_honest_bot(name: str, column: str, tmp_path: Path) -> None:
    more = "reuse = false\n" if name == "a new process for each game" else ""
    steps = checked(_bot(tmp_path, HONEST[name], more), confinement_of(column), FEW)
    assert steps[-1].failure is None, steps[-1]


@pytest.mark.slow
@pytest.mark.parametrize("column", columns(CONFINED))
@pytest.mark.parametrize("path", sorted(BOTS.glob("*/*/bot.toml")), ids=lambda path: path.parent.name)
def test_the_bots_that_come_with_arena(path: Path, column: str) -> None:
    steps = checked(path.parent, confinement_of(column), Wanted(games=2))
    assert steps[-1].failure is None, steps[-1]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("column", columns(CONFINED))
def test_a_bot_in_node(column: str, tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text(TOML.format(command=NODE))
    late = IN_NODE.replace('"ask") answer({', '"ask") setTimeout(answer, 700, {')
    assert late != IN_NODE
    (tmp_path / "bot.js").write_text(late)
    steps = checked(tmp_path, confinement_of(column), FEW)
    assert steps[-1].failure is None, steps[-1]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
@pytest.mark.parametrize("column", columns(CONFINED))
def test_a_bot_in_shell(column: str, tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text(TOML.format(command='["./bot.sh"]'))
    (tmp_path / "bot.sh").write_text(IN_SHELL)
    (tmp_path / "bot.sh").chmod(0o755)
    steps = checked(tmp_path, confinement_of(column), FEW)
    assert steps[-1].failure is None, steps[-1]


def test_a_game_of_long_lines_is_played_as_in_a_league(tmp_path: Path) -> None:
    rules = Bids()
    rules.info = replace(Bids.info, line_bytes=200_000)
    long = rules.resolve(ruleset(rules.info, "plain", {"padding": 100_000}), 2)
    program = Program(
        _bot(tmp_path, PLAIN.replace('["legal"][0]', '.get("legal", [message.get("example")])[0]')),
        ("python3", "bot.py"),
    )
    with check_harness({BOT: program}, {"bids": rules}, UNCONFINED, print) as table:
        bot = table.start()
        assert isinstance(bot, Seatable)
        for number in range(2):
            played = table.play(bot, Deal(rules, long, 2, number, bytes(32), number))
            assert played.fault is None
            assert played.record.seats[number].decisions > 1

"""The Python kit, as a bot's process sees it: real programs, real pipes."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.bots.scripted_arena import END, HELLO, KIT, QUIT, START, ask, kit_bot

FIRST = "from arena_kit import run\nrun(lambda ask, game: ask['legal'][0])\n"


def test_a_bot_of_one_line_plays_several_games(tmp_path: Path) -> None:
    with kit_bot(tmp_path, FIRST) as arena:
        assert arena.exchange(HELLO) == {"type": "hello", "protocol": 1}
        for first_id in (1, 40):
            assert arena.exchange(START) == {"type": "ready"}
            for number in (first_id, first_id + 1):
                move = {"type": "move", "id": number, "move": {"type": "play", "card": "1"}}
                assert arena.exchange(ask(number)) == move
            arena.say(END)
        arena.say(QUIT)
        assert arena.finish() == (0, "", "")


def test_the_end_of_the_input_ends_the_bot_quietly_even_within_a_game(tmp_path: Path) -> None:
    with kit_bot(tmp_path, FIRST) as arena:
        arena.begin()
        assert arena.finish() == (0, "", "")


def test_after_quit_the_bot_ends_though_the_input_stays_open(tmp_path: Path) -> None:
    with kit_bot(tmp_path, FIRST) as arena:
        arena.exchange(HELLO)
        arena.say(QUIT)
        assert arena.process.wait(20) == 0


def test_unknown_messages_and_fields_are_ignored(tmp_path: Path) -> None:
    with kit_bot(tmp_path, FIRST) as arena:
        arena.say({"type": "weather", "rain": True}, {"no": "type"})
        assert arena.exchange({**HELLO, "protocols": [7, 1], "banner": {}})["protocol"] == 1
        assert arena.exchange({**START, "colour": "red"}) == {"type": "ready"}
        arena.say({"type": "spectators", "count": 3})
        assert arena.exchange(ask(1, hint=[1]))["id"] == 1
        arena.say({**END, "applause": 1}, QUIT)
        assert arena.finish()[0] == 0


def test_a_protocol_from_the_future_is_refused_in_words(tmp_path: Path) -> None:
    with kit_bot(tmp_path, FIRST) as arena:
        assert arena.exchange({"type": "hello", "protocols": [3, 2]}) == {"type": "hello", "protocol": 1}
        code, out, log = arena.finish()
    assert (code, out) == (1, "")
    assert "the arena speaks 3, 2; this kit speaks 1" in log


def test_stray_output_and_input_never_reach_the_wire(tmp_path: Path) -> None:
    program = """
from arena_kit import run
import os, subprocess, sys
print("before the start")
def choose(ask, game):
    print("printed")
    sys.stdout.write("written")
    sys.__stdout__.write("original")
    sys.__stdout__.flush()
    os.write(1, b"descriptor")
    subprocess.run(["echo", "child"])
    assert sys.stdin.read() == ""
    return ask["legal"][0]
run(choose)
print("after the end")
"""
    with kit_bot(tmp_path, program) as arena:
        arena.begin()
        assert arena.exchange(ask(1))["id"] == 1
        assert arena.exchange(ask(2))["id"] == 2
        arena.say(QUIT)
        code, out, log = arena.finish()
    assert (code, out) == (0, "")
    for word in (
        "before the start",
        "printed",
        "written",
        "original",
        "descriptor",
        "child",
        "after the end",
    ):
        assert word in log


def test_importing_the_kit_where_no_arena_is_leaves_the_output_alone(tmp_path: Path) -> None:
    """As when a bot's author tests the bot's functions: the input is no pipe."""
    shutil.copy(KIT, tmp_path / "arena_kit.py")
    program = "import arena_kit; print('seen')"
    with Path("/dev/null").open() as nothing:
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, stdin=nothing, capture_output=True, check=True
        )
    assert (done.stdout, done.stderr) == (b"seen\n", b"")


def test_at_a_terminal_the_kit_says_what_it_waits_for(tmp_path: Path) -> None:
    shutil.copy(KIT, tmp_path / "arena_kit.py")
    (tmp_path / "bot.py").write_text(FIRST)
    outer, inner = os.openpty()
    os.write(outer, b'{"type": "quit"}\n')
    done = subprocess.run(
        [sys.executable, "bot.py"], cwd=tmp_path, stdin=inner, capture_output=True, text=True, check=False
    )
    os.close(outer)
    os.close(inner)
    said = "arena_kit: waiting for messages on standard input; to play a game, run: arena trace .\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, "", said)


def test_an_exception_leaves_a_traceback_of_the_bots_own_code(tmp_path: Path) -> None:
    program = """
from arena_kit import run
def deeper(ask):
    return ask["lagal"]
def choose(ask, game):
    return deeper(ask)[0]
run(choose)
"""
    with kit_bot(tmp_path, program) as arena:
        arena.begin()
        arena.say(ask(17, kind="serve"))
        code, out, log = arena.finish()
    assert (code, out) == (1, "")
    assert log.startswith(
        "arena_kit: the bot failed while answering ask 17 (serve) in bread-basket, seat 1\n"
    )
    assert log.endswith("KeyError: 'lagal'\n")
    assert 'return ask["lagal"]' in log
    assert "arena_kit.py" not in log


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("None", "choose(ask, game) returned None; it must return one of ask['legal']"),
        ("{1, 2}", "choose(ask, game) returned {1, 2}, which can't be written as JSON"),
        ("float('nan')", "which can't be written as JSON"),
        ("('a', 'b', 'c')", "a tuple must be a move and a note"),
        ("({'type': 'stop'}, 7)", "a tuple must be a move and a note"),
    ],
)
def test_answers_that_are_no_moves_are_explained(tmp_path: Path, answer: str, complaint: str) -> None:
    program = f"from arena_kit import run\ndef choose(ask, game):\n    return {answer}\nrun(choose)\n"
    with kit_bot(tmp_path, program) as arena:
        arena.begin()
        arena.say(ask(1))
        code, out, log = arena.finish()
    assert (code, out) == (1, "")
    assert complaint in log
    assert 'bot.py", line 2, in choose\n' in log
    assert "Traceback" not in log


@pytest.mark.parametrize(
    ("bot", "complaint"),
    [
        (
            "def choose(ask): pass\nrun(choose)",
            "the kit calls choose(ask, game): choose() takes 1 positional",
        ),
        ("run(lambda ask: 1)", "the kit calls <lambda>(ask, game): <lambda>() takes 1 positional"),
        ("class B:\n def move(self): pass\nrun(B)", "the kit calls move(ask): "),
        (
            "class B:\n def start(self): pass\n def move(self, ask): pass\nrun(B)",
            "the kit calls start(game): ",
        ),
    ],
)
def test_a_function_with_other_parameters_is_named(tmp_path: Path, bot: str, complaint: str) -> None:
    with kit_bot(tmp_path, f"from arena_kit import run\n{bot}\n") as arena:
        arena.exchange(HELLO)
        arena.say(START)
        if "start(" not in complaint:
            arena.say(ask(1))
        code, _, log = arena.finish()
    assert code == 1
    assert complaint in log
    assert 'bot.py", line ' in log


def test_a_note_goes_with_the_move(tmp_path: Path) -> None:
    program = """
from arena_kit import run
run(lambda ask, game: (ask["example"], "sure: 0.9") if "example" in ask else (ask["legal"][1], None))
"""
    with kit_bot(tmp_path, program) as arena:
        arena.begin()
        assert arena.exchange(ask(1, example={"type": "discard", "cards": ["2c"]})) == {
            "type": "move",
            "id": 1,
            "move": {"type": "discard", "cards": ["2c"]},
            "note": "sure: 0.9",
        }
        assert arena.exchange(ask(2)) == {"type": "move", "id": 2, "move": {"type": "play", "card": "9"}}


CLASS_BOT = """
import random
from arena_kit import Bot, run

class Recorder(Bot):
    def __init__(self):
        self.heard = []

    def start(self, game):
        assert game is self.game
        told = [game.game, game.ruleset, game.options, game.seat, game.seats, game.private]
        self.heard.append(["start", *told])

    def event(self, event):
        self.heard.append(event["n"])

    def move(self, ask):
        self.heard.append([event["n"] for event in self.game.events])
        return {"heard": self.heard, "rng": self.game.rng.random(), "random": random.random()}

    def end(self, result):
        print("ended", result["ranks"], [event["n"] for event in self.game.events])

run(Recorder)
"""


def test_a_class_hears_everything_in_order_and_starts_anew_each_game(tmp_path: Path) -> None:
    with kit_bot(tmp_path, CLASS_BOT) as arena:
        arena.begin()
        start = ["start", "bread-basket", "tens", {"chefs": "tens", "hands": 2}, 1, 2, {"secret": 7}]
        first = arena.exchange(ask(1, events=[{"n": 1}, {"n": 2}]))["move"]
        assert first["heard"] == [start, 1, 2, [1, 2]]
        second = arena.exchange(ask(2, events=[{"n": 3}]))["move"]
        assert second["heard"] == [start, 1, 2, [1, 2], 3, [1, 2, 3]]
        assert first["rng"] != second["rng"]
        arena.say({**END, "events": [{"n": 4}]})
        assert arena.exchange(START) == {"type": "ready"}
        again = arena.exchange(ask(3, events=[{"n": 1}]))["move"]
        assert again["heard"] == [start, 1, [1]]
        assert [again["rng"], again["random"]] == [first["rng"], first["random"]], "reseeded from bot_seed"
        arena.say(END)
        assert arena.exchange({**START, "bot_seed": 4712}) == {"type": "ready"}
        other = arena.exchange(ask(4, events=[]))["move"]
        assert other["rng"] != first["rng"]
        assert other["random"] != first["random"]
        arena.say(QUIT)
        assert "ended [2, 1] [1, 2, 3, 4]" in arena.finish()[2]


def test_an_object_serves_all_games_and_needs_no_base_class(tmp_path: Path) -> None:
    program = """
from arena_kit import run
class Counter:
    games = 0
    def start(self, game):
        self.games += 1
    def move(self, ask):
        return self.games
run(Counter())
"""
    with kit_bot(tmp_path, program) as arena:
        arena.begin()
        assert arena.exchange(ask(1))["move"] == 1
        arena.say(END)
        arena.exchange(START)
        assert arena.exchange(ask(2))["move"] == 2


def test_what_is_no_bot_is_refused(tmp_path: Path) -> None:
    with kit_bot(tmp_path, "from arena_kit import run\nclass Nothing: pass\nrun(Nothing)\n") as arena:
        code, out, log = arena.finish()
    assert (code, out) == (1, "")
    assert "run() takes a function (ask, game) or a class or object with `move`" in log


def test_an_ask_before_any_start_is_refused(tmp_path: Path) -> None:
    with kit_bot(tmp_path, FIRST) as arena:
        arena.exchange(HELLO)
        arena.say(ask(1))
        code, out, log = arena.finish()
    assert (code, out) == (1, "")
    assert "a game that it never started" in log


def test_a_large_answer_comes_whole(tmp_path: Path) -> None:
    program = "from arena_kit import run\nrun(lambda ask, game: 'ü' * 200_000)\n"
    with kit_bot(tmp_path, program) as arena:
        arena.begin()
        arena.say(ask(1), QUIT)
        code, out, _ = arena.finish()
    assert code == 0
    assert json.loads(out)["move"] == "ü" * 200_000


def test_the_kit_is_one_file_of_old_python_and_the_standard_library() -> None:
    tree = ast.parse(KIT.read_text(), feature_version=(3, 8))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        )
    }
    assert imported == {"__future__", "json", "os", "random", "stat", "sys", "traceback", "typing"}


def test_parameters_are_arguments_the_last_of_which_counts(tmp_path: Path) -> None:
    shutil.copy(KIT, tmp_path / "arena_kit.py")
    program = "from arena_kit import parameter\nprint(parameter('held', 2.5), parameter('n'))\n"
    (tmp_path / "bot.py").write_text(program)

    def started(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "bot.py", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert started("--n=7").stdout == "2.5 7\n"
    assert started("--held=1.25", "--n=10", "--held=3").stdout == "3 10\n"
    assert started("--held=1e-05", "--n=0.5").stdout == "1e-05 0.5\n"
    assert "no --n=VALUE in the arguments" in started("--held=1").stderr

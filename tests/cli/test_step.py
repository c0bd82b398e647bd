"""`arena step` and `arena match --like`: a changed bot is caught at the right decision; a deal comes out the same."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.conversation.narration import Conversation
from arena.conversation.rebuild import conversation
from arena.league.stored_games import find, read
from results.store import open_store
from tests.support.leagues import arena_here, create_here, play_here, simple, unguarded, write_bot
from tests.support.recording import Recording, play

OFF = ("--sandbox", "off")
TABLES = {"bread-basket": 2, "bread-and-chocolate": 2, "sandwich": 3}
LEAST_ASK = 4
"""The changed decision is this one or a later one, with moves to choose from."""
KIT_BOT = """\
from arena_kit import run


def choose(ask, game):
    return ask["legal"][0] if "legal" in ask else ask["example"]


run(choose)
"""


def changed(pick: int, ask_id: int) -> str:
    """Return the source of a bot that answers one ask with the last legal move instead."""
    source = simple(pick)
    move = f"legal[{pick} % len(legal)]"
    assert move in source
    return source.replace(move, f'legal[-1 if message["id"] == {ask_id} else {pick} % len(legal)]')


def run(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    """Run a command here, without a sandbox and a guardian."""
    with unguarded():
        return arena_here(*arguments, *OFF, cwd=cwd)


def told(folder: Path, name: str, seat: int) -> Conversation:
    """Return what a seat was sent in a stored game, from the store."""
    league, _, match_no = name.partition("/")
    with open_store(folder / "arena.sqlite") as store:
        return conversation(read(store, find(store, store.leagues.get(league), int(match_no), 0)), seat)


def played(folder: Path, game: str) -> Path:
    """Play a match of simple bots in a folder."""
    for seat in range(TABLES[game]):
        write_bot(folder, f"pick{seat}", simple(seat))
    done = run("match", *(f"pick{seat}" for seat in range(TABLES[game])), "-g", game, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def basket(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("step"), "bread-basket")


@pytest.mark.slow
def test_the_same_bot_answers_the_same(basket: Path) -> None:
    done = run("step", "casual/0.0", "--bot", "pick1", "--as", "pick1", cwd=basket)
    assert done.returncode == 0, done.stderr
    asks = len(told(basket, "casual/0", 1).questions)
    assert f"all {asks} answers are the same" in done.stdout


def catch(folder: Path) -> None:
    """Change a bot at one decision, and find that decision."""
    questions = told(folder, "casual/0", 0).questions
    at = next(
        one
        for one in questions
        if one.ask.id >= LEAST_ASK
        and isinstance(one.ask.legal, list)
        and one.ask.legal[0] != one.ask.legal[-1]
    )
    write_bot(folder, "changed", changed(0, at.ask.id))
    done = run("step", "casual/0.0", "--seat", "0", "--as", "changed", "--json", cwd=folder)
    assert done.returncode == 6, done.stderr
    steps = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(step["decision"], step["ask"]) for step in steps] == [
        (one.decision, one.ask.id) for one in questions
    ]
    assert [step["decision"] for step in steps if not step["same"]] == [at.decision]
    (step,) = [step for step in steps if not step["same"]]
    assert at.answer is not None
    assert step["stored"] == at.answer.move
    assert isinstance(at.ask.legal, list)
    assert step["answered"] == at.ask.legal[-1]


def test_a_changed_bot_is_caught_at_its_decision(basket: Path) -> None:
    catch(basket)


@pytest.mark.slow
def test_a_changed_bot_is_caught_in_a_game_with_longer_turns(tmp_path: Path) -> None:
    catch(played(tmp_path, "bread-and-chocolate"))


@pytest.mark.slow
@pytest.mark.parametrize("game", list(TABLES))
def test_a_move_that_became_illegal_is_caught_in_every_game(game: str, tmp_path: Path) -> None:
    folder = played(tmp_path, game)
    question = told(folder, "casual/0", 0).questions[1]
    wrong = f'[{{"type": "no such move"}}] if message["id"] == {question.ask.id} else '
    write_bot(folder, "changed", simple(0).replace("legal = message", f"legal = {wrong}message"))
    done = run("step", "casual/0.0", "--seat", "0", "--as", "changed", "--json", cwd=folder)
    assert done.returncode == 3, done.stderr
    steps = [json.loads(line) for line in done.stdout.splitlines()]
    (step,) = [step for step in steps if not step["same"]]
    assert (step["decision"], step["ask"]) == (question.decision, question.ask.id)
    assert step["fault"].startswith("illegal: ")


def test_only_some_decisions_are_shown_and_later_ones_not_asked(basket: Path) -> None:
    questions = told(basket, "casual/0", 0).questions
    first, last = questions[3].decision, questions[5].decision
    arguments = (
        "step",
        "casual/0.0",
        "--seat",
        "0",
        "--as",
        "pick1",
        "--from",
        str(first),
        "--until",
        str(last),
    )
    done = run(*arguments, "--json", cwd=basket)
    shown = [json.loads(line) for line in done.stdout.splitlines()]
    assert [step["decision"] for step in shown] == [one.decision for one in questions[3:6]]
    text = run(*arguments, cwd=basket)
    assert f"{len(questions) - 6} later decisions of the stored game were not asked" in text.stderr
    assert "view:" in text.stdout
    assert "the stored game continues" in text.stderr
    assert max(map(len, text.stdout.splitlines())) <= 110


@pytest.mark.slow
def test_a_bot_that_fails_is_shown_with_its_log(basket: Path) -> None:
    fails = '        if message["id"] == 3: raise ValueError("boom \\x1b[31m")\n'
    source = simple(0).replace("        time.sleep(0.0)\n", fails)
    write_bot(basket, "failing", source)
    done = run("step", "casual/0.0", "--seat", "0", "--as", "failing", cwd=basket)
    assert done.returncode == 3
    at = told(basket, "casual/0", 0).questions[2]
    assert f"decision {at.decision} (ask 3): crash: exited with code 1" in done.stderr
    assert "ValueError: boom" in done.stderr
    assert "\x1b" not in done.stderr


def test_whose_seat_has_to_be_said(basket: Path) -> None:
    done = run("step", "casual/0.0", "--as", "pick0", cwd=basket)
    assert done.returncode == 2
    assert "--bot or --seat" in done.stderr


@pytest.mark.slow
def test_a_deal_played_again_gives_the_same_game(basket: Path) -> None:
    done = run("match", "--like", "casual/0.0", cwd=basket)
    assert done.returncode == 0, done.stderr
    assert "the same game as casual/0.0, to the last move and note" in done.stderr
    number = re.search(r"arena replay show casual/(\d+)\.0", done.stderr)
    assert number is not None
    again = run("match", "--like", f"casual/{number[1]}.0", cwd=basket)
    assert f"the same game as casual/{number[1]}.0" in again.stderr


@pytest.mark.slow
def test_with_another_bot_the_first_difference_is_named(basket: Path) -> None:
    done = run("match", "--like", "casual/0.0", "1=pick0", cwd=basket)
    assert done.returncode == 0, done.stderr
    assert re.search(
        r"differs from casual/0\.0 at decision \d+:\n  then: seat 1: .*\n  now:  seat 1: ", done.stderr
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("pick0",), "has 2 seats, but the bots named fill 1"),
        (("2=pick0",), "has no seat 2"),
        (("0=pick0", "0=pick1"), "seat 0 is named twice"),
        (("0=pick0", "pick1"), "names no seat, but others do"),
        (("--seed", "3"), "--like fixes what --seed says"),
    ],
)
def test_seats_are_named_clearly(basket: Path, arguments: tuple[str, ...], said: str) -> None:
    done = run("match", "--like", "casual/0.0", *arguments, cwd=basket)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.slow
def test_a_later_rotation_of_a_league_is_played_again_with_its_clock(tmp_path: Path) -> None:
    for number in range(3):
        write_bot(tmp_path, f"pick{number}", simple(number))
    file = tmp_path / "league.toml"
    file.write_text(
        'name = "test"\ngame = "sandwich"\nseats = 3\n[clock]\nmove_ms = 4321\n[schedule]\nkind = "round-robin"\n'
        + "".join(f'[[bots]]\npath = "pick{number}"\n' for number in range(3))
    )
    create_here(file)
    assert play_here(tmp_path, "test")
    for rotation in range(3):
        done = run("match", "--like", f"test/0.{rotation}", cwd=tmp_path)
        assert f"the same game as test/0.{rotation}, to the last move" in done.stderr, done.stderr
        with open_store(tmp_path / "arena.sqlite") as store:
            then = read(store, find(store, store.leagues.get("test"), 0, rotation))
            now = read(store, find(store, store.leagues.get("casual"), rotation, 0))
        for seat in range(3):
            lines = [list(conversation(one, seat).lines()) for one in (then, now)]
            starts = [one[0] for one in lines]
            assert starts[0] == starts[1]
            assert b'"move_ms":4321' in starts[0][1]
            assert len(lines[0]) == len(lines[1])


def test_what_a_bot_is_told_can_be_saved_for_a_debugger(basket: Path) -> None:
    bot = write_bot(basket, "kit", KIT_BOT)
    (bot / "bot.toml").write_text(
        'name = "kit"\nauthor = "tests"\ncommand = ["python3", "bot.py"]\ngames = ["*"]\nkit = true\nengine = true\n'
    )
    (bot / "bot.py").write_text(KIT_BOT.replace("import run\n", "import run; import arena_engine\n"))
    saved = run("step", "casual/0.0", "--seat", "0", "--as", "kit", "--save", "told", cwd=basket)
    assert saved.returncode == 0, saved.stderr
    line = re.search(
        r"ARENA_KIT_LINES=(\S+) PYTHONPATH=(\S+) PYTHONHASHSEED=0 python3 -m pdb bot.py", saved.stderr
    )
    assert line is not None, saved.stderr
    variables = {"ARENA_KIT_LINES": line[1], "PYTHONPATH": line[2], "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "pdb", "bot.py"],
        cwd=bot,
        env={**os.environ, **variables},
        input="b bot.py:5\nc\np 'asked', ask['id']\ncl 1\nc\nq\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "('asked', 1)" in done.stdout, done.stdout + done.stderr
    command = ["sh", "-c", f"exec {sys.executable} bot.py < {line[1]}"]
    answers = subprocess.run(
        command,
        cwd=bot,
        env={**os.environ, "PYTHONPATH": line[2]},
        capture_output=True,
        text=True,
        check=True,
    )
    heard = [json.loads(one)["type"] for one in answers.stdout.splitlines()]
    questions = told(basket, "casual/0", 0).questions
    assert heard == ["hello", "ready", *["move"] * len(questions)]
    refused = run("step", "casual/0.0", "--seat", "0", "--as", "pick0@1", "--save", "x", cwd=basket)
    assert (refused.returncode, "is no folder" in refused.stderr) == (2, True), refused.stderr
    refused = run("step", "casual/0.0", "--seat", "0", "--as", "kit", "--save", "kit", cwd=basket)
    assert (refused.returncode, "is the folder of the bot" in refused.stderr) == (2, True), refused.stderr


def play_simple() -> Any:
    """Return a short game of recording bots."""
    from arena.registry import game

    return play(game("bread-basket"), "tens", [Recording(seat, 5) for seat in range(2)])

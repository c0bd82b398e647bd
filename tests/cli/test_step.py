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
from tests.support.leagues import ARENA, arena_here, create_here, play_here, simple, unguarded, write_bot
from tests.support.recording import Recording, play, stored

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


@pytest.mark.slow
@pytest.mark.parametrize("debugger", [True, False])
def test_a_bot_can_be_fed_in_a_debugger(basket: Path, debugger: bool, request: pytest.FixtureRequest) -> None:
    bot = write_bot(basket, f"kit-{debugger}".lower(), KIT_BOT)
    (bot / "bot.toml").write_text(
        f'name = "{bot.name}"\nauthor = "tests"\ncommand = ["python3", "bot.py"]\ngames = ["*"]\nkit = true\n'
    )
    command = [*ARENA, "step", "casual/0.0", "--seat", "0", "--as", bot.name, "--attach"]
    step = subprocess.Popen(
        command,
        cwd=basket,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    request.addfinalizer(step.kill)  # it would wait for the pipes for ever
    assert step.stderr is not None
    said: list[str] = []
    while not said or "waiting for both pipes" not in said[-1]:
        said.append(step.stderr.readline())
        assert said[-1], said
    text = "".join(said)
    if debugger:
        line = re.search(
            r"ARENA_KIT_PIPES=(\S+) PYTHONPATH=(\S+) PYTHONHASHSEED=0 python3 -m pdb bot.py", text
        )
        assert line is not None
        variables = {"ARENA_KIT_PIPES": line[1], "PYTHONPATH": line[2], "PYTHONHASHSEED": "0"}
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
    else:
        line = re.search(r"python3 bot.py < (\S+) > (\S+)", text)
        assert line is not None
        folder = str(Path(line[1]).parent)
        command = ["sh", "-c", f"exec {sys.executable} bot.py < {line[1]} > {line[2]}"]
        variables = {**os.environ, "PYTHONPATH": folder}
        subprocess.run(command, cwd=bot, env=variables, timeout=60, check=True)
    out, more = step.communicate(timeout=60)
    assert re.search(r"opened by process \d+", more)
    assert "answers are the same" in out or "the first at" in out
    assert not Path(line[1]).exists()


def test_a_bot_at_named_pipes_is_fed_like_any_other(tmp_path: Path) -> None:
    from arena.conversation.bot_replay import FROM_BOT, TO_BOT, PipedBot, steps_of

    record = play_simple()
    found = stored(record)
    source = tmp_path / "bot.py"
    source.write_text(simple(0))
    bot = PipedBot(tmp_path)
    command = ["sh", "-c", f"exec {sys.executable} -S -E bot.py < {TO_BOT} > {FROM_BOT}"]
    with subprocess.Popen(command, cwd=tmp_path):
        steps = [step for _, step in steps_of(bot, found.game, conversation(found, 0))]
        bot.log()
    legal = [question.ask for question in conversation(found, 0).questions]
    assert [step.ask for step in steps] == [ask.id for ask in legal]
    assert not any(step.fault for step in steps)


def play_simple() -> Any:
    """Return a short game of recording bots."""
    from arena.registry import game

    return play(game("bread-basket"), "tens", [Recording(seat, 5) for seat in range(2)])

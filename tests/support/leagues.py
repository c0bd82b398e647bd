"""Leagues run as a user runs them, in processes or in this one, where simple bots need none."""

import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import chdir, closing, contextmanager, nullcontext, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from arena.cli.app import run
from arena.core.game import AnyGame
from arena.core.ruleset import Rotations, Ruleset
from arena.executors.worker import SerialExecutor
from arena.league.create import create_at, untried
from arena.league.definition.checked_definition import Definition
from arena.league.definition.rating import draw_probability as measured_draws
from arena.league.definition.rating import random_matches
from arena.league.definition.read import read_plan
from arena.league.running.run import LeagueRun
from arena.league.running.runner_activity import RunProgress
from arena.players.base import Reply, ScriptedPlayer
from arena.players.pool import BotPool
from arena.sandbox.folder_removal import remove_tree
from protocol.messages import Ask
from results.base.scoring import Sides
from results.records.query_rows import SeatResult
from results.store import open_store
from tests.support import forking
from tests.support.waiting import eventually

ARENA = [sys.executable, "-m", "arena"]
WITHOUT_KIT = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        answer = {"type": "hello", "protocol": 1}
    elif kind == "start":
        answer = {"type": "ready"}
    elif kind == "ask":
        answer = {"type": "move", "id": message["id"], "move": message["legal"][0]}
    else:
        continue
    print(json.dumps(answer), flush=True)
"""
FIRST_LEGAL = WITHOUT_KIT.replace("import json, sys\n", "import json, sys, time\n").replace(
    """        answer = {"type": "move", "id": message["id"], "move": message["legal"][0]}
""",
    """        time.sleep(PAUSE)
        legal = message.get("legal") or [message["example"]]
        answer = {"type": "move", "id": message["id"], "move": legal[PICK % len(legal)]}
""",
)
SIMPLE = re.escape(FIRST_LEGAL).replace("PAUSE", r"[\d.]+").replace("PICK", r"(\d+)")
"""A pattern for the sources that `simple` returns."""


def simple(pick: int, pause_ms: float = 0) -> str:
    """Return a bot's source: after a pause it takes the legal move of that number, counted around the end."""
    return FIRST_LEGAL.replace("PICK", str(pick)).replace("PAUSE", str(pause_ms / 1000))


CRASHES_ON_A_HAND_IT_KNOWS = """
import json, sys

def send(**message):
    print(json.dumps(message), flush=True)

held, begins = set(), False
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        send(type="hello", protocol=1)
    elif message["type"] == "start":
        begins = True
        send(type="ready")
    elif message["type"] == "ask":
        hand = json.dumps(message["view"].get("hand"))
        if begins and hand in held:
            sys.exit(3)
        begins = False
        held.add(hand)
        send(type="move", id=message["id"], move=(message.get("legal") or [message["example"]])[0])
"""
"""Its hand at its first decision in a game is another one in each game, unless the deal is the same."""


def write_bot(
    folder: Path, name: str, source: str, mark: str = "", *, game: str = "*", author: str = "tests"
) -> Path:
    """Write a bot's folder; return it. `mark` is an argument of its command, by which its processes are found.

    To submit a bot takes a check in each `game` that it plays, so name one for that.
    """
    place = folder / name
    place.mkdir(parents=True)
    command = json.dumps(["python3", "-S", "bot.py", *([mark] if mark else [])])  # -S: it starts faster
    (place / "bot.toml").write_text(
        f'name = "{name}"\nauthor = "{author}"\ncommand = {command}\ngames = ["{game}"]\n'
    )
    (place / "bot.py").write_text(source)
    return place


def write_league(
    folder: Path, *, rounds: int, bots: int = 3, seats: int = 3, pause_ms: float = 0, mark: str = ""
) -> Path:
    """Write a league file of simple bots, each with a habit of its own; return it.

    With a pause before each move a league lasts without keeping the machine busy.
    """
    lines = [
        'name = "test"',
        'game = "bread-basket"',
        f"seats = {seats}",
        'rotations = "cyclic"',
        "seed = 7",
        "options = { hands = 1 }",
        "[schedule]",
        'kind = "round-robin"',
        f"rounds = {rounds}",
    ]
    for number in range(bots):
        write_bot(folder, f"pick{number}", simple(number, pause_ms), mark)
        lines += ["[[bots]]", f'path = "pick{number}"']
    file = folder / "league.toml"
    file.write_text("\n".join(lines) + "\n")
    return file


def arena(*arguments: str | Path, cwd: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, in a process of its own."""
    done = forking.run([*map(str, arguments)], cwd)
    assert not check or done.returncode == 0, done.stderr
    return done


def arena_here(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command within this process, which is faster: for those that play no games."""
    out, err = io.StringIO(), io.StringIO()
    with (
        chdir(cwd),
        redirect_stdout(out),
        redirect_stderr(err),
        measured_once(),
    ):
        code = run(list(map(str, arguments)))
    return subprocess.CompletedProcess(["arena", *map(str, arguments)], code, out.getvalue(), err.getvalue())


_draws: dict[str, float] = {}
_random: dict[str, list[list[SeatResult]]] = {}


@contextmanager
def measured_once() -> Iterator[None]:
    """Measure each way to play once for all tests and on few games: that takes longer than all else of `create`.

    Bots aren't started before they play, either: `tests/checking/test_first_start.py` is about that.
    """
    with (
        patch("arena.cli.commands.league.create.starting", lambda _store: untried),
        patch("arena.league.definition.rating.draw_probability", _draw_probability),
        patch("arena.league.forecast.luck.random_matches", _random_matches),
    ):
        yield


def _draw_probability(definition: Definition, *, by_games: bool = False) -> float:
    played = f"{_way_to_play(definition)} {by_games}"
    if played not in _draws:
        with patch("arena.league.definition.rating.MOST_MATCHES", 10):
            _draws[played] = measured_draws(definition, by_games=by_games)
    return _draws[played]


def _random_matches(
    game: AnyGame, rules: Ruleset, seats: int, rotations: Rotations, sides: Sides
) -> list[list[SeatResult]]:
    played = repr((type(game), rules.key, seats, rotations))
    if played not in _random:
        _random[played] = list(random_matches(game, rules, seats, rotations, sides))
    return _random[played]


def _way_to_play(definition: Definition) -> str:
    rules = {seats: rules.key for seats, rules in definition.rulesets.items()}
    return repr((type(definition.game), rules, definition.rotations))


def create_here(file: Path) -> None:
    """Create the league of a file in the store beside it, in this process, without measuring how large games are."""
    with measured_once():
        create_at(file.parent / "arena.sqlite", read_plan(file))


@contextmanager
def unguarded() -> Iterator[None]:
    """Play in this process without a guardian for its death: tests of the executors have theirs."""
    with patch("arena.executors.worker.Guardian", lambda *_: nullcontext()):
        yield


@contextmanager
def in_this_process() -> Iterator[None]:
    """Play in this process, simple bots included: other tests play the same games with processes."""

    with unguarded(), patch("arena.league.running.local_games.BotPool", ScriptedBots):
        yield


def play_here(cwd: Path, name: str | None = None, most_games: int | None = None) -> bool:
    """Play a league within this process and without a sandbox, which is faster; return whether it is complete.

    `most_games`: stop, as after Ctrl-C, once that many games were entered.
    """
    with open_store(cwd / "arena.sqlite") as store:
        league_run = LeagueRun(store, store.leagues.get(name), executor=SerialExecutor(), sandbox="off")

        def shown(progress: RunProgress) -> None:
            if most_games is not None and progress.games >= most_games:
                league_run.stop.after_game = True

        with in_this_process():
            return league_run.run(shown)


def start(*arguments: str, cwd: Path) -> forking.Started:
    """Start a command in a session of its own, unheard."""
    with Path(os.devnull).open("r+b") as nothing:
        return forking.start([*arguments], cwd, (nothing.fileno(),) * 3, session=True)


def games_stored(cwd: Path) -> int:
    """Return how many games are in the ledger: asked of SQLite itself, as that is fast."""
    with closing(sqlite3.connect(f"file:{cwd / 'arena.sqlite'}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM game").fetchone()[0])


def digest(cwd: Path) -> dict[str, str]:
    """Return the hashes of the league's games and ratings."""
    found: dict[str, str] = json.loads(arena_here("db", "digest", cwd=cwd).stdout)
    return found


def wait_for_games(cwd: Path, least: int, process: "subprocess.Popen[Any] | forking.Started") -> None:
    """Wait until the ledger has that many games, or the process has ended."""
    while process.poll() is None and games_stored(cwd) < least:
        time.sleep(0.02)


def kill_9(process: "subprocess.Popen[bytes] | forking.Started") -> None:
    """Kill a process the hard way, and reap it."""
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def running_with(word: str) -> list[int]:
    """Return the processes that have a word in their command."""
    return [
        int(path.parent.name)
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if word.encode() in _content(path)
    ]


def assert_nobody_left(mark: str) -> None:
    """Wait for every bot whose command bears the mark to be gone."""
    assert eventually(lambda: not running_with(mark)), f"still running: {running_with(mark)}"


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


WALL_NS, CPU_NS = 1_000_000, 100_000
"""How long a scripted bot is said to take over each move."""


class ScriptedBots(BotPool):
    """Fills seats by what simple bots would do, with the pauses left out; starts the programs of all others."""

    starts_processes = False

    def take(self, entry_no: int, match: tuple[str, int], seat: int) -> Any:
        """Return a player of an entry for one game."""
        program = self._programs[entry_no]
        pick = _pick(program.folder / "bot.py")
        if pick is None:
            self.starts_processes = True
            return super().take(entry_no, match, seat)
        for word in program.command:  # a parameter; the last one counts
            pick = int(word.removeprefix("--pick=")) if word.startswith("--pick=") else pick

        def answer(ask: Ask) -> Reply:
            move = ask.legal[pick % len(ask.legal)] if isinstance(ask.legal, list) else ask.example
            return Reply(move, None, WALL_NS, CPU_NS)

        return ScriptedPlayer(answer)

    def close(self) -> None:
        """End what was started."""
        if self.starts_processes:
            super().close()
        else:
            self._slots.close()
            remove_tree(self._place)


@cache
def _pick(source: Path) -> int | None:
    """Return the number of the legal move that a simple bot takes; None for any other bot."""
    found = re.fullmatch(SIMPLE, source.read_text()) if source.is_file() else None
    return None if found is None else int(found[1])

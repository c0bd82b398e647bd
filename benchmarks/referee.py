"""Measures the cost of refereeing: µs per decision, compared with a bare pipe, with everything on one core.

By default this is the CPU time of the referee and the bots together, which counts nothing that others run. On a quiet
machine, `--wall` measures by the clock instead, which counts the switches between processes in full.

    python benchmarks/referee.py [--rounds 5] [--games 60] [--bots C,Python,threads] [--wall] [--causes]
                                 [--against CHECKOUT]

For each installed kind of bot and each game, every round runs these in turn:

- bare: write and read the encoded lines of one game without looking at them
- asked: the same decisions with `BotPlayer.ask`: deadline, log, times, encoding, decoding
- refereed: whole games with `Referee.play`: rules, views, checks, transcript, replay body and its fingerprint

Each figure of a round is the least of four runs, which share its games. Ratios are computed within a round, and the
median over all rounds is reported, so that other load on the machine affects both sides equally. `--causes` adds a
table of where the time goes. `--against` names another checkout of this repository: both are measured in turn, row by
row, and the ratio of this one to the other is reported for each, of a round and of the least of all rounds. On a busy
machine, take many rounds of few games. The bots `threads`, only on demand, have 12 threads, and think for 8 ms in one
of them: what is looked at in turns that are not over at once.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.core.game import Outcome
from arena.core.ruleset import ruleset
from arena.core.ticket import Ticket
from arena.players.base import Fault, Reply, ScriptedPlayer
from arena.players.bot import BotPlayer
from arena.players.pool import BotPool
from arena.players.usage_monitor import BotMonitor
from arena.referee.referee import Referee
from arena.referee.transcript import Entrant, pack
from arena.registry import game as game_named
from arena.sandbox.bot_program import Bounds, Program
from benchmarks.comparison import Line, Target, add_results_option, keep, rounds, value_line
from benchmarks.games.trick import TrickGame
from protocol import codec
from protocol.messages import Ask, Move
from results.records import GameRecord

PYTHON_BOT = """
import json, sys
out = sys.stdout.buffer
for line in sys.stdin.buffer:
    message = json.loads(line)
    kind = message["type"]
    if kind == "ask":
        answer = {"type": "move", "id": message["id"], "move": message["legal"][0]}
    elif kind == "start":
        answer = {"type": "ready"}
    elif kind == "hello":
        answer = {"type": "hello", "protocol": 1}
    else:
        continue
    out.write(json.dumps(answer, separators=(",", ":")).encode() + b"\\n")
    out.flush()
"""
NODE_BOT = """
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  const answer =
    message.type === "ask" ? { type: "move", id: message.id, move: message.legal[0] }
    : message.type === "start" ? { type: "ready" }
    : message.type === "hello" ? { type: "hello", protocol: 1 } : null;
  if (answer) process.stdout.write(JSON.stringify(answer) + "\\n");
});
"""
THREADS_BOT = """
import queue, threading, time
tasks, done = queue.Queue(), queue.Queue()

def work():
    while True:
        until = tasks.get() + time.thread_time()
        while time.thread_time() < until:
            pass
        done.put(None)

for _ in range(11):
    threading.Thread(target=work, daemon=True).start()
""" + PYTHON_BOT.replace(
    """ "ask":
""",
    """ "ask":
        tasks.put(0.008)
        done.get()
""",
)
C_BOT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void answer(const char *line) {
    static char out[8192];
    const char *id = strstr(line, "\"id\":"), *move = strstr(line, "\"legal\":[");
    int length;
    if (strstr(line, "\"type\":\"ask\"")) {
        const char *end = move += 9;
        int depth = 0;
        do {
            depth += *end == '{' || *end == '[';
            depth -= *end == '}' || *end == ']';
            end++;
        } while (depth > 0 || (*end != ',' && *end != ']'));
        length = snprintf(out, sizeof out, "{\"type\":\"move\",\"id\":%d,\"move\":%.*s}\n", atoi(id + 5),
                          (int)(end - move), move);
    } else if (strstr(line, "\"type\":\"start\"")) {
        length = snprintf(out, sizeof out, "{\"type\":\"ready\"}\n");
    } else if (strstr(line, "\"type\":\"hello\"")) {
        length = snprintf(out, sizeof out, "{\"type\":\"hello\",\"protocol\":1}\n");
    } else {
        return;
    }
    if (write(1, out, length) != length) exit(1);
}

int main(void) {
    static char in[1 << 20];
    size_t held = 0;
    ssize_t count;
    while ((count = read(0, in + held, sizeof in - 1 - held)) > 0) {
        char *line = in, *end;
        held += count;
        while ((end = memchr(line, '\n', in + held - line))) {
            *end = 0;
            answer(line);
            line = end + 1;
        }
        held -= line - in;
        memmove(in, line, held);
    }
    return 0;
}
"""
ROWS = ("bare", "asked", "refereed")
RUNS = 4
NAMES = {"asked": "an ask", "refereed": "whole games"}
TARGETS = {
    ("asked", "trick", "C"): 9,
    ("asked", "trick", "Python"): 20,
    ("asked", "bread-basket", "C"): 9,
    ("asked", "bread-basket", "Python"): 20,
    ("refereed", "trick", "C"): 27,
    ("refereed", "trick", "Python"): 54,
    ("refereed", "bread-basket", "C"): 33,
    ("refereed", "bread-basket", "Python"): 61,
}
"""By row, game and bots: µs of CPU time beyond the pipe in November 2026 on the machine of docs/speed-measured.md, plus
10 %: no more is wanted than that the referee gets no slower."""
QUESTION = ("view", "format_move", "sample_move")
RULES = ("turn", "apply", "make_legal", "parse_move")


class Noted:
    """A game that notes every call, so that the same calls can be timed by themselves."""

    def __init__(self, game: Any) -> None:
        self._game = game
        self.calls: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._game, name)
        if name not in (*QUESTION, *RULES):
            return found

        def noting(*arguments: Any) -> Any:
            kept = arguments if name == "format_move" else self.copied(arguments)
            self.calls.append((name, found, kept))
            return found(*arguments)

        return noting

    def copied(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments of a call with a copy of the state, the first of them, as moves may change it."""
        return (self._game.copy(arguments[0]), *arguments[1:])


class Table:
    """Two seats of one game, both filled by the same program."""

    def __init__(self, game: Any, program: Program, place: Path, *, wall: bool) -> None:
        self.now_s: Callable[[list[BotPlayer]], float] = _wall_s if wall else _cpu_s
        self.game = game
        self.rules = game.resolve(ruleset(game.info), 2)
        self.pool = BotPool({0: program, 1: program}, place, "benchmark")
        self.referee = Referee()
        self.match_no = 0
        self.noted = Noted(game)
        self.asks = self._asks()

    def ticket(self, seed: bytes) -> Ticket:
        self.match_no += 1
        return Ticket("benchmark", self.match_no, 0, (0, 1), self.rules, seed)

    def _asks(self) -> list[tuple[int, Ask]]:
        """Return the asks of one game, with their seats, if everyone plays the first legal move."""
        asks: list[tuple[int, Ask]] = []

        def seat_player(seat: int) -> ScriptedPlayer:
            def answer(ask: Ask) -> Reply | Fault:
                asks.append((seat, ask))
                return Reply(ask.legal[0], None, 0, 0)  # type: ignore[index]  # these games list their moves

            return ScriptedPlayer(answer)

        self.record = self._played(self.noted, [seat_player(0), seat_player(1)], bytes(32))
        return asks

    def _played(self, game: Any, players: list[Any], seed: bytes) -> GameRecord:
        return self.referee.play(game, players, [Entrant("bot", "")] * 2, self.ticket(seed))

    def _play(self, players: list[Any], seed: bytes) -> int:
        return sum(seat.decisions for seat in self._played(self.game, players, seed).seats)

    def started(self) -> list[BotPlayer]:
        """Return two players with running processes, warmed up by one game."""
        ticket = self.ticket(bytes(32))
        players = [self.pool.take(seat, ("benchmark", ticket.match_no), seat) for seat in (0, 1)]
        self._play(players, bytes(32))
        return players

    def give_back(self, players: list[BotPlayer]) -> None:
        for seat, player in enumerate(players):
            self.pool.give_back(seat, player, seat)

    def _renewed(self, players: list[BotPlayer], games: int) -> list[tuple[int, Ask]]:
        """Return the asks of some games, with the ids that the players' processes expect next."""
        numbers = [player.next_id() for player in players]
        asks = []
        for seat, ask in self.asks * games:
            asks.append((seat, Ask(numbers[seat], ask.kind, ask.view, ask.events, ask.time, ask.legal)))
            numbers[seat] += 1
        for player, number in zip(players, numbers, strict=True):
            if player.process:
                player.process.asked = number - 1
        return asks

    def bare(self, games: int) -> float:
        """Return µs per decision for writing and reading alone."""
        players = self.started()
        channels = [player.process.channel for player in players if player.process]
        script = [
            (channels[seat].stdin, channels[seat].stdout, codec.encode(ask))
            for seat, ask in self._renewed(players, games)
        ]
        watches = [player.process.monitor for player in players if player.process]
        for channel, watch in zip(channels, watches, strict=True):
            os.set_blocking(channel.stdout, True)
            watch.begin_turn()  # so that nothing counts as thinking out of turn
        began = self.now_s(players)
        for stdin, stdout, line in script:
            os.write(stdin, line)
            os.read(stdout, 65_536)
        took = self.now_s(players) - began
        for channel, watch in zip(channels, watches, strict=True):
            os.set_blocking(channel.stdout, False)
            watch.end_turn(time.monotonic_ns())
        self.give_back(players)
        return took / len(script) * 1e6

    def asked(self, games: int, *, watched: bool = True) -> float:
        """Return µs per decision with `BotPlayer.ask`; `watched` is whether it monitors what the bots use."""
        players = self.started()
        watches = [player.process.monitor for player in players if player.process]
        if not watched:
            for player in players:
                if player.process:
                    player.process.monitor = BotMonitor(lambda: None, None, Bounds(), pondering=True)
        asks = [(players[seat], ask) for seat, ask in self._renewed(players, games)]
        began = self.now_s(players)
        for player, ask in asks:
            player.ask(ask, 1_000_000_000)
        took = self.now_s(players) - began
        for player, watch in zip(players, watches, strict=True):
            if player.process:
                player.process.monitor = watch
        self.give_back(players)
        return took / len(asks) * 1e6

    def unwatched(self, games: int) -> float:
        """Return µs per decision with `BotPlayer.ask` for bots that nobody watches."""
        return self.asked(games, watched=False)

    def least(self, row: str, games: int) -> float:
        """Return µs per decision of one row: the least of some runs, which share the games."""
        measure: Callable[[int], float] = getattr(self, row)
        return min(measure(max(1, games // RUNS)) for _ in range(RUNS))

    def started_and_ended(self, games: int) -> float:
        """Return µs per decision for the messages at the start and the end of games."""
        players = self.started()
        over = _Over(self.game)
        began = self.now_s(players)
        for game_no in range(games):
            self._played(over, players, game_no.to_bytes(32, "big"))
        took = self.now_s(players) - began
        self.give_back(players)
        return took / games / len(self.asks) * 1e6

    def causes(self, games: int) -> dict[str, float]:
        """Return µs per decision by cause, measured one by one; `other` is what is left of whole games."""
        asks = [ask for _, ask in self.asks]
        answers = [codec.encode(Move(ask.id, ask.legal[0])) for ask in asks]  # type: ignore[index]
        body = json.loads(zlib.decompress(self.record.body))
        calls = self.noted.calls
        bare, asked, blind = (
            self.least("bare", games),
            self.least("asked", games),
            self.least("unwatched", games),
        )
        found = {
            "bare": bare,
            "watching": asked - blind,
            "encode": self._each(games, [(codec.encode, (ask,)) for ask in asks]),
            "decode": self._each(games, [(codec.decode, (line[:-1],)) for line in answers]),
        }
        found["rest of ask"] = asked - sum(found.values())
        found |= {
            "view, moves": self._each(
                games, [(call, given) for name, call, given in calls if name in QUESTION]
            ),
            "rules": self._each(games, [(call, given) for name, call, given in calls if name in RULES]),
            "start, end": self.least("started_and_ended", games),
            "pack": self._each(games, [(pack, (body,))]),
        }
        whole = self.least("refereed", games)
        found["other"] = whole - sum(found.values())
        return found

    def _each(self, games: int, calls: list[tuple[Callable[..., Any], tuple[Any, ...]]]) -> float:
        """Return the time of some calls in µs per decision; they are those of one game."""
        took_s = 0.0
        in_place = getattr(self.game, "make_legal", None)
        for _ in range(games):
            fresh = [(call, self.noted.copied(given) if call == in_place else given) for call, given in calls]
            began_s = self.now_s([])
            for call, given in fresh:
                call(*given)
            took_s += self.now_s([]) - began_s
        return took_s / games / len(self.asks) * 1e6

    def refereed(self, games: int) -> float:
        """Return µs per decision in whole games."""
        players = self.started()
        decisions = 0
        began = self.now_s(players)
        for game_no in range(games):
            decisions += self._play(players, game_no.to_bytes(32, "big"))
        took = self.now_s(players) - began
        self.give_back(players)
        return took / decisions * 1e6


def _cpu_s(players: list[BotPlayer]) -> float:
    """Return the CPU time of this process and of the players' processes, which must have no children."""
    of_bots = sum(time.clock_gettime((~player.process.pid << 3) | 2) for player in players if player.process)
    return time.process_time() + of_bots


def _wall_s(_: list[BotPlayer]) -> float:
    """Return the time by the clock."""
    return time.perf_counter()


class _Over:
    """A game that is over as soon as it has been dealt."""

    def __init__(self, game: Any) -> None:
        self._game = game

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def turn(self, state: Any) -> Outcome:  # noqa: ARG002 - whatever it is
        return Outcome((0, 0), (1, 1))


def programs(place: Path, wanted: str) -> dict[str, Program]:
    """Return the wanted bots, separated by commas, that can run on this machine."""
    found: dict[str, Program] = {}
    kinds = {
        "C": ("bot.c", C_BOT, ("./bot",), "gcc"),
        "Python": ("bot.py", PYTHON_BOT, ("python3", "-S", "-E", "bot.py"), "python3"),
        "Node": ("bot.js", NODE_BOT, ("node", "bot.js"), "node"),
        "threads": ("bot.py", THREADS_BOT, ("python3", "-S", "-E", "bot.py"), "python3"),
    }
    for name, (file, text, command, needed) in kinds.items():
        if name in wanted.split(",") and shutil.which(needed):
            folder = place / name
            folder.mkdir()
            (folder / file).write_text(text)
            if name == "C":
                subprocess.run(["gcc", "-O2", "-o", folder / "bot", folder / file], check=True)
            found[name] = Program(folder, command)
    return found


def serve(place: Path, given: argparse.Namespace) -> None:
    """Measure what is asked for on standard input, each time once: µs per decision of a row, or by cause."""
    tables = {
        f"{game.info.name:14} {name:7}": Table(
            game, program, place / f"{name}-{game.info.name}", wall=given.wall
        )
        for name, program in programs(place, given.bots).items()
        for game in (TrickGame(), game_named("bread-basket"))
    }
    print(json.dumps(list(tables)), flush=True)
    for line in sys.stdin:
        key, row = json.loads(line)
        table = tables[key]
        found = table.causes(given.games) if row == "causes" else {row: table.least(row, given.games)}
        print(json.dumps(found), flush=True)
    for table in tables.values():
        table.pool.close()


class Side:
    """The code of one checkout, measured in a process of its own."""

    def __init__(self, checkout: Path, given: argparse.Namespace) -> None:
        command = [sys.executable, str(checkout / "benchmarks" / "referee.py"), "--serve"]
        command += [f"--games={given.games}", f"--bots={given.bots}", *(["--wall"] if given.wall else [])]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.keys: list[str] = self._told()
        """The games and bots that can be measured."""

    def measured(self, key: str, row: str) -> dict[str, float]:
        """Return µs per decision of a row, or of each cause."""
        assert self._process.stdin is not None
        print(json.dumps([key, row]), file=self._process.stdin, flush=True)
        found: dict[str, float] = self._told()
        return found

    def _told(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def report(mine: list[dict[str, dict[str, float]]], theirs: list[dict[str, dict[str, float]]]) -> None:
    """Print a line for each row: the median with its range, its ratio to bare, and its ratio to the other checkout."""
    print(f"{'game':14} {'bots':7} {'':12} {'µs/decision':>12} {'range':>15} {'to bare':>8}", end="")
    print(f" {'to the other':>14} {'range':>11} {'least':>7}" if theirs else "")
    for key, rows in mine[0].items():
        for row in rows:
            values = [figures[key][row] for figures in mine]
            to_bare = statistics.median(figures[key][row] / figures[key]["bare"] for figures in mine)
            ranged = f"{min(values):.1f}-{max(values):.1f}"
            print(f"{key} {row:12} {statistics.median(values):12.1f} {ranged:>15} {to_bare:7.2f}x", end="")
            if theirs:
                ratios = [ours[key][row] / other[key][row] for ours, other in zip(mine, theirs, strict=True)]
                ranged = f"{min(ratios):.2f}-{max(ratios):.2f}"
                least = min(values) / min(other[key][row] for other in theirs)
                print(f" {statistics.median(ratios):13.3f}x {ranged:>11} {least:6.3f}x", end="")
            print()


def lines(measured: list[dict[str, dict[str, float]]], *, wall: bool) -> list[Line]:
    """Return the comparisons with the bare pipe; for causes, the time that each takes."""
    found = []
    clock = "by the clock" if wall else "of CPU time"
    for key, rows in measured[0].items():
        game, bots = key.split()
        setting = f"{game}, {bots} bots" + (", by the clock" if wall else "")
        columns = {row: [figures[key][row] for figures in measured] for row in rows}
        if "asked" not in rows:
            found += [value_line(row, setting, "µs", (row, values)) for row, values in columns.items()]
            continue
        for row, name in NAMES.items():
            beyond = [taken - pipe for taken, pipe in zip(columns[row], columns["bare"], strict=True)]
            most = None if wall else TARGETS.get((row, game, bots))
            found.append(
                value_line(
                    f"{name}, beyond the bare pipe",
                    setting,
                    f"µs {clock} a decision",
                    ("beyond the pipe", beyond),
                    ("the bare pipe", columns["bare"]),
                    None if most is None else Target(at_most=most),
                )
            )
    return found


def main() -> None:
    """Print one line for each game, kind of bot and row."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--bots", default="C,Python,Node", help="the kinds of bots, separated by commas")
    parser.add_argument("--wall", action="store_true", help="measure by the clock")
    parser.add_argument("--causes", action="store_true", help="where the time goes, by cause")
    parser.add_argument("--against", type=Path, help="another checkout to compare this one with")
    parser.add_argument("--serve", action="store_true", help="measure what is asked for on standard input")
    add_results_option(parser)
    given = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    if given.serve:
        with tempfile.TemporaryDirectory() as folder:
            serve(Path(folder), given)
        return
    sides = [Side(Path(__file__).resolve().parents[1], given)]
    if given.against:
        sides.append(Side(given.against, given))
    measured: list[list[dict[str, dict[str, float]]]] = [[], []]
    for _ in rounds(given.rounds, given.most_s):
        for figures in measured:
            figures.append({key: {} for key in sides[0].keys})
        for key in sides[0].keys:
            for row in ("causes",) if given.causes else ROWS:
                for side, figures in zip(sides, measured, strict=False):
                    figures[-1][key] |= side.measured(key, row)
    for side in sides:
        side.close()
    mine, theirs = measured[0], measured[1] if given.against else []
    report(mine, theirs)
    keep(given.results, lines(mine, wall=given.wall))


if __name__ == "__main__":
    main()

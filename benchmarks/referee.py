"""Measures the cost of refereeing: µs per decision, compared with a bare pipe, with everything on one core.

    python benchmarks/referee.py [--rounds 5] [--games 60]

For each installed kind of bot and each game, every round runs these in turn:

- bare: write and read the encoded lines of one game without looking at them
- asked: the same decisions with `BotPlayer.ask`: deadline, log, times, encoding, decoding
- refereed: whole games with `Referee.play`: rules, views, checks, transcript, replay body and its fingerprint

Ratios are computed within a round, and the median over all rounds is reported, so that other load on the machine
affects both sides equally.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.core.ruleset import ruleset
from arena.core.ticket import Ticket
from arena.players.base import Fault, Reply
from arena.players.bot import BotPlayer
from arena.players.house import ScriptedPlayer
from arena.players.pool import BotPool
from arena.referee.referee import Referee
from arena.referee.transcript import Entrant
from arena.registry import game as game_named
from arena.sandbox.program import Program
from benchmarks.games.trick import TrickGame
from protocol import codec
from protocol.messages import Ask

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
ROWS = ("bare", "asked", "refereed")


class Table:
    """Two seats of one game, both filled by the same program."""

    def __init__(self, game: Any, program: Program, place: Path) -> None:
        self.game = game
        self.rules = game.resolve(ruleset(game.info), 2)
        self.pool = BotPool({0: program, 1: program}, place, "benchmark")
        self.referee = Referee()
        self.match_no = 0
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

        self._play([seat_player(0), seat_player(1)], bytes(32))
        return asks

    def _play(self, players: list[Any], seed: bytes) -> int:
        record = self.referee.play(self.game, players, [Entrant("bot", "")] * 2, self.ticket(seed))
        return sum(seat.decisions for seat in record.seats)

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
        for channel in channels:
            os.set_blocking(channel.stdout, True)
        began = time.perf_counter()
        for stdin, stdout, line in script:
            os.write(stdin, line)
            os.read(stdout, 65_536)
        took = time.perf_counter() - began
        for channel in channels:
            os.set_blocking(channel.stdout, False)
        self.give_back(players)
        return took / len(script) * 1e6

    def asked(self, games: int) -> float:
        """Return µs per decision with `BotPlayer.ask`."""
        players = self.started()
        asks = [(players[seat], ask) for seat, ask in self._renewed(players, games)]
        began = time.perf_counter()
        for player, ask in asks:
            player.ask(ask, 1_000_000_000)
        took = time.perf_counter() - began
        self.give_back(players)
        return took / len(asks) * 1e6

    def refereed(self, games: int) -> float:
        """Return µs per decision in whole games."""
        players = self.started()
        decisions = 0
        began = time.perf_counter()
        for game_no in range(games):
            decisions += self._play(players, game_no.to_bytes(32, "big"))
        took = time.perf_counter() - began
        self.give_back(players)
        return took / decisions * 1e6


def programs(place: Path) -> dict[str, Program]:
    """Return the bots that can run on this machine."""
    found: dict[str, Program] = {}
    for name, file, text in (("Python", "bot.py", PYTHON_BOT), ("Node", "bot.js", NODE_BOT)):
        command = {"Python": ("python3", "-S", "-E", file), "Node": ("node", file)}[name]
        if name == "Python" or shutil.which(command[0]):
            folder = place / name
            folder.mkdir()
            (folder / file).write_text(text)
            found[name] = Program(folder, command)
    return found


def measure(table: Table, rounds: int, games: int) -> dict[str, list[float]]:
    """Return the results of every row, one per round."""
    figures: dict[str, list[float]] = {name: [] for name in ROWS}
    for _ in range(rounds):
        for name, values in figures.items():
            values.append(getattr(table, name)(games))
    return figures


def main() -> None:
    """Print one line for each game, kind of bot and row."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=60)
    given = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(f"{'game':14} {'bots':8} {'':10} {'µs/decision':>12} {'range':>15} {'to bare':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name, program in programs(Path(folder)).items():
            for game in (TrickGame(), game_named("bread-basket")):
                table = Table(game, program, Path(folder) / f"{name}-{game.info.name}")
                figures = measure(table, given.rounds, given.games)
                table.pool.close()
                for row, values in figures.items():
                    ratio = statistics.median(
                        value / bare for value, bare in zip(values, figures["bare"], strict=True)
                    )
                    print(
                        f"{game.info.name:14} {name:8} {row:10} {statistics.median(values):12.1f} "
                        f"{f'{min(values):.1f}-{max(values):.1f}':>15} {ratio:7.2f}x"
                    )


if __name__ == "__main__":
    main()

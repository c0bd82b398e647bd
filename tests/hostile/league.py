"""A league of eight good bots and eight hostile ones, played to its end by the command line, and what came of it.

    python -m tests.hostile.league [rounds [workers [0 or 1: whether bots are frozen between turns]]]

prints the figures; a round has 240 games. The games of good bots with each other are played once more in a run without
any hostile bot: they have to be the same, so that rated on these the good ones stand as in a league of their own.
"""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from arena.core.ticket import Ticket, match_seed
from arena.executors.base import Stop
from arena.executors.worker import SerialExecutor
from arena.league.definition.stored import definition_of, file_of
from arena.league.running.portable_work import LeagueWork, work_of
from arena.submissions.manifest import bundled_bots
from results.records import GameRecord
from results.records.roster import BENCHED
from results.store import open_store
from tests.hostile.canaries import Canaries, canaries
from tests.support.leagues import ARENA, arena, assert_nobody_left, simple, write_bot

GOOD = ("greedy", "counter", "crumb", "pick0", "pick1", "pick2", "pick3", "pick4")
LEAGUE_S = 3_000.0
"""How long the league may take."""
BEGINS = """\
import json, os, sys, time
hoard = []
def send(**message):
    print(json.dumps(message), flush=True)
def choice(message, number):
    legal = message.get("legal") or [message["example"]]
    return legal[number % len(legal)]
def steal():
    import socket
    for place in PLACES:
        try:
            with open(place, "a") as file:
                file.write("stolen")
        except OSError:
            pass
    try:
        socket.create_connection(("127.0.0.1", PORT), 1).close()
    except OSError:
        pass
"""
GOES_ON = """
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        send(type="hello", protocol=1)
    elif kind == "start":
        steal()
        start()
        send(type="ready")
    elif kind == "ask":
        ask(message)
"""
HOSTILE = {
    "startup": "def start(): sys.exit(7)\n",
    "timeout": "def start(): pass\ndef ask(message): time.sleep(600)\n",
    "crash": "def start(): pass\ndef ask(message): os.abort()\n",
    "illegal": "def start(): pass\ndef ask(message): send(type='move', id=message['id'], move={'type': 'cheat'})\n",
    "malformed": "def start(): pass\ndef ask(message): print('\\x1b[2J my move', flush=True)\n",
    "output": "def start(): pass\ndef ask(message):\n"
    "    send(type='move', id=message['id'], move=choice(message, 0))\n"
    "    while True: send(type='move', id=1, move=1, note='x' * 3_000)\n",
    "memory": "def start(): pass\ndef ask(message):\n"
    "    for _ in range(40): hoard.append(b'x' * 10_000_000)\n    time.sleep(600)\n",
    "pondering": """
def start():
    if not hoard:
        hoard.append(1)
        for _ in range(4):
            if not os.fork():
                os.setsid()
                while True: pass
def ask(message):
    send(type='move', id=message['id'], move=choice(message, 1))
""",
}
"""By the verdict that each is after. The last one harms only itself where bots are frozen between their turns.

Lines of the flood are so short that the kernel writes them whole, also where the bot is frozen amid one.
"""


@dataclass
class Report:
    """What came of the league."""

    games: int = 0
    level: str = ""
    verdicts: dict[str, Counter[str]] = field(default_factory=dict)
    """By label."""
    details: dict[str, str] = field(default_factory=dict)
    """One fault of each label."""
    clean: Counter[str] = field(default_factory=Counter)
    """Games with a good bot that a label came through without a fault."""
    benched: list[str] = field(default_factory=list)
    """Labels that were started no more."""
    places: list[str] = field(default_factory=list)
    """Labels in ranking order."""
    shares: dict[str, float] = field(default_factory=dict)
    """Of the points, by label."""
    good_games: int = 0
    same_games: int = 0
    """Of the games of good bots with each other, those that are bit for bit the same without the others."""
    again: int = 0
    """Games played again for a fault of the platform, or an excuse."""
    wall_us: dict[str, float] = field(default_factory=dict)
    """Mean wall time of a good bot's decision, by whom it played: `good`, or the verdict that the other is after."""
    reached: list[str] = field(default_factory=list)
    """Canaries."""

    def lines(self) -> list[str]:
        """Return the report for people."""
        yes = [f"{self.games} games at level {self.level}; {self.again} played again"]
        for label in self.places:
            told = ", ".join(
                f"{count} {word}" for word, count in self.verdicts.get(label, Counter()).most_common()
            )
            yes.append(
                f"{label:10} {self.shares[label]:.3f}  {told or 'no fault'}  {self.details.get(label, '')}"[
                    :160
                ]
            )
        yes.append(
            f"{self.same_games} of {self.good_games} games among the good are the same without the others"
        )
        yes += [
            f"a good bot's decision beside {word}: {us:.0f} µs on the wall"
            for word, us in self.wall_us.items()
        ]
        yes.append(f"benched: {', '.join(self.benched) or 'none'}")
        yes.append(f"canaries reached: {self.reached or 'none'}")
        return yes


def write_league(place: Path, canary: Canaries, rounds: int, workers: int, mark: str) -> None:
    """Write the league file and its bots."""
    places = [str(canary.ledger), "/root/.netrc", str(place / "arena.sqlite")]
    told = f"PLACES, PORT = {places!r}, {canary.told(sandboxed=True)['tcp']}\n"
    lines = [
        'name = "mixed"',
        'game = "bread-basket"',
        "options = { hands = 1 }",
        "seats = 2",
        "seed = 11",
        'sandbox = "require"',
        f"workers = {workers}",
        "[clock]",
        "startup_ms = 20_000",
        "ready_ms = 5_000",
        "move_ms = 1_000",
        "bank_ms = 500",
        "[limits]",
        "output_bytes = 2_097_152",  # written long before the time is up, on the busiest machine
        "[schedule]",
        'kind = "round-robin"',
        f"rounds = {rounds}",
    ]
    for name in GOOD:
        bundled = bundled_bots() / "bread_basket" / name
        if not bundled.is_dir():
            write_bot(place, name, simple(int(name[4:])), mark)
        lines += ["[[bots]]", f'path = "{bundled if bundled.is_dir() else name}"']
    for name, source in HOSTILE.items():
        write_bot(place, name, BEGINS + told + source + GOES_ON, mark)
        lines += ["[[bots]]", f'path = "{name}"']
    (place / "league.toml").write_text("\n".join(lines) + "\n")


def play(place: Path, canary: Canaries, rounds: int, workers: int, *, freezes: bool) -> Report:
    """Play the league in a folder, to its end; return what came of it. Fails where something of it is left running.

    `freezes`: whether bots may be frozen between their turns, where this machine can; that is what `arena` does.
    """
    mark = f"mark-{canary.secret}"
    write_league(place, canary, rounds, workers, mark)
    temporary = place / "temporary"
    temporary.mkdir()
    arena("league", "create", "league.toml", cwd=place)
    command = ["run", "mixed"] if freezes else []
    done = subprocess.run(
        [*(ARENA if freezes else [sys.executable, "-m", "tests.hostile.unfrozen"]), *command],
        cwd=place,
        capture_output=True,
        text=True,
        timeout=LEAGUE_S,
        check=False,
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert done.returncode == 0, done.stderr
    assert_nobody_left(mark)
    report = told_of(place)
    report.reached = [*canary.reached(), *map(str, temporary.iterdir())]
    return report


def told_of(place: Path) -> Report:
    """Return what the ledger in a folder tells of the league."""
    report = Report()
    with open_store(place / "arena.sqlite", readonly=True) as store:
        league = store.leagues.get("mixed")
        entries = {entry.entry_no: entry for entry in store.entries.all(league.uuid)}
        labels = {number: entry.label for number, entry in entries.items()}
        report.level = ", ".join(store.games.sandbox_levels(league.uuid))
        report.again = len(store.games.attempts(league.uuid))
        for fault in store.games.faults(league.uuid):
            report.verdicts.setdefault(fault.label, Counter())[fault.verdict] += 1
            if not fault.detail.startswith("benched"):
                report.details[fault.label] = fault.detail
        for row in store.ratings.standings(league.uuid):
            report.places.append(row.label)
            report.shares[row.label] = row.share or 0.0
        games = list(store.games.all(league.uuid))
        report.games = len(games)
        report.benched = [
            labels[event.data["entry_no"]]
            for event in store.leagues.events(league.uuid)
            if event.kind == BENCHED
        ]
        wall: dict[str, list[tuple[int, int]]] = {}
        for game in games:
            for seat, other in (game.seats, game.seats[::-1]):
                if labels[seat.entry_no] in GOOD and not other.verdict:
                    report.clean[labels[other.entry_no]] += 1
                if labels[seat.entry_no] in GOOD and seat.decisions:
                    word = "good" if labels[other.entry_no] in GOOD else labels[other.entry_no]
                    wall.setdefault(word, []).append((seat.wall_ns, seat.decisions))
        report.wall_us = {
            word: sum(ns for ns, _ in times) / sum(count for _, count in times) / 1000
            for word, times in wall.items()
        }
        alike = [game for game in games if all(labels[seat.entry_no] in GOOD for seat in game.seats)]
        report.good_games = len(alike)
        definition, secret = definition_of(store, league), store.leagues.secret(league.uuid)
        tickets = [
            Ticket(
                league.uuid,
                game.match_no,
                game.rotation,
                tuple(seat.entry_no for seat in game.seats),
                definition.rulesets[2],
                match_seed(secret, game.match_no),
            )
            for game in alike
        ]
        good = [entry for entry in entries.values() if entry.label in GOOD]
        work = LeagueWork(store, work_of(file_of(league), good, "require"))
        again = SerialExecutor().run(work, _Given(tickets), Stop())
        alone = {record.key: record.fingerprint for (record,) in again if isinstance(record, GameRecord)}
        report.same_games = sum(
            alone.get((league.uuid, game.match_no, game.rotation)) == game.fingerprint for game in alike
        )
    return report


class _Given:
    """Tickets that were made beforehand. A `TicketSource`."""

    def __init__(self, tickets: list[Ticket]) -> None:
        self._tickets = tickets

    def take(self, most: int, worker_no: int) -> list[Ticket]:  # noqa: ARG002 - there is one worker
        taken, self._tickets = self._tickets[:most], self._tickets[most:]
        return taken


def main(rounds: int = 3, workers: int = 2, freezes: int = 1) -> Iterator[str]:
    """Yield the lines of the report."""
    with tempfile.TemporaryDirectory(prefix="arena-hostile-league-") as folder:
        outside = Path(folder) / "outside"
        outside.mkdir()
        with canaries(outside) as canary:
            yield from play(Path(folder), canary, rounds, workers, freezes=bool(freezes)).lines()


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in main(*map(int, sys.argv[1:])))

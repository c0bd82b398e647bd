"""Runs a standing ladder while bots arrive, improve, break and attack, through two kills of its runner.

    python benchmarks/standing_ladder.py [--minutes 3] [--submissions 20] [--folder FOLDER] [--json FILE]

Ten authors submit new versions at even intervals, each by `arena submit --enter`: some improve with every version,
some stay the same, some break, some attack. The runner, `arena run`, is killed with SIGKILL twice and started again.
Then everything is checked: the ledger is whole, every submission that was accepted has played, the improving bots
rose, and the league played again from its exported events, with one worker, has the same games and ratings.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from results.records.roster import roster_at
from results.store import open_store

ROOT = Path(__file__).parents[1]
BOTS = ROOT / "bots"
RANDOM, CRUMB, GREEDY, COUNTER = (
    BOTS / "any_game" / "random",
    *(BOTS / "bread_basket" / name for name in ("crumb", "greedy", "counter")),
)
IMPROVING = (RANDOM, GREEDY, CRUMB, COUNTER)
"""From weak to strong."""
ARENA = [sys.executable, "-m", "arena"]
LEAGUE = """
name = "main"
game = "bread-basket"
seats = 2
seed = 2026
options = { hands = 1 }
keep_replays = "last 1000"

[clock]
ready_ms = 30_000
move_ms = 5_000
bank_ms = 0

[schedule]
kind = "ladder"

[rating]
draw_probability = 0.1
"""
BROKEN = "import sys\nprint('this is not JSON', flush=True)\nsys.exit(1)\n"
SPOILED = """
import os
def spoiled(choose):
    def chosen(ask, game):
        if game.options["hands"] == 1 and game.rng.random() < 0.1:
            {fault}
        return choose(ask, game)
    return chosen
"""
"""Misbehaves by the rules of the league, not by those of the check, and in the same games again in a replay."""
FAULTS = {
    "hangs": "__import__('time').sleep(3600)",
    "floods": "return {'type': 'play', 'card': 'x' * 100_000}",
    "cheats": "return {'type': 'play', 'card': 'every card'}",
    "shouts": "print('x' * (1 << 21)), os._exit(3)",
}
"""Faults whose verdict is the same on every machine. A verdict that the machine decides (memory, pondering, a clock
that is nearly met) is a result like any other: the ledger keeps it, but playing the games again may not repeat it.
Leagues of bots with such faults are in tests/hostile."""
CRASH = "os._exit(9)"


@dataclass
class Submission:
    """One submission: when, by whom, and what came of it."""

    at_s: float
    author: str
    number: int
    kind: str
    code: int | None = None
    said: str = ""
    took_s: float = 0.0


def main() -> None:
    """Run it all and print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--submissions", type=int, default=20)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--folder", type=Path, help="where to keep store and bots; default: a temporary one")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="arena-standing-ladder-"))
    folder.mkdir(parents=True, exist_ok=True)
    figures = StandingLadder(folder, given.workers).run(60 * given.minutes, given.submissions)
    print(json.dumps(figures, indent=2))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n")
    if not given.folder:
        shutil.rmtree(folder)


class StandingLadder:
    """A store with one standing ladder, its runner, and ten authors."""

    def __init__(self, folder: Path, workers: int) -> None:
        self.folder = folder
        self.workers = workers
        self.log = (folder / "runner.log").open("ab")
        self.kills: list[int] = []

    def run(self, duration_s: float, count: int) -> dict[str, Any]:
        """Run the ladder for that long with that many submissions; return figures."""
        self._create()
        submissions = planned(duration_s, count)
        kills = [duration_s / 3, 2 * duration_s / 3]
        runner, begun_s = self._start(), time.monotonic()
        with ThreadPoolExecutor(1) as authors:
            waiting = [*submissions]
            while (now_s := time.monotonic() - begun_s) < duration_s:
                if waiting and now_s > waiting[0].at_s:
                    authors.submit(self._submit, waiting.pop(0))
                if kills and now_s > kills[0]:
                    kills.pop(0)
                    runner = self._kill(runner)
                time.sleep(0.2)
        runner.send_signal(signal.SIGTERM)
        code = runner.wait(timeout=120)
        return {"runner ended with": code, **self._figures(submissions)}

    def _create(self) -> None:
        entries = "".join(f'[[bots]]\npath = "{path}"\n' for path in IMPROVING)
        (self.folder / "main.toml").write_text(LEAGUE + entries)
        self._arena("league", "create", "main.toml")

    def _start(self) -> "subprocess.Popen[bytes]":
        command = [*ARENA, "run", "--workers", str(self.workers)]
        return subprocess.Popen(  # our own program
            command, cwd=self.folder, stdout=self.log, stderr=self.log, env=environment()
        )

    def _kill(self, runner: "subprocess.Popen[bytes]") -> "subprocess.Popen[bytes]":
        self.kills.append(self._digest("main")["games_count"])
        runner.kill()
        runner.wait()
        return self._start()

    def _submit(self, submission: Submission) -> None:
        bot = self.folder / "bots" / submission.author
        write_version(bot, submission)
        begun_s = time.monotonic()
        done = self._arena("submit", str(bot), "--enter", "main", check=False)
        submission.took_s = time.monotonic() - begun_s
        submission.code = done.returncode
        submission.said = (done.stdout.strip() or done.stderr.strip()).splitlines()[-1]
        print(
            f"{submission.at_s:6.0f} s  {submission.author} {submission.kind}: {submission.said}", flush=True
        )

    def _figures(self, submissions: list[Submission]) -> dict[str, Any]:
        self._arena("league", "pause", "main")
        self._arena("run", "main", check=False)  # what is planned, no more
        verified = self._arena("db", "verify", check=False)
        self._arena("league", "events", "main", "--export", "main.jsonl", "--force")
        self._arena("league", "create", "main.jsonl", "--name", "again")
        self._arena("run", "again", "--workers", "1")
        first, second = self._digest("main"), self._digest("again")
        rankings = json.loads(self._arena("rankings", "main", "--format", "json").stdout)
        events = json.loads(self._arena("league", "events", "main", "--format", "json").stdout)
        accepted = [submission for submission in submissions if submission.code == 0]
        return {
            "submissions": len(submissions),
            "accepted": len(accepted),
            "refused": [f"{s.author}: {s.said}" for s in submissions if s.code],
            "games at each kill": self.kills,
            "verify": verified.stdout.strip().splitlines()[-1:],
            "digests are the same": {key: first[key] == second[key] for key in ("games", "ratings")},
            "digest": first,
            "events": Counter(event["kind"] for event in events),
            "paused": [event["words"] for event in events if event["kind"] in ("paused", "benched")],
            **fairness(self.folder / "arena.sqlite"),
            "rankings": [
                {key: row[key] for key in ("rank", "label", "state", "matches", "faults")} for row in rankings
            ],
        }

    def _digest(self, league: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._arena("db", "digest", league).stdout)
        leagues = json.loads(self._arena("league", "show", league, "--format", "json").stdout)
        return {**found, "games_count": leagues[0]["games"]}

    def _arena(self, *arguments: str, check: bool = True) -> "subprocess.CompletedProcess[str]":
        done = subprocess.run(  # our own program
            [*ARENA, *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            env=environment(),
        )
        if check and done.returncode:
            raise SystemExit(f"arena {' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
        return done


def fairness(path: Path) -> dict[str, Any]:
    """Return how evenly the entries played while they were active; an equal share is 1."""
    due: dict[int, float] = {}
    waited: dict[int, float] = {}
    played: Counter[int] = Counter()
    longest_wait, first_change = 0.0, 0
    with open_store(path, readonly=True) as store:
        events = store.leagues.events("main")
        labels = {entry.entry_no: entry.label for entry in store.entries.all("main")}
        changes = {event.at_match_no for event in events}
        first_change = min(changes, default=0)
        for match in store.matches.all("main"):
            if match.match_no == first_change:
                waited = {}
            if match.match_no == 0 or match.match_no in changes:
                roster = roster_at(events, match.match_no)
                active = [e for e in labels if roster.plays(e) and e not in roster.benched]
            for entry in active:
                turn = len(match.entries) / len(active)
                due[entry] = due.get(entry, 0) + turn
                waited[entry] = waited.get(entry, 0) + turn
            for entry in match.entries:
                if match.match_no >= first_change:
                    longest_wait = max(longest_wait, waited[entry])
                waited[entry] = 0.0
                played[entry] += 1
    shares = {labels[e]: round(played[e] / due[e], 2) for e in due if due[e] >= 1}
    return {
        "longest wait of an active entry since the first arrival, in mean intervals": round(longest_wait, 2),
        "smallest share of an equal share of matches": min(shares.items(), key=lambda one: one[1]),
        "shares": shares,
    }


def environment() -> dict[str, str]:
    """Return the environment of Arena's processes."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}


def planned(duration_s: float, count: int) -> list[Submission]:
    """Return who submits what and when: ten authors in random order, the last in time to be placed."""
    rng = random.Random(7)
    kinds = {
        **{f"rising-{number}": "improves" for number in range(4)},
        **{f"steady-{number}": "stays" for number in range(3)},
        "fragile": "crashes",
        "careless": "broken",
        "hostile": "attacks",
    }
    numbers = dict.fromkeys(kinds, 0)
    found = []
    for turn in range(count):
        if turn % len(kinds) == 0:
            order = list(kinds)
            rng.shuffle(order)
        author = order[turn % len(kinds)]
        numbers[author] += 1
        found.append(Submission(turn * 0.8 * duration_s / count, author, numbers[author], kinds[author]))
    return found


def write_version(folder: Path, submission: Submission) -> None:
    """Write the folder of an author's bot as of this submission."""
    number = submission.number
    shutil.rmtree(folder, ignore_errors=True)
    if submission.kind == "improves":
        base = IMPROVING[min(number - 1, len(IMPROVING) - 1)]
    elif submission.kind == "crashes":
        base = GREEDY
    else:
        base = CRUMB if submission.kind == "stays" else GREEDY
    shutil.copytree(base, folder)
    manifest = (folder / "bot.toml").read_text().splitlines()
    lines = [line for line in manifest if line.partition(" ")[0] not in ("name", "author", "games")]
    head = [f'name = "{submission.author}"', f'author = "{submission.author}"', 'games = ["bread-basket"]']
    (folder / "bot.toml").write_text("\n".join([*head, *lines, f"# version {number}"]) + "\n")
    program = folder / "bot.py"
    if submission.kind == "broken" and number % 2:
        program.write_text(BROKEN)
    elif submission.kind == "attacks":
        fault = list(FAULTS.values())[number % len(FAULTS)]
        spoil(program, fault)
    elif submission.kind == "crashes" and number % 2:
        spoil(program, CRASH)


def spoil(program: Path, fault: str) -> None:
    """Make a bot of the kit misbehave in the games of the league."""
    text = program.read_text()
    head, _, tail = text.rpartition("run(")
    program.write_text(f"{head}{SPOILED.format(fault=fault)}\nchoose = spoiled(choose)\nrun({tail}")


if __name__ == "__main__":
    main()

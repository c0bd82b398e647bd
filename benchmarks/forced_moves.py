"""Measures how well a bot can tell from the clock that its opponent's move was forced, and the cost of `pace_ms`.

For each `pace_ms`, plays a two-player league of Bread and Chocolate: a spy against a slow bot of this repository. The
spy records how long it waited for each ask, since its last answer and since its last ask, minus the paced turns, whose
number it knows. The replays show the truth: whether all moves of the opponent in that time were forced. The best
threshold is chosen on half of the games and judged on the other half, both ways round. The result is the balanced
accuracy of the better of the two waits: 0.5 for guessing, 1 for certainty.

With --sample, the spy also wakes up every 40 ms while it waits and adds up how late it is woken. That shows how busy
the core is, which no pace hides.

    python benchmarks/forced_moves.py [--paces 0,10,50,100] [--rounds 20] [--opponent bots/bread_and_chocolate/greedy]
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from arena.config.league_file import BotTable, ClockTable, LeagueFile
from arena.league.create import create
from arena.league.definition.read import plan
from arena.league.running.run import LeagueRun
from results.store import Store, open_store

SPY = """
import json, select, sys, time

SAMPLES = %r

def note_late():
    late_ns = 0
    while True:
        begun_ns = time.monotonic_ns()
        if not SAMPLES or select.select([sys.stdin], [], [], 0.04)[0]:
            return late_ns
        late_ns += time.monotonic_ns() - begun_ns - 40_000_000

answered_ns = asked_ns = time.monotonic_ns()
while True:
    late_ns = note_late()
    line = sys.stdin.readline()
    now_ns = time.monotonic_ns()
    if not line:
        break
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        answer = {"type": "hello", "protocol": 1}
    elif kind == "start":
        answer = {"type": "ready"}
    elif kind == "ask":
        legal = message.get("legal") or [message["example"]]
        answer = {"type": "move", "id": message["id"], "move": legal[0],
                  "note": json.dumps([now_ns - answered_ns, now_ns - asked_ns, late_ns])}
        asked_ns = now_ns
    else:
        continue
    sys.stdout.write(json.dumps(answer) + "\\n")
    sys.stdout.flush()
    answered_ns = time.monotonic_ns()
"""
MANIFEST = 'name = "spy"\nauthor = "benchmark"\ncommand = ["python3", "-S", "-E", "bot.py"]\ngames = ["*"]\n'


class Wait(NamedTuple):
    """One wait of the spy."""

    game: int
    forced: bool
    """Whether all moves of the opponent during the wait were forced."""
    answered_ns: int
    """Time since its last answer, without the paced turns."""
    asked_ns: int
    """Time since its last ask, without the paced turns."""
    late_ns: int


class Told(NamedTuple):
    """What the spy learned in a league."""

    waits: list[Wait]
    games_per_s: float


def league(
    place: Path, pace_ms: int, rounds: int, hands: int, opponent: Path, sandbox: str, *, samples: bool
) -> Told:
    """Play a league at a pace; return the waits and the games per second."""
    spy = place / "spy"
    spy.mkdir(exist_ok=True)
    (spy / "bot.toml").write_text(MANIFEST)
    (spy / "bot.py").write_text(SPY % samples)
    file = LeagueFile(
        name=f"pace-{pace_ms}-{samples}",
        game="bread-and-chocolate",
        ruleset="pagat",
        options={"hands": hands},
        seats=2,
        bots=(BotTable(path=str(spy)), BotTable(path=str(opponent))),
        schedule={"kind": "round-robin", "rounds": rounds},
        clock=ClockTable(pace_ms=pace_ms),
        seed=1,
    )
    with open_store(place / f"{file.name}.sqlite", create=True) as store:
        made = create(store, plan(file, place, file.name))
        begun_s = time.monotonic()
        run = LeagueRun(store, made, workers=1, sandbox=sandbox)  # type: ignore[arg-type]  # argparse checks the choices
        run.run(lambda _: None)
        return Told(
            list(waits(store, made.uuid, pace_ms * 1_000_000)),
            run.progress.games / (time.monotonic() - begun_s),
        )


def waits(store: Store, league: str, pace_ns: int) -> Iterator[Wait]:
    """Yield the spy's waits in all games of a league, with the truth taken from the replays."""
    for number, game in enumerate(store.games.all(league)):
        spy = next(seat.seat for seat in game.seats if seat.entry_no == 0)
        others: list[str] = []
        turns = 0
        moves = json.loads(store.replays.get(league, game.match_no, game.rotation).body)["moves"]
        for move in moves:
            if move["seat"] == spy and move["by"] == "bot":
                if others and set(others) <= {"bot", "engine"}:
                    answered_ns, asked_ns, late_ns = json.loads(move["note"])
                    paced_ns = turns * pace_ns
                    forced = "bot" not in others
                    yield Wait(number, forced, answered_ns - paced_ns, asked_ns - paced_ns, late_ns)
                others, turns = [], 0
            elif move["seat"] != spy:
                others.append(move["by"])
            turns += 1


def best_threshold(told: Sequence[tuple[int, bool]]) -> int:
    """Return the threshold with the highest balanced accuracy; moves faster than it count as forced."""
    total = sum(forced for _, forced in told), sum(not forced for _, forced in told)
    best, threshold, below = 0.5, 0, [0, 0]
    for value, forced in sorted(told):
        below[not forced] += 1
        accuracy = (below[0] / max(1, total[0]) + 1 - below[1] / max(1, total[1])) / 2
        if accuracy > best:
            best, threshold = accuracy, value
    return threshold


def accuracy(told: Sequence[tuple[int, bool]], threshold: int) -> float:
    """Return the balanced accuracy of a threshold."""
    right = {
        kind: [(value <= threshold) == kind for value, forced in told if forced == kind]
        for kind in (True, False)
    }
    return sum(sum(one) / max(1, len(one)) for one in right.values()) / 2


def judged(waited: Sequence[Wait], value: str) -> float:
    """Return the balanced accuracy of one measure, with the threshold from the other half of the games."""
    halves = [
        [(getattr(wait, value), wait.forced) for wait in waited if wait.game // 2 % 2 == half]
        for half in (0, 1)
    ]
    return sum(accuracy(halves[1 - i], best_threshold(halves[i])) for i in (0, 1)) / 2


def main() -> None:
    """Print a line for each pace."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--paces", default="0,10,50,100")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--hands", type=int, default=1)
    parser.add_argument("--opponent", type=Path, default=Path("bots/bread_and_chocolate/rememberer"))
    parser.add_argument("--sandbox", choices=("auto", "require", "off"), default="auto")
    parser.add_argument("--sample", action="store_true")
    given = parser.parse_args()
    header = ("pace ms", "forced", "chosen", "forced: median ms", "chosen: median ms", "accuracy", "games/s")
    print(" | ".join((*header, *(["accuracy by load"] if given.sample else []))))
    for pace_ms in map(int, given.paces.split(",")):
        with TemporaryDirectory() as folder:
            told = league(
                Path(folder),
                pace_ms,
                given.rounds,
                given.hands,
                given.opponent.resolve(),
                given.sandbox,
                samples=given.sample,
            )
        by_kind = {
            kind: [w.answered_ns / 1e6 for w in told.waits if w.forced == kind] for kind in (True, False)
        }
        cells = [
            str(pace_ms),
            *(str(len(by_kind[kind])) for kind in (True, False)),
            *(f"{median(by_kind[kind]):.2f}" for kind in (True, False)),
            f"{max(judged(told.waits, 'answered_ns'), judged(told.waits, 'asked_ns')):.3f}",
            f"{told.games_per_s:.2f}",
        ]
        print(" | ".join((*cells, *([f"{judged(told.waits, 'late_ns'):.3f}"] if given.sample else []))))


if __name__ == "__main__":
    main()
